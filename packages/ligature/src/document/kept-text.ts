/**
 * Values that are rewritten often hold old ones: a call gets another id, and its arguments stay the very object that
 * was parsed. A number with more digits than a double holds is no longer in that object, but still in the text. So where
 * the text has such numbers, what stayed inside a changed value is copied from there.
 */

import { isList, isObject } from "../json/json-value.ts"
import { written } from "../json/json-style.ts"
import { elementSpans, memberSpans, type Span } from "../json/scan-json.ts"

/** A value that is gone from its place, with its text. */
export interface Gone extends Span {
  readonly value: unknown
}

/** Doubles hold every number of fifteen digits. */
const longNumber = /\d{16}|\d[eE]\+?\d{3}/

function findSpans(text: string, start: number, value: unknown, spans: Map<unknown, Span>): void {
  if (isList(value)) {
    elementSpans(text, start).forEach((span, index) => note(text, span, value[index], spans))
  } else if (isObject(value)) {
    for (const { key, ...span } of memberSpans(text, start)) note(text, span, value[key], spans)
  }
}

function note(text: string, span: Span, value: unknown, spans: Map<unknown, Span>): void {
  if (typeof value !== "object" || value === null) return
  spans.set(value, span)
  findSpans(text, span.start, value, spans)
}

/** `written`, for values that may hold parts of those that are gone. */
export function writerFor(text: string, gone: readonly Gone[]): typeof written {
  const spans = new Map<unknown, Span>()
  for (const { start, end, value } of gone) {
    if (longNumber.test(text.slice(start, end))) findSpans(text, start, value, spans)
  }
  if (spans.size === 0) return written
  let mark = "kept:"
  while (text.includes(mark)) mark += ":"
  return (value, style, margin) => {
    const kept: string[] = []
    const marked = replaced(value, (inner) => {
      const span = spans.get(inner)
      return span && `${mark}${kept.push(text.slice(span.start, span.end)) - 1}`
    })
    return written(marked, style, margin).replaceAll(new RegExp(`"${mark}(\\d+)"`, "g"), (_, index) => kept[Number(index)] ?? "")
  }
}

function replaced(value: unknown, standIn: (value: object) => string | undefined): unknown {
  if (typeof value !== "object" || value === null) return value
  const found = standIn(value)
  if (found !== undefined) return found
  if (isList(value)) return value.map((element) => replaced(element, standIn))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, standIn)]))
}
