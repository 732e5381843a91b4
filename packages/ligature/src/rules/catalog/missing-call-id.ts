/** L5: a call or a result without id, in a format that needs ids, or a result with another spelling of its call's id. */
import { phrase, translated } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot, ResultSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

const isCall = (slot: CallSlot | ResultSlot): slot is CallSlot => "ordinal" in slot

const whatIsMissing = ({ result: { callId }, call: owner }: ResultSlot): string =>
  callId === "" ? translated("Result without a call id") : phrase`Result with call id ${callId}, expected ${owner?.call.id ?? ""}`

export const missingCallId = defineRule<CallSlot | ResultSlot>({
  id: "missing-call-id",
  invariant: "L5",
  severity: "error",
  title: "Tool call or result without an id",
  why: "Most providers require an id on both sides.",
  help: "Repair pairs by name and position inside one exchange and writes ids.",
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
