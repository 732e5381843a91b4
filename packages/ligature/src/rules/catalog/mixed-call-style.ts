/** One conversation, two ways of writing calls. */
import { type CallBlock, phrase, type ResultBlock } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"
import { idsOf, nameOf } from "./wording.ts"

const withoutStyle = <Styled extends CallBlock | ResultBlock>(block: Styled): Styled => {
  const { style: _, ...plain } = block
  return plain as Styled
}

export const mixedCallStyle = defineRule<CallSlot>({
  id: "mixed-call-style",
  invariant: "L2",
  severity: "warning",
  title: "Tool calls as XML text beside tool calls as blocks",
  why: "A model that sees both styles mixes them up in its answers.",
  help: "Convert or migrate the history: all tool calls are then written in one style.",
  find: (survey) => survey.foreignStyle,
  describe: (slot) => ({
    spot: slot,
    what:
      slot.call.style === "xml"
        ? phrase`Tool call ${nameOf(slot.call)} is written as text, others as blocks`
        : phrase`Tool call ${nameOf(slot.call)} is answered as text, others as blocks`,
    ids: idsOf(slot.call.id),
    repair: { kind: "safe", what: "made it a call block like the others" },
  }),
  repair: (slot, draft, description) => {
    draft.amendCall(slot, withoutStyle)
    const answer = slot.result && draft.current(slot.result)
    if (slot.result && answer?.type === "result") {
      draft.replace(slot.result, withoutStyle(answer))
    }
    draft.record("mixed-call-style", description)
  },
})
