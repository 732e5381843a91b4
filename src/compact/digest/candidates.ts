/**
 * Candidates: what a digest may keep. A line is one candidate; a long line gives windows around its terms instead, each
 * marked where it is cut. A line that is said again is kept once, where it was said last.
 */
import type { Passage } from "./lines.ts"
import type { Usage } from "./usage.ts"

export interface Candidate {
  /** What it is printed under: an item, or one call of it. */
  readonly group: number
  /** Index of its passage, and of its line there. */
  readonly passage: number
  readonly line: number
  /** Part of the line, in characters. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** Numbers of its terms, each once. */
  readonly terms: readonly number[]
}

/** Longer lines are offered in windows. */
export const longLine = 160
/** Characters a window shows on each side of its term, up to the next space. */
const margin = 48

export const cutMark = "…"

const looseSpace = /\s{2}|[^\S ]/
const spaces = /\s+/g

/** White space at the ends goes, inside it is one space: indentation costs tokens and says little out of its block. */
export const squeeze = (line: string): string => {
  const trimmed = line.trim()
  return looseSpace.test(trimmed) ? trimmed.replace(spaces, " ") : trimmed
}

/** Part of a line, with marks where something is missing. */
export const partOf = (line: string, from: number, to: number): string => {
  const opening = line.slice(0, from).trim() === "" ? "" : cutMark
  const closing = line.slice(to).trim() === "" ? "" : cutMark
  return `${opening}${squeeze(line.slice(from, to))}${closing}`
}

/** How far a window goes to end between words. */
const stretch = 40

const wordStart = (line: string, at: number): number => {
  for (let place = at; place > 0 && at - place < stretch; place--) if (line.charCodeAt(place - 1) <= 32) return place
  return at
}

const wordEnd = (line: string, at: number): number => {
  const end = Math.min(line.length, at + stretch)
  for (let place = at; place < end; place++) if (line.charCodeAt(place) <= 32) return place
  return at
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** Windows around terms of worth; one that lies well inside the window before it needs none of its own. */
const windowsOf = (line: string, at: number, usage: Usage, worths: Float64Array): readonly Stretch[] => {
  const { terms, starts, ends, offsets } = usage
  const windows: Stretch[] = []
  const last = offsets[at + 1] as number
  let covered = -1
  for (let place = offsets[at] as number; place < last; place++) {
    const start = starts[place] as number
    const end = ends[place] as number
    if ((worths[terms[place] as number] as number) <= 0 || end + margin / 2 <= covered) continue
    const from = start <= margin ? 0 : wordStart(line, start - margin)
    const to = end + margin >= line.length ? line.length : wordEnd(line, end + margin)
    windows.push({ from, to })
    covered = to
  }
  return windows
}

/** The terms of a line that stand inside a part of it, each once. */
export const termsIn = (usage: Usage, at: number, from: number, to: number): readonly number[] => {
  const { terms, starts, ends, offsets } = usage
  const inside: number[] = []
  const last = offsets[at + 1] as number
  for (let place = offsets[at] as number; place < last; place++) {
    if ((starts[place] as number) >= from && (ends[place] as number) <= to) inside.push(terms[place] as number)
  }
  if (inside.length < 2) return inside
  if (inside.length > 12) return [...new Set(inside)]
  return inside.filter((term, place) => inside.indexOf(term) === place)
}

/** Newest first. `isTaken` tells lines that are kept anyway. */
export const candidatesOf = (
  passages: readonly Passage[],
  usage: Usage,
  worths: Float64Array,
  isTaken: (passage: number, line: number) => boolean,
): readonly Candidate[] => {
  const candidates: Candidate[] = []
  const seen = new Set<string>()
  const { offsets, firstLine } = usage
  for (let passage = passages.length - 1; passage >= 0; passage--) {
    const { group, lines } = passages[passage] as Passage
    const first = firstLine[passage] as number
    for (const [number, line] of lines.entries()) {
      const at = first + number
      if (offsets[at] === offsets[at + 1] || isTaken(passage, number)) continue
      const text = squeeze(line)
      if (seen.has(text)) continue
      seen.add(text)
      const isLong = text.length > longLine
      for (const { from, to } of isLong ? windowsOf(line, at, usage, worths) : [{ from: 0, to: line.length }]) {
        const terms = termsIn(usage, at, from, to)
        candidates.push({ group, passage, line: number, from, to, text: isLong ? partOf(line, from, to) : text, terms })
      }
    }
  }
  return candidates
}
