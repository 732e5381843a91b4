/**
 * What stays as it is, while it is being decided. Bonded exchanges (L9) stay or go together: all is kept and asked in runs.
 */
import type { Item } from "../../../model/index.ts"
import { addSizes, fitsIn, noSize, type Size, subtractSizes } from "../../meter/size.ts"
import type { Ledger } from "../../plan/ledger.ts"

export class KeptItems {
  readonly indices = new Set<number>()
  readonly #items: readonly Item[]
  readonly #ledger: Ledger
  size = noSize

  constructor(items: readonly Item[], ledger: Ledger) {
    this.#items = items
    this.#ledger = ledger
  }

  has(index: number): boolean {
    return this.indices.has(index)
  }

  /** The items bonded with this one. */
  runAt(index: number): readonly number[] {
    const { bonds } = this.#ledger
    let first = index
    while (bonds[first] === 1) first--
    const run = [first]
    while (bonds[first + run.length] === 1) run.push(first + run.length)
    return run
  }

  /** What keeping a run would add. */
  sizeOf(run: readonly number[]): Size {
    return run.reduce((sum, index) => (this.has(index) ? sum : addSizes(sum, this.#ledger.sizeAt(index))), noSize)
  }

  keep(run: readonly number[]): void {
    for (const index of run) {
      if (this.has(index)) continue
      this.indices.add(index)
      this.size = addSizes(this.size, this.#ledger.sizeAt(index))
    }
  }

  /** Keeps a run where everything that stays then is at most so large. */
  keepWithin(run: readonly number[], most: Size): boolean {
    const fits = fitsIn(addSizes(this.size, this.sizeOf(run)), most)
    if (fits) this.keep(run)
    return fits
  }

  /** Gives up this many of the oldest exchanges, and what they are bonded with. */
  releaseOldest(count: number): void {
    const exchanges = [...this.indices].filter((index) => this.#items[index]?.role === "exchange").sort((a, b) => a - b)
    for (const index of exchanges.slice(0, count).flatMap((each) => this.runAt(each))) {
      if (this.indices.delete(index)) this.size = subtractSizes(this.size, this.#ledger.sizeAt(index))
    }
  }

  /** Whether an exchange before this item stays. */
  hasExchangeBefore(index: number): boolean {
    for (const each of this.indices) if (each < index && this.#items[each]?.role === "exchange") return true
    return false
  }
}
