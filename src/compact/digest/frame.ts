/**
 * What stays as it is around the digest: system messages, what the caller named, the first and the latest request where
 * they fit their share, and the newest exchanges. Bonded exchanges (L9) stay or go together.
 */
import type { Conversation, Item } from "../../model/index.ts"
import { bondsOf } from "../bonds.ts"
import { type Ledger, ledgerOf } from "../ledger.ts"
import { isPending, isRequest, leadOf } from "../protection.ts"
import { shortenItem, type Shortened } from "../shorten/shorten-item.ts"
import { addSizes, fitsIn, noSize, scaleSize, type Size, smallerOf, subtractSizes } from "../size.ts"
import type { Context } from "../strategy.ts"
import { cutMark, type Excerpt } from "./candidates.ts"
import { itemOfGroup } from "./lines.ts"

/** Shares of the budget. */
export const shares = {
  /** The newest exchange stays verbatim up to this. */
  newest: 0.35,
  /** Exchanges before the newest stay verbatim up to this: lines of older ones say more per token than whole ones. */
  tail: 0.15,
  /** The first and the latest request each stay verbatim up to this, and to all that is left of so much; from there on their lines compete. */
  request: 0.5,
  requests: 0.8,
  /** User text altogether, where it is told in lines. */
  user: 0.3,
  /** A little more of it, because marks and headings between its lines count too. */
  userMargin: 1.04,
  /** What the caller named, and pending work. */
  named: 0.9,
}

export interface Frame {
  /** Indices of items that stay. */
  readonly kept: ReadonlySet<number>
  readonly size: Size
  /** First and latest request where none of their lines fits: shortened in their place. */
  readonly edits: ReadonlyMap<number, Shortened>
  /** Lines that the view shows already, before the digest. */
  readonly shown: readonly Excerpt[]
  /** Requests that do not stay verbatim, most wanted first, and how much of their text must be told, and can be. */
  readonly told: readonly number[]
  readonly owed: number
  readonly tellable: number
  readonly firstRequest: number
  readonly latestRequest: number
  /** Tokens of the newest exchanges that stay verbatim. */
  readonly tail: number
  /** Work is pending that cannot stay. */
  readonly losesPending: boolean
}

/** Up to which size the newest exchanges stay verbatim: a share of the budget, and more where there is more to spare. */
export interface Tail {
  readonly share: number
  readonly tokens: number
}

/** Digests of the beginning of a history, written before that of the rest. */
export interface Earlier {
  /** Of which items: from the first, which with all in front of it stays, up to this one. */
  readonly start: number
  readonly end: number
  readonly size: Size
  readonly lines: readonly Excerpt[]
}

const nothingEarlier: Earlier = { start: 0, end: 0, size: noSize, lines: [] }

/** Tokens of a message that are not its text, and of a stub, at most. */
const messageFrame = 8
const stubTokens = 24

/** Nothing stays: for a digest that stands alone for its items, with so many tokens of what the user said. */
export const wholeFrame = ({ items }: Conversation, owed: number): Frame => {
  const told = items.flatMap((item, index) => (isRequest(item) ? [index] : [])).toReversed()
  return {
    kept: new Set(),
    edits: new Map(),
    size: noSize,
    shown: [],
    told,
    owed,
    tellable: owed,
    firstRequest: told.at(-1) ?? -1,
    latestRequest: told[0] ?? -1,
    tail: 0,
    losesPending: false,
  }
}

const shortestLine = (item: Item, { meter }: Context): number => {
  if (item.role === "exchange") return 0
  let shortest = ""
  for (const block of item.blocks) {
    if (block.type === "media") continue
    for (const line of block.text.split("\n")) {
      if (line.trim() !== "" && (shortest === "" || line.length < shortest.length)) shortest = line
    }
  }
  // A request of pictures alone has no line that could be told.
  return shortest === "" ? Number.POSITIVE_INFINITY : meter.count(shortest)
}

/** Tokens of the lines that are shown, by item, without those that are cut. */
const shownTokens = (shown: readonly Excerpt[], { meter }: Context): ReadonlyMap<number, number> => {
  const tokens = new Map<number, number>()
  for (const { group, text } of shown) {
    const item = itemOfGroup(group)
    if (!text.includes(cutMark)) tokens.set(item, (tokens.get(item) ?? 0) + meter.count(text))
  }
  return tokens
}

/** What stays, in whole runs of bonded items. */
class Kept {
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
    const bonds = bondsOf(this.#items)
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

  /** Gives up all exchanges. */
  releaseExchanges(): void {
    for (const index of this.indices) {
      if (this.#items[index]?.role !== "exchange") continue
      this.indices.delete(index)
      this.size = subtractSizes(this.size, this.#ledger.sizeAt(index))
    }
  }

  /** Whether an exchange stays that stands in front of this item. */
  hasExchangeBefore(index: number): boolean {
    for (const each of this.indices) if (each < index && this.#items[each]?.role === "exchange") return true
    return false
  }
}

/** `limit` is the size of the view in tokens and bytes; where bytes are what is short, its tokens are what fits into them. */
export const frameOf = (
  conversation: Conversation,
  limit: Size,
  context: Context,
  tail: Tail,
  earlier = nothingEarlier,
): Frame => {
  const { items } = conversation
  const ledger = ledgerOf(items, context.meter)
  const wider = 1 + (context.meter.tolerance ?? 0)
  const kept = new Kept(items, ledger)
  const tokensAt = (index: number): number => ledger.sizeAt(index).tokens

  const lead = leadOf(items)
  for (let index = 0; index < lead; index++) kept.keep([index])
  const leadSize = kept.size
  const room = subtractSizes(limit, leadSize)
  for (let index = lead; index < earlier.start; index++) kept.keep([index])
  kept.size = addSizes(kept.size, earlier.size)
  const upTo = (share: number): Size => addSizes(leadSize, scaleSize(room, share))
  const isWithin = (size: Size, share: number, tokens = 0): boolean =>
    size.tokens <= Math.max(share * wider * room.tokens, tokens) && size.bytes <= Math.max(share, tokens / room.tokens) * room.bytes

  const firstRequest = items.findIndex(isRequest)
  const latestRequest = items.findLastIndex(isRequest)
  const newest = items.findLastIndex((item) => item.role === "exchange")
  const isLast = newest >= 0 && newest === items.length - 1
  const run = newest < 0 ? [] : kept.runAt(newest)
  const losesPending = isLast && isPending(items[newest]) && !kept.keepWithin(run, upTo(shares.named))

  // Requests come before all that somebody may wish for, and leave the newest exchange its share.
  const newestSize = kept.sizeOf(run)
  const reserved = isWithin(newestSize, shares.newest) ? newestSize : noSize
  for (const index of [latestRequest, firstRequest]) {
    if (index < 0 || !isWithin(ledger.sizeAt(index), shares.request)) continue
    kept.keepWithin([index], subtractSizes(upTo(shares.requests), reserved))
  }

  // The newest first: what the agent did last it needs next.
  for (let index = items.length - 1; context.isNamed && index >= lead; index--) {
    if (kept.has(index) || !context.isNamed(items[index] as Item, index)) continue
    const named = kept.runAt(index)
    kept.keepWithin(named, upTo(shares.named))
    index = named[0] as number
  }

  if (isWithin(newestSize, shares.newest, tail.tokens)) kept.keepWithin(run, limit)
  const hasNewest = newest >= 0 && kept.has(newest)
  let tailTokens = hasNewest ? newestSize.tokens : 0
  const tailLimit = hasNewest ? Math.max(tail.share * room.tokens, tail.tokens) : 0
  for (let index = (run[0] ?? 0) - 1; index >= Math.max(lead, earlier.end); ) {
    const before = kept.runAt(index)
    const more = kept.sizeOf(before).tokens
    if (tailTokens + more > tailLimit || !kept.keepWithin(before, limit)) break
    tailTokens += more
    index = (before[0] as number) - 1
  }

  const edits = new Map<number, Shortened>()
  /** Keeps an item in its place, within a size. */
  const shorten = (index: number, most: Size): boolean => {
    const item = items[index] as Item
    const shortened = shortenItem(item, context, most)
    const size = context.meter.sizeOfItem(shortened.item)
    if (!fitsIn(size, most)) return false
    if (shortened.item === item) {
      kept.keep([index])
      return true
    }
    edits.set(index, shortened)
    kept.size = addSizes(kept.size, size)
    return true
  }
  // Behind an exchange that stays, the newest must stay too: told in the digest, it would stand in front of the older one.
  if (newest >= 0 && !hasNewest && kept.hasExchangeBefore(newest)) {
    const left = subtractSizes(upTo(shares.named), kept.size)
    if (run.length > 1 || !shorten(newest, smallerOf(left, scaleSize(room, shares.newest)))) kept.releaseExchanges()
  }
  let owed = shares.user * shares.userMargin * wider * limit.tokens
  const told: number[] = []
  let tellable = 0
  const shown = shownTokens(earlier.lines, context)
  const requests = items.flatMap((item, index) => (isRequest(item) && index >= lead ? [index] : []))
  for (const index of new Set([latestRequest, firstRequest, ...requests.toReversed()])) {
    if (index < 0) continue
    const tokens = tokensAt(index)
    if (kept.has(index)) {
      owed -= Math.max(0, tokens - messageFrame)
      continue
    }
    const isFirstOrLatest = index === latestRequest || index === firstRequest
    const target = isFirstOrLatest ? Math.floor(Math.min(owed, shares.user * wider * room.tokens)) : 0
    // A request behind what stays must stay too, or the view would end with the assistant.
    const isBehind = index === latestRequest && kept.hasExchangeBefore(index)
    const isEndless = isFirstOrLatest && shortestLine(items[index] as Item, context) + messageFrame > target
    const before = kept.size
    if ((isBehind || isEndless) && shorten(index, { tokens: target, bytes: shares.user * room.bytes })) {
      owed -= Math.max(0, kept.size.tokens - before.tokens - messageFrame - stubTokens)
      continue
    }
    const known = shown.get(index) ?? 0
    told.push(index)
    owed -= known
    tellable += Math.max(0, tokens - known)
  }
  const { indices, size } = kept
  const asked = { told, owed, tellable, firstRequest, latestRequest }
  return { kept: indices, edits, size, shown: earlier.lines, ...asked, tail: tailTokens, losesPending }
}
