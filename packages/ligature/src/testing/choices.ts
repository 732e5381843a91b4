/**
 * A stream of decisions. Generators draw from it instead of from a random source, so that a history is a pure function of
 * a list of numbers: property-test libraries can generate and shrink the list, and a seed gives a list for loops.
 */
export class Choices {
  readonly #numbers: readonly number[]
  #next = 0

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers
  }

  /** A whole number from 0 to `below` - 1; 0 when the list is used up, so that shrinking gives the simplest choice. */
  number(below: number): number {
    const drawn = this.#numbers[this.#next++] ?? 0
    return Math.abs(Math.trunc(drawn)) % below
  }

  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.number(values.length)] ?? values[0]
  }

  /** True once in `of` draws. */
  chance(of: number): boolean {
    return this.number(of) === of - 1
  }
}

/** A list of numbers from a seed: xorshift, the same on every machine. */
export const numbersFromSeed = (seed: number, length: number): readonly number[] => {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1
  return Array.from({ length }, () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  })
}
