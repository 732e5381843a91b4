/** What a compaction would leave: the history fitted into a budget by the functions that the command line and the gateway use. */
import type { History } from "../history/open.ts"
import { textOfItem } from "../history/search.ts"
import { partOf } from "../library.ts"
import type { Item, Plan } from "../library-types.ts"
import { phrase, visible } from "../words.ts"
import { compact, digest, estimateMeter, generations, mask, window } from "./compaction.ts"
import { editedFate, type Lens, lowered, type Seen } from "./lens.ts"

export const strategies = {
  default: { title: () => phrase`digest, else window`, make: undefined },
  digest: { title: () => phrase`digest: the lines that matter`, make: () => digest() },
  window: { title: () => phrase`window: the newest exchanges`, make: () => window() },
  mask: { title: () => phrase`mask: old results become stubs`, make: () => mask() },
  generations: { title: () => phrase`generations: chunks that stay`, make: () => generations() },
} as const

export type StrategyName = keyof typeof strategies

/** The message in place of what these leave out only counts it. */
const onlyCounts = /window|truncate/

const seenOf = (item: Item, row: number, plan: Plan): Seen => {
  const before = estimateMeter.sizeOfItem(item).tokens
  const original = textOfItem(item)
  const decision = plan.outcome === "compacted" ? plan.decisions[row] : undefined
  switch (decision?.kind) {
    case "edit": {
      const after = estimateMeter.sizeOfItem(decision.item).tokens
      return { row, fate: editedFate(before, after), before, after, original, left: textOfItem(decision.item) }
    }
    case "cover": {
      const summary = plan.summaries[decision.summary]?.message
      const fate = onlyCounts.test(plan.strategy) ? "left-out" : "summarised"
      return { row, fate, before, after: 0, original, ...(summary && { left: textOfItem(summary) }) }
    }
    case "hide":
      return { row, fate: "left-out", before, after: 0, original }
    case "keep":
    case undefined:
      return { row, fate: "verbatim", before, after: before, original, left: original }
  }
}

/** `share`: of the tokens, in percent. `until`: how many rows there are by then. */
export const whatIf = (history: History, strategy: StrategyName, share: number, until: number): Lens => {
  const conversation = until < history.rows.length ? partOf(history.conversation, 0, until) : history.conversation
  const chosen = strategies[strategy].make?.()
  const compacted = compact(conversation, { budget: `${share}%`, ...(chosen && { strategy: chosen }) })
  const { plan } = compacted
  return {
    seen: conversation.items.map((item, row) => seenOf(item, row, plan)),
    before: plan.statistics.before,
    after: plan.statistics.after,
    view: lowered(compacted.conversation.items),
    ...(plan.outcome !== "compacted" && {
      note: plan.outcome === "unchanged" ? phrase`It fits as it is.` : visible(plan.reason ?? ""),
    }),
  }
}
