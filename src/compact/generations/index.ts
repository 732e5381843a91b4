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
import type { Decision, Plan, Summary } from "../plan.ts"
import { leadOf, protectedIndices } from "../protection.ts"
import { addSizes, noSize, type Size, subtractSizes } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"

export interface GenerationsOptions {
  /**
   * Share of the budget one chunk takes. Default 0.1. Larger chunks hold more, and are seldom worth a whole
   * rebuilding.
   */
  readonly chunk?: number
  /** Most chunks before spans double, at least 1. Default 5: half of the budget stays for what is new. */
  readonly most?: number
}

const name = "generations"
/** A span holds at least this share of the budget: less would not be worth a chunk. */
const shortestSpan = 0.5
/** Shares of the budget: what chunks may take altogether, and how much of it because of what the user said. */
const mostChunks = 0.8
const mostGrowth = 0.25
/** Requests are told under headings, which count too. */
const headingMargin = 1.15

const sliceOf = (items: readonly Item[], from: number, to: number): Conversation =>
  asLawful({ items: items.slice(from, to) })

/**
 * How much of the limit something takes, by what is shorter of tokens and bytes. Everything about chunks is measured
 * so, and never by how dense the whole history is: that changes with every exchange, and all chunks would with it.
 */
const shareIn = ({ tokens, bytes }: Size, limit: Size): number =>
  Math.max(tokens / limit.tokens, bytes / limit.bytes)

/** Where spans of at least this share of the limit end, up to `end`; the rest is open. */
const boundariesOf = (
  items: readonly Item[],
  start: number,
  end: number,
  span: number,
  limit: Size,
  ledger: Ledger,
): readonly number[] => {
  const bonds = bondsOf(items)
  const boundaries: number[] = []
  let sum = noSize
  for (let index = start; index < end; index++) {
    if (shareIn(sum, limit) >= span && bonds[index] !== 1) {
      boundaries.push(index)
      sum = noSize
    }
    sum = addSizes(sum, ledger.sizeAt(index))
  }
  return boundaries
}

export const generations = ({ chunk = 0.1, most = 5 }: GenerationsOptions = {}): Strategy => {
  if (!(most >= 1)) throw new LigatureError("bad-option", `Expected most of 1 or more chunks, got ${most}`)
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

/** What a stretch of the history takes, and the part of it that the user said. */
const sizesIn = (items: readonly Item[], from: number, to: number, ledger: Ledger): { all: Size; requests: Size } => {
  let [all, requests] = [noSize, noSize]
  for (let index = from; index < to; index++) {
    const size = ledger.sizeAt(index)
    all = addSizes(all, size)
    if (isRequest(items[index] as Item)) requests = addSizes(requests, size)
  }
  return { all, requests }
}

/** Protected items, with those they may not be parted from. */
const staying = (items: readonly Item[], { isProtected }: Context): ReadonlySet<number> => {
  const bonds = bondsOf(items)
  const stays = new Set<number>()
  for (const index of protectedIndices(items, isProtected)) {
    let at = index
    while (bonds[at] === 1) at--
    do stays.add(at++)
    while (bonds[at] === 1)
  }
  return stays
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
  const asDigest = (): Plan => ({ ...digest().plan(conversation, limit, context), strategy: name })
  // Where tools alone take the budget there is nothing to have shares of.
  if (limit.tokens < 1 || limit.bytes < 1) return asDigest()

  // The front: system messages, and the first request where it fits its share.
  let front = leadOf(items)
  const first = items[front]
  if (first?.role === "user" && shareIn(ledger.sizeAt(front), limit) <= shares.first) front++
  const newest = items.findLastIndex((item) => item.role === "exchange")
  const end = newest < 0 ? items.length : newest

  let span = shortestSpan
  let boundaries = boundariesOf(items, front, end, span, limit, ledger)
  while (boundaries.length > most) boundaries = boundariesOf(items, front, end, (span *= 2), limit, ledger)
  if (boundaries.length === 0) return asDigest()

  const before = sizesIn(items, 0, front, ledger)
  let left = subtractSizes(limit, before.all)
  const stays = staying(items, context)
  const decisions: Decision[] = items.map(() => ({ kind: "keep" }))
  const summaries: Summary[] = []
  let from = front
  // Chunks in which the user says more than their share grow by it, the first to come first, up to the user's share.
  const growth = Math.min(mostGrowth, mostChunks - chunk * most)
  let spare = Math.min(growth, shares.user - shareIn(before.requests, limit))
  for (const to of boundaries) {
    const part = sliceOf(items, from, to)
    const { all, requests } = sizesIn(items, from, to, ledger)
    const wanted = shareIn(requests, limit) * headingMargin - shares.user * chunk
    const more = Math.max(0, Math.min(spare, wanted))
    spare -= more
    const chunkLimit = shareOf(limit, chunk + more)
    const owed = (shares.user * chunk + more) * budgetOf(all, limit)
    const { message, size } = writeDigest(part, wholeFrame(part, owed), chunkLimit, budgetOf(all, chunkLimit), context)
    const cover: Decision = { kind: "cover", summary: summaries.length, why: "in a chunk" }
    let covers = 0
    for (let index = from; index < to; index++) {
      // What is protected stands behind its chunk, which tells it too: it will not be the latest request for long.
      if (stays.has(index)) left = subtractSizes(left, ledger.sizeAt(index))
      else {
        decisions[index] = cover
        covers++
      }
    }
    from = to
    if (covers === 0) continue
    summaries.push({ message })
    left = subtractSizes(left, size)
  }
  const open = sliceOf(items, from, items.length)
  // The newest exchange has its share of the whole budget, not of what the chunks have left.
  const staysWhole = newest >= 0 && shareIn(ledger.sizeAt(newest), limit) <= shares.newest
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
