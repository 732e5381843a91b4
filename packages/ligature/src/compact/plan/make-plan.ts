/**
 * Plans as strategies hand them over. Whether a plan fits is decided here and nowhere else, by measuring the view it
 * gives. Statistics count the whole history, which can cost more than the plan itself, so they are made when first
 * read.
 */
import type { Conversation } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { addSizes, fitsIn, noSize, type Size } from "../meter/size.ts"
import { viewItems } from "./apply.ts"
import { ledgerOf } from "./ledger.ts"
import type { Decision, Plan, Summary } from "./plan.ts"
import { leadOf } from "./protection.ts"
import { type Statistics, statisticsOf } from "./statistics.ts"

const keep: Decision = { kind: "keep" }

/** One `keep` per item. */
export const keepAll = (conversation: Conversation): Decision[] => conversation.items.map(() => keep)

interface Draft {
  readonly strategy: string
  readonly outcome: Plan["outcome"]
  readonly reason?: string
  readonly decisions: readonly Decision[]
  readonly summaries: readonly Summary[]
}

/** A plan whose statistics are made when first read. */
export const makePlan = (conversation: Conversation, meter: Meter, draft: Draft): Plan => {
  const { items } = conversation
  let known: Statistics | undefined
  return {
    ...draft,
    get statistics(): Statistics {
      if (known) return known
      const applied = draft.outcome === "compacted"
      const decisions = applied ? draft.decisions : []
      const view = applied ? viewItems(items, decisions, draft.summaries) : { items }
      return (known = statisticsOf(items, decisions, view, meter))
    },
  }
}

/** A plan of another strategy under this name, or with another reason; statistics are still made when first read. */
export const renamedPlan = (plan: Plan, strategy: string, reason = plan.reason): Plan => ({
  strategy,
  outcome: plan.outcome,
  decisions: plan.decisions,
  summaries: plan.summaries,
  ...(reason !== undefined && { reason }),
  get statistics(): Statistics {
    return plan.statistics
  },
})

/** It fits as it is, or there is nothing to do. */
export const unchangedPlan = (strategy: string, conversation: Conversation, meter: Meter): Plan =>
  makePlan(conversation, meter, { strategy, outcome: "unchanged", decisions: keepAll(conversation), summaries: [] })

/** Nothing is done, and why. */
export const refusedPlan = (strategy: string, conversation: Conversation, meter: Meter, reason: string): Plan =>
  makePlan(conversation, meter, {
    strategy,
    outcome: "refused",
    reason,
    decisions: keepAll(conversation),
    summaries: [],
  })

/** How much the view of these decisions is. */
export const viewSize = (
  conversation: Conversation,
  decisions: readonly Decision[],
  summaries: readonly Summary[],
  meter: Meter,
): Size => {
  const ledger = ledgerOf(conversation.items, meter)
  let size = noSize
  const shown = new Set<number>()
  for (let index = 0; index < decisions.length; index++) {
    const decision = decisions[index] as Decision
    if (decision.kind === "keep") size = addSizes(size, ledger.sizeAt(index))
    else if (decision.kind === "edit") size = addSizes(size, meter.sizeOfItem(decision.item))
    else if (decision.kind === "cover" && !shown.has(decision.summary)) {
      shown.add(decision.summary)
      const summary = summaries[decision.summary]
      if (summary) size = addSizes(size, meter.sizeOfItem(summary.message))
    }
  }
  return size
}

const limitText = ({ tokens, bytes }: Size): string =>
  [Number.isFinite(tokens) ? `${tokens} tokens` : "", Number.isFinite(bytes) ? `${bytes} bytes` : ""]
    .filter((part) => part !== "")
    .join(" and ")

/** Why a strategy gives up, with the least it would need. */
export const refusal = (limit: Size, smallest: Size): string =>
  `No view fits into ${limitText(limit)}: the smallest has ${limitText(smallest)}`

/** What no strategy can leave out, where that alone is too much. */
export const immovable = ({ items }: Conversation, limit: Size, meter: Meter): string | undefined => {
  const lead = ledgerOf(items, meter).sizeOf(0, leadOf(items))
  if (fitsIn(lead, limit)) return undefined
  return `The system messages alone have ${limitText(lead)}, more than ${limitText(limit)}`
}

export interface Proposal {
  readonly decisions: readonly Decision[]
  readonly summaries: readonly Summary[]
  /** Of the view, where the strategy has measured it already. */
  readonly size?: Size
}

/**
 * The plan of a proposal: compacted when its view fits the limit and is smaller than the conversation, refused when
 * not. A refused plan keeps its decisions, so that a pipeline can go on from there.
 */
export const concludePlan = (
  strategy: string,
  conversation: Conversation,
  limit: Size,
  meter: Meter,
  proposal: Proposal,
): Plan => {
  const { decisions, summaries } = proposal
  const size = proposal.size ?? viewSize(conversation, decisions, summaries, meter)
  const draft = { strategy, decisions, summaries }
  if (fitsIn(size, limit)) return makePlan(conversation, meter, { ...draft, outcome: "compacted" })
  const reason = immovable(conversation, limit, meter) ?? refusal(limit, size)
  return makePlan(conversation, meter, { ...draft, outcome: "refused", reason })
}
