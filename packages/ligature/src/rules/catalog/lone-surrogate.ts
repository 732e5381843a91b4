/** L8: half of a surrogate pair. */
import type { Block } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import type { Spot } from "../survey/index.ts"
import { wellFormedJson } from "../survey/text.ts"

/** The block with U+FFFD for each half; signed thinking cannot be edited (L10) and is left out whole. */
const repaired = (block: Block): readonly Block[] => {
  switch (block.type) {
    case "text":
      return [{ ...block, text: block.text.toWellFormed() }]
    case "thinking":
      return block.signature === undefined ? [{ ...block, text: block.text.toWellFormed() }] : []
    case "call": {
      const { raw, ...rest } = block
      const sound = {
        ...rest,
        id: block.id.toWellFormed(),
        name: block.name.toWellFormed(),
        arguments: wellFormedJson(block.arguments),
      }
      return [raw !== undefined && block.fault !== undefined ? { ...sound, raw: raw.toWellFormed() } : sound]
    }
    case "result":
      return [{ ...block, callId: block.callId.toWellFormed(), content: block.content.flatMap(repairedContent) }]
    case "opaque":
      // Its origin would not take it with the half either: both copies are repaired.
      return [{ ...wellFormedJson(block) }]
    case "media":
      return [wellFormedJson(block)]
  }
}

const repairedContent = (block: Block) => repaired(block) as readonly (typeof block & { type: "text" | "media" | "opaque" })[]

export const loneSurrogate = defineRule<Spot>({
  id: "lone-surrogate",
  invariant: "L8",
  severity: "error",
  title: "Unpaired surrogate",
  why: "Providers reject the whole request as invalid JSON.",
  help: "Repair replaces the surrogate with U+FFFD; the rest of the text stays.",
  find: (survey) => survey.surrogates,
  describe: (spot) => ({
    spot,
    what: "Unpaired surrogate",
    ids: [],
    repair: { kind: "demote", what: "replaced it with U+FFFD" },
  }),
  repair: (spot, draft, description) => {
    const block = draft.current(spot)
    if (!block) return
    const sound = repaired(block)
    draft.replace(spot, ...sound)
    draft.record("lone-surrogate", description, {}, sound.length === 0 ? "drop" : "demote")
  },
})
