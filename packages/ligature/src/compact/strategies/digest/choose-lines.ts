/**
 * Budgeted maximum coverage: pick the candidates whose terms are worth most per token, where a term counts in full once,
 * by half where it was shown as part of another (`parse.ts` in `src/parse.ts`), and a little a second time. Greedy with
 * a lazy heap: what a candidate adds only falls while others are picked, so a candidate is measured again when it comes
 * up. Opening a group makes its other lines cheaper, the one case where a density rises; they are put into the heap again.
 *
 * A choice can go on: with more tokens, and with more that is shown beside it.
 */
import { type CandidatePool, closedUp, type Excerpt } from "./candidates.ts"
import type { Line, Part } from "./relevance/lines.ts"

/** What another line adds for a term that is on no line yet, on one, on more. */
const gains = [1, 0.05, 0]
const insideGain = 0.5
/** Added to the tokens of every line: the attention a line costs, and the error of its count. */
const perLine = 0.6
/** So many candidates in a row that do not fit: the rest is not worth looking at. */
const mostMisses = 64

export const wellCovered = 2

/** All that changes while a choice goes on. */
interface State {
  /** How often each term is shown, and whether it is as part of another. */
  readonly covers: Uint8Array
  readonly named: Uint8Array
  /** Groups whose heading is printed, and the text of lines that are. */
  readonly opened: Set<number>
  readonly texts: Set<string>
  readonly isDone: Uint8Array
  readonly heap: Heap
  /** By candidate, its newest key in the heap; 0: it is not there. An entry with another key was put there again. */
  readonly keys: Float64Array
  /** Candidates that were too long. */
  missed: readonly number[]
}

export class Chooser {
  readonly #pool: CandidatePool
  readonly #state: State

  private constructor(pool: CandidatePool, state: State) {
    this.#pool = pool
    this.#state = state
  }

  /** A choice from all of an pool, or from some of its lines; `shown` knows what is shown already. */
  static from(pool: CandidatePool, shown?: Chooser, isOffered?: (line: Line) => boolean): Chooser {
    const chooser = new Chooser(pool, {
      covers: shown ? shown.#state.covers.slice() : new Uint8Array(pool.worths.length),
      named: shown ? shown.#state.named.slice() : new Uint8Array(pool.worths.length),
      opened: new Set(),
      texts: new Set(),
      isDone: new Uint8Array(pool.candidates.count),
      heap: new Heap(),
      keys: new Float64Array(pool.candidates.count),
      missed: [],
    })
    const { passages, lines, count } = pool.candidates
    for (let place = 0; place < count; place++) {
      const line = { passage: passages[place] as number, line: lines[place] as number }
      if (isOffered === undefined || isOffered(line)) chooser.#push(place)
      else chooser.#state.isDone[place] = 1
    }
    return chooser
  }

  copy(): Chooser {
    const { covers, named, opened, texts, isDone, heap, keys, missed } = this.#state
    return new Chooser(this.#pool, {
      covers: covers.slice(),
      named: named.slice(),
      opened: new Set(opened),
      texts: new Set(texts),
      isDone: isDone.slice(),
      heap: heap.copy(),
      keys: keys.slice(),
      missed,
    })
  }

  /** A term is shown this many times more. */
  cover(term: number, times: number): void {
    const covers = this.#state.covers[term] as number
    if (covers === 0) this.#pool.eachInside(term, (inside) => (this.#state.named[inside] = 1))
    this.#state.covers[term] = Math.min(wellCovered, covers + times)
  }

  /** Candidates that lie inside of this are shown elsewhere. */
  close({ passage, line, from, to }: Part): void {
    const { candidates } = this.#pool
    const end = candidates.endOf(passage)
    for (let place = candidates.startOf(passage, line); place < end && candidates.lines[place] === line; place++) {
      const isInside = (candidates.froms[place] as number) >= from && (candidates.tos[place] as number) <= to
      if (isInside) this.#state.isDone[place] = 1
    }
  }

  closePassage(passage: number): void {
    const { candidates } = this.#pool
    this.#state.isDone.fill(1, candidates.startOf(passage), candidates.endOf(passage))
  }

  /** It is printed with what is picked: its heading is paid for, and its text need not be shown again. */
  open({ group, text }: Excerpt): void {
    this.#state.texts.add(closedUp(text))
    this.#openGroup(group)
  }

  /** It is printed elsewhere: its text need not be shown again. */
  note({ text }: Excerpt): void {
    this.#state.texts.add(closedUp(text))
  }

  /** Further candidates, best first, for this many tokens; the next call continues after them. */
  pick(tokens: number): readonly Excerpt[] {
    const picked: Excerpt[] = []
    const missed: number[] = []
    const { heap, keys, isDone } = this.#state
    const pool = this.#pool
    for (const place of this.#state.missed) this.#push(place)
    let left = tokens
    let misses = 0
    for (let key = heap.topKey, place = heap.pop(); place !== undefined; key = heap.topKey, place = heap.pop()) {
      if (isDone[place] === 1 || keys[place] !== key) continue
      keys[place] = 0
      // One that is too long even at its least need not be counted.
      const isCounted = this.#costOf(place) > left || pool.count(place)
      if (this.#costOf(place) > left) {
        missed.push(place)
        if (++misses === mostMisses) break
        continue
      }
      const density = this.#densityOf(place)
      if (density <= 0) continue
      if ((!isCounted || density < key - 1e-12) && density <= heap.topKey) {
        this.#put(place, density)
        continue
      }
      misses = 0
      const cost = this.#costOf(place)
      if (this.#take(place)) {
        left -= cost
        picked.push(pool.excerpt(place))
      }
    }
    this.#state.missed = missed
    return picked
  }

  /** Further candidates when `pick` finds none: lines that show nothing first, by what all their terms are worth. */
  pickShown(tokens: number): readonly Excerpt[] {
    const pool = this.#pool
    const rest: { readonly place: number; readonly density: number }[] = []
    for (let place = 0; place < pool.candidates.count; place++) {
      if (this.#state.isDone[place] === 1 || this.#densityOf(place) > 0) continue
      pool.count(place)
      let worth = 0
      const found = pool.termsOf(place)
      for (let at = 0; at < found; at++) worth += pool.worths[pool.found[at] as number] as number
      if (worth > 0) rest.push({ place, density: worth / (this.#costOf(place) + perLine) })
    }
    rest.sort((a, b) => b.density - a.density || a.place - b.place)
    const picked: Excerpt[] = []
    let left = tokens
    for (const { place } of rest) {
      const cost = this.#costOf(place)
      if (cost > left || !this.#take(place)) continue
      left -= cost
      picked.push(pool.excerpt(place))
    }
    return picked
  }

  #costOf(place: number): number {
    const pool = this.#pool
    const group = pool.candidates.groupOf(place)
    return pool.tokensOf(place) + (this.#state.opened.has(group) ? 0 : pool.headingTokens(group))
  }

  #densityOf(place: number): number {
    const { worths, again, found } = this.#pool
    const { covers, named } = this.#state
    const count = this.#pool.termsOf(place)
    let gain = 0
    for (let at = 0; at < count; at++) {
      const term = found[at] as number
      const times = covers[term] as number
      const share = times === 0 && named[term] === 1 ? insideGain : (gains[times] as number)
      gain += (worths[term] as number) * (again === undefined ? share : Math.max(share, again[term] as number))
    }
    return gain === 0 ? 0 : gain / (this.#costOf(place) + perLine)
  }

  /** False when the same text was taken elsewhere. */
  #take(place: number): boolean {
    this.#state.isDone[place] = 1
    const { text, group } = this.#pool.excerpt(place)
    const words = closedUp(text)
    if (this.#state.texts.has(words)) return false
    this.#state.texts.add(words)
    const { found } = this.#pool
    const count = this.#pool.termsOf(place)
    for (let at = 0; at < count; at++) this.cover(found[at] as number, 1)
    this.#openGroup(group)
    return true
  }

  #openGroup(group: number): void {
    if (this.#state.opened.has(group)) return
    this.#state.opened.add(group)
    for (const place of this.#pool.inGroup(group)) this.#push(place)
  }

  #push(place: number): void {
    if (this.#state.isDone[place] === 1) return
    const density = this.#densityOf(place)
    if (density > 0) this.#put(place, density)
  }

  #put(place: number, density: number): void {
    this.#state.keys[place] = density
    this.#state.heap.push(place, density)
  }
}

/** Places ordered by a key, largest first; ties go to the smaller place, so that equal inputs give equal orders. */
class Heap {
  readonly #places: number[]
  readonly #keys: number[]

  constructor(places: number[] = [], keys: number[] = []) {
    this.#places = places
    this.#keys = keys
  }

  copy(): Heap {
    return new Heap(this.#places.slice(), this.#keys.slice())
  }

  push(place: number, key: number): void {
    const places = this.#places
    const keys = this.#keys
    let at = places.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = keys[parent] as number
      if (above > key || (above === key && (places[parent] as number) < place)) break
      places[at] = places[parent] as number
      keys[at] = above
      at = parent
    }
    places[at] = place
    keys[at] = key
  }

  /** The key of the first place; negative infinity when empty. */
  get topKey(): number {
    return this.#keys[0] ?? Number.NEGATIVE_INFINITY
  }

  pop(): number | undefined {
    const first = this.#places[0]
    const place = this.#places.pop()
    const key = this.#keys.pop()
    if (this.#places.length > 0 && place !== undefined && key !== undefined) this.#sink(place, key)
    return first
  }

  /** Puts a place where it belongs, from the top down. */
  #sink(place: number, key: number): void {
    const places = this.#places
    const keys = this.#keys
    const size = places.length
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      const right = child + 1
      if (right < size) {
        const a = keys[child] as number
        const b = keys[right] as number
        if (b > a || (a === b && (places[right] as number) < (places[child] as number))) child = right
      }
      const below = keys[child] as number
      if (key > below || (key === below && place < (places[child] as number))) break
      places[at] = places[child] as number
      keys[at] = below
      at = child
    }
    places[at] = place
    keys[at] = key
  }
}
