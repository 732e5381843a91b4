/**
 * Heights of the rows of a long list, guessed until they are measured, with their sums in a Fenwick tree: changing one, and finding the
 * row at a position, takes time logarithmic in the number of rows.
 */
export class Heights {
  readonly #heights: Float64Array
  readonly #sums: Float64Array
  readonly #measured: Uint8Array

  /** `known`: of the same list when it was shorter. */
  constructor(count: number, guess: (index: number) => number, known?: Heights) {
    this.#heights = new Float64Array(count)
    this.#sums = new Float64Array(count + 1)
    this.#measured = new Uint8Array(count)
    for (let index = 0; index < count; index++) {
      const isKnown = known?.isMeasured(index) === true
      const height = known && isKnown ? known.heightOf(index) : guess(index)
      if (isKnown) this.#measured[index] = 1
      this.#heights[index] = height
      this.#sums[index + 1] = height
    }
    for (let at = 1; at <= count; at++) {
      const next = at + (at & -at)
      if (next <= count) this.#sums[next] = (this.#sums[next] ?? 0) + (this.#sums[at] ?? 0)
    }
  }

  get length(): number {
    return this.#heights.length
  }

  heightOf(index: number): number {
    return this.#heights[index] ?? 0
  }

  isMeasured(index: number): boolean {
    return this.#measured[index] === 1
  }

  /** By how much the list grew. */
  set(index: number, height: number): number {
    const difference = height - this.heightOf(index)
    this.#measured[index] = 1
    if (difference === 0) return 0
    this.#heights[index] = height
    for (let at = index + 1; at < this.#sums.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) + difference
    return difference
  }

  /** Where a row begins; the height of all of them for `length`. */
  offsetOf(index: number): number {
    let sum = 0
    for (let at = Math.min(index, this.length); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0
    return sum
  }

  /** The row at a position. */
  indexAt(position: number): number {
    let at = 0
    let rest = position
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.length))); step > 0; step = Math.floor(step / 2)) {
      const next = at + step
      if (next <= this.length && (this.#sums[next] ?? 0) <= rest) {
        at = next
        rest -= this.#sums[next] ?? 0
      }
    }
    return Math.max(0, Math.min(at, this.length - 1))
  }
}
