/**
 * The digest: whole lines chosen by what the agent is expected to need, the newest exchanges and the user's words as
 * they were, everything else behind handles. No model is asked; the same history gives the same digest.
 *
 *   [system] [first request] [digest: user text, chosen lines under their handles] [latest request] [newest exchanges]
 *
 * How it works: the history is cut into lines (lines.ts), each line into terms; who said which term when tells what a
 * term is worth (worth/); lines are picked that show the most worth per token (choose.ts) until the message fills the
 * limit (fit.ts). What lines leave free goes to the newest exchanges (fill.ts).
 */
import { type Conversation, LigatureError } from "../../model/index.ts"
import { ledgerOf } from "../ledger.ts"
import { concludePlan, immovable, refusedPlan, unchangedPlan } from "../plan/make-plan.ts"
import type { Decision, Plan } from "../plan/plan.ts"
import type { Size } from "../size.ts"
import type { Context, Strategy } from "../strategy.ts"
import { filled, type Framed } from "./fill.ts"
import { type Frame, frameOf, shares } from "./frame.ts"
import { budgetOf, readHistory, writeDigest } from "./write-digest.ts"

export interface DigestOptions {
  /**
   * Share of the budget up to which exchanges before the newest stay verbatim, 0 to 0.6. Default 0.15: lines of older
   * exchanges say more per token than whole ones. The newest exchange stays verbatim up to 0.35 in any case.
   */
  readonly tail?: number
}

const name = "digest"
const longestTail = 0.6

export const digest = ({ tail = shares.tail }: DigestOptions = {}): Strategy => {
  if (!(tail >= 0 && tail <= longestTail)) {
    throw new LigatureError("bad-option", `Expected a tail of 0 to ${longestTail} of the budget, got ${tail}`)
  }
  return { name, plan: (conversation, limit, context) => planDigest(conversation, limit, context, tail) }
}

const planDigest = (conversation: Conversation, limit: Size, context: Context, tail: number): Plan => {
  const { items } = conversation
  const { meter } = context
  const ledger = ledgerOf(items, meter)
  if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
  const budget = budgetOf(conversation, limit, meter)
  const refuse = (why: string): Plan =>
    refusedPlan(name, conversation, meter, immovable(conversation, limit, meter) ?? `${why} ${budget} tokens`)
  const frameWith = (tokens: number): Frame => frameOf(conversation, { ...limit, tokens: budget }, context, { share: tail, tokens })
  const around = frameWith(0)
  if (around.losesPending) return refuse("Pending work, with what it cannot be parted from, does not fit into")
  if (around.kept.size + around.edits.size === items.length) return refuse(`What is protected needs ${around.size.tokens} of`)

  const history = readHistory(conversation, context.goal)
  const within = (frame: Frame, takesAll = false): Framed => ({
    frame,
    ...writeDigest(history, frame, limit, budget, context, takesAll),
  })
  const first = within(around)
  if (!first.isComplete) return refuse("What the user asked for does not fit into")
  const { frame, message, size } = filled(first, { limit, budget, frameWith, within })
  const decisions = items.map((_, index): Decision => {
    const edit = frame.edits.get(index)
    if (edit) return { kind: "edit", ...edit, why: "shortened to fit" }
    return frame.kept.has(index) ? { kind: "keep" } : { kind: "cover", summary: 0, why: "in the digest" }
  })
  return concludePlan(name, conversation, limit, meter, { decisions, summaries: [{ message }], size })
}
