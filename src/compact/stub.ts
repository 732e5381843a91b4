/**
 * Stubs: the one line that stands where something was elided, with the handle that gets it back. They begin alike, so
 * that a stub is never elided again.
 */
import { type ContentBlock, type Exchange, mediaNote, type Outcome, type ResultBlock, text } from "../model/index.ts"
import type { Handle } from "./handle.ts"

const opening = "[elided: "

/** For something whose content is behind its handle. */
export const stubText = (handle: Handle, tokens: number): string => `${opening}${tokens} tokens, recall ${handle}]`

/** For a result that a later one repeats. */
export const sameStubText = (handle: Handle): string => `${opening}same as ${handle}]`

/** For a reading that a later reading of the same thing replaces. */
export const staleStubText = (handle: Handle, newer: Handle): string => `${opening}${handle}, read again in ${newer}]`

export const isStub = (content: readonly ContentBlock[]): boolean => {
  const [only] = content
  return content.length === 1 && only?.type === "text" && only.text.startsWith(opening)
}

/** What a result says, media as notes: what its lines are counted in. */
export const textOfContent = (content: readonly ContentBlock[]): string =>
  content
    .map((block) => (block.type === "media" ? mediaNote(block) : block.text))
    .filter((words) => words !== "")
    .join("\n")

/** The result with other content. Its wire value said the old one, so it goes. */
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
