/** L5: a call or a result without id, in a format that needs ids. */
import { assistant, call, result, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idsOf } from "./wording.ts"

const isCall = (slot: CallSlot | ResultSlot): slot is CallSlot => "ordinal" in slot

export const missingCallId = defineRule<CallSlot | ResultSlot>({
  id: "missing-call-id",
  law: "L5",
  severity: "error",
  title: "A call or result without id",
  doc: `Local servers and old logs leave ids out. Results then belong to calls by name and position alone. Settle pairs them that way
within one exchange and gives both sides a deterministic id.`,
  why: "Most providers demand an id on both sides.",
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
  ],
  find: (survey) => survey.withoutId,
  describe: (slot) => ({
    spot: slot,
    what: isCall(slot) ? `Call ${slot.call.name || "without name"} has no id` : "A result names no call",
    ids: isCall(slot) ? [] : idsOf(slot.call?.call.id ?? ""),
    repair: { kind: "safe", what: isCall(slot) ? "gave the call an id" : "gave the result the id of its call" },
  }),
  // Ids of calls are assigned when rules are done, for formats that need none as well; results take the id of their call.
  repair: (slot, draft, description) => {
    if (isCall(slot) || slot.call) draft.record("missing-call-id", description)
  },
})
