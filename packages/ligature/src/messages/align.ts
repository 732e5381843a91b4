/**
 * Moves a proposed cut to a place where it parts no call from its result. A window has two cuts: the end of the head
 * that is kept first, and the start of the tail. Both must be aligned, or the head keeps a call whose result is gone.
 */
import { assertOptions } from "../model/index.ts"
import { groupStarts } from "./atomic-groups.ts"

/** `keep`: the group the cut falls into stays whole. `drop`: it goes whole. */
export type Toward = "keep" | "drop"

const within = (value: number, low: number, high: number): number => Math.min(Math.max(Math.trunc(value) || 0, low), high)

/** The boundaries around an index: equal when it is one itself. `starts` is sorted and ends with the list's length. */
const around = (starts: readonly number[], index: number): { readonly before: number; readonly after: number } => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) < index) low = middle + 1
    else high = middle
  }
  const after = starts[low] ?? index
  return { before: after === index ? index : (starts[low - 1] ?? 0), after }
}

export const alignStart = (starts: readonly number[], rawStart: number, prefix: number, toward: Toward): number => {
  const length = starts.at(-1) ?? 0
  const floor = within(prefix, 0, length)
  const { before, after } = around(starts, within(rawStart, floor, length))
  return toward === "drop" || before < floor ? after : before
}

export const alignEnd = (starts: readonly number[], rawEnd: number, toward: Toward): number => {
  const { before, after } = around(starts, within(rawEnd, 0, starts.at(-1) ?? 0))
  return toward === "keep" ? after : before
}

export const towards: readonly Toward[] = ["keep", "drop"]

export interface AlignTailOptions {
  /**
   * How many messages at the start are kept anyway: the tail never begins before their end. A group that begins
   * among them and holds the cut is left to them, and the tail begins after it: give a head that `alignHeadEnd` made.
   * Default 0.
   */
  readonly protectedPrefix?: number
  /** `keep` (default) moves back and keeps a little more; `drop` moves forward, for callers that must shrink. */
  readonly toward?: Toward
}

/**
 * Where the kept tail of a list may begin: `rawStart`, or the start of the group it falls into. `messages.slice(start)`
 * never begins with a result whose call was cut away.
 *
 * @example
 * const start = alignTailStart(messages, messages.length - 20)
 * const tail = messages.slice(start)
 */
export const alignTailStart = (messages: readonly unknown[], rawStart: number, options: AlignTailOptions = {}): number => {
  assertOptions(options, { protectedPrefix: true, toward: towards })
  const { protectedPrefix = 0, toward = "keep" } = options
  return alignStart(groupStarts(messages), rawStart, protectedPrefix, toward)
}

export interface AlignHeadOptions {
  /**
   * `keep` (default) extends the head to the end of the group it ends in: who asks for the first messages wants at
   * least those. `drop` ends it before that group.
   */
  readonly toward?: Toward
}

/**
 * Where the kept head of a list may end: `rawEnd`, or an end of the group it falls into. `messages.slice(0, end)` never
 * ends with a call whose result was cut away.
 *
 * @example
 * const head = messages.slice(0, alignHeadEnd(messages, keepFirst))
 */
export const alignHeadEnd = (messages: readonly unknown[], rawEnd: number, options: AlignHeadOptions = {}): number => {
  assertOptions(options, { toward: towards })
  return alignEnd(groupStarts(messages), rawEnd, options.toward ?? "keep")
}
