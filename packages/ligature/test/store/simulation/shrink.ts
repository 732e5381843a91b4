/** Makes a list of decisions that goes wrong as short and as simple as it can be made, so that a person can read what happens. */

/** Whether the world still goes wrong with these decisions. */
export type Fails = (decisions: readonly number[]) => boolean

const without = (list: readonly number[], from: number, count: number): readonly number[] => [
  ...list.slice(0, from),
  ...list.slice(from + count),
]

const zeroed = (list: readonly number[], from: number, count: number): readonly number[] =>
  list.map((value, index) => (index >= from && index < from + count ? 0 : value))

const trimmed = (list: readonly number[]): readonly number[] => list.slice(0, list.findLastIndex((value) => value !== 0) + 1)

/** Tries ever smaller pieces, from the end to the beginning, with each way of making them simpler. */
export const shrink = (decisions: readonly number[], fails: Fails, mostTries = 3_000): readonly number[] => {
  let best = trimmed(decisions)
  let tries = 0
  const attempt = (simpler: readonly number[]): boolean => {
    const next = trimmed(simpler)
    const isSmaller = next.length < best.length || (next.length === best.length && next.some((value, index) => value !== best[index]))
    if (!isSmaller || tries++ >= mostTries || !fails(next)) return false
    best = next
    return true
  }
  for (let before: readonly number[] = []; before !== best && tries < mostTries;) {
    before = best
    for (let size = Math.max(1, best.length >> 1); size >= 1; size >>= 1) {
      for (let from = best.length - size; from >= 0; from -= size) {
        if (!attempt(without(best, from, size))) attempt(zeroed(best, from, size))
      }
    }
    for (let index = best.length - 1; index >= 0; index--) {
      const value = best[index] ?? 0
      for (const smaller of [1, value >> 1, value - 1]) if (smaller > 0 && smaller < value && attempt(best.with(index, smaller))) break
    }
  }
  return best
}
