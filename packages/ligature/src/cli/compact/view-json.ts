/** A compacted conversation as `--json` and `--stats` print it (docs/cli-json.md). */
import type { DocumentPart } from "../../document/index.ts"
import { costOf, countNames, defaultSettings, handleOf } from "../../compact/internal.ts"
import { decisionAt, sizeAfter, whyOf } from "../print/plan.ts"
import { type MadeView, meter } from "./made-view.ts"

const decisionsOf = ({ conversation, plan, isProtected }: MadeView): readonly unknown[] =>
  conversation.items.map((item, index) => {
    const decision = decisionAt(plan, index)
    const { tokens } = meter.sizeOfItem(item)
    return {
      handle: handleOf(index),
      role: item.role,
      decision: decision.kind,
      why: whyOf(plan, decision, isProtected(item, index)),
      tokens,
      tokensAfter: sizeAfter(decision, item, meter).tokens,
      ...(decision.kind === "edit" && { elided: decision.elided }),
    }
  })

const rounded = (value: number): number => Math.round(value * 10) / 10

/** The numbers of the plan; for a compacted view also which names are left, and its cost and savings. */
const statisticsOf = ({ conversation, view, plan, tools, durationMs }: MadeView): unknown => {
  const { before, after, ...others } = plan.statistics
  const statistics = { before, after, tools, ...others, durationMs: rounded(durationMs) }
  if (plan.outcome !== "compacted") return statistics
  const sizes = { before: before.tokens, after: after.tokens, prefixKept: others.prefixKept }
  const { requests, once, perRequest } = costOf(sizes, defaultSettings)
  const cost = { requests: rounded(requests), once: rounded(once), perRequest: rounded(perRequest) }
  return { ...statistics, names: countNames(conversation, view), cost }
}

export const viewJson = (made: MadeView, part: DocumentPart): Readonly<Record<string, unknown>> => {
  const {
    plan: { strategy, outcome, reason },
    limit,
    isAlreadyCompacted,
  } = made
  return {
    format: part.format,
    path: part.path,
    ...(part.line !== undefined && { line: part.line }),
    alreadyCompacted: isAlreadyCompacted,
    ...(limit.measure === "tokens" ? { budget: limit.amount } : { budgetBytes: limit.amount }),
    strategy,
    outcome,
    ...(reason !== undefined && { reason }),
    statistics: statisticsOf(made),
    items: decisionsOf(made),
  }
}
