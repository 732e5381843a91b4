/**
 * A summary by a model on top of a plan that needs none. The deterministic strategy decides what stays verbatim and
 * what is covered, and its own message (a digest, say) stays as the evidence; the summary is put before it. So
 * everything that holds for the strategy below holds for this one too: pairs, protection, budget.
 */
import type { Conversation, TextBlock, UserMessage } from "../../model/index.ts"
import type { Size } from "../meter/size.ts"
import { concludePlan, makePlan } from "../plan/make-plan.ts"
import type { Context, Decision, Plan, Strategy, Summary } from "../plan/plan.ts"

export const summaryStrategyName = "summary"

const isOut = ({ kind }: Decision): boolean => kind === "cover" || kind === "hide"

/** What was hidden is covered now, since the summary is in its place. */
const decided = (decisions: readonly Decision[], target: number): readonly Decision[] =>
  decisions.map((decision) => (decision.kind === "hide" ? {
    kind: "cover",
    summary: target,
    why: decision.why,
  } : decision))

const inFront = (summaries: readonly Summary[], target: number, block: TextBlock): readonly Summary[] =>
  target === summaries.length
    ? [...summaries, { message: { role: "user", blocks: [block], summary: true } }]
    : summaries.map((summary, index) =>
        index === target ? {
          ...summary,
          message: { ...summary.message, blocks: [block, ...summary.message.blocks] },
        } : summary,
      )

/** The items a plan takes out of sight: what a summary of it has to report. */
export const coveredBy = (plan: Plan): readonly number[] =>
  plan.decisions.flatMap((decision, index) => (isOut(decision) ? [index] : []))

const lessBy = (limit: Size, size: Size): Size => ({
  tokens: Math.max(0, limit.tokens - size.tokens),
  bytes: Math.max(0, limit.bytes - size.bytes),
})

const planWith = (
  base: Strategy,
  block: TextBlock,
  conversation: Conversation,
  limit: Size,
  context: Context,
): Plan => {
  const { meter } = context
  const message: UserMessage = { role: "user", blocks: [block], summary: true }
  const below = base.plan(conversation, lessBy(limit, meter.sizeOfMessage(message)), context)
  const { outcome, decisions, summaries } = below
  const made = (result: Plan["outcome"], reason: string | undefined): Plan =>
    makePlan(conversation, meter, {
      strategy: summaryStrategyName,
      outcome: result,
      decisions,
      summaries,
      ...(reason !== undefined && { reason }),
    })
  if (outcome !== "compacted") return made(outcome, below.reason)
  if (!decisions.some(isOut)) return made(
    "refused",
    `None of ${decisions.length} items is taken out of sight, so that there is nothing to summarise`,
  )
  const known = decisions.find((decision) => decision.kind === "cover")
  const target = known?.kind === "cover" ? known.summary : summaries.length
  const plan = concludePlan(summaryStrategyName, conversation, limit, meter, {
    decisions: decided(decisions, target),
    summaries: inFront(summaries, target, block),
  })
  const { before, after } = plan.statistics
  return plan.outcome !== "compacted" || after.tokens < before.tokens ? plan : made(
    "refused",
    `The summary is no shorter than what it stands for: ${after.tokens} tokens instead of ${before.tokens}`,
  )
}

/** `base` with this summary before what it leaves. */
export const withSummary = (base: Strategy, block: TextBlock): Strategy => ({
  name: summaryStrategyName,
  plan: (conversation, limit, context) => planWith(base, block, conversation, limit, context),
})
