/** A larger budget shows what a smaller one does: the invariant of strategies that choose, on one conversation. */
import { expect } from "vitest"
import { compact, type Compacted, estimateMeter, type Strategy } from "../../src/compact/index.ts"
import { eachTerm } from "../../src/compact/text/terms.ts"
import { type Block, type Conversation, flatten, type JsonValue, mediaNote } from "../../src/model/index.ts"

const closedUp = (words: string): string => words.replace(/\s+/g, " ")

const valuesOf = (value: JsonValue | undefined): readonly string[] => {
  if (typeof value !== "object" || value === null) return [String(value)]
  // A record names what a value is for: `path: src/a.ts`.
  return Object.entries(value).flatMap(([name, inner]) => [name, ...valuesOf(inner as JsonValue)])
}

const wordsIn = (block: Block): readonly string[] => {
  if (block.type === "media") return [mediaNote(block)]
  if (block.type === "text" || block.type === "opaque") return [block.text]
  if (block.type === "call") return [block.raw ?? "", ...valuesOf(block.arguments)]
  return block.type === "result" ? block.content.flatMap(wordsIn) : []
}

/** All that a view says, as one text; arguments by value. */
const wordsOf = (view: Conversation): string =>
  closedUp(
    flatten(view)
      .messages.flatMap(({ blocks }) => blocks.flatMap(wordsIn))
      .join("\n"),
  )

/** Lines of the records of a view without their headings, in pieces where they are cut. */
const piecesOf = (record: string): readonly string[] =>
  record
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^#\d+(?:\.\d+)?(?: \S+)? ?/, ""))
    .flatMap((line) => line.split("…"))
    .map((piece) => closedUp(piece).trim())
    .filter((piece) => piece !== "")

const termsOf = (line: string): readonly string[] => {
  const terms: string[] = []
  eachTerm(line, (term, kind) => {
    if (kind !== "word") terms.push(term)
  })
  return terms
}

/** Sizes of requests that stay in their place, shortened. */
const shortenedRequests = ({ plan }: Compacted): readonly number[] =>
  plan.decisions.flatMap((decision) =>
    decision.kind === "edit" && decision.item.role === "user" ? [estimateMeter.sizeOfItem(decision.item).tokens] : [],
  )

/** Whether a picture of the user is in sight that was not. */
const hasNewPicture = ({ items }: Conversation, small: Compacted, large: Compacted): boolean =>
  items.some((item, index) => {
    const isPicture = item.role === "user" && item.blocks.some(({ type }) => type === "media")
    return isPicture && small.plan.decisions[index]?.kind !== "keep" && large.plan.decisions[index]?.kind === "keep"
  })

/**
 * Says how many lines and items were looked for. A line that shows nothing first may go, its names stay. A request that must
 * stay in its place takes what room it needs; and one that was told or shortened to little, because it is a picture or one long
 * line, takes its own from now on.
 */
export const expectMoreShown = (conversation: Conversation, tokens: number, strategy: Strategy): number => {
  const small = compact(conversation, { budget: tokens, strategy })
  const large = compact(conversation, { budget: 2 * tokens, strategy })
  if (small.plan.outcome !== "compacted" || large.plan.outcome !== "compacted") return 0
  if (shortenedRequests(large).length > 0 || shortenedRequests(small).some((size) => size < 0.4 * tokens)) return 0
  if (hasNewPicture(conversation, small, large)) return 0
  const shown = wordsOf(large.conversation)
  const records = small.plan.summaries.flatMap(({ message }) => message.blocks)
  const pieces = records.flatMap((block) => (block.type === "text" ? piecesOf(block.text) : []))
  const missing = pieces.filter((piece) => !shown.includes(piece))
  expect(
    missing.filter((piece) => !termsOf(piece).every((term) => shown.includes(term))),
    "lines that are gone",
  ).toEqual([])
  const kept = small.plan.decisions.flatMap((decision, index) => (decision.kind === "keep" ? [index] : []))
  expect(
    kept.filter((index) => large.plan.decisions[index]?.kind !== "keep"),
    "items that are gone",
  ).toEqual([])
  return pieces.length + kept.length
}
