/**
 * Candidates: what a digest may keep. A line is one candidate; a long line gives windows around its terms instead, each
 * marked where it is cut. A line that is said again is kept once, where it was said last.
 */
import type { Passage } from "./lines.ts"
import type { LineTerms, Usage } from "./usage.ts"

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

/** Longer lines are offered in windows: `length` characters, and how many to show on each side of a term. */
export const cuts = { longLine: 160, margin: 48 }

export const cutMark = "…"

const looseSpace = /\s{2}|^\s|\s$|\t/
const spaces = /\s+/g

/** White space at the ends goes, inside it is one space: indentation costs tokens and says little outside of its block. */
export const squeeze = (line: string): string => (looseSpace.test(line) ? line.trim().replace(spaces, " ") : line)

/** Part of a line, with marks where something is missing. */
export const partOf = (line: string, from: number, to: number): string => {
  const opening = line.slice(0, from).trim() === "" ? "" : cutMark
  const closing = line.slice(to).trim() === "" ? "" : cutMark
  return `${opening}${squeeze(line.slice(from, to))}${closing}`
}

export const distinct = (terms: readonly number[]): readonly number[] => (terms.length < 2 ? terms : [...new Set(terms)])

/** How far a window goes to end between words. */
const stretch = 40

const wordStart = (line: string, at: number): number => {
  for (let place = at; place > 0 && at - place < stretch; place--) if (line.charCodeAt(place - 1) <= 32) return place
  return at
}

const wordEnd = (line: string, at: number): number => {
  for (let place = at; place < line.length && place - at < stretch; place++) if (line.charCodeAt(place) <= 32) return place
  return at
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** Windows around terms of worth; one that lies well inside the window before it needs none of its own. */
const windowsOf = (line: string, { terms, starts, ends }: LineTerms, worths: Float64Array): readonly Stretch[] => {
  const windows: Stretch[] = []
  const { margin } = cuts
  let covered = -1
  for (const [place, term] of terms.entries()) {
    const start = starts[place] as number
    const end = ends[place] as number
    if ((worths[term] as number) <= 0 || end + margin / 2 <= covered) continue
    const from = start <= margin ? 0 : wordStart(line, start - margin)
    const to = end + margin >= line.length ? line.length : wordEnd(line, end + margin)
    windows.push({ from, to })
    covered = to
  }
  return windows
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
  for (let place = passages.length - 1; place >= 0; place--) {
    const passage = passages[place] as Passage
    const table = usage.lines[place] as readonly LineTerms[]
    for (const [number, line] of passage.lines.entries()) {
      const lineTerms = table[number] as LineTerms
      if (lineTerms.terms.length === 0 || isTaken(place, number)) continue
      const text = squeeze(line)
      if (seen.has(text)) continue
      seen.add(text)
      const { group } = passage
      if (text.length <= cuts.longLine) {
        candidates.push({ group, passage: place, line: number, from: 0, to: line.length, text, terms: distinct(lineTerms.terms) })
        continue
      }
      const { terms, starts, ends } = lineTerms
      for (const { from, to } of windowsOf(line, lineTerms, worths)) {
        const inside = terms.filter((_, at) => (starts[at] as number) >= from && (ends[at] as number) <= to)
        candidates.push({ group, passage: place, line: number, from, to, text: partOf(line, from, to), terms: distinct(inside) })
      }
    }
  }
  return candidates
}
