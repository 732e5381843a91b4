/**
 * Candidates: what a digest may keep. A line is one candidate; a long line gives windows around its terms instead, each
 * marked where it is cut. There are tens of thousands in a long history and most never come near to being chosen, so
 * they are kept as columns of numbers, and their text is written when it is asked for.
 */
import { safeCut } from "../../text/shorten.ts"
import { eachNameInside } from "../../text/terms.ts"
import { looksLikeTitle, type Part, type Passage } from "./relevance/lines.ts"
import type { TermRecord } from "./relevance/term-worth.ts"
import type { Usage } from "./relevance/usage.ts"

/** A line, or part of one, as it is printed. */
export interface Excerpt extends Part {
  /** What it is printed under: an item, or one call of it. */
  readonly group: number
  readonly text: string
  /** It is all of its line; of others a further part may be shown. */
  readonly isWhole: boolean
}

/** Longer lines are offered in windows. */
const longLine = 160
/** Characters a window shows on each side of its term, up to the next space. */
const margin = 48
/** Characters of its line that a term needs beside it: nearer to a cut it is there, but what it was about is not. */
const context = 24

export const cutMark = "…"

const spaces = /\s+/g
const wideSpace = /\s\s|[^\S ]/

/** The line with one space wherever it has white space: equal for lines with the same text. */
export const closedUp = (line: string): string => {
  const words = line.trim()
  return wideSpace.test(words) ? words.replace(spaces, " ") : words
}

/** Part of a line, with marks where something is missing. */
export const partOf = (line: string, from: number, to: number): string => {
  const opening = line.slice(0, from).trim() === "" ? "" : cutMark
  const closing = line.slice(to).trim() === "" ? "" : cutMark
  return `${opening}${line.slice(from, to).trim()}${closing}`
}

/** How far a window goes to end between words. */
const stretch = 40

const wordStart = (line: string, at: number): number => {
  for (let place = at; place > 0 && at - place < stretch; place--) if (line.charCodeAt(place - 1) <= 32) return place
  return safeCut(line, at)
}

const wordEnd = (line: string, at: number): number => {
  const end = Math.min(line.length, at + stretch)
  for (let place = at; place < end; place++) if (line.charCodeAt(place) <= 32) return place
  return safeCut(line, at)
}

/** Longer than a line is printed whole. Columns that were set apart by spaces make no line long. */
export const isLong = (line: string): boolean => line.length > longLine && closedUp(line).length > longLine

export class Candidates {
  readonly passages: number[] = []
  readonly lines: number[] = []
  readonly froms: number[] = []
  readonly tos: number[] = []
  /** The part of it whose terms are read in their context. */
  readonly opens: number[] = []
  readonly closes: number[] = []
  /** The places of its terms in `usage.terms`: a long line has many windows, and each of them few terms. */
  readonly termsFrom: number[] = []
  readonly termsTo: number[] = []
  readonly #passages: readonly Passage[]
  readonly #usage: Usage
  /** The places of the candidates of each passage: they are added together, in the order of its lines. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array

  constructor(passages: readonly Passage[], usage: Usage) {
    this.#passages = passages
    this.#usage = usage
    this.#starts = new Int32Array(passages.length)
    this.#ends = new Int32Array(passages.length)
  }

  get count(): number {
    return this.lines.length
  }

  /** Offers a line: whole, or in windows where it is long. */
  add(passage: number, line: number, worths: Float64Array): void {
    const text = this.#passages[passage]?.lines[line] ?? ""
    if (isLong(text)) this.#addWindows(passage, line, text, worths)
    else this.addPart(passage, line, 0, text.length)
  }

  addPart(passage: number, line: number, from: number, to: number): void {
    if (this.#ends[passage] === 0) this.#starts[passage] = this.count
    this.#ends[passage] = this.count + 1
    this.passages.push(passage)
    this.lines.push(line)
    this.froms.push(from)
    this.tos.push(to)
    this.opens.push(from === 0 ? 0 : from + context)
    this.closes.push(to === this.#passages[passage]?.lines[line]?.length ? to : to - context)
    const at = (this.#usage.firstLine[passage] as number) + line
    this.termsFrom.push(this.#termAt(at, from))
    this.termsTo.push(this.#termAt(at, to))
  }

  /** The first term of a line that ends after this character. Terms are in the order of their ends: see text/terms.ts. */
  #termAt(line: number, character: number): number {
    const { offsets, ends } = this.#usage
    let low = offsets[line] as number
    let high = offsets[line + 1] as number
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) <= character) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Where the candidates of a passage begin, or those from one of its lines on. */
  startOf(passage: number, line = 0): number {
    let low = this.#starts[passage] as number
    let high = this.#ends[passage] as number
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.lines[middle] as number) < line) low = middle + 1
      else high = middle
    }
    return low
  }

  endOf(passage: number): number {
    return this.#ends[passage] as number
  }

  groupOf(place: number): number {
    return (this.#passages[this.passages[place] as number] as Passage).group
  }

  excerpt(place: number): Excerpt {
    const passage = this.passages[place] as number
    const line = this.lines[place] as number
    const from = this.froms[place] as number
    const to = this.tos[place] as number
    const { group, lines } = this.#passages[passage] as Passage
    const whole = lines[line] as string
    const isWhole = from === 0 && to === whole.length
    return { group, passage, line, from, to, text: isWhole ? whole.trim() : partOf(whole, from, to), isWhole }
  }

  /** Windows around terms of worth; one that lies well inside the window before it needs none of its own. */
  #addWindows(passage: number, number: number, line: string, worths: Float64Array): void {
    const { terms, starts, ends, offsets, firstLine } = this.#usage
    const at = (firstLine[passage] as number) + number
    const last = offsets[at + 1] as number
    let covered = -1
    for (let place = offsets[at] as number; place < last; place++) {
      const start = starts[place] as number
      const end = ends[place] as number
      if ((worths[terms[place] as number] as number) <= 0 || end + margin / 2 <= covered) continue
      const from = start <= margin ? 0 : wordStart(line, start - margin)
      const to = end + margin >= line.length ? line.length : wordEnd(line, end + margin)
      this.addPart(passage, number, from, to)
      covered = to
    }
  }
}

/** Under a heading of ours it would pass for one: a result could pretend to be text of the user. */
const looksLikeHeading = (line: string): boolean => /^\s*#\d+(?:\.\d+)?(?:\s|$)/.test(line)

/** A number alone, of a line or of something: nobody knows of what. */
const isBareNumber = (line: string): boolean => line.length < 40 && !/\p{L}/u.test(line.replace(/^\s*\d+(?:→|\t)/, ""))

/** Every line that has terms, newest first, but for those that are no longer so: old and new text are not shown side by side. */
export const candidatesOf = (
  passages: readonly Passage[],
  usage: Usage,
  worths: Float64Array,
  isGone: (line: string) => boolean = () => false,
): Candidates => {
  const candidates = new Candidates(passages, usage)
  const { offsets, firstLine } = usage
  for (let passage = passages.length - 1; passage >= 0; passage--) {
    const first = firstLine[passage] as number
    const { lines, source } = passages[passage] as Passage
    for (const [line, words] of lines.entries()) {
      if (offsets[first + line] === offsets[first + line + 1]) continue
      if (source !== "user" && isBareNumber(words)) continue
      if (source !== "user" && (looksLikeHeading(words) || looksLikeTitle(words) || isGone(words))) continue
      candidates.add(passage, line, worths)
    }
  }
  return candidates
}

// What a choice may take, and all that is the same for every choice of it: the text and the tokens of a candidate, its
// terms, its neighbours under one heading. Text is written and counted when a candidate comes near to being chosen; until
// then it passes for as short as its terms allow.

export interface Choosable {
  readonly candidates: Candidates
  readonly usage: Usage
  readonly worths: Float64Array
  readonly count: (text: string) => number
  /** Tokens of the heading of a group. */
  readonly headingTokens: (group: number) => number
}

/** What it adds each further time for a term of the goal: all text about it counts, less where it is everywhere. */
const wantedAgain = 0.3
const manyLines = 40
/** No text has more characters per token, or hardly ever. */
const charactersPerToken = 8

const againOf = (records: readonly TermRecord[]): Float64Array | undefined => {
  if (!records.some(({ isWanted }) => isWanted)) return undefined
  return Float64Array.from(records, ({ isWanted, lines }) => (isWanted ? wantedAgain * Math.min(1, manyLines / lines) : 0))
}

export class CandidatePool {
  readonly candidates: Candidates
  readonly worths: Float64Array
  readonly headingTokens: (group: number) => number
  /** By term, what it adds however often it was shown; undefined without a goal. */
  readonly again: Float64Array | undefined
  /** The terms of the candidate that was asked for last. */
  readonly found: Int32Array
  readonly #usage: Usage
  readonly #countText: (text: string) => number
  readonly #excerpts: (Excerpt | undefined)[]
  readonly #tokens: Float64Array
  readonly #seen: Int32Array
  readonly #byGroup = new Map<number, number[]>()
  #turn = 0

  constructor({ candidates, usage, worths, count, headingTokens }: Choosable) {
    this.candidates = candidates
    this.worths = worths
    this.headingTokens = headingTokens
    this.again = againOf(usage.records)
    this.found = new Int32Array(worths.length)
    this.#usage = usage
    this.#countText = count
    this.#excerpts = Array.from({ length: candidates.count })
    this.#tokens = new Float64Array(candidates.count)
    this.#seen = new Int32Array(worths.length)
    for (let place = 0; place < candidates.count; place++) {
      this.#tokens[place] = this.#leastTokens(place)
      const group = candidates.groupOf(place)
      const members = this.#byGroup.get(group)
      if (members) members.push(place)
      else this.#byGroup.set(group, [place])
    }
  }

  excerpt(place: number): Excerpt {
    return (this.#excerpts[place] ??= this.candidates.excerpt(place))
  }

  inGroup(group: number): readonly number[] {
    return this.#byGroup.get(group) ?? []
  }

  /** With its line break: at least this many, and exactly this many once it was counted. */
  tokensOf(place: number): number {
    return this.#tokens[place] as number
  }

  /** Whether the candidate was counted before. */
  count(place: number): boolean {
    if (this.#excerpts[place] !== undefined) return true
    this.#tokens[place] = this.#countText(this.excerpt(place).text) + 1
    return false
  }

  /** Puts each term of the candidate once into `found`, but for those right beside a cut, and returns how many they are. */
  termsOf(place: number): number {
    const { terms, starts, ends } = this.#usage
    const { candidates } = this
    const from = candidates.opens[place] as number
    const to = candidates.closes[place] as number
    const last = candidates.termsTo[place] as number
    const turn = ++this.#turn
    let found = 0
    for (let at = candidates.termsFrom[place] as number; at < last; at++) {
      const term = terms[at] as number
      if (this.#seen[term] === turn || (starts[at] as number) < from || (ends[at] as number) > to) continue
      this.#seen[term] = turn
      this.found[found++] = term
    }
    return found
  }

  /** The terms that are shown as part of this one. */
  eachInside(term: number, found: (term: number) => void): void {
    const { records, numberOf } = this.#usage
    const { text, kind } = records[term] as TermRecord
    eachNameInside(text, kind, (name) => {
      const number = numberOf(name)
      if (number !== undefined) found(number)
    })
  }

  #leastTokens(place: number): number {
    const { candidates } = this
    const { starts, ends } = this.#usage
    const first = candidates.termsFrom[place] as number
    const last = (candidates.termsTo[place] as number) - 1
    const from = Math.max(candidates.froms[place] as number, starts[first] as number)
    const to = Math.min(candidates.tos[place] as number, ends[last] as number)
    return 1 + Math.max(0, to - from) / charactersPerToken
  }
}
