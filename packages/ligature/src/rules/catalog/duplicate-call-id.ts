/** L5: an id that an earlier call already used. */
import { phrase } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { nameOf } from "./wording.ts"

export const duplicateCallId = defineRule<CallSlot>({
  id: "duplicate-call-id",
  invariant: "L5",
  severity: "error",
  title: "Tool call id used twice",
  why: "Anthropic rejects ids that are not unique in the conversation; other providers pair the wrong result.",
  help: "Repair renames the later call together with its result.",
  find: (survey) => survey.recycled,
  describe: (slot) => ({
    spot: slot,
    what: phrase`Tool call ${nameOf(slot.call)} reuses the id ${slot.call.id} of an earlier call`,
    ids: [slot.call.id],
    repair: { kind: "safe", what: "gave the call and its result a new id" },
  }),
  repair: (slot, draft, description) => {
    draft.renames.set(slot, description)
  },
})
