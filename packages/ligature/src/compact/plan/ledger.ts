/** Sizes of the items of a conversation, which of them go together, and where the items of a view come from. */
import type { Conversation, Item, Message, ViewOrigin } from "../../model/index.ts"
import { fitsIn, type Meter, type Size, subtractSizes } from "../meter/meter.ts"
import { type Context, leadOf, type Plan } from "./plan.ts"

// Which items go together (L9). A provider-side span may be open at the end of one assistant message and close in the
// next: a turn that was paused. Then those exchanges are kept or left out as one. A user message ends every span, and
// so do results, because they have another role.

/** Notes the spans of a message: where each was first seen, and how far it reaches. */
const trace = (message: Message, index: number, seen: Map<string, number>, steps: Int32Array): void => {
  for (const block of message.blocks) {
    if (block.type !== "opaque" || block.span === undefined) continue
    const first = seen.get(block.span)
    if (first === undefined) seen.set(block.span, index)
    else if (first < index) {
      steps[first + 1] = (steps[first + 1] ?? 0) + 1
      steps[index + 1] = (steps[index + 1] ?? 0) - 1
    }
  }
}

/** 1 at an item that may not be parted from the item before it. */
export const bondsIn = (items: readonly Item[]): Uint8Array => {
  const steps = new Int32Array(items.length + 2)
  const seen = new Map<string, number>()
  let paused = false
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    if (item.role !== "exchange") {
      if (seen.size > 0) seen.clear()
      paused = false
      continue
    }
    if (paused) {
      steps[index] = (steps[index] ?? 0) + 1
      steps[index + 1] = (steps[index + 1] ?? 0) - 1
    }
    // Only a message with nothing after it can leave a span open, and only an open one can be closed.
    if (seen.size > 0 || item.outcomes.length === 0) trace(item.message, index, seen, steps)
    if (item.outcomes.length > 0 && seen.size > 0) seen.clear()
    if (item.reply) trace(item.reply, index, seen, steps)
    const last = item.reply ?? (item.outcomes.length === 0 ? item.message : undefined)
    paused = last?.paused === true
  }
  const bonds = new Uint8Array(items.length + 1)
  let depth = 0
  for (let index = 0; index < items.length; index++) {
    depth += steps[index] ?? 0
    if (depth > 0) bonds[index] = 1
  }
  return bonds
}

// Sizes of the items of one conversation, summed from the newest back and only as far as somebody asks. Whether a
// long history fits a small budget is known after counting a little more than the budget, and where its tail may
// begin is then a matter of looking up sums. Kept with the list of items: lists are never changed, so that it stays
// true.

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

// Positions of items in the whole history. Of a conversation that is not a view that is their index; a view records where its
// items come from (`viewOf`), so that compacting it again names the same handles and takes shares of the same whole.

/**
 * What a share is a share of: what compaction can make smaller. System messages in front stay whatever happens, and
 * thinking of earlier turns is in no request: providers leave it out, or take it for the newest turn alone.
 */
const compactableIn = (items: readonly Item[], meter: Meter): Size => {
  const ledger = ledgerOf(items, meter)
  let size = subtractSizes(ledger.total(), leadSizeOf(items, meter))
  for (const item of items) {
    if (item.role !== "exchange") continue
    for (const message of [item.message, item.reply]) {
      for (const block of message?.blocks ?? []) if (block.type === "thinking") size = subtractSizes(size, meter.sizeOfBlock(block))
    }
  }
  return size
}

/** Of the system messages in front. */
export const leadSizeOf = (items: readonly Item[], meter: Meter): Size => ledgerOf(items, meter).sizeOf(0, leadOf(items))

interface Origin {
  readonly positionOf: (item: Item) => number
  /** Of a view: what its summaries stand for. */
  readonly coveredBy?: (item: Item) => readonly number[]
  /** What can be compacted of the whole history. */
  readonly whole: (meter: Meter) => Size
}

/** So many lookups search the list; whoever asks for more gets an index. */
const lookupsBeforeIndex = 24

/** Index of an item in the list. Strategies that cut ask a few times, strategies that edit ask for every item. */
const finderIn = (items: readonly Item[]): ((item: Item) => number) => {
  let lookups = 0
  let index: Map<Item, number> | undefined
  return (item) => {
    if (index === undefined && lookups++ < lookupsBeforeIndex) return Math.max(0, items.indexOf(item))
    if (index === undefined) {
      index = new Map()
      for (let at = items.length - 1; at >= 0; at--) index.set(items[at] as Item, at)
    }
    return index.get(item) ?? 0
  }
}

/** Where the conversation comes from: itself, when it is not a view. */
export const originOf = (conversation: Conversation): Origin => {
  const { items, viewOf } = conversation
  const indexOf = finderIn(items)
  if (viewOf === undefined) return { positionOf: indexOf, whole: (meter) => compactableIn(items, meter) }
  const placesOf = (item: Item): readonly number[] => {
    const index = indexOf(item)
    // Somebody may have put other items in since.
    return (viewOf.positions.length === items.length ? viewOf.positions[index] : undefined) ?? [index]
  }
  return { positionOf: (item) => placesOf(item)[0] ?? 0, coveredBy: placesOf, whole: () => viewOf.whole }
}

/** Per item of the view, in order, all that it stands for. */
const positionsIn = ({ items }: Conversation, plan: Plan, context: Context): readonly (readonly number[])[] => {
  const { positionOf, coveredBy = (item: Item): readonly number[] => [positionOf(item)] } = context
  const positions: number[][] = []
  const ofSummaries = new Map<number, number[]>()
  items.forEach((item, index) => {
    const decision = plan.decisions[index]
    if (decision?.kind === "hide") return
    const own = decision?.kind === "cover" ? ofSummaries.get(decision.summary) : undefined
    if (own) {
      for (const position of coveredBy(item)) own.push(position)
      return
    }
    const placed = [...coveredBy(item)]
    if (decision?.kind === "cover") ofSummaries.set(decision.summary, placed)
    positions.push(placed)
  })
  return positions
}

/** Where the view of a plan comes from. Found out when it is read: few views are compacted again or written down. */
export const viewOriginOf = (conversation: Conversation, plan: Plan, context: Context): ViewOrigin => {
  let positions: readonly (readonly number[])[] | undefined
  let whole: Size | undefined
  return {
    get positions() {
      return (positions ??= positionsIn(conversation, plan, context))
    },
    get whole() {
      return (whole ??= originOf(conversation).whole(context.meter))
    },
  }
}
