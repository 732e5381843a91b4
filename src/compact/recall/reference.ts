/**
 * Handles read back: what `#12.2:5-9` points at. Written by stubs and typed by models, so reading is generous (a
 * missing `#`, spaces, brackets, an open range) and writing is strict.
 *
 *   #12          the twelfth item                  #12:5-9      lines 5 to 9 of its text
 *   #12.2        the result of its second call     #12.2:5      one line
 *   #12.2:5-     from line 5 on                    #12.2:5+800  from the 801st character of line 5 on: for very long lines
 *                                                  #12:5+800-9  … up to the end of line 9
 */
import { type Handle, handleOf } from "../handle.ts"

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
}

const written = /^[\s[(<"'`]*#?\s*(\d{1,9})(?:\.(\d{1,6}))?(?::(\d{1,9})(?:\+(\d{1,9}))?(-\s*(\d{1,9})?)?)?[\s\])>"'`.,;]*$/

/** Undefined when the text is no handle. */
export const parseHandle = (text: string): Reference | undefined => {
  const match = written.exec(text.slice(0, 100))
  if (match === null) return undefined
  const [, item, call, from, skip, range, to] = match
  const number = Number(item)
  if (number < 1 || (call !== undefined && Number(call) < 1) || (from !== undefined && Number(from) < 1)) return undefined
  const last = range === undefined && skip === undefined ? from : to
  if (last !== undefined && Number(last) < Number(from)) return undefined
  return {
    item: number - 1,
    ...(call !== undefined && { call: Number(call) - 1 }),
    ...(from !== undefined && { from: Number(from) }),
    ...(last !== undefined && { to: Number(last) }),
    ...(skip !== undefined && { skip: Number(skip) }),
  }
}

export const writeHandle = ({ item, call, from, to, skip }: Reference): Handle => {
  const whole = handleOf(item, call)
  if (from === undefined) return whole
  if (skip !== undefined && skip > 0) return `${whole}:${from}+${skip}${to === undefined ? "" : `-${to}`}`
  return to === from ? `${whole}:${from}` : `${whole}:${from}-${to ?? ""}`
}
