/** L9: a provider-side span of which one half is missing. */
import { type Block, phrase, text, translated } from "../../model/index.ts"
import { defineRule } from "../rule.ts"
import { isBlank } from "../survey/text.ts"
import type { Spot } from "../survey/index.ts"

/** What a model can read of an unpaired block; thinking is never shown as text. */
const readableText = (block: Block | undefined): string | undefined =>
  block?.type === "opaque" && !isBlank(block.text) ? block.text : undefined

export const splitSpan = defineRule<Spot>({
  id: "split-span",
  invariant: "L9",
  severity: "error",
  title: "Incomplete server-side tool use or reasoning",
  why: "Providers reject a server tool call without its result, a result without its call, and reasoning that leads to nothing.",
  help: "Repair keeps any text of the unpaired block; other blocks stay.",
  find: (survey) => survey.brokenSpans,
  describe: (spot, survey) => {
    const block = survey.transcript.messages[spot.message]?.blocks[spot.block]
    const kind = block?.type === "opaque" ? block.kind : "reasoning"
    const id = block?.type === "opaque" && block.span ? ` (${block.span})` : ""
    const missing =
      block?.type === "opaque" && block.half ? translated(block.half === "call" ? "its result" : "its call") : translated("the rest of it")
    return {
      spot,
      what: phrase`The ${kind} block${id} is there without ${missing}`,
      ids: block?.type === "opaque" && block.span ? [block.span] : [],
      repair:
        readableText(block) === undefined
          ? { kind: "drop", what: phrase`removed the unpaired ${kind} block` }
          : { kind: "demote", what: phrase`converted the unpaired ${kind} block to text` },
    }
  },
  repair: (spot, draft, description) => {
    const words = readableText(draft.current(spot))
    if (words === undefined) {
      draft.replace(spot)
      draft.record("split-span", description)
      return
    }
    const replacement = text(words.toWellFormed())
    draft.replace(spot, replacement)
    draft.record("split-span", description, { replacement })
  },
})
