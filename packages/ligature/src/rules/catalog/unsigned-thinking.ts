/** L10: a thinking block without the signature its format demands, or with nothing at all. */
import { thinking } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { Spot } from "../survey/index.ts"

export const unsignedThinking = defineRule<Spot>({
  id: "unsigned-thinking",
  invariant: "L10",
  severity: "warning",
  title: "Thinking block without a signature",
  why: "Anthropic rejects a thinking block without a signature.",
  help: "Repair removes an empty block and keeps the text of another as plain thinking.",
  find: (survey) => survey.hollowThinking,
  describe: (spot, survey) => {
    const block = survey.transcript.messages[spot.message]?.blocks[spot.block]
    const empty = block?.type !== "thinking" || block.text === ""
    return {
      spot,
      what: empty ? "A thinking block has neither text nor signature" : "A thinking block has no signature",
      ids: [],
      repair: empty
        ? { kind: "drop", what: "removed the empty thinking block" }
        : { kind: "demote", what: "kept the text as plain thinking" },
    }
  },
  repair: (spot, draft, description) => {
    const block = draft.current(spot)
    if (block?.type !== "thinking" || block.text === "") draft.replace(spot)
    else draft.replace(spot, thinking(block.text))
    draft.record("unsigned-thinking", description)
  },
})
