/**
 * What `window` and `truncate` share: a head, a tail, what is protected between them, and one note for everything
 * left out. Sums come from the ledger, so that moving the cut costs nothing; the plan is built once, when the cut is
 * found.
 */
import { type Conversation, type Item, pushAll } from "../../model/index.ts"
import { addSizes, fitsIn, noSize, scaleSize, type Size, subtractSizes } from "../meter/meter.ts"
import { type Ledger, ledgerOf } from "../plan/ledger.ts"
import { concludePlan, keepAll, makePlan, type Proposal } from "../plan/make-plan.ts"
import { type Context, type Decision, leadOf, type Plan, protectedIndices } from "../plan/plan.ts"
import { type Shortened, shortenItem } from "../text/shorten.ts"
import { leftOutNote, mergeStretches, mostNamed, type Stretch } from "../text/handles.ts"

/** Where protected text has to be shortened, it leaves this much of the limit for the newest exchanges. */
const protectedShare = 0.6

/**
 * Requests stay whole while they take at most this share of what the rest of what is protected leaves; from there on they are
 * cut to the share above. The gap between both lets twice the limit leave the newest exchanges no less.
 */
const wholeShare = 0.8

const isDone = (item: Item): boolean => item.role === "exchange" && item.outcomes.every(({ kind }) => kind !== "pending")

export class Cut {
  readonly items: readonly Item[]
  readonly ledger: Ledger
  /** System messages in front: they are never left out. */
  readonly lead: number
  private readonly conversation: Conversation
  private readonly limit: Size
  private readonly context: Context
  private readonly bonds: Uint8Array
  /** Protected items after the lead, in order. */
  private fixed: readonly number[]
  private readonly edits = new Map<number, Shortened>()
  private readonly noteSize: Size

  constructor(conversation: Conversation, limit: Size, context: Context) {
    const { items } = conversation
    this.items = items
    this.conversation = conversation
    this.limit = limit
    this.context = context
    this.ledger = ledgerOf(items, context.meter)
    this.lead = leadOf(items)
    this.bonds = this.ledger.bonds
    this.fixed = this.findFixed()
    this.noteSize = context.meter.sizeOfMessage(this.largestNote())
  }

  private findFixed(): readonly number[] {
    const fixed: number[] = []
    for (const index of protectedIndices(this.items, this.context.isProtected)) {
      if (index < this.lead || index <= (fixed.at(-1) ?? -1)) continue
      let first = index
      while (this.bonds[first] === 1) first--
      let last = index
      while (this.bonds[last + 1] === 1) last++
      for (let each = Math.max(first, (fixed.at(-1) ?? -1) + 1); each <= last; each++) fixed.push(each)
    }
    return fixed
  }

  private largestNote(): ReturnType<typeof leftOutNote> {
    const most = this.context.coveredBy ? mostNamed : Math.min(mostNamed, this.fixed.length + 1)
    const far = 10 ** String(this.items.length).length - 1
    const stretch = { from: far - 1, to: far }
    return leftOutNote(
      far,
      Array.from({ length: most }, (): Stretch => stretch),
    )
  }

  /** Where a head of at least this many messages after the lead ends. */
  headOf(keepFirst: number): number {
    // A view begins with the user: where the assistant is first, the note takes that place.
    if (this.items[this.lead]?.role !== "user") return this.lead
    let end = this.lead
    let messages = 0
    while (end < this.items.length && messages < keepFirst) messages += messagesIn(this.items[end++] as Item)
    return this.alignUp(end)
  }

  sizeAt(index: number): Size {
    const edit = this.edits.get(index)
    return edit ? this.context.meter.sizeOfItem(edit.item) : this.ledger.sizeAt(index)
  }

  /** The first place at or after `index` where nothing is split. */
  alignUp(index: number): number {
    let at = index
    while (this.bonds[at] === 1) at++
    return Math.min(at, this.items.length)
  }

  alignDown(index: number): number {
    let at = index
    while (this.bonds[at] === 1) at--
    return at
  }

  /** Everything before `headEnd`, plus what is protected up to `tailStart`. */
  private front(headEnd: number, tailStart: number): Size {
    let size = noSize
    for (let index = 0; index < headEnd; index++) size = addSizes(size, this.sizeAt(index))
    for (const index of this.fixed) if (index >= headEnd && index < tailStart) size = addSizes(size, this.sizeAt(index))
    return size
  }

  private tail(tailStart: number): Size {
    let size: Size = { tokens: this.ledger.tokensFrom(tailStart), bytes: this.ledger.bytesFrom(tailStart) }
    for (const index of this.edits.keys()) {
      if (index >= tailStart) size = addSizes(size, subtractSizes(this.sizeAt(index), this.ledger.sizeAt(index)))
    }
    return size
  }

  /** The view with this head and tail, the note at its largest. */
  sizeOf(headEnd: number, tailStart: number): Size {
    return addSizes(addSizes(this.front(headEnd, tailStart), this.tail(tailStart)), this.noteSize)
  }

  fits(headEnd: number, tailStart: number): boolean {
    return fitsIn(this.sizeOf(headEnd, tailStart), this.limit)
  }

  /** Where the longest tail that fits begins; not before `floor`. The end when no tail fits. */
  longestTail(headEnd: number, floor: number): number {
    let front = addSizes(this.front(headEnd, this.items.length), this.noteSize)
    let tail = noSize
    let fixed = this.fixed.length - 1
    let best = this.items.length
    for (let index = this.items.length - 1; index >= Math.max(floor, headEnd); index--) {
      const size = this.sizeAt(index)
      tail = addSizes(tail, size)
      if (this.fixed[fixed] === index) {
        front = subtractSizes(front, size)
        fixed--
      }
      if (!fitsIn(addSizes(front, tail), this.limit)) break
      if (this.bonds[index] !== 1) best = index
    }
    return best
  }

  /** Shortens requests that fit but leave nothing else a place: a request alone is not a history. */
  shortenRequests(): void {
    const requests = this.fixed.filter((index) => this.items[index]?.role !== "exchange")
    const total = requests.reduce((sum, index) => addSizes(sum, this.sizeAt(index)), noSize)
    const room = subtractSizes(this.limit, subtractSizes(this.sizeOf(this.lead, this.items.length), total))
    if (fitsIn(total, scaleSize(room, wholeShare))) return
    this.shortenBy(subtractSizes(total, scaleSize(room, protectedShare)), requests)
  }

  /**
   * Shortens protected items, oldest first, until they leave room; those that are too large even so go. What was asked is
   * shortened last, and only where that is what is too large.
   */
  shortenProtected(): void {
    const end = this.items.length
    const share = scaleSize(this.limit, protectedShare)
    const over = subtractSizes(this.sizeOf(this.lead, end), share)
    const isExchange = (index: number): boolean => this.items[index]?.role === "exchange"
    const requests = this.fixed.filter((index) => !isExchange(index))
    this.shortenBy(over, [...this.fixed.filter(isExchange), ...requests])
    if (this.fits(this.lead, end)) return
    this.release()
    for (const index of requests.toReversed()) {
      const edit = this.edits.get(index)
      this.edits.delete(index)
      if (edit && !this.fits(this.lead, end)) this.edits.set(index, edit)
    }
  }

  /** Shortens items one after the other until they are smaller by this much. */
  private shortenBy(size: Size, indices: readonly number[]): void {
    let over = size
    for (const index of indices) {
      if (over.tokens <= 0 && over.bytes <= 0) break
      const before = this.sizeAt(index)
      const target = subtractSizes(before, { tokens: Math.max(0, over.tokens), bytes: Math.max(0, over.bytes) })
      if (this.shorten(index, target)) over = subtractSizes(over, subtractSizes(before, this.sizeAt(index)))
    }
  }

  /** Gives up exchanges that are protected by wish, oldest first, until the others fit. Requests and pending work stay. */
  private release(): void {
    let over = subtractSizes(this.sizeOf(this.lead, this.items.length), this.limit)
    const released = new Set<number>()
    /** Up to here a run reaches that has to stay. */
    let stays = 0
    for (const index of this.fixed) {
      if (over.tokens <= 0 && over.bytes <= 0) break
      if (released.has(index)) continue
      if (index < stays) continue
      const end = this.alignUp(index + 1)
      const run = Array.from({ length: end - index }, (_, at) => index + at)
      if (run.some((each) => !isDone(this.items[each] as Item))) {
        stays = end
        continue
      }
      for (const each of run) {
        released.add(each)
        over = subtractSizes(over, this.sizeAt(each))
        this.edits.delete(each)
      }
    }
    this.fixed = this.fixed.filter((index) => !released.has(index))
  }

  /** Shortens one item; false when it cannot shrink. */
  shorten(index: number, target: Size): boolean {
    const item = this.items[index] as Item
    const shortened = shortenItem(item, this.context, target)
    if (shortened.item === item) return false
    this.edits.set(index, shortened)
    return true
  }

  keepWhole(index: number): void {
    this.edits.delete(index)
  }

  /** Positions of the items from one index up to another. */
  private stretchesIn(from: number, to: number): readonly Stretch[] {
    const { positionOf, coveredBy } = this.context
    const first = positionOf(this.items[from] as Item)
    const last = positionOf(this.items[to - 1] as Item)
    const stretches: Stretch[] = []
    if (coveredBy) {
      for (let index = from; index < to; index++) {
        const item = this.items[index] as Item
        if (item.role !== "user" || item.summary !== true) continue
        for (const position of coveredBy(item)) stretches.push({ from: position, to: position })
      }
    }
    if (last - first >= to - from - 1) return [...stretches, { from: first, to: last }]
    // One object may be in several places, or one summary for several items: positions do not follow each other here.
    for (let index = from; index < to; index++) {
      const position = positionOf(this.items[index] as Item)
      stretches.push({ from: position, to: position })
    }
    return stretches
  }

  /**
   * The plan of this cut. One that does not fit hands on what was asked in full: shortening it was the last resort, and
   * whoever comes next has others.
   */
  conclude(strategy: string, headEnd: number, tailStart: number, why: string): Plan {
    const { conversation, limit, context } = this
    const proposal = this.propose(headEnd, tailStart, why)
    const plan = concludePlan(strategy, conversation, limit, context.meter, proposal)
    if (plan.outcome === "compacted" || this.edits.size === 0) return plan
    this.edits.clear()
    const { decisions, summaries } = this.propose(headEnd, tailStart, why)
    const { outcome, reason } = plan
    return makePlan(conversation, context.meter, { strategy, outcome, decisions, summaries, ...(reason !== undefined && { reason }) })
  }

  /** The decisions of this cut, with its exact size. */
  private propose(headEnd: number, tailStart: number, why: string): Proposal {
    const decisions = keepAll(this.conversation)
    const cover: Decision = { kind: "cover", summary: 0, why }
    const stretches: Stretch[] = []
    let count = 0
    const leaveOut = (from: number, to: number): void => {
      if (from >= to) return
      decisions.fill(cover, from, to)
      count += to - from
      pushAll(stretches, this.stretchesIn(from, to))
    }
    let from = headEnd
    for (const index of this.fixed) {
      if (index < headEnd || index >= tailStart) continue
      leaveOut(from, index)
      from = index + 1
    }
    leaveOut(from, tailStart)
    for (const [index, { item, elided }] of this.edits) {
      decisions[index] = { kind: "edit", item, elided, why: "shortened to fit" }
    }
    const kept = addSizes(this.front(headEnd, tailStart), this.tail(tailStart))
    if (count === 0) return { decisions, summaries: [], size: kept }
    const message = leftOutNote(count, mergeStretches(stretches))
    return { decisions, summaries: [{ message }], size: addSizes(kept, this.context.meter.sizeOfMessage(message)) }
  }
}

/** Messages an item is made of, as agents that keep flat lists count them. */
export const messagesIn = (item: Item): number => {
  if (item.role !== "exchange") return 1
  let messages = item.reply ? 2 : 1
  for (let call = 0; call < item.outcomes.length; call++) {
    const carrier = item.outcomes[call]?.carrier
    // Results that came in one message count once.
    if (carrier === undefined || carrier !== item.outcomes[call - 1]?.carrier) messages++
  }
  return messages
}
