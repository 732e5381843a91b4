/**
 * Generations: the digest in chunks that are written once. A digest that is written anew at every compaction changes
 * the front of the request, and a provider's prompt cache is void from there. Here the history is cut into spans from
 * its beginning, each with a digest of its own that depends on nothing behind it, so that compacting again after more
 * exchanges gives the same first chunks, byte for byte, and one more.
 *
 *   [system] [first request] [chunk 1] … [chunk n] [digest of the open span] [newest exchanges]
 *
 * Nothing is remembered between compactions: where spans end follows from the history and the limit. When there would
 * be more chunks than `most`, spans double and all chunks are written anew from the whole history, which is seldom.
 * Give it the whole history (the archive), not a view: a view of an earlier generation has lost what a rebuilding
 * needs.
 */
import { asLawful, type Conversation, type Item, LigatureError } from "../../model/index.ts"
import { bondsOf } from "../bonds.ts"
import { digest } from "../digest/index.ts"
import { isRequest, shares, wholeFrame } from "../digest/frame.ts"
import { budgetOf, writeDigest } from "../digest/write-digest.ts"
import { type Ledger, ledgerOf } from "../ledger.ts"
import { concludePlan, unchangedPlan } from "../make-plan.ts"
import type { Meter } from "../meter/meter.ts"
import type { Decision, Plan, Summary } from "../plan.ts"
import { leadOf } from "../protection.ts"
import type { Size } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"

export interface GenerationsOptions {
  /**
   * Share of the budget one chunk takes. Default 0.1. Larger chunks hold more, and are seldom worth a whole
   * rebuilding.
   */
  readonly chunk?: number
  /** Most chunks before spans double. Default 5: half of the budget stays for what is new. */
  readonly most?: number
}

const name = "generations"
/** A span holds at least this much of the budget: less would not be worth a chunk. */
const shortestSpan = 0.5
/** Shares of the budget: what chunks may take altogether, and how much of it because of what the user said. */
const mostChunks = 0.8
const mostGrowth = 0.25
/** Requests are told under headings, which count too. */
const headingMargin = 1.15

const sliceOf = (items: readonly Item[], from: number, to: number): Conversation =>
  asLawful({ items: items.slice(from, to) })

/** Where spans of at least `tokens` end, up to `end`; the rest is open. */
const boundariesOf = (
  items: readonly Item[],
  start: number,
  end: number,
  tokens: number,
  meter: Meter,
): readonly number[] => {
  const ledger = ledgerOf(items, meter)
  const bonds = bondsOf(items)
  const boundaries: number[] = []
  let sum = 0
  for (let index = start; index < end; index++) {
    if (sum >= tokens && bonds[index] !== 1) {
      boundaries.push(index)
      sum = 0
    }
    sum += ledger.sizeAt(index).tokens
  }
  return boundaries
}

export const generations = ({ chunk = 0.1, most = 5 }: GenerationsOptions = {}): Strategy => {
  if (!(chunk > 0 && chunk * most <= mostChunks)) {
    const said = `Expected chunks of at most ${mostChunks} of the budget together, got ${most} of ${chunk}`
    throw new LigatureError("bad-option", said)
  }
  return { name, plan: (conversation, limit, context) => planGenerations(conversation, limit, context, chunk, most) }
}

const shareOf = ({ tokens, bytes }: Size, share: number): Size => ({
  tokens: Math.floor(tokens * share),
  bytes: Math.floor(bytes * share),
})
const minus = (left: Size, right: Size): Size => ({
  tokens: left.tokens - right.tokens,
  bytes: left.bytes - right.bytes,
})

/** Tokens of what the user said in a stretch of the history. */
const requestTokens = (items: readonly Item[], from: number, to: number, ledger: Ledger): number => {
  let tokens = 0
  for (let index = from; index < to; index++) {
    if (isRequest(items[index] as Item)) tokens += ledger.sizeAt(index).tokens
  }
  return tokens
}

const planGenerations = (
  conversation: Conversation,
  limit: Size,
  context: Context,
  chunk: number,
  most: number,
): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const budget = budgetOf(ledger.total(), limit)
  const asDigest = (): Plan => ({ ...digest().plan(conversation, limit, context), strategy: name })

  // The front: system messages, and the first request where it fits its share.
  let front = leadOf(items)
  const first = items[front]
  if (first?.role === "user" && ledger.sizeAt(front).tokens <= shares.first * budget) front++
  const newest = items.findLastIndex((item) => item.role === "exchange")
  const end = newest < 0 ? items.length : newest

  let span = shortestSpan * budget
  let boundaries = boundariesOf(items, front, end, span, meter)
  while (boundaries.length > most) boundaries = boundariesOf(items, front, end, (span *= 2), meter)
  if (boundaries.length === 0) return asDigest()

  let left = limit
  for (let index = 0; index < front; index++) left = minus(left, ledger.sizeAt(index))
  const decisions: Decision[] = items.map(() => ({ kind: "keep" }))
  const summaries: Summary[] = []
  let from = front
  // Chunks in which the user says more than their share grow by it, the first to come first, up to the user's share.
  const owed = shares.user * chunk * budget
  const growth = Math.min(mostGrowth, mostChunks - chunk * most)
  let spare = Math.min(growth * budget, shares.user * budget - requestTokens(items, 0, front, ledger))
  for (const to of boundaries) {
    const part = sliceOf(items, from, to)
    const wanted = requestTokens(items, from, to, ledger) * headingMargin - owed
    const more = Math.max(0, Math.min(spare, wanted))
    spare -= more
    const chunkLimit = shareOf(limit, chunk + more / budget)
    const own = budgetOf(ledger.total(), chunkLimit)
    const { message, size } = writeDigest(part, wholeFrame(part, owed + more), chunkLimit, own, context)
    const cover: Decision = { kind: "cover", summary: summaries.length, why: "in a chunk" }
    let covers = 0
    for (let index = from; index < to; index++) {
      // What is protected stands behind its chunk, which tells it too: it will not be the latest request for long.
      if (context.isProtected(items[index] as Item, index)) left = minus(left, ledger.sizeAt(index))
      else {
        decisions[index] = cover
        covers++
      }
    }
    from = to
    if (covers === 0) continue
    summaries.push({ message })
    left = minus(left, size)
  }
  const open = sliceOf(items, from, items.length)
  // The newest exchange has its share of the whole budget, not of what the chunks have left.
  const staysWhole = newest >= 0 && ledger.sizeAt(newest).tokens <= shares.newest * budget
  const protectedHere = (item: Item, index: number): boolean =>
    (staysWhole && index + from === newest) || context.isProtected(item, index + from)
  const rest = digest().plan(open, left, { ...context, isProtected: protectedHere })
  const isSqueezed = staysWhole && rest.decisions[newest - from]?.kind !== "keep"
  if (rest.outcome === "refused" || isSqueezed) return asDigest()
  const chunks = summaries.length
  for (const [index, decision] of rest.decisions.entries()) {
    decisions[from + index] = decision.kind === "cover" ? { ...decision, summary: decision.summary + chunks } : decision
  }
  summaries.push(...rest.summaries)
  const plan = concludePlan(name, conversation, limit, meter, { decisions, summaries })
  return plan.outcome === "refused" ? asDigest() : plan
}
