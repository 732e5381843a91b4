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
export type Handle = string

export const handleOf = (item: number, call?: number): Handle =>
  call === undefined ? `#${item + 1}` : `#${item + 1}.${call + 1}`

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
