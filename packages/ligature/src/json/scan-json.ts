/**
 * A reader of JSON *text*: where values begin and end, without building them. It serves what JSON.parse cannot: values
 * glued together, text that breaks off, and replacing one place of a file while every other byte stays as it was.
 * Everything is iterative and linear; strings are skipped with indexOf, which is native and fast.
 */

import { parseDeepJson } from "../model/index.ts"

export interface Span {
  readonly start: number
  readonly end: number
}

export interface MemberSpan extends Span {
  readonly key: string
  /** Where the key's opening quote is; `start` is where the value starts. */
  readonly keyStart: number
}

export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

export function skipSpace(text: string, from: number): number {
  let index = from
  while (index < text.length && isSpace(text.charCodeAt(index))) index += 1
  return index
}

/** Index after the closing quote of the string that starts at `from`; -1 when it does not end before `to`. */
export function skipString(text: string, from: number, to: number = text.length): number {
  let index = from + 1
  for (;;) {
    const quote = text.indexOf('"', index)
    if (quote === -1 || quote >= to) return -1
    let slashes = 0
    for (let back = quote - 1; back > from && text.charCodeAt(back) === 0x5c; back -= 1) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    index = quote + 1
  }
}

const structural = /["[\]{}]/g
const scalar = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Index after the value that starts at `from`; -1 when it does not end before `to` or no value starts there. Who reads a line
 * says where it ends: what is torn would otherwise be looked for in all lines that follow.
 */
export function skipValue(text: string, from: number, to: number = text.length): number {
  const first = text[from]
  if (first === '"') return skipString(text, from, to)
  if (first !== "{" && first !== "[") {
    scalar.lastIndex = from
    return scalar.test(text) ? scalar.lastIndex : -1
  }
  let depth = 0
  let index = from
  for (;;) {
    structural.lastIndex = index
    if (!structural.test(text) || structural.lastIndex > to) return -1
    index = structural.lastIndex
    const mark = text.charCodeAt(index - 1)
    if (mark === 0x22) {
      index = skipString(text, index - 1, to)
      if (index === -1) return -1
      continue
    }
    depth += mark === 0x7b || mark === 0x5b ? 1 : -1
    if (depth === 0) return index
  }
}

/** The elements of the array that starts at `from`: all of them in valid JSON, those before the damage in other text. */
export function elementSpans(text: string, from: number): readonly Span[] {
  const elements: Span[] = []
  let index = skipSpace(text, from + 1)
  while (index < text.length && text[index] !== "]") {
    const end = skipValue(text, index)
    if (end === -1) break
    elements.push({ start: index, end })
    index = skipSpace(text, end)
    if (text[index] === ",") index = skipSpace(text, index + 1)
  }
  return elements
}

/** The members of the object that starts at `from`: all of them in valid JSON, those before the damage in other text. */
export function memberSpans(text: string, from: number): readonly MemberSpan[] {
  const members: MemberSpan[] = []
  let index = skipSpace(text, from + 1)
  while (text[index] === '"') {
    const keyEnd = skipString(text, index)
    const key = keyEnd === -1 ? undefined : parseDeepJson(text.slice(index, keyEnd))
    if (typeof key !== "string") break
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    if (end === -1) break
    members.push({ key, keyStart: index, start, end })
    index = skipSpace(text, end)
    if (text[index] === ",") index = skipSpace(text, index + 1)
  }
  return members
}

/** Where the value at `path` is in the text, given that a value starts at `from`. Repeated keys: the last wins. */
export function locate(text: string, from: number, path: readonly (string | number)[]): Span | undefined {
  let start = skipSpace(text, from)
  for (const key of path) {
    const child =
      typeof key === "number" ? elementSpans(text, start)[key] : memberSpans(text, start).findLast((member) => member.key === key)
    if (child === undefined) return undefined
    start = child.start
  }
  const end = skipValue(text, start)
  return end === -1 ? undefined : { start, end }
}
