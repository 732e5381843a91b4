/** L8: an empty or blank text block beside other blocks. */
import { defineRule } from "../rule.ts"
import type { Spot } from "../survey/index.ts"
import { isBlank } from "../survey/text.ts"

export const emptyText = defineRule<Spot>({
  id: "empty-text",
  invariant: "L8",
  severity: "warning",
  title: "Blank text block",
  why: "Several providers reject blank text.",
  help: "Repair removes the block.",
  find: (survey) => survey.blankTexts,
  describe: (spot) => ({
    spot,
    what: "A text block is blank",
    ids: [],
    repair: { kind: "drop", what: "removed the blank text" },
  }),
  repair: (spot, draft, description) => {
    const { messages } = draft.survey.transcript
    const message = messages[spot.message]
    draft.replace(spot)
    // Where nothing else is in the message, it is left out with what its format said around it.
    const isAll = spot.block === 0 && message?.blocks.every((block) => block.type === "text" && isBlank(block.text))
    draft.record("empty-text", description, isAll === true && message ? { original: message } : {})
  },
})
