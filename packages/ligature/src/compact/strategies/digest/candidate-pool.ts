/**
 * What a choice may take, and all that is the same for every choice of it: the text and the tokens of a candidate, its
 * terms, its neighbours under one heading. Text is written and counted when a candidate comes near to being chosen; until
 * then it passes for as short as its terms allow.
 */
import { eachNameInside } from "../../text/terms.ts"
import type { Candidates, Excerpt } from "./candidates.ts"
import type { TermRecord } from "./relevance/term-record.ts"
import type { Usage } from "./relevance/usage.ts"

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
  return Float64Array.from(records, ({ isWanted, lines }) =>
    isWanted ? wantedAgain * Math.min(1, manyLines / lines) : 0,
  )
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
