/**
 * Sizes of the items of one conversation, summed from the newest back and only as far as somebody asks. Whether a
 * long history fits a small budget is known after counting a little more than the budget, and where its tail may
 * begin is then a matter of looking up sums. Kept with the list of items: lists are never changed, so that it stays
 * true.
 */
import type { Item } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { fitsIn, type Size } from "../meter/size.ts"
import { bondsIn } from "./bonds.ts"

export class Ledger {
  readonly #items: readonly Item[]
  readonly #meter: Meter
  /** Sums of the items from an index to the end, known from `#known` on. */
  readonly #tokens: Float64Array
  readonly #bytes: Float64Array
  /** Of each item from there on. A difference of sums would not be the same where a meter counts in fractions. */
  readonly #ownTokens: Float64Array
  readonly #ownBytes: Float64Array
  #known: number
  #bonds: Uint8Array | undefined

  constructor(items: readonly Item[], meter: Meter) {
    this.#items = items
    this.#meter = meter
    this.#tokens = new Float64Array(items.length + 1)
    this.#bytes = new Float64Array(items.length + 1)
    this.#ownTokens = new Float64Array(items.length)
    this.#ownBytes = new Float64Array(items.length)
    this.#known = items.length
  }

  /** 1 at an item that may not be parted from the item before it. */
  get bonds(): Uint8Array {
    return (this.#bonds ??= bondsIn(this.#items))
  }

  sizeAt(index: number): Size {
    const item = this.#items[index]
    if (item === undefined) return { tokens: 0, bytes: 0 }
    if (index < this.#known) return this.#meter.sizeOfItem(item)
    return { tokens: this.#ownTokens[index] as number, bytes: this.#ownBytes[index] as number }
  }

  /** All items from this one on. */
  tokensFrom(index: number): number {
    this.#count(index)
    return this.#tokens[index] ?? 0
  }

  bytesFrom(index: number): number {
    this.#count(index)
    return this.#bytes[index] ?? 0
  }

  /** From one item up to another. */
  sizeOf(from: number, to: number): Size {
    return {
      tokens: this.tokensFrom(from) - this.tokensFrom(to),
      bytes: this.bytesFrom(from) - this.bytesFrom(to),
    }
  }

  total(): Size {
    return { tokens: this.tokensFrom(0), bytes: this.bytesFrom(0) }
  }

  /** Counts only until the answer is known. */
  fits(limit: Size): boolean {
    while (fitsIn({ tokens: this.#tokens[this.#known] ?? 0, bytes: this.#bytes[this.#known] ?? 0 }, limit)) {
      if (this.#known === 0) return true
      this.#count(Math.max(0, this.#known - 1))
    }
    return false
  }

  #count(index: number): void {
    while (this.#known > index) {
      const at = this.#known - 1
      const { tokens, bytes } = this.#meter.sizeOfItem(this.#items[at] as Item)
      this.#ownTokens[at] = tokens
      this.#ownBytes[at] = bytes
      this.#tokens[at] = (this.#tokens[at + 1] as number) + tokens
      this.#bytes[at] = (this.#bytes[at + 1] as number) + bytes
      this.#known = at
    }
  }
}

const ledgers = new WeakMap<Meter, WeakMap<readonly Item[], Ledger>>()

export const ledgerOf = (items: readonly Item[], meter: Meter): Ledger => {
  let ofMeter = ledgers.get(meter)
  if (!ofMeter) ledgers.set(meter, (ofMeter = new WeakMap()))
  let ledger = ofMeter.get(items)
  if (!ledger) ofMeter.set(items, (ledger = new Ledger(items, meter)))
  return ledger
}
