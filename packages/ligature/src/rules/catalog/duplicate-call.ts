/** L5: the same call recorded twice. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

export const duplicateCall = defineRule<CallSlot>({
  id: "duplicate-call",
  invariant: "L5",
  severity: "error",
  title: "Tool call recorded twice",
  why: "A copy without a result makes the history invalid, and a result for it would pretend that the tool ran twice.",
  help: "Repair removes the unanswered copy.",
  find: (survey) => [...survey.replayed],
  describe: (slot) => ({
    spot: slot,
    what: phrase`Tool call ${nameOf(slot.call)} (${slot.call.id}) is recorded twice`,
    ids: idsOf(slot.call.id),
    repair: { kind: "drop", what: "removed the unanswered copy" },
  }),
  repair: (slot, draft, description) => {
    draft.replace(slot)
    draft.record("duplicate-call", description)
  },
})
