/**
 * Handles: how a view names what it left out. Positions in the whole history, counted from one, because they are short,
 * stay the same while the history grows, and need no table. Models type them, so reading is generous (a missing `#`,
 * spaces, brackets, an open range, `to` for a dash) and writing is strict.
 *
 *   #12          the twelfth item                  #12:5-9      lines 5 to 9 of its text
 *   #12.2        the result of its second call     #12.2:5      one line
 *   #12.2:5-     from line 5 on                    #12.2:5+800  from the 801st character of line 5 on: for very long lines
 *                                                  #12:5+800-9  … up to the end of line 9
 *   #3-#7        items 3 to 7, one after the other #3:5-9-#7    lines 5 to 9 of the third, then the items up to #7
 */
import { type ContentBlock, type Exchange, mediaNote, type Outcome, type ResultBlock, text, type UserMessage } from "../../model/index.ts"

export type Handle = string

export const handleOf = (item: number, call?: number): Handle => (call === undefined ? `#${item + 1}` : `#${item + 1}.${call + 1}`)

/** Something that is no longer in the view, and the handle that `recall` reads it back by. */
export interface Elided {
  readonly handle: Handle
  readonly tokens: number
}

/** What a handle points at. */
export interface Reference {
  /** Position of the item in the whole history, from zero. */
  readonly item: number
  /** Which of its calls, from zero. */
  readonly call?: number
  /** Lines, from one, both ends included. */
  readonly from?: number
  readonly to?: number
  /** Characters of the first line that are left out. */
  readonly skip?: number
  /** Position of the last item of a range: what is named comes first, then the items after it. */
  readonly until?: number
}

const opening = /[\s[(<"'`]*/.source
const named = /#?\s*(\d{1,9})(?:\.(\d{1,6}))?(?::(\d{1,9})(?:\+(\d{1,9}))?(-\s*(\d{1,9})?)?)?/.source
/** Without a `#` before its end only a range of whole items is one: `#3:5-7` are lines. */
const rangeEnd = /\s*(?:[-–—]|to\b)\s*(#?)\s*(\d{1,9})(?:\.\d{1,6})?/.source
const closing = /[\s\])>"'`.,;]*/.source
const written = new RegExp(`^${opening}${named}(?:${rangeEnd})?${closing}$`, "i")

/** Lines of the first item; in a range, a line alone is where it begins. */
const lastLine = (match: readonly (string | undefined)[], isRange: boolean): string | undefined => {
  const [, , , from, skip, range, to] = match
  return range === undefined && skip === undefined && !isRange ? from : to
}

/** Undefined when the text is not a handle. */
export const parseHandle = (text: string): Reference | undefined => {
  const match = written.exec(text.slice(0, 100))
  if (match === null) return undefined
  const [, item, call, from, skip, , , mark, end] = match
  const number = Number(item)
  if (number < 1 || (call !== undefined && Number(call) < 1) || (from !== undefined && Number(from) < 1)) return undefined
  if (end !== undefined && (Number(end) < number || (mark === "" && from !== undefined))) return undefined
  const last = lastLine(match, end !== undefined)
  if (last !== undefined && Number(last) < Number(from)) return undefined
  return {
    item: number - 1,
    ...(call !== undefined && { call: Number(call) - 1 }),
    ...(from !== undefined && { from: Number(from) }),
    ...(last !== undefined && { to: Number(last) }),
    ...(skip !== undefined && { skip: Number(skip) }),
    ...(end !== undefined && { until: Number(end) - 1 }),
  }
}

const linesText = ({ from, to, skip, until }: Reference): string => {
  if (from === undefined) return ""
  const isRange = until !== undefined
  if (skip !== undefined && skip > 0) return `:${from}+${skip}${to === undefined ? "" : `-${to}`}`
  if (to === undefined) return isRange ? `:${from}` : `:${from}-`
  return to === from && !isRange ? `:${from}` : `:${from}-${to}`
}

export const writeHandle = (reference: Reference): Handle => {
  const { item, call, until } = reference
  return `${handleOf(item, call)}${linesText(reference)}${until === undefined ? "" : `-${handleOf(until)}`}`
}

// The texts in place of what a view leaves out. A stub is the one line in place of a result that was elided; stubs begin
// alike, so that none is elided again. A note is the message in place of whole items. Both name the handles that read
// the originals back.

const stubStart = "[elided: "

/** For something whose content its handle reads back. */
export const stubText = (handle: Handle, tokens: number): string => `${stubStart}${tokens} tokens, recall ${handle}]`

/** For a result that a later one repeats. */
export const sameStubText = (handle: Handle): string => `${stubStart}same as ${handle}]`

/** For a reading that a later reading of the same thing replaces. */
export const staleStubText = (handle: Handle, newer: Handle): string => `${stubStart}${handle}, read again in ${newer}]`

export const isStub = (content: readonly ContentBlock[]): boolean => {
  const [only] = content
  return content.length === 1 && only?.type === "text" && only.text.startsWith(stubStart)
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

const stretchText = ({ from, to }: Stretch): string => (from === to ? handleOf(from) : `${handleOf(from)} to ${handleOf(to)}`)

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
