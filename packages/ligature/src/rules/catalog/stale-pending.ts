/** L6: a call the source calls pending, although the history went on. */
import { assistant, call, syntheticResult, tool, user } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { closeCall, describeOpenCall } from "./unanswered-call.ts"
import { idsOf, nameOf } from "./wording.ts"

const waiting = { ...call("a", "rm"), pending: "approval" } as const

export const stalePending = defineRule<CallSlot>({
  id: "stale-pending",
  law: "L6",
  severity: "error",
  title: "A pending call behind the tip",
  doc: `The source says that a call waits for approval or still runs, but the history went on behind it. Only the last exchange
may be pending. Settle closes what waits for approval as **not-run**, and what was running like any unanswered call.`,
  why: "Providers know no pending calls in the middle of a history.",
  help: "Approve or deny the call before going on, or let repair close it.",
  examples: [
    {
      title: "the user went on without approving",
      before: [user("clean up"), assistant(waiting), user("never mind")],
      finds: 1,
      after: [user("clean up"), assistant(waiting), tool(syntheticResult("a", "rm", "not-run")), user("never mind")],
    },
    {
      title: "it may wait at an open tip",
      tip: "open",
      before: [user("clean up"), assistant(waiting)],
      finds: 0,
      after: [user("clean up"), assistant(waiting)],
    },
  ],
  find: (survey) => survey.stalePending,
  describe: (slot, survey, policies) => ({
    spot: slot,
    what: `Call ${nameOf(slot.call)} (${slot.call.id || "no id"}) is pending, but the history goes on`,
    ids: idsOf(slot.call.id),
    repair: describeOpenCall(slot, survey, policies.unansweredCall),
  }),
  repair: (slot, draft, description) => closeCall("stale-pending", slot, draft, description),
})
