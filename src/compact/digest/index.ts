/**
 * The digest: whole lines chosen by what the agent is expected to need, the newest exchanges and the user's words as they
 * were, everything else behind handles. No model is asked; the same history gives the same digest.
 *
 *   [system] [first request] [digest: what the user said, then chosen lines under their handles] [newest exchanges]
 *
 * How it works: the history is cut into lines (lines.ts), each line into terms (terms.ts); a record of who said which term
 * when (usage.ts) tells what a term is worth (worth.ts); lines are picked that show the most worth per token (choose.ts).
 */
import { callsOf, type Conversation, type Item, text, type UserMessage } from "../../model/index.ts"
import { handleOf } from "../handle.ts"
import { ledgerOf } from "../ledger.ts"
import { concludePlan, keepAll, makePlan, unchangedPlan } from "../make-plan.ts"
import type { Decision, Plan } from "../plan.ts"
import { addSizes, fitsIn, type Size } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"
import { type Candidate, candidatesOf } from "./candidates.ts"
import { type Choosable, choose } from "./choose.ts"
import { frameOf } from "./frame.ts"
import { callOfGroup, itemOfGroup, passagesOfAll } from "./lines.ts"
import { prefaceOf, render } from "./render.ts"
import { usageOf } from "./usage.ts"
import { toldLines } from "./user-lines.ts"
import { worthsOf } from "./worth.ts"

export const tuning: Record<string, never> = {}

const name = "digest"

export const digest = (): Strategy => ({ name, plan: planDigest })

/** Tokens the limit comes down to when bytes are what is short. */
const budgetOf = (whole: Size, limit: Size): number =>
  Math.floor(Math.min(limit.tokens, limit.bytes * (whole.tokens / Math.max(1, whole.bytes))))

const planDigest = (conversation: Conversation, limit: Size, context: Context): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const budget = budgetOf(ledger.total(), limit)
  const frame = frameOf(conversation, budget, context)
  const { kept } = frame
  const covered = items.flatMap((_, index) => (kept.has(index) ? [] : [index]))
  if (frame.losesPending) {
    const reason = `Pending work alone needs ${ledger.sizeAt(items.length - 1).tokens} tokens of ${limit.tokens}`
    return makePlan(conversation, meter, { strategy: name, outcome: "refused", reason, decisions: keepAll(conversation), summaries: [] })
  }
  const positions = covered.map((index) => context.positionOf(items[index] as Item))
  const preface = prefaceOf(positions.reduce((a, b) => Math.min(a, b), Infinity), positions.reduce((a, b) => Math.max(a, b), 0), budget)

  const passages = passagesOfAll(conversation)
  const usage = usageOf(passages, frame.latestRequest, frame.firstRequest, context.goal ?? "")
  const worths = worthsOf(usage)
  const covers = new Uint8Array(worths.length)
  for (const [place, passage] of passages.entries()) {
    if (!kept.has(passage.item)) continue
    for (const { terms } of usage.lines[place] ?? []) for (const term of terms) covers[term] = 2
  }

  const counts = new Map<string, number>()
  const count = (words: string): number => {
    let tokens = counts.get(words)
    if (tokens === undefined) counts.set(words, (tokens = meter.count(words)))
    return tokens
  }
  const headings = new Map<number, string>()
  const headingOf = (group: number): string => {
    let heading = headings.get(group)
    if (heading === undefined) headings.set(group, (heading = makeHeading(items[itemOfGroup(group)] as Item, callOfGroup(group), context)))
    return heading
  }
  const shared = { worths, headingTokens: (group: number): number => count(`${headingOf(group)}\n`) }
  const messageOf = (chosen: readonly Candidate[]): UserMessage => ({
    role: "user",
    blocks: [text(render(preface, chosen, passages, headingOf))],
    summary: true,
  })
  const sizeWith = (message: UserMessage): Size => addSizes(frame.size, meter.sizeOfMessage(message))

  const bare = sizeWith(messageOf([]))
  const told = toldLines(frame.told, passages, usage, frame.owed, budget - bare.tokens, shared, covers, count)
  const isTold = new Set(told.lines.map(({ passage, line }) => `${passage}:${line}`))
  const candidates = candidatesOf(
    passages,
    usage,
    worths,
    (passage, line) => kept.has(passages[passage]?.item ?? -1) || isTold.has(`${passage}:${line}`),
  )
  const choosable: Choosable = { ...shared, candidates, tokens: Float64Array.from(candidates, (each) => count(`${each.text}\n`)) }
  const opened = new Set(told.lines.map(({ group }) => group))

  let allowance = budget - bare.tokens - told.tokens
  let best: { message: UserMessage; size: Size } | undefined
  for (let round = 0; round < 3; round++) {
    let chosen = [...told.lines, ...choose(choosable, covers.slice(), new Set(opened), allowance)]
    let message = messageOf(chosen)
    let size = sizeWith(message)
    while (!fitsIn(size, limit) && chosen.length > 0) {
      chosen = chosen.slice(0, -Math.max(1, Math.ceil(chosen.length / 100)))
      message = messageOf(chosen)
      size = sizeWith(message)
    }
    if (fitsIn(size, limit) && (best === undefined || size.tokens > best.size.tokens)) best = { message, size }
    if (best === undefined || best.size.tokens >= 0.98 * budget) break
    allowance += budget - size.tokens
  }
  const { message, size } = best ?? { message: messageOf([]), size: bare }
  const decisions = items.map((_, index): Decision => (kept.has(index) ? { kind: "keep" } : { kind: "cover", summary: 0, why: "in the digest" }))
  return concludePlan(name, conversation, limit, meter, { decisions, summaries: [{ message }], size })
}

const makeHeading = (item: Item, call: number, context: Context): string => {
  const position = context.positionOf(item)
  if (item.role !== "exchange") return `${handleOf(position)} ${item.role}`
  const calls = callsOf(item)
  const tool = calls[call]?.name
  const handle = calls.length > 1 ? handleOf(position, call) : handleOf(position)
  return tool === undefined ? handle : `${handle} ${tool}`
}
