/**
 * The digest: whole lines chosen by what the agent is expected to need, the newest exchanges and the user's words as they
 * were, everything else behind handles. No model is asked; the same history gives the same digest.
 *
 *   [system] [first request] [digest: what the user said, chosen lines under their handles] [latest request] [newest exchanges]
 *
 * How it works: the history is cut into lines (lines.ts), each line into terms (terms.ts); who said which term when
 * (usage.ts) tells what a term is worth (worth.ts); lines are picked that show the most worth per token (choose.ts) until
 * the message fills the limit (fit.ts).
 */
import { callsOf, type Conversation, type Item } from "../../model/index.ts"
import { handleOf } from "../handle.ts"
import { ledgerOf } from "../ledger.ts"
import { concludePlan, keepAll, makePlan, unchangedPlan } from "../make-plan.ts"
import type { Decision, Plan } from "../plan.ts"
import type { Size } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"
import { candidatesOf } from "./candidates.ts"
import type { Choosable } from "./choose.ts"
import { fitDigest, type Page, write } from "./fit.ts"
import { type Frame, frameOf } from "./frame.ts"
import { callOfGroup, itemOfGroup, passagesOfAll } from "./lines.ts"
import { prefaceOf } from "./render.ts"
import { usageOf } from "./usage.ts"
import { toldLines } from "./user-lines.ts"
import { worthsOf } from "./worth.ts"

export interface DigestOptions {
  /**
   * Share of the budget up to which exchanges before the newest stay verbatim, 0 to 0.6. Default 0.15: lines of older
   * exchanges say more per token than whole ones. The newest exchange stays verbatim up to 0.35 in any case.
   */
  readonly tail?: number
}

const name = "digest"

export const digest = ({ tail = 0.15 }: DigestOptions = {}): Strategy => ({
  name,
  plan: (conversation, limit, context) => planDigest(conversation, limit, context, tail),
})

/** Tokens the limit comes down to, also when bytes are what is short. */
const budgetOf = (whole: Size, limit: Size): number =>
  Math.floor(Math.min(limit.tokens, limit.bytes * (whole.tokens / Math.max(1, whole.bytes))))

const headingOf = (item: Item, call: number, context: Context): string => {
  const position = context.positionOf(item)
  if (item.role !== "exchange") return `${handleOf(position)} ${item.summary ? "record" : item.role}`
  const calls = callsOf(item)
  const tool = calls[call]?.name
  const handle = calls.length > 1 ? handleOf(position, call) : handleOf(position)
  return tool === undefined ? handle : `${handle} ${tool}`
}

const rememberedBy = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = make(key)))
    return value
  }
}

const prefaceFor = (items: readonly Item[], { kept }: Frame, budget: number, context: Context): string => {
  let [from, to] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, item] of items.entries()) {
    if (kept.has(index)) continue
    const position = context.positionOf(item)
    from = Math.min(from, position)
    to = Math.max(to, position)
  }
  return prefaceOf(from, to, budget)
}

const planDigest = (conversation: Conversation, limit: Size, context: Context, tail: number): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const budget = budgetOf(ledger.total(), limit)
  const frame = frameOf(conversation, budget, context, tail)
  const { kept } = frame
  const refuse = (reason: string): Plan =>
    makePlan(conversation, meter, { strategy: name, outcome: "refused", reason, decisions: keepAll(conversation), summaries: [] })
  if (frame.losesPending) return refuse(`Pending work alone needs ${ledger.sizeAt(items.length - 1).tokens} of ${budget} tokens`)
  if (kept.size === items.length) return refuse(`What is protected alone needs ${frame.size.tokens} of ${budget} tokens`)

  const passages = passagesOfAll(conversation)
  const usage = usageOf(passages, { first: frame.firstRequest, latest: frame.latestRequest, goal: context.goal ?? "" })
  const worths = worthsOf(usage)
  const covers = new Uint8Array(worths.length)
  for (const [place, { item }] of passages.entries()) {
    if (!kept.has(item)) continue
    for (const { terms } of usage.lines[place] ?? []) for (const term of terms) covers[term] = 2
  }

  const count = rememberedBy((words: string) => meter.count(words))
  const page: Page = {
    preface: prefaceFor(items, frame, budget, context),
    passages,
    headingOf: rememberedBy((group: number) => headingOf(items[itemOfGroup(group)] as Item, callOfGroup(group), context)),
  }
  const shared = { worths, headingTokens: (group: number): number => count(`${page.headingOf(group)}\n`) }
  const bare = write(page, [], frame.size, meter)
  const told = toldLines(frame, passages, usage, budget - bare.size.tokens, shared, covers, count)
  const isTold = new Set(told.lines.map(({ passage, line }) => `${passage}:${line}`))
  const candidates = candidatesOf(
    passages,
    usage,
    worths,
    (passage, line) => kept.has(passages[passage]?.item ?? -1) || isTold.has(`${passage}:${line}`),
  )
  const tokens = Float64Array.from(candidates, (candidate) => count(`${candidate.text}\n`))
  const choosable: Choosable = { ...shared, candidates, tokens }
  const space = { limit, budget, frame: frame.size, left: budget - bare.size.tokens - told.tokens }
  const { message, size } = fitDigest(page, told.lines, choosable, covers, space, meter) ?? bare
  const decisions = items.map((_, index): Decision =>
    kept.has(index) ? { kind: "keep" } : { kind: "cover", summary: 0, why: "in the digest" },
  )
  return concludePlan(name, conversation, limit, meter, { decisions, summaries: [{ message }], size })
}
