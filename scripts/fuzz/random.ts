/** A stream of random numbers from a seed, the same on every machine, and the few choices that mutations need. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0
  }

  /** mulberry32: short, and good enough to choose places and mutations. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** A whole number from 0 to `below` - 1. */
  number(below: number): number {
    return below <= 1 ? 0 : this.#next() % below
  }

  /** True once in `of` draws. */
  chance(of: number): boolean {
    return this.number(of) === 0
  }

  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.number(values.length)] ?? values[0]
  }

  /** One of a list that may be empty. */
  among<Value>(values: readonly Value[]): Value | undefined {
    return values[this.number(values.length)]
  }
}
