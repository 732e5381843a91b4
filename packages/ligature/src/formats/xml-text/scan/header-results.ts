/**
 * Finds the header lines in a user text and the body that belongs to each.
 *
 * One walk over the lines that may matter. A header whose hint has line breaks (a shell script, say) stays pending until the line
 * that completes it; another header start in between drops it.
 */
import { walkFences } from "./fences.ts"
import { mayStartHeader, opensHeader, readHeader } from "./result-header.ts"
import type { ResultHeader } from "./result-header.ts"
import { seek, seekLine } from "./seek.ts"

export interface PlacedHeader extends ResultHeader {
  readonly start: number
  readonly end: number
}

export interface Headers {
  readonly headers: readonly PlacedHeader[]
  /** Where the last body ends: before the agent's description of the surroundings, or at the end of the text. */
  readonly tail: number
}

const closedSurroundings = /<\/environment_details>\s*$/

/** How a header ends whose hint has line breaks. */
const headerEnding = "'] Result"

const surroundings = "<environment_details>"

/** Text that Cline-like agents append behind the results: how the editor looks right now. */
export const isSurroundings = (text: string): boolean => text.startsWith(surroundings)

export const findHeaders = (text: string, accepts: (name: string) => boolean): Headers => {
  const headers: PlacedHeader[] = []
  if (!text.includes("Result")) return { headers, tail: text.length }
  const endsWithSurroundings = closedSurroundings.test(text.slice(-64))
  const fences = walkFences(text)
  let pending = -1
  const place = (start: number, lineEnd: number): boolean => {
    const header = readHeader(text.slice(start, lineEnd))
    if (header === undefined || !accepts(header.name)) return false
    headers.push({ ...header, start, end: start + header.length })
    fences.restartAt(lineEnd)
    pending = -1
    return true
  }
  const nextBracket = seekLine(text, "[")
  const nextSurroundings = seekLine(text, surroundings)
  const nextEnding = seek(text, headerEnding)
  for (let from = 0; from < text.length;) {
    let lineStart = nextBracket(from)
    if (endsWithSurroundings && headers.length > 0) lineStart = Math.min(lineStart, nextSurroundings(from))
    if (pending >= 0) {
      const ending = nextEnding(from)
      if (ending < lineStart) lineStart = Math.max(from, text.lastIndexOf("\n", ending) + 1)
    }
    if (lineStart === Infinity) break
    const lineBreak = text.indexOf("\n", lineStart)
    const lineEnd = lineBreak < 0 ? text.length : lineBreak
    from = lineEnd + 1
    const first = text.charAt(lineStart)
    // Walking fences is dear, and most lines that start with a bracket are data.
    if (first === "[" && pending < 0 && !mayStartHeader(text, lineStart)) continue
    if (first === "[" && !fences.insideFence(lineStart)) {
      if (!place(lineStart, lineEnd) && opensHeader(text.slice(lineStart, lineEnd))) pending = lineStart
    } else if (first === "<" && endsWithSurroundings && headers.length > 0
      && text.startsWith(surroundings, lineStart)) {
      if (!fences.insideFence(lineStart)) return { headers, tail: lineStart }
    } else if (pending >= 0 && text.slice(lineStart, lineEnd).includes(headerEnding)) {
      if (!place(pending, lineEnd)) pending = -1
    }
  }
  return { headers, tail: text.length }
}

export interface HeaderBody {
  readonly range: { readonly start: number; readonly end: number }
  readonly text: string
  /** Where the result as a whole ends; behind its fence when it has one. */
  readonly segmentEnd: number
  readonly sameLine: boolean
}

const lineBreakLength = (text: string, position: number): number =>
  text.startsWith("\r\n", position) ? 2 : text[position] === "\n" ? 1 : 0

const openingFence = /`{3,}\n/y

/** `end`: where the next header starts, or the tail. */
export const bodyOf = (text: string, header: PlacedHeader, end: number): HeaderBody => {
  const first = lineBreakLength(text, header.end)
  let start = Math.min(end, header.end + first)
  if (first > 0 && header.form === "bracket") start = Math.min(end, start + lineBreakLength(text, start))
  if (header.fenced) {
    openingFence.lastIndex = start
    const fence = openingFence.exec(text)?.[0]
    const close = fence === undefined ? -1 : text.indexOf(`\n${fence.slice(0, -1)}`, start + fence.length - 1)
    if (fence !== undefined && close >= 0 && close < end) {
      const range = { start: start + fence.length, end: Math.max(start + fence.length, close) }
      return { range, text: text.slice(range.start, range.end), segmentEnd: close + fence.length, sameLine: false }
    }
  }
  let bodyEnd = end
  // The empty line between two results separates them; at the end of the text everything is body.
  for (let removed = 0; end < text.length && removed < 2 && bodyEnd > start && text[bodyEnd - 1] === "\n"; removed++) {
    bodyEnd -= text[bodyEnd - 2] === "\r" && bodyEnd - 2 >= start ? 2 : 1
  }
  const sameLine = first === 0 && /^[ \t]*[^\s]/.test(text.slice(header.end, header.end + 16))
  return { range: { start, end: bodyEnd }, text: text.slice(start, bodyEnd), segmentEnd: end, sameLine }
}
