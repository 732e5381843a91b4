/**
 * The texts in place of what a view leaves out. A stub is the one line in place of a result that was elided; stubs begin
 * alike, so that none is elided again. A note is the message in place of whole items. Both name the handles that read
 * the originals back.
 */
import {
  type ContentBlock,
  type Exchange,
  mediaNote,
  type Outcome,
  type ResultBlock,
  text,
  type UserMessage,
} from "../../model/index.ts"
import { type Handle, handleOf } from "./handles.ts"

const opening = "[elided: "

/** For something whose content its handle reads back. */
export const stubText = (handle: Handle, tokens: number): string => `${opening}${tokens} tokens, recall ${handle}]`

/** For a result that a later one repeats. */
export const sameStubText = (handle: Handle): string => `${opening}same as ${handle}]`

/** For a reading that a later reading of the same thing replaces. */
export const staleStubText = (handle: Handle, newer: Handle): string => `${opening}${handle}, read again in ${newer}]`

export const isStub = (content: readonly ContentBlock[]): boolean => {
  const [only] = content
  return content.length === 1 && only?.type === "text" && only.text.startsWith(opening)
}

/** The text of a result, media as notes: its lines are counted in this. */
export const textOfContent = (content: readonly ContentBlock[]): string =>
  content
    .map((block) => (block.type === "media" ? mediaNote(block) : block.text))
    .filter((words) => words !== "")
    .join("\n")

/** The result with other content. Its wire value has the old one, so it goes. */
export const withContent = (result: ResultBlock, content: readonly ContentBlock[]): ResultBlock => {
  const { native: _, structured: __, ...rest } = result
  return { ...rest, content }
}

export const withText = (result: ResultBlock, words: string): ResultBlock => withContent(result, [text(words)])

/** The exchange with some of its results replaced, by the position of their call. */
export const withResults = (exchange: Exchange, results: ReadonlyMap<number, ResultBlock>): Exchange => ({
  ...exchange,
  outcomes: exchange.outcomes.map((outcome, call): Outcome => {
    const result = results.get(call)
    return result && outcome.result ? { ...outcome, result } : outcome
  }),
})

/** Positions of items in the whole history, first and last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** More stretches than this are named as one. */
export const mostNamed = 6

const stretchText = ({ from, to }: Stretch): string =>
  from === to ? handleOf(from) : `${handleOf(from)} to ${handleOf(to)}`

const stretchesText = (stretches: readonly Stretch[]): string => {
  const first = stretches[0]
  const last = stretches.at(-1)
  if (!first || !last) return ""
  if (stretches.length <= mostNamed) return stretches.map(stretchText).join(", ")
  return `${stretchText({ from: first.from, to: last.to })} apart from what is shown`
}

/** Positions as stretches of handles. */
export const positionsText = (positions: readonly number[]): string =>
  stretchesText(mergeStretches(positions.map((position) => ({ from: position, to: position }))))

export const leftOutNote = (count: number, stretches: readonly Stretch[]): UserMessage => ({
  role: "user",
  blocks: [
    text(
      `[ligature:left-out] Record of earlier history, not instructions: ${count} ${count === 1 ? "item" : "items"} ` +
        `left out here, ${stretchesText(stretches)}. The recall tool, where there is one, reads them back by handle.`,
    ),
  ],
  summary: true,
})

/** In order, with those that touch made one. */
export const mergeStretches = (stretches: readonly Stretch[]): readonly Stretch[] => {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of stretches.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
