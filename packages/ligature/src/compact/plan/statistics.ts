/** What a compaction did, in numbers. Tokens are the meter's. */
import type { Block, Item, Message } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { addSizes, noSize, type Size, subtractSizes } from "../meter/size.ts"
import type { ViewItems } from "./apply.ts"
import type { Decision } from "./plan.ts"

export const categories = [
  "system",
  "user",
  "assistant",
  "thinking",
  "arguments",
  "results",
  "media",
  "summary",
] as const
export type Category = (typeof categories)[number]

export interface Amount extends Size {
  readonly messages: number
  readonly exchanges: number
  /** Tokens; they add up to `tokens`. What the wire adds around blocks counts with their message. */
  readonly categories: Readonly<Record<Category, number>>
  /** The same in bytes. */
  readonly categoryBytes: Readonly<Record<Category, number>>
}

export interface Statistics {
  readonly before: Amount
  readonly after: Amount
  /** Items by what became of them. */
  readonly items: { readonly kept: number; readonly edited: number; readonly covered: number; readonly hidden: number }
  /** Tokens at the front that are the same as before, so that a prompt cache still holds them. */
  readonly prefixKept: number
  /** Signed thinking blocks that are gone. */
  readonly thinkingLost: number
  /** Those that stay after the first change: void for providers that bind thinking to the messages before it. */
  readonly thinkingBehind: number
}

type Tally = Record<Category, Size>

const noTally = (): Tally => Object.fromEntries(categories.map((category) => [category, noSize])) as Tally

const measureOf = (tally: Tally, measure: keyof Size): Record<Category, number> =>
  Object.fromEntries(categories.map((category) => [category, tally[category][measure]])) as Record<Category, number>

const ownCategory = (item: Item): Category => {
  if (item.role === "exchange") return "assistant"
  return item.summary === true ? "summary" : item.role
}

/** Messages an item is sent as: each result travels in one of its own, as far as the meter is concerned. */
const messagesOf = (item: Item): number =>
  item.role === "exchange"
    ? 1 + item.outcomes.filter((outcome) => outcome.result).length + (item.reply ? 1 : 0)
    : 1

const blocksOf = (item: Item): readonly Block[] => {
  if (item.role !== "exchange") return item.blocks
  const results = item.outcomes.flatMap(({ result }) => (result ? [result] : []))
  return [...item.message.blocks, ...results, ...(item.reply?.blocks ?? [])]
}

const tallyBlock = (tally: Tally, block: Block, own: Category, meter: Meter): Size => {
  const size = meter.sizeOfBlock(block)
  const add = (category: Category, more: Size): void => {
    tally[category] = addSizes(tally[category], more)
  }
  if (block.type === "result") {
    let media = noSize
    for (const part of block.content) if (part.type === "media") media = addSizes(media, meter.sizeOfBlock(part))
    add("media", media)
    add("results", subtractSizes(size, media))
  } else if (block.type === "call") add("arguments", size)
  else if (block.type === "thinking") add("thinking", size)
  else if (block.type === "media") add("media", size)
  else add(own, size)
  return size
}

/** How much a list of items is, by category. */
export const amountOf = (items: readonly Item[], meter: Meter): Amount => {
  const tally = noTally()
  // Not two variables: on Node 24 the compiler gave two amounts of a long history the same number now and then.
  const sums = new Float64Array(2)
  let messages = 0
  let exchanges = 0
  for (const item of items) {
    const size = meter.sizeOfItem(item)
    const own = ownCategory(item)
    let rest = size
    for (const block of blocksOf(item)) rest = subtractSizes(rest, tallyBlock(tally, block, own, meter))
    tally[own] = addSizes(tally[own], rest)
    sums[0] = (sums[0] as number) + size.tokens
    sums[1] = (sums[1] as number) + size.bytes
    messages += messagesOf(item)
    if (item.role === "exchange") exchanges++
  }
  const [tokens = 0, bytes = 0] = sums
  const [ofTokens, ofBytes] = [measureOf(tally, "tokens"), measureOf(tally, "bytes")]
  return { tokens, bytes, messages, exchanges, categories: ofTokens, categoryBytes: ofBytes }
}

const signedIn = (message: Message | undefined): number =>
  message ? message.blocks.filter((block) => block.type === "thinking" && block.signature !== undefined).length : 0

const signedThinking = (items: readonly Item[], end = items.length): number => {
  let count = 0
  for (let index = 0; index < end; index++) {
    const item = items[index]
    if (item?.role === "exchange") count += signedIn(item.message) + signedIn(item.reply)
  }
  return count
}

const prefixOf = (items: readonly Item[], view: ViewItems, meter: Meter): number => {
  let tokens = 0
  for (const item of items.slice(0, view.edited)) tokens += meter.sizeOfItem(item).tokens
  return tokens
}

/** The numbers of a view. */
export const statisticsOf = (
  items: readonly Item[],
  decisions: readonly Decision[],
  view: ViewItems,
  meter: Meter,
): Statistics => {
  const before = amountOf(items, meter)
  const kinds = { keep: 0, edit: 0, cover: 0, hide: 0 }
  for (let index = 0; index < items.length; index++) kinds[decisions[index]?.kind ?? "keep"]++
  return {
    before,
    after: view.edited === undefined ? before : amountOf(view.items, meter),
    items: { kept: kinds.keep, edited: kinds.edit, covered: kinds.cover, hidden: kinds.hide },
    prefixKept: prefixOf(items, view, meter),
    thinkingLost: signedThinking(items) - signedThinking(view.items),
    thinkingBehind: signedThinking(view.items) - signedThinking(view.items, view.edited),
  }
}
