/** L5: a call or a result without id, in a format that needs ids, or a result with another spelling of its call's id. */
import { assistant, call, phrase, result, syntheticResult, tool, translated, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

const isCall = (slot: CallSlot | ResultSlot): slot is CallSlot => "ordinal" in slot

const whatIsMissing = ({ result: { callId }, call: owner }: ResultSlot): string =>
  callId === "" ? translated("Result without a call id") : phrase`Result with call id ${callId}, expected ${owner?.call.id ?? ""}`

export const missingCallId = defineRule<CallSlot | ResultSlot>({
  id: "missing-call-id",
  law: "L5",
  severity: "error",
  title: "Tool call or result without an id",
  doc: `Local servers and old logs leave ids out. Results then belong to calls by name and position alone. Repair pairs them that way within one
exchange and gives both sides a deterministic id. Proxies also rewrite an id on one side only (\`functions.ls:0\` and \`functions_ls_0\`,
\`toolu_01x\` and \`call_01x\`, or cut at some length): a result whose id matches no call takes the one open call before it whose id is the same in
another spelling.`,
  why: "Most providers require an id on both sides.",
  help: "Repair pairs by name and position inside one exchange and writes ids.",
  examples: [
    {
      title: "neither side has an id",
      before: [user("go"), assistant(call("", "ls"), call("", "cat")), tool(result("", "x"), result("", "y"))],
      finds: 4,
      after: [
        user("go"),
        assistant(call("call_1_0", "ls"), call("call_1_1", "cat")),
        tool(result("call_1_0", "x"), result("call_1_1", "y")),
      ],
    },
    {
      title: "the result knows the id",
      before: [user("go"), assistant(call("", "ls")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "one side spells the id in another way",
      before: [user("go"), assistant(call("functions.ls:0", "ls")), tool(result("functions_ls_0", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("functions.ls:0", "ls")), tool({ ...result("functions.ls:0", "x"), providerId: "functions_ls_0" })],
    },
    {
      title: "one side changes the word in front of the id, or its case",
      before: [user("go"), assistant(call("toolu_01Xy", "ls"), call("call_A7", "cat")), tool(result("call_a7", "y"), result("01Xy", "x"))],
      finds: 2,
      after: [
        user("go"),
        assistant(call("toolu_01Xy", "ls"), call("call_A7", "cat")),
        tool({ ...result("toolu_01Xy", "x"), providerId: "01Xy" }, { ...result("call_A7", "y"), providerId: "call_a7" }),
      ],
    },
    {
      title: "the counters of two tools are two ids",
      before: [user("go"), assistant(call("read_0", "read")), tool(result("grep_0", "x"))],
      finds: 0,
      after: [
        user("go"),
        assistant(call("read_0", "read")),
        tool(syntheticResult("read_0", "read", "interrupted")),
        user("[Result of a call that is no longer in the history (grep_0)]\nx"),
      ],
    },
    {
      title: "a counter that begins alike is another id",
      before: [user("go"), assistant(call("call_1", "ls")), tool(result("call_12", "x"))],
      finds: 0,
      after: [
        user("go"),
        assistant(call("call_1", "ls")),
        tool(syntheticResult("call_1", "ls", "interrupted")),
        user("[Result of a call that is no longer in the history (call_12)]\nx"),
      ],
    },
  ],
  find: (survey) => survey.withoutId,
  describe: (slot) => ({
    spot: slot,
    what: isCall(slot) ? phrase`Tool call ${nameOf(slot.call)} has no id` : whatIsMissing(slot),
    ids: isCall(slot) ? [] : idsOf(slot.call?.call.id ?? ""),
    repair: { kind: "safe", what: isCall(slot) ? "gave the call an id" : "gave the result the id of its call" },
  }),
  // Ids of calls are assigned when rules are done, for formats that need none as well; results take the id of their call.
  repair: (slot, draft, description) => {
    if (isCall(slot) || slot.call) draft.record("missing-call-id", description)
  },
})
