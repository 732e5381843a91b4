/** L6: a call the source calls pending, although the history went on. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { closeCall, describeOpenCall } from "./unanswered-call.ts"
import { idOrNone, idsOf, nameOf } from "./wording.ts"

export const stalePending = defineRule<CallSlot>({
  id: "stale-pending",
  invariant: "L6",
  severity: "error",
  title: "Pending tool call before the last exchange",
  why: "Only the last message may have pending tool calls.",
  help: "Approve or deny the call before continuing, or let repair close it.",
  find: (survey) => survey.stalePending,
  describe: (slot, survey, policies) => ({
    spot: slot,
    what: phrase`Tool call ${nameOf(slot.call)} (${idOrNone(slot.call.id)}) is pending, but the history continues`,
    ids: idsOf(slot.call.id),
    repair: describeOpenCall(slot, survey, policies.unansweredCall),
  }),
  repair: (slot, draft, description) => closeCall("stale-pending", slot, draft, description),
})
