/**
 * Budgeted maximum coverage: pick the candidates whose terms are worth most per token, where a term counts in full once
 * and a little a second time. Greedy with a lazy heap: what a candidate adds only falls while others are picked, so a
 * candidate is measured again when it comes up. Opening a group makes its other lines cheaper, the one case where a
 * density rises; they are put into the heap again.
 */
import type { Candidate } from "./candidates.ts"
import { Heap } from "./heap.ts"

export interface Choosable {
  readonly candidates: readonly Candidate[]
  /** Tokens of each candidate with its line break. */
  readonly tokens: Float64Array
  /** Tokens of the heading of a group. */
  readonly headingTokens: (group: number) => number
  readonly worths: Float64Array
}

/** What another line adds for a term that is on no line yet, on one, on more. */
const gains = [1, 0.05, 0]
/** Added to the tokens of every line: the attention a line costs, and the error of its count. */
const perLine = 0.6

export const wellCovered = 2

/** In the order of picking, best first. `covers` says how often each term is shown already, and is kept up to date. */
export const choose = (
  { candidates, tokens, headingTokens, worths }: Choosable,
  covers: Uint8Array,
  opened: Set<number>,
  budget: number,
): readonly Candidate[] => {
  const byGroup = new Map<number, number[]>()
  const isDone = new Uint8Array(candidates.length)
  const costOf = (place: number, group: number): number =>
    (tokens[place] as number) + (opened.has(group) ? 0 : headingTokens(group))
  const densityOf = (place: number): number => {
    const { terms, group } = candidates[place] as Candidate
    let gain = 0
    for (const term of terms) gain += (worths[term] as number) * (gains[covers[term] as number] as number)
    return gain / (costOf(place, group) + perLine)
  }
  const heap = new Heap()
  for (const [place, { group }] of candidates.entries()) {
    const density = densityOf(place)
    if (density <= 0) continue
    heap.push(place, density)
    const members = byGroup.get(group)
    if (members) members.push(place)
    else byGroup.set(group, [place])
  }
  const chosen: Candidate[] = []
  let left = budget
  for (let key = heap.topKey, place = heap.pop(); place !== undefined; key = heap.topKey, place = heap.pop()) {
    if (isDone[place] === 1) continue
    const density = densityOf(place)
    if (density <= 0) continue
    if (density < key - 1e-12) {
      heap.push(place, density)
      continue
    }
    isDone[place] = 1
    const candidate = candidates[place] as Candidate
    const cost = costOf(place, candidate.group)
    if (cost > left) continue
    left -= cost
    chosen.push(candidate)
    for (const term of candidate.terms) covers[term] = Math.min(wellCovered, (covers[term] as number) + 1)
    if (opened.has(candidate.group)) continue
    opened.add(candidate.group)
    for (const other of byGroup.get(candidate.group) ?? []) if (isDone[other] === 0) heap.push(other, densityOf(other))
  }
  return chosen
}
