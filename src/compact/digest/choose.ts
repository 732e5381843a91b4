/**
 * Budgeted maximum coverage: pick the candidates whose terms are worth most per token, where a term counts in full once,
 * by half where it was shown as part of another (`parse.ts` in `src/parse.ts`), and a little a second time. Greedy with
 * a lazy heap: what a candidate adds only falls while others are picked, so a candidate is measured again when it comes
 * up. Its tokens, too, are only counted then; until then it passes for as short as its terms allow. Opening a group makes
 * its other lines cheaper, the one case where a density rises; they are put into the heap again.
 */
import { type Candidates, closedUp, type Excerpt } from "./candidates.ts"
import { Heap } from "./heap.ts"
import type { TermRecord } from "./worth/term-record.ts"
import { eachNameInside } from "./worth/terms.ts"
import type { Usage } from "./worth/usage.ts"

export interface Choosable {
  readonly candidates: Candidates
  readonly usage: Usage
  readonly worths: Float64Array
  readonly count: (text: string) => number
  /** Tokens of the heading of a group. */
  readonly headingTokens: (group: number) => number
}

/** What another line adds for a term that is on no line yet, on one, on more. */
const gains = [1, 0.05, 0]
const named = 0.5
/** What it adds each further time for a term of the goal: all that is said about it counts, less where it is said everywhere. */
const wantedAgain = 0.3
const manyLines = 40
/** Added to the tokens of every line: the attention a line costs, and the error of its count. */
const perLine = 0.6
/** No text has more characters per token, or hardly ever. */
const charactersPerToken = 8
/** So many candidates in a row that do not fit: the rest is not worth looking at. */
const mostMisses = 64

export const wellCovered = 2

const againOf = (records: readonly TermRecord[]): Float64Array | undefined => {
  if (!records.some(({ isWanted }) => isWanted)) return undefined
  return Float64Array.from(records, ({ isWanted, lines }) =>
    isWanted ? wantedAgain * Math.min(1, manyLines / lines) : 0,
  )
}

export class Chooser {
  readonly #choosable: Choosable
  readonly #covers: Uint8Array
  readonly #named: Uint8Array
  readonly #opened: Set<number>
  readonly #heap = new Heap()
  readonly #byGroup = new Map<number, number[]>()
  readonly #isDone: Uint8Array
  readonly #excerpts: (Excerpt | undefined)[]
  readonly #tokens: Float64Array
  readonly #seen: Int32Array
  /** The terms of the candidate that is being looked at. */
  readonly #found: Int32Array
  readonly #texts = new Set<string>()
  /** By term, what it adds however often it was shown; undefined without a goal. */
  readonly #again: Float64Array | undefined
  #missed: number[] = []
  #turn = 0

  /** `covers` says how often each term is shown already, `opened` which groups are. */
  constructor(choosable: Choosable, covers: Uint8Array, opened: Iterable<number>) {
    const { candidates } = choosable
    this.#choosable = choosable
    this.#covers = covers.slice()
    this.#named = new Uint8Array(covers.length)
    this.#opened = new Set(opened)
    this.#isDone = new Uint8Array(candidates.count)
    this.#excerpts = Array.from({ length: candidates.count })
    this.#tokens = new Float64Array(candidates.count)
    this.#seen = new Int32Array(covers.length)
    this.#found = new Int32Array(covers.length)
    this.#again = againOf(choosable.usage.records)
    for (let term = 0; term < covers.length; term++) if (covers[term] !== 0) this.#name(term)
    for (let place = 0; place < candidates.count; place++) {
      this.#tokens[place] = this.#leastTokens(place)
      const density = this.#densityOf(place)
      if (density <= 0) continue
      this.#heap.push(place, density)
      const group = candidates.groupOf(place)
      const members = this.#byGroup.get(group)
      if (members) members.push(place)
      else this.#byGroup.set(group, [place])
    }
  }

  /** Further candidates, best first, for so many tokens; the next call goes on behind them. */
  pick(tokens: number): readonly number[] {
    const picked: number[] = []
    const heap = this.#heap
    for (const place of this.#missed) heap.push(place, this.#densityOf(place))
    this.#missed = []
    let left = tokens
    let misses = 0
    for (let key = heap.topKey, place = heap.pop(); place !== undefined; key = heap.topKey, place = heap.pop()) {
      if (this.#isDone[place] === 1) continue
      // One that is too long even at its least need not be counted.
      if (this.#costOf(place) > left) {
        this.#missed.push(place)
        if (++misses === mostMisses) break
        continue
      }
      const isCounted = this.#count(place)
      const density = this.#densityOf(place)
      if (density <= 0) continue
      if (!isCounted || density < key - 1e-12) {
        heap.push(place, density)
        continue
      }
      misses = 0
      const cost = this.#costOf(place)
      if (this.#take(place)) {
        left -= cost
        picked.push(place)
      }
    }
    return picked
  }

  /** Further candidates when `pick` finds none: lines that show nothing first, by what all their terms are worth. */
  pickShown(tokens: number): readonly number[] {
    const { candidates, worths } = this.#choosable
    const rest: { readonly place: number; readonly density: number }[] = []
    for (let place = 0; place < candidates.count; place++) {
      if (this.#isDone[place] === 1) continue
      this.#count(place)
      let worth = 0
      const found = this.#termsOf(place)
      for (let at = 0; at < found; at++) worth += worths[this.#found[at] as number] as number
      if (worth > 0) rest.push({ place, density: worth / (this.#costOf(place) + perLine) })
    }
    rest.sort((a, b) => b.density - a.density || a.place - b.place)
    const picked: number[] = []
    let left = tokens
    for (const { place } of rest) {
      const cost = this.#costOf(place)
      if (cost > left || !this.#take(place)) continue
      left -= cost
      picked.push(place)
    }
    return picked
  }

  excerpt(place: number): Excerpt {
    return (this.#excerpts[place] ??= this.#choosable.candidates.excerpt(place))
  }

  /** Whether the candidate was counted before. */
  #count(place: number): boolean {
    if (this.#excerpts[place] !== undefined) return true
    // One more for the line break.
    this.#tokens[place] = this.#choosable.count(this.excerpt(place).text) + 1
    return false
  }

  #leastTokens(place: number): number {
    const { candidates, usage } = this.#choosable
    const first = candidates.termsFrom[place] as number
    const last = (candidates.termsTo[place] as number) - 1
    const from = Math.max(candidates.froms[place] as number, usage.starts[first] as number)
    const to = Math.min(candidates.tos[place] as number, usage.ends[last] as number)
    return 1 + Math.max(0, to - from) / charactersPerToken
  }

  #costOf(place: number): number {
    const group = this.#choosable.candidates.groupOf(place)
    return (this.#tokens[place] as number) + (this.#opened.has(group) ? 0 : this.#choosable.headingTokens(group))
  }

  #densityOf(place: number): number {
    const { worths } = this.#choosable
    const found = this.#termsOf(place)
    let gain = 0
    for (let at = 0; at < found; at++) {
      const term = this.#found[at] as number
      const covers = this.#covers[term] as number
      const share = covers === 0 && this.#named[term] === 1 ? named : (gains[covers] as number)
      gain += (worths[term] as number) * (this.#again === undefined ? share : Math.max(share, this.#again[term] as number))
    }
    return gain === 0 ? 0 : gain / (this.#costOf(place) + perLine)
  }

  /** Puts each term of the candidate once into `#found`, but for those right beside a cut, and says how many they are. */
  #termsOf(place: number): number {
    const { candidates, usage } = this.#choosable
    const { terms, starts, ends } = usage
    const from = candidates.opens[place] as number
    const to = candidates.closes[place] as number
    const last = candidates.termsTo[place] as number
    const turn = ++this.#turn
    let found = 0
    for (let at = candidates.termsFrom[place] as number; at < last; at++) {
      const term = terms[at] as number
      if (this.#seen[term] === turn || (starts[at] as number) < from || (ends[at] as number) > to) continue
      this.#seen[term] = turn
      this.#found[found++] = term
    }
    return found
  }

  /** False when the same words were taken elsewhere. */
  #take(place: number): boolean {
    this.#isDone[place] = 1
    const { text, group } = this.excerpt(place)
    const words = closedUp(text)
    if (this.#texts.has(words)) return false
    this.#texts.add(words)
    const found = this.#termsOf(place)
    for (let at = 0; at < found; at++) {
      const term = this.#found[at] as number
      const covers = this.#covers[term] as number
      if (covers === 0) this.#name(term)
      this.#covers[term] = Math.min(wellCovered, covers + 1)
    }
    if (this.#opened.has(group)) return true
    this.#opened.add(group)
    for (const other of this.#byGroup.get(group) ?? []) {
      if (this.#isDone[other] === 0) this.#heap.push(other, this.#densityOf(other))
    }
    return true
  }

  /** Notes the terms that are shown as part of this one. */
  #name(term: number): void {
    const { records, numberOf } = this.#choosable.usage
    const { text, kind } = records[term] as TermRecord
    eachNameInside(text, kind, (name) => {
      const number = numberOf(name)
      if (number !== undefined) this.#named[number] = 1
    })
  }
}
