/** L5: an id that an earlier call already used. */
import { assistant, call, result, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { nameOf } from "./wording.ts"

export const duplicateCallId = defineRule<CallSlot>({
  id: "duplicate-call-id",
  law: "L5",
  severity: "error",
  title: "An id that an earlier call already used",
  doc: `Some servers number calls from zero in every turn (\`call_0\`, \`functions.bash:0\`), redactors write one word for all ids, and
gateways restart counters. The ids are equal, the calls are not. Settle gives the later call a new id, on the call and on
its result alike, and keeps the provider's id beside it.`,
  why: "Anthropic rejects ids that are not unique in the conversation; others pair the wrong result.",
  help: "Repair renames the later call together with its own result.",
  examples: [
    {
      title: "a counter that starts again in each turn",
      before: [
        user("one"),
        assistant(call("call_0", "ls")),
        tool(result("call_0", "x")),
        user("two"),
        assistant(call("call_0", "cat")),
        tool(result("call_0", "y")),
      ],
      finds: 1,
      after: [
        user("one"),
        assistant(call("call_0", "ls")),
        tool(result("call_0", "x")),
        user("two"),
        assistant({ ...call("call_0__2", "cat"), providerId: "call_0" }),
        tool({ ...result("call_0__2", "y"), providerId: "call_0" }),
      ],
    },
  ],
  find: (survey) => survey.recycled,
  describe: (slot) => ({
    spot: slot,
    what: `Call ${nameOf(slot.call)} reuses the id ${slot.call.id} of an earlier call`,
    ids: [slot.call.id],
    repair: { kind: "safe", what: "gave the call and its result an id of their own" },
  }),
  repair: (slot, draft, description) => {
    draft.renames.set(slot, description)
  },
})
