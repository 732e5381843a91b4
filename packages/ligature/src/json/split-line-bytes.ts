/**
 * The common case of `splitValues`, faster: bytes that are JSON lines with nothing wrong about them. Each line is decoded
 * by itself, because most lines are plain ASCII even in files that are not, and those are decoded and parsed several
 * times as fast as the same characters in one text that holds a single wider one. Lines with any damage are not for here.
 */

import { hasSignOfDepth } from "./depth.ts"
import { isList, isObject } from "./json-value.ts"
import { isSpace } from "./scan-json.ts"
import type { Split, Unit } from "./split-values.ts"

export interface SplitLines extends Split {
  /** Some line may be nested beyond any sensible depth. */
  readonly mayBeDeep: boolean
}

const lineFeed = 0x0a

/** Beyond this the whole text may be longer than one string can be, and `splitValues` says so. */
const mostBytes = (1 << 29) - 64

/** Blank lines as long as this may be a sign of depth. */
const longBlank = 200

/** `undefined`: these are no JSON lines, or not all of them are whole; `splitValues` finds out. */
export function splitLineBytes(bytes: Uint8Array): SplitLines | undefined {
  if (bytes.length > mostBytes || !startsWithLine(bytes)) return undefined
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })
  const units: Unit[] = []
  let mayBeDeep = false
  let line = 1
  let offset = 0
  try {
    for (let from = 0; from < bytes.length; line += 1) {
      const next = bytes.indexOf(lineFeed, from)
      const to = next === -1 ? bytes.length : next
      const text = decoder.decode(bytes.subarray(from, to))
      let end = text.length
      while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1
      if (end > 0) {
        const value: unknown = JSON.parse(text)
        if ((line === 1 && !isFilled(value)) || isSpace(text.charCodeAt(0))) return undefined
        if (!mayBeDeep) mayBeDeep = hasSignOfDepth(text)
        units.push({ value, start: offset, end: offset + end, line })
      } else if (text.length >= longBlank) return undefined
      offset += text.length + 1
      from = to + 1
    }
  } catch {
    return undefined
  }
  return { syntax: "jsonl", units, torn: [], problems: [], mayBeDeep }
}

/** A look at single bytes, so that JSON over several lines, or on one, costs nothing here. */
function startsWithLine(bytes: Uint8Array): boolean {
  const first = bytes[0]
  if (first !== 0x7b && first !== 0x5b) return false
  const lineEnd = bytes.indexOf(lineFeed)
  if (lineEnd === -1) return false
  let last = lineEnd - 1
  while (isSpace(bytes[last] ?? 0)) last -= 1
  if (bytes[last] !== (first === 0x7b ? 0x7d : 0x5d)) return false
  let next = lineEnd + 1
  while (next < bytes.length && isSpace(bytes[next] ?? 0)) next += 1
  return next < bytes.length
}

function isFilled(value: unknown): boolean {
  return isList(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0
}
