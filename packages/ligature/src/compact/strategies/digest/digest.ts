/**
 * The digest: whole lines chosen by what the agent is expected to need, the newest exchanges and the user's text
 * verbatim, everything else by handle. No model is asked; the same history gives the same digest.
 *
 *   [system] [first request] [digest: user text, chosen lines under their handles] [latest request] [newest exchanges]
 *
 * How it works: the history is cut into lines (lines.ts), each line into terms; who used which term when decides what a
 * term is worth (worth/); lines are picked that show the most worth per token (choose.ts) until the message fills the
 * limit (fit.ts). What lines leave free goes to the newest exchanges (fill.ts). All this begins at a small part of the
 * limit and goes on each time it doubles: a larger budget shows what a smaller one does, and more.
 */
import { assertOptions, type Conversation, type Item, LigatureError } from "../../../model/index.ts"
import { fitsIn, type Size } from "../../meter/meter.ts"
import { ledgerOf } from "../../plan/ledger.ts"
import { concludePlan, immovable, refusedPlan, unchangedPlan } from "../../plan/make-plan.ts"
import { type Context, type Decision, type Plan, type Strategy } from "../../plan/plan.ts"
import type { Space } from "./fit-message.ts"
import { shares, type Verbatim, verbatimOf } from "./verbatim.ts"
import { budgetOf, type Digest, DigestWriter, mediaIn } from "./write-digest.ts"

// Room that lines do not fill. A line is chosen for what it shows first, so a history that repeats the same things again and
// again has few lines worth choosing, and most of a large budget would stay empty. What is left goes to the newest
// exchanges, verbatim: their lines leave the digest, which makes more room, so it takes a few rounds. Where the next
// exchange is too large, it goes to lines whose terms are shown already.

/** Less than this share of the budget is not worth another round. */
const littleLeft = 0.03
const mostRounds = 6

interface Filling {
  readonly space: Space
  /** What stays with this many tokens of newest exchanges, where they fit. */
  readonly verbatimWith: (tailTokens: number) => Verbatim
  readonly writer: DigestWriter
}

const leftOf = ({ size }: Digest, { budget }: Space): number => budget - size.tokens

const hasRoom = (digest: Digest, space: Space): boolean =>
  leftOf(digest, space) > littleLeft * space.budget && digest.size.bytes <= (1 - littleLeft) * space.limit.bytes

const isGood = ({ isComplete, size }: Digest, { limit }: Space): boolean => isComplete && fitsIn(size, limit)

export const withLongerTail = (first: Digest, { space, verbatimWith, writer }: Filling): Digest => {
  let best = first
  const longer = (more: number): Digest | undefined => {
    const verbatim = verbatimWith(best.verbatim.tail + more)
    const next = verbatim.tail > best.verbatim.tail ? writer.write(verbatim, space, { before: best }) : undefined
    return next && isGood(next, space) && next.showsBefore ? next : undefined
  }
  for (let round = 0; round < mostRounds && hasRoom(best, space); round++) {
    const left = leftOf(best, space)
    const next = longer(left + writer.tokensOfNext(best)) ?? longer(left)
    if (!next) break
    best = next
  }
  return best
}

export const withMoreLines = (digest: Digest, { space, writer }: Pick<Filling, "space" | "writer">): Digest => {
  if (!hasRoom(digest, space)) return digest
  const fuller = writer.write(digest.verbatim, space, { before: digest, takesAll: true })
  return isGood(fuller, space) && leftOf(fuller, space) < leftOf(digest, space) ? fuller : digest
}

export interface DigestOptions {
  /**
   * Share of the budget up to which exchanges before the newest stay verbatim, 0 to 0.6. Default 0.15: lines of older
   * exchanges show more per token than whole ones. The newest exchange stays verbatim up to 0.35 in any case.
   */
  readonly tail?: number
}

const name = "digest"
const longestTail = 0.6

export const digest = (options: DigestOptions = {}): Strategy => {
  assertOptions(options, { tail: true })
  const { tail = shares.tail } = options
  if (!(tail >= 0 && tail <= longestTail)) {
    throw new LigatureError("bad-option", `Expected a tail of 0 to ${longestTail} of the budget, got ${tail}`)
  }
  return { name, plan: (conversation, limit, context) => planDigest(conversation, limit, context, tail) }
}

/** A digest of fewer tokens shows too little to continue from. */
const smallest = 128

const halfOf = ({ tokens, bytes }: Size): Size => ({ tokens: Math.floor(tokens / 2), bytes: Math.floor(bytes / 2) })

const staysIn = (verbatim: Verbatim, wider: Verbatim): boolean => [...verbatim.kept].every((index) => wider.kept.has(index))

/**
 * Goes on from what half of the limit shows, so that twice the budget never shows less. Undefined where the requests do
 * not fit.
 */
const digestWithin = (
  conversation: Conversation,
  limit: Size,
  context: Context,
  share: number,
  writer: DigestWriter,
): Digest | undefined => {
  const budget = budgetOf(conversation, limit, context.meter)
  const half = budget < 2 * smallest ? undefined : digestWithin(conversation, halfOf(limit), context, share, writer)
  const space = { limit, budget }
  const choosing =
    (quoted?: readonly number[]) =>
    (tokens: number): Verbatim => {
      const tail = { share, tokens: Math.max(tokens, half?.verbatim.tail ?? 0) }
      return verbatimOf(conversation, { ...limit, tokens: budget }, context, { tail, ...(quoted && { quoted }) })
    }
  let verbatimWith = choosing()
  const around = verbatimWith(0)
  if (around.losesPending || isAll(around, conversation)) return undefined
  const before = half && staysIn(half.verbatim, around) ? half : undefined
  let first = writer.write(around, space, { before })
  if (before && !first.showsBefore) {
    // A request that stays verbatim from here on would take the room: it is quoted in lines once more. An image cannot be.
    const quotable = before.verbatim.quoted.filter((index) => mediaIn(conversation.items[index] as Item).length === 0)
    const narrower = choosing(quotable)
    const other = writer.write(narrower(0), space, { before })
    if (other.showsBefore && other.isQuoted) [first, verbatimWith] = [other, narrower]
  }
  return first.isComplete ? withLongerTail(first, { space, verbatimWith, writer }) : undefined
}

/** Nothing is left for the digest to cover. */
const isAll = ({ kept, edits }: Verbatim, { items }: Conversation): boolean => kept.size + edits.size === items.length

const planDigest = (conversation: Conversation, limit: Size, context: Context, share: number): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const budget = budgetOf(conversation, limit, meter)
  const refuse = (why: string): Plan =>
    refusedPlan(name, conversation, meter, immovable(conversation, limit, meter) ?? `${why} ${budget} tokens`)
  const tail = { share, tokens: 0 }
  const around = verbatimOf(conversation, { ...limit, tokens: budget }, context, { tail })
  if (around.losesPending) return refuse("Pending work, with what it cannot be parted from, does not fit into")
  if (isAll(around, conversation)) return refuse(`What is protected needs ${around.size.tokens} of`)

  const writer = new DigestWriter(conversation, context, context.goal)
  // What half of it shows may leave nothing to cover, or no room for a request: then this one begins on its own.
  const digest = digestWithin(conversation, limit, context, share, writer) ?? writer.write(around, { limit, budget })
  if (!digest.isComplete) return refuse("What the user asked for does not fit into")
  const { verbatim, message, size } = withMoreLines(digest, { space: { limit, budget }, writer })
  const decisions = items.map((_, index): Decision => {
    const edit = verbatim.edits.get(index)
    if (edit) return { kind: "edit", ...edit, why: "shortened to fit" }
    return verbatim.kept.has(index) ? { kind: "keep" } : { kind: "cover", summary: 0, why: "in the digest" }
  })
  return concludePlan(name, conversation, limit, meter, { decisions, summaries: [{ message }], size })
}
