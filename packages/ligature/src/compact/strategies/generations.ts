/**
 * Generations: the digest in chunks that are written once. A digest that is written again at every compaction changes
 * the front of the request, and a provider's prompt cache is void from there. Here the history is cut into spans from
 * its beginning, each with a digest of its own that depends on nothing after it, so that compacting again after more
 * exchanges gives the same first chunks, byte for byte, and one more.
 *
 *   [system] [first request] [chunk 1] … [chunk n] [digest] [newest exchanges]
 *
 * A chunk does not know what will become of its span. The digest after the chunks does: it covers the open span, and
 * of the spans before it what has become important since.
 *
 * Nothing is remembered between compactions: where spans end follows from the history and the limit. When there would
 * be more chunks than `most`, spans double and all chunks are written again from the whole history, which is seldom.
 * Give it the whole history (the archive), not a view: a view of an earlier generation has lost what a rebuilding
 * needs.
 */
import { assertOptions, type Conversation, LigatureError, type UserMessage } from "../../model/index.ts"
import { partOf } from "../../rules/index.ts"
import { addSizes, fitsIn, noSize, scaleSize, type Size, subtractSizes } from "../meter/meter.ts"
import { type Ledger, ledgerOf } from "../plan/ledger.ts"
import { concludePlan, renamedPlan, unchangedPlan } from "../plan/make-plan.ts"
import { type Context, type Decision, isRequest, leadOf, type Plan, type Strategy } from "../plan/plan.ts"
import type { Excerpt } from "./digest/candidates.ts"
import { digest, withLongerTail, withMoreLines } from "./digest/digest.ts"
import { callOfGroup, groupOf, itemOfGroup, passagesOfAll } from "./digest/relevance/lines.ts"
import { type Earlier, nothingVerbatim, shares, type Verbatim, verbatimOf } from "./digest/verbatim.ts"
import { budgetOf, DigestWriter } from "./digest/write-digest.ts"

export interface GenerationsOptions {
  /** Share of the budget one chunk takes. Default 0.1: larger ones keep more in the cache, and know less. */
  readonly chunk?: number
  /** Most chunks before spans double, at least 1. Default 5: half of the budget stays for the digest. */
  readonly most?: number
}

const name = "generations"
/** A span holds at least this share of the budget: less would not be worth a chunk. */
const shortestSpan = 1
/** No provider caches a shorter beginning of a request. */
const leastCached: Size = { tokens: 1024, bytes: 4096 }
/** Shares of the budget: what chunks may take altogether, and what is left for choosing lines from the whole history. */
const mostChunks = 0.8
const leastDigest = 0.3

/**
 * How much of the limit something takes, by what is shorter of tokens and bytes. Everything about chunks is measured
 * so, and never by how dense the whole history is: that changes with every exchange, and all chunks would with it.
 */
const shareIn = ({ tokens, bytes }: Size, limit: Size): number => Math.max(tokens / limit.tokens, bytes / limit.bytes)

/** Where spans of at least this share of the limit end, up to `end`; the rest is open. */
const boundariesOf = (start: number, end: number, span: number, limit: Size, ledger: Ledger): readonly number[] => {
  const { bonds } = ledger
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

export const generations = (options: GenerationsOptions = {}): Strategy => {
  assertOptions(options, { chunk: true, most: true })
  const { chunk = 0.1, most = 5 } = options
  if (!(most >= 1)) throw new LigatureError("bad-option", `Expected most of 1 or more chunks, got ${most}`)
  if (!(chunk > 0 && chunk * most <= mostChunks)) {
    const said = `Expected chunks of at most ${mostChunks} of the budget together, got ${most} of ${chunk}`
    throw new LigatureError("bad-option", said)
  }
  return { name, plan: (conversation, limit, context) => planGenerations(conversation, limit, context, chunk, most) }
}

const shareOf = (size: Size, share: number): Size => {
  const { tokens, bytes } = scaleSize(size, share)
  return { tokens: Math.floor(tokens), bytes: Math.floor(bytes) }
}

/** A span of the history, written down once. */
interface Chunk extends Earlier {
  readonly message: UserMessage
}

/** An excerpt of a part of the history as one of the whole, this many items and passages further on. */
const inWhole = (excerpt: Excerpt, items: number, passages: number): Excerpt => ({
  ...excerpt,
  group: groupOf(itemOfGroup(excerpt.group) + items, callOfGroup(excerpt.group)),
  passage: excerpt.passage + passages,
})

/** One chunk up to each end. What the caller wants now (the goal) is not for them: they stay when it has changed. */
const writeChunks = (conversation: Conversation, front: number, ends: readonly number[], limit: Size, context: Context): Chunk[] => {
  const { meter } = context
  let start = front
  let passages = passagesOfAll(partOf(conversation, 0, front)).length
  return ends.map((end) => {
    const part = partOf(conversation, start, end)
    const budget = budgetOf(part, limit, meter)
    const verbatim = nothingVerbatim(part, shares.user * budget)
    const { message, lines, size } = new DigestWriter(part, context).write(verbatim, { limit, budget })
    const chunk = { start, end, message, size, lines: lines.map((line) => inWhole(line, start, passages)) }
    start = end
    passages += passagesOfAll(part).length
    return chunk
  })
}

const together = (chunks: readonly Chunk[], start: number): Earlier => ({
  start,
  end: chunks.at(-1)?.end ?? start,
  size: chunks.reduce((sum, { size }) => addSizes(sum, size), noSize),
  lines: chunks.flatMap(({ lines }) => lines),
})

const stillOwed = ({ owed, quotable }: Verbatim): number => Math.max(0, Math.min(owed, quotable))

const planGenerations = (conversation: Conversation, limit: Size, context: Context, chunk: number, most: number): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const asDigest = (): Plan => renamedPlan(digest().plan(conversation, limit, context), name)
  if (!fitsIn(leastCached, shareOf(limit, chunk * most))) return asDigest()

  // The front: system messages, and the first request where it fits its share.
  let front = leadOf(items)
  const first = items[front]
  const room = subtractSizes(limit, ledger.sizeOf(0, front))
  if (!fitsIn(leastCached, room)) return asDigest()
  const share = shares.request * (1 + (meter.tolerance ?? 0))
  if (first !== undefined && isRequest(first) && shareIn(ledger.sizeAt(front), room) <= share) front++
  const newest = items.findLastIndex((item) => item.role === "exchange")
  const end = newest < 0 ? items.length : newest

  let span = shortestSpan
  let ends = boundariesOf(front, end, span, limit, ledger)
  while (ends.length > most) ends = boundariesOf(front, end, (span *= 2), limit, ledger)
  // A chunk is not needed yet where everything after it fits as it is.
  const before = shareIn(ledger.sizeOf(0, front), limit)
  const isNeeded = (to: number, index: number): boolean =>
    before + chunk * (index + 1) + shareIn(ledger.sizeOf(to, items.length), limit) > 1
  const chunks = writeChunks(conversation, front, ends.filter(isNeeded), shareOf(limit, chunk), context)

  const budget = budgetOf(conversation, limit, meter)
  const verbatimWith = (tokens: number): Verbatim => {
    const tail = { share: shares.tail, tokens }
    return verbatimOf(conversation, { ...limit, tokens: budget }, context, { tail, earlier: together(chunks, front) })
  }
  let around = verbatimWith(0)
  // Nor is one kept that leaves no room for choosing.
  while (chunks.length > 0 && around.size.tokens + stillOwed(around) > (1 - leastDigest) * budget) {
    chunks.pop()
    around = verbatimWith(0)
  }
  if (chunks.length === 0 || around.losesPending) return asDigest()
  const space = { limit, budget }
  const writer = new DigestWriter(conversation, context, context.goal)
  const written = writer.write(around, space)
  if (!written.isComplete) return asDigest()
  const filling = { space, verbatimWith, writer }
  const { verbatim, message } = withMoreLines(withLongerTail(written, filling), filling)
  let summary = 0
  const decisions = items.map((_, index): Decision => {
    while (index >= (chunks[summary]?.end ?? items.length)) summary++
    const edit = verbatim.edits.get(index)
    if (edit) return { kind: "edit", ...edit, why: "shortened to fit" }
    if (verbatim.kept.has(index)) return { kind: "keep" }
    return { kind: "cover", summary, why: summary < chunks.length ? "in a chunk" : "in the digest" }
  })
  // Nothing after the chunks may be out of sight where bytes are what is short: then the digest has no place.
  if (!decisions.some((each) => each.kind === "cover" && each.summary === chunks.length)) {
    return asDigest()
  }
  const summaries = [...chunks.map((each) => ({ message: each.message })), { message }]
  const plan = concludePlan(name, conversation, limit, meter, { decisions, summaries })
  return plan.outcome === "refused" ? asDigest() : plan
}
