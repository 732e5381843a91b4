/**
 * What stays as it is around the digest: system messages, what the caller named, the first and the latest request where
 * they fit their share, and the newest exchanges. Bonded exchanges (L9) stay or go together.
 */
import type { Conversation, Item } from "../../../model/index.ts"
import { addSizes, fitsIn, noSize, scaleSize, type Size, smallerOf, subtractSizes } from "../../meter/meter.ts"
import { type Ledger, ledgerOf } from "../../plan/ledger.ts"
import { type Context, isPending, isRequest, leadOf, requestsIn } from "../../plan/plan.ts"
import { type Shortened, shortenItem } from "../../text/shorten.ts"
import { isPersonal } from "../../state/person.ts"
import type { Excerpt } from "./candidates.ts"
import { itemOfGroup } from "./relevance/lines.ts"

/** What stays as it is, while it is being decided. Bonded exchanges (L9) stay or go together: all is kept and asked in runs. */
class KeptItems {
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

/** Shares of the budget. */
export const shares = {
  /** The newest exchange stays verbatim up to this. */
  newest: 0.35,
  /** Exchanges before the newest stay verbatim up to this: lines of older ones show more per token than whole ones. */
  tail: 0.15,
  /** The first and the latest request each stay verbatim up to this, and to all that is left of this much; from there on their lines compete. */
  request: 0.5,
  requests: 0.8,
  /** User text altogether, where it is quoted in lines. */
  user: 0.3,
  /** A little more of it, because marks and headings between its lines count too. */
  userMargin: 1.04,
  /** What an assistant says before the first request. */
  greeting: 0.1,
  /** What the caller named, and pending work. */
  named: 0.9,
  /** What the newest exchange keeps of it where others are named. */
  shortened: 0.1,
}

export interface Verbatim {
  /** Indices of items that stay. */
  readonly kept: ReadonlySet<number>
  readonly size: Size
  /** First and latest request where none of their lines fits: shortened in their place. */
  readonly edits: ReadonlyMap<number, Shortened>
  /** Lines that the view shows already, before the digest. */
  readonly shown: readonly Excerpt[]
  /** Requests that do not stay verbatim, most wanted first, and how much of their text must be quoted, and can be. */
  readonly quoted: readonly number[]
  readonly owed: number
  readonly quotable: number
  readonly firstRequest: number
  readonly latestRequest: number
  /** Tokens of the newest exchanges that stay verbatim. */
  readonly tail: number
  /** Work is pending that cannot stay. */
  readonly losesPending: boolean
}

/** Up to which size the newest exchanges stay verbatim: a share of the budget, and more where there is more to spare. */
interface Tail {
  readonly share: number
  readonly tokens: number
}

/** Digests of the beginning of a history, written before that of the rest. */
export interface Earlier {
  /** Of which items: from the first, which with all before it stays, up to this one. */
  readonly start: number
  readonly end: number
  readonly size: Size
  readonly lines: readonly Excerpt[]
}

const nothingEarlier: Earlier = { start: 0, end: 0, size: noSize, lines: [] }

interface VerbatimOptions {
  readonly tail: Tail
  /** Requests that do not stay verbatim, though they might. */
  readonly quoted?: readonly number[]
  readonly earlier?: Earlier
}

/** Tokens of a message that are not its text, and of a stub, at most. */
const messageOverhead = 8
const stubTokens = 24

/** Nothing stays: for a digest that is all there is of its items, with this many tokens of user text. */
export const nothingVerbatim = ({ items }: Conversation, owed: number): Verbatim => {
  const quoted = items.flatMap((item, index) => (isRequest(item) ? [index] : [])).toReversed()
  return {
    kept: new Set(),
    edits: new Map(),
    size: noSize,
    shown: [],
    quoted,
    owed,
    quotable: owed,
    firstRequest: quoted.at(-1) ?? -1,
    latestRequest: quoted[0] ?? -1,
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
  // A request of images alone has no line that could be quoted.
  return shortest === "" ? Number.POSITIVE_INFINITY : meter.count(shortest)
}

/** Tokens of the lines that are shown, by item, without those that are cut. */
const shownTokens = (shown: readonly Excerpt[], { meter }: Context): ReadonlyMap<number, number> => {
  const tokens = new Map<number, number>()
  for (const { group, text, isWhole } of shown) {
    const item = itemOfGroup(group)
    if (isWhole) tokens.set(item, (tokens.get(item) ?? 0) + meter.count(text))
  }
  return tokens
}

/**
 * Decides what stays, pass by pass. Each takes what those before it left, so their order is the order of what matters:
 * pending work, what was asked, what the caller named, the newest exchange, those before it. Only then is known what has
 * to be quoted.
 */
class VerbatimChoice {
  readonly #items: readonly Item[]
  readonly #context: Context
  readonly #limit: Size
  readonly #earlier: Earlier
  readonly #ledger: Ledger
  readonly #kept: KeptItems
  readonly #edits = new Map<number, Shortened>()
  /** System messages in front, their size, and what they leave. */
  readonly #lead: number
  readonly #leadSize: Size
  readonly #room: Size
  readonly #wider: number
  readonly #firstRequest: number
  readonly #latestRequest: number
  readonly #newest: number
  /** The newest exchange and what it is bonded with. */
  readonly #newestRun: readonly number[]
  /** How large everything that stays may be with what the caller named. */
  #namedLimit: Size

  constructor({ items }: Conversation, limit: Size, context: Context, earlier: Earlier) {
    this.#items = items
    this.#context = context
    this.#limit = limit
    this.#earlier = earlier
    this.#ledger = ledgerOf(items, context.meter)
    this.#kept = new KeptItems(items, this.#ledger)
    this.#wider = 1 + (context.meter.tolerance ?? 0)
    this.#lead = leadOf(items)
    this.#leadSize = this.#ledger.sizeOf(0, this.#lead)
    this.#room = subtractSizes(limit, this.#leadSize)
    const { first, latest } = requestsIn(items)
    this.#firstRequest = first
    this.#latestRequest = latest
    this.#newest = items.findLastIndex((item) => item.role === "exchange")
    this.#newestRun = this.#newest < 0 ? [] : this.#kept.runAt(this.#newest)
    this.#namedLimit = this.#upTo(shares.named)
  }

  choose(tail: Tail, quoted: readonly number[]): Verbatim {
    for (let index = 0; index < Math.max(this.#lead, this.#earlier.start); index++) this.#kept.keep([index])
    this.#kept.size = addSizes(this.#kept.size, this.#earlier.size)
    const losesPending = !this.#keepPending()
    const newestSize = this.#kept.sizeOf(this.#newestRun)
    this.#keepRequests(newestSize, quoted)
    this.#keepNamed(newestSize)
    if (this.#isNewestShort(newestSize, tail.tokens)) this.#kept.keepWithin(this.#newestRun, this.#limit)
    const tailTokens = this.#keepTail(tail, newestSize.tokens)
    this.#shortenNewest()
    const asked = this.#quoteRequests()
    const { indices, size } = this.#kept
    return { kept: indices, edits: this.#edits, size, shown: this.#earlier.lines, ...asked, tail: tailTokens, losesPending }
  }

  /** Everything that stays may have this share of the room. */
  #upTo(share: number): Size {
    return addSizes(this.#leadSize, scaleSize(this.#room, share))
  }

  /** Whether something has at most this share of the room, or this many tokens and as large a part of the bytes. */
  #isWithin({ tokens, bytes }: Size, share: number, spare = 0): boolean {
    const room = this.#room
    const isShort = tokens <= Math.max(share * this.#wider * room.tokens, spare)
    return isShort && bytes <= Math.max(share, spare / room.tokens) * room.bytes
  }

  /** A single message may be estimated further off than a view is: it stays also where it seems to be a little too long. */
  #isNewestShort(size: Size, spare = 0): boolean {
    return this.#isWithin(size, (shares.newest * (1 + this.#wider)) / 2, spare)
  }

  #keepPending(): boolean {
    const isLast = this.#newest >= 0 && this.#newest === this.#items.length - 1
    if (!isLast || !isPending(this.#items[this.#newest])) return true
    return this.#kept.keepWithin(this.#newestRun, this.#upTo(shares.named))
  }

  /** The first and the latest; they leave the newest exchange its share. */
  #keepRequests(newestSize: Size, quoted: readonly number[]): void {
    const share = scaleSize(this.#room, shares.newest)
    const reserved = this.#isNewestShort(newestSize) ? smallerOf(newestSize, share) : noSize
    for (const index of [this.#latestRequest, this.#firstRequest]) {
      if (index < 0 || quoted.includes(index) || !this.#isWithin(this.#ledger.sizeAt(index), shares.request)) continue
      this.#kept.keepWithin([index], subtractSizes(this.#upTo(shares.requests), reserved))
    }
    this.#keepGreeting()
  }

  /** In chats that the assistant opens: what it says before the first request, or the record would come before that. */
  #keepGreeting(): void {
    if (!this.#kept.has(this.#firstRequest) || this.#firstRequest === this.#lead) return
    const greeting = Array.from({ length: this.#firstRequest - this.#lead }, (_, at) => this.#lead + at)
    const isPlain = greeting.every((index) => {
      const item = this.#items[index]
      return item?.role === "exchange" && item.outcomes.length === 0
    })
    if (isPlain && this.#isWithin(this.#kept.sizeOf(greeting), shares.greeting)) this.#kept.keepWithin(greeting, this.#limit)
  }

  /**
   * The newest first: what the agent did last it needs next. What is named from the front on is wanted as a beginning, and
   * comes last, in its order. They leave the newest exchange its place: where it has none, none of them could stay.
   */
  #keepNamed(newestSize: Size): void {
    const { isNamed } = this.#context
    if (!isNamed) return
    const isNewestNamed = this.#newestRun.some((index) => this.#kept.has(index) || isNamed(this.#items[index] as Item, index))
    if (!isNewestNamed && this.#newest >= 0) {
      this.#namedLimit = subtractSizes(this.#namedLimit, smallerOf(newestSize, scaleSize(this.#room, shares.shortened)))
    }
    const end = this.#items.length
    let head = this.#lead
    while (head < end && isNamed(this.#items[head] as Item, head)) head++
    const front = head === end ? this.#lead : head
    for (let index = end - 1; index >= front; index--) {
      if (!this.#kept.has(index) && isNamed(this.#items[index] as Item, index)) index = this.#keepRun(index)[0] as number
    }
    for (let index = this.#lead; index < front; index++) {
      if (!this.#kept.has(index)) index = this.#keepRun(index).at(-1) as number
    }
  }

  #keepRun(index: number): readonly number[] {
    const run = this.#kept.runAt(index)
    this.#kept.keepWithin(run, this.#namedLimit)
    return run
  }

  /** What comes before the newest exchange, where that stays. Returns how many tokens both have. */
  #keepTail({ share, tokens }: Tail, newestTokens: number): number {
    if (this.#newest < 0 || !this.#kept.has(this.#newest)) return 0
    const most = Math.max(share * this.#room.tokens, tokens)
    let sum = newestTokens
    for (let index = (this.#newestRun[0] as number) - 1; index >= Math.max(this.#lead, this.#earlier.end);) {
      const run = this.#kept.runAt(index)
      const more = this.#kept.sizeOf(run).tokens
      if (sum + more > most || !this.#kept.keepWithin(run, this.#limit)) break
      sum += more
      index = (run[0] as number) - 1
    }
    return sum
  }

  /**
   * After an exchange that stays, the newest must stay too: quoted in the digest, it would come before the older one.
   * Where it finds no place, the oldest of those that stay make one.
   */
  #shortenNewest(): void {
    if (this.#newest < 0 || this.#kept.has(this.#newest)) return
    for (let count = 1; this.#kept.hasExchangeBefore(this.#newest); count *= 2) {
      const left = subtractSizes(this.#upTo(shares.named), this.#kept.size)
      const most = smallerOf(left, scaleSize(this.#room, shares.newest))
      if (this.#newestRun.length === 1 && this.#keepShortened(this.#newest, most)) return
      // Ever more of them, because each try costs a look at all of the newest.
      this.#kept.releaseOldest(count)
    }
  }

  /** Keeps an item in its place, within a size. */
  #keepShortened(index: number, most: Size): boolean {
    const item = this.#items[index] as Item
    const shortened = shortenItem(item, this.#context, most)
    const size = this.#context.meter.sizeOfItem(shortened.item)
    if (!fitsIn(size, most)) return false
    if (shortened.item === item) this.#kept.keep([index])
    else {
      this.#edits.set(index, shortened)
      this.#kept.size = addSizes(this.#kept.size, size)
    }
    return true
  }

  /** What is left of the user's text to be quoted, the first and the latest request before all others. */
  #quoteRequests(): Pick<Verbatim, "quoted" | "owed" | "quotable" | "firstRequest" | "latestRequest"> {
    const [firstRequest, latestRequest] = [this.#firstRequest, this.#latestRequest]
    const shown = shownTokens(this.#earlier.lines, this.#context)
    const quoted: number[] = []
    let owed = shares.user * shares.userMargin * this.#wider * this.#limit.tokens
    let quotable = 0
    const requests = this.#items.flatMap((item, index) => (isRequest(item) && index >= this.#lead ? [index] : [])).toReversed()
    const personal = requests.filter((index) => isPersonal(this.#items[index] as Item, this.#items[index - 1]))
    for (const index of new Set([latestRequest, firstRequest, ...personal, ...requests])) {
      if (index < 0) continue
      const { tokens } = this.#ledger.sizeAt(index)
      const before = this.#kept.size.tokens
      if (this.#kept.has(index)) owed -= Math.max(0, tokens - messageOverhead)
      else if (this.#staysShortened(index, owed)) {
        owed -= Math.max(0, this.#kept.size.tokens - before - messageOverhead - stubTokens)
      } else {
        const known = shown.get(index) ?? 0
        quoted.push(index)
        owed -= known
        quotable += Math.max(0, tokens - known)
      }
    }
    return { quoted, owed, quotable, firstRequest, latestRequest }
  }

  /** A request after what stays must stay too, or the view would end with the assistant; one without lines cannot be quoted. */
  #staysShortened(index: number, owed: number): boolean {
    if (index !== this.#latestRequest && index !== this.#firstRequest) return false
    const tokens = Math.floor(Math.min(owed, shares.user * this.#wider * this.#room.tokens))
    const isBehind = index === this.#latestRequest && this.#kept.hasExchangeBefore(index)
    const isEndless = shortestLine(this.#items[index] as Item, this.#context) + messageOverhead > tokens
    return (isBehind || isEndless) && this.#keepShortened(index, { tokens, bytes: shares.user * this.#room.bytes })
  }
}

/** `limit` is the size of the view in tokens and bytes; where bytes are what is short, its tokens are what fits into them. */
export const verbatimOf = (
  conversation: Conversation,
  limit: Size,
  context: Context,
  { tail, quoted = [], earlier = nothingEarlier }: VerbatimOptions,
): Verbatim => new VerbatimChoice(conversation, limit, context, earlier).choose(tail, quoted)
