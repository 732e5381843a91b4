/**
 * The text of a message list after a change: a message that is equal to one that was there is copied from the file,
 * digits, escapes and white space included; only what changed is rewritten, in the style of its neighbours.
 */

import { isDeepEqual, isList, type Path } from "../json/json-value.ts"
import { spacingOf, written, type JsonStyle } from "../json/json-style.ts"
import { elementSpans, type Span } from "../json/scan-json.ts"
import { writerFor, type Gone } from "./kept-text.ts"

/** How far ahead an equal message is looked for: as many as a repair may take out in a row. */
const messagesComparedWith = 8

export function isUnchanged(list: readonly unknown[], before: unknown): boolean {
  if (!isList(before) || before.length !== list.length) return false
  return list.every((message, index) => isDeepEqual(message, before[index]))
}

export interface Origins {
  /** For each message of the new list, the index of the one in the old list that stays in its place, or -1. Grows. */
  readonly stays: readonly number[]
  /** The index of the very same message where it stood elsewhere before, or -1. */
  readonly moved: readonly number[]
}

/** Which messages stay: of the very same ones as many as are in the old order; beside them equal ones nearby. */
export function originsOf(list: readonly unknown[], before: readonly unknown[]): Origins {
  const places = new Map<unknown, number>()
  before.forEach((message, index) => {
    if (typeof message === "object" && message !== null) places.set(message, index)
  })
  const same = list.map((message) => places.get(message) ?? -1)
  const kept = longestRise(same)
  let next = 0
  let keptAhead = 0
  const stays = list.map((message, index) => {
    if (kept.has(index)) {
      next = (same[index] ?? 0) + 1
      return next - 1
    }
    // An equal message may only be before the next one that is surely kept.
    while (keptAhead < list.length && (keptAhead <= index || !kept.has(keptAhead))) keptAhead += 1
    const limit = keptAhead < list.length ? (same[keptAhead] ?? 0) : before.length
    const window = before.slice(next, Math.min(next + messagesComparedWith, limit))
    const ahead = window.findIndex((old) => isDeepEqual(old, message))
    if (ahead === -1) return -1
    next += ahead + 1
    return next - 1
  })
  return { stays, moved: same.map((place, index) => (stays[index] === -1 ? place : -1)) }
}

/** Positions of a longest strictly rising run among the numbers, -1 aside: patience sorting, n log n. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  const tails: number[] = []
  const previous = Array.from({ length: numbers.length }, () => -1)
  numbers.forEach((number, position) => {
    if (number === -1) return
    let low = 0
    let high = tails.length
    // What rises anyway, which is nearly everything, goes to the end without a search.
    if (high > 0 && (numbers[tails[high - 1] ?? 0] ?? 0) < number) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[tails[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    previous[position] = tails[low - 1] ?? -1
    tails[low] = position
  })
  const kept = new Set<number>()
  for (let position = tails.at(-1) ?? -1; position !== -1; position = previous[position] ?? -1) kept.add(position)
  return kept
}

/** The values that do not stay, with their text. Text that broke off (`open`) is none to copy from. */
export function goneFrom(
  before: readonly unknown[],
  spans: readonly (Span & { readonly open?: Path })[],
  stays: readonly number[],
): readonly Gone[] {
  const kept = new Set(stays)
  return spans.flatMap(({ start, end, open }, index) =>
    kept.has(index) || open !== undefined ? [] : [{ start, end, value: before[index] }],
  )
}

export function listText(text: string, span: Span, before: unknown, list: readonly unknown[], style: JsonStyle): string {
  if (list.length === 0) return "[]"
  if (!isList(before)) return written(list, style, "")
  const elements = elementSpans(text, span.start)
  const spacing = spacingOf(text, span, elements, style)
  const inner = spacing.tall ? style : { ...style, margin: "" }
  const { stays, moved } = originsOf(list, before)
  const write = writerFor(text, goneFrom(before, elements, stays))
  const pieces = list.map((message, index) => {
    const element = elements[stays[index] ?? -1] ?? elements[moved[index] ?? -1]
    return element === undefined ? write(message, inner, spacing.margin) : text.slice(element.start, element.end)
  })
  return `[${spacing.open}${pieces.join(spacing.between)}${spacing.close}]`
}
