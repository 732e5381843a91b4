/**
 * What stays as it is around the digest: system messages, what is protected, the first and the latest request where
 * they fit their share, and the newest exchanges. Bonded exchanges (L9) stay or go together.
 */
import type { Conversation, Item } from "../../model/index.ts"
import { bondsOf } from "../bonds.ts"
import { ledgerOf } from "../ledger.ts"
import { isRequest, leadOf } from "../protection.ts"
import { shortenItem, type Shortened } from "../shorten/shorten-item.ts"
import { addSizes, noSize, type Size } from "../size.ts"
import type { Context } from "../strategy.ts"
import { cutMark, type Excerpt } from "./candidates.ts"
import { itemOfGroup } from "./lines.ts"

/** Shares of the budget. */
export const shares = {
  /** The newest exchange stays verbatim up to this. */
  newest: 0.35,
  /** Exchanges before the newest stay verbatim up to this: lines of older ones say more per token than whole ones. */
  tail: 0.15,
  /** The first request stays verbatim up to this; from there on its lines compete. */
  first: 0.24,
  /** User text altogether. */
  user: 0.3,
  /** A little more of it, because marks and headings between its lines count too. */
  userMargin: 1.04,
  /** What is protected otherwise, and pending work. */
  protected: 0.8,
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
  /** Work is pending that cannot stay. */
  readonly losesPending: boolean
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

export const frameOf = (
  conversation: Conversation,
  budget: number,
  context: Context,
  tailShare: number,
  earlier = nothingEarlier,
): Frame => {
  const { items } = conversation
  const ledger = ledgerOf(items, context.meter)
  const wider = 1 + (context.meter.tolerance ?? 0)
  const bonds = bondsOf(items)
  const kept = new Set<number>()
  let size = noSize
  const tokensAt = (index: number): number => ledger.sizeAt(index).tokens

  /** The items bonded with this one. */
  const runAt = (index: number): readonly number[] => {
    let first = index
    while (bonds[first] === 1) first--
    const run = [first]
    while (bonds[first + run.length] === 1) run.push(first + run.length)
    return run
  }
  const keep = (run: readonly number[]): void => {
    for (const index of run) {
      if (kept.has(index)) continue
      kept.add(index)
      size = addSizes(size, ledger.sizeAt(index))
    }
  }
  const tokensOf = (run: readonly number[]): number =>
    run.reduce((sum, index) => sum + (kept.has(index) ? 0 : tokensAt(index)), 0)

  const lead = leadOf(items)
  for (let index = 0; index < lead; index++) keep([index])
  const room = budget - size.tokens
  for (let index = lead; index < earlier.start; index++) keep([index])
  size = addSizes(size, earlier.size)

  const firstRequest = items.findIndex(isRequest)
  const latestRequest = items.findLastIndex(isRequest)
  const newest = items.findLastIndex((item) => item.role === "exchange")
  const newestItem = items[newest]
  const isOpen = newestItem?.role === "exchange" && newestItem.outcomes.some(({ kind }) => kind === "pending")
  const isPending = newest === items.length - 1 && isOpen
  if (newest >= 0) {
    const run = runAt(newest)
    const newestTokens = tokensOf(run)
    if (newestTokens <= (isPending ? shares.protected : shares.newest * wider) * room) {
      keep(run)
      let tail = newestTokens
      const end = Math.max(lead, earlier.end)
      for (let index = (run[0] as number) - 1; index >= end && items[index]?.role === "exchange"; ) {
        const before = runAt(index)
        tail += tokensOf(before)
        if (tail > tailShare * room) break
        keep(before)
        index = (before[0] as number) - 1
      }
    }
  }
  const losesPending = isPending && !kept.has(newest)

  // The newest first: what the agent did last it needs next.
  for (let index = items.length - 1; index >= lead; index--) {
    if (kept.has(index) || index === firstRequest || index === latestRequest) continue
    if (!context.isProtected(items[index] as Item, index)) continue
    const run = runAt(index)
    if (size.tokens + tokensOf(run) <= budget - room * (1 - shares.protected)) keep(run)
    index = run[0] as number
  }

  const edits = new Map<number, Shortened>()
  const shorten = (index: number, tokens: number): Shortened | undefined => {
    const item = items[index] as Item
    const target = { tokens, bytes: Number.POSITIVE_INFINITY }
    const shortened = shortenItem(item, context, target)
    return shortened.item !== item && context.meter.sizeOfItem(shortened.item).tokens <= tokens ? shortened : undefined
  }
  let owed = shares.user * shares.userMargin * wider * budget
  const told: number[] = []
  let tellable = 0
  const shown = shownTokens(earlier.lines, context)
  const requests = items.flatMap((item, index) => (isRequest(item) && index >= lead ? [index] : []))
  for (const index of new Set([latestRequest, firstRequest, ...requests.toReversed()])) {
    if (index < 0) continue
    const tokens = tokensAt(index)
    const share = index === latestRequest ? shares.user * wider : index === firstRequest ? shares.first * wider : 0
    if (kept.has(index) || tokens <= Math.min(owed, share * room)) {
      keep([index])
      owed -= Math.max(0, tokens - messageFrame)
      continue
    }
    const target = Math.floor(Math.min(owed, share * room))
    // A request behind everything that stays must stay too, or the view would end with the assistant.
    const isLast = index === latestRequest && index > newest && kept.has(newest)
    const isEndless = share > 0 && shortestLine(items[index] as Item, context) + messageFrame > target
    const shortened = isLast || isEndless ? shorten(index, target) : undefined
    if (shortened === undefined) {
      const known = shown.get(index) ?? 0
      told.push(index)
      owed -= known
      tellable += Math.max(0, tokens - known)
    } else {
      edits.set(index, shortened)
      const edited = context.meter.sizeOfItem(shortened.item)
      size = addSizes(size, edited)
      owed -= Math.max(0, edited.tokens - messageFrame - stubTokens)
    }
  }
  return { kept, edits, size, shown: earlier.lines, told, owed, tellable, firstRequest, latestRequest, losesPending }
}
