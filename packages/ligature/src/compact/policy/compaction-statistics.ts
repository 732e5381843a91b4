/** What a compaction of a stored conversation did, as data and as attributes for traces. */
import type { Conversation, Item } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { type Amount, amountOf, categories, type Category, type Statistics } from "../plan/make-plan.ts"
import { importantNames } from "../summary/with-summary.ts"
import { passagesOf } from "../text/item-text.ts"
import { eachTerm, type TermKind, termKinds } from "../text/terms.ts"
import type { CompactSettings } from "./settings.ts"
import { type CostEstimate, costOf } from "./when-to-compact.ts"

interface NameCount {
  readonly kept: number
  readonly lost: number
}

export interface CompactionStatistics {
  readonly strategy: string
  /** The view before, the view after, and the whole history. */
  readonly before: Amount
  readonly after: Amount
  readonly archive: Amount
  /** What the plan did with the items of the archive. */
  readonly items: Statistics["items"]
  /** Names the agent and the user used that are still in the view, and those that are not, by kind. */
  readonly names: Readonly<Partial<Record<TermKind, NameCount>>>
  /** Tokens at the front that both views share, so that a prompt cache still holds them. */
  readonly prefixKept: number
  /** Signed thinking blocks of the view before that the view after has no longer. */
  readonly thinkingLost: number
  /** Those that stay after the first change: void for providers that bind thinking to the messages before it. */
  readonly thinkingBehind: number
  readonly cost: CostEstimate
  /** What the summariser read and wrote; zero without one. */
  readonly summary: { readonly requests: number; readonly inputTokens: number; readonly outputTokens: number }
  readonly durationMs: number
}

/** How many names are counted; more would show the same. */
const countedNames = 1_000

const termsOf = (conversation: Conversation): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const item of conversation.items) {
    for (const { title, text } of passagesOf(item)) {
      for (const line of `${title}\n${text}`.split("\n")) eachTerm(line, (term) => found.add(term))
    }
  }
  return found
}

/** What became of the names that matter most. */
export const countNames = (before: Conversation, after: Conversation): CompactionStatistics["names"] => {
  const left = termsOf(after)
  const counts: Partial<Record<TermKind, { kept: number; lost: number }>> = {}
  const items = before.items.map((item, position) => ({ item, position }))
  for (const { text, kind } of importantNames(items, { names: countedNames })) {
    const count = (counts[kind] ??= { kept: 0, lost: 0 })
    if (left.has(text)) count.kept++
    else count.lost++
  }
  return counts
}

interface Front {
  /** How many items two views share, and how much they are. */
  readonly items: number
  readonly tokens: number
}

/** What two views have in common at the front. */
export const frontOf = (before: Conversation, after: Conversation, meter: Meter): Front => {
  let tokens = 0
  for (const [index, item] of before.items.entries()) {
    const other = after.items[index]
    if (other === undefined || (other !== item && JSON.stringify(other) !== JSON.stringify(item))) {
      return { items: index, tokens }
    }
    tokens += meter.sizeOfItem(item).tokens
  }
  return { items: before.items.length, tokens }
}

/** The signatures of all thinking in some items. */
const signaturesIn = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => {
    if (item.role !== "exchange") return []
    const blocks = [...item.message.blocks, ...(item.reply?.blocks ?? [])]
    return blocks.flatMap((block) => (block.type === "thinking" ? (block.signature ?? []) : []))
  })

/** By signature, because what an earlier compaction had taken out of sight may have come back. */
const lostThinking = (before: Conversation, after: Conversation): number => {
  const left = new Map<string, number>()
  for (const signature of signaturesIn(after.items)) left.set(signature, (left.get(signature) ?? 0) + 1)
  return signaturesIn(before.items).filter((signature) => {
    const count = left.get(signature) ?? 0
    left.set(signature, count - 1)
    return count <= 0
  }).length
}

interface StatisticsInput {
  readonly strategy: string
  readonly archive: Conversation
  readonly before: Conversation
  readonly after: Conversation
  readonly plan: Statistics
  readonly meter: Meter
  readonly settings: CompactSettings
  readonly summary: CompactionStatistics["summary"]
  readonly durationMs: number
}

export const compactionStatistics = (input: StatisticsInput): CompactionStatistics => {
  const { strategy, archive, before, after, plan, meter, settings, summary, durationMs } = input
  const amounts = {
    before: amountOf(before.items, meter),
    after: amountOf(after.items, meter),
    archive: amountOf(archive.items, meter),
  }
  const front = frontOf(before, after, meter)
  const prefixKept = front.tokens
  const cost = costOf(
    {
      before: amounts.before.tokens,
      after: amounts.after.tokens,
      prefixKept,
      summaryInput: summary.inputTokens,
      summaryOutput: summary.outputTokens,
    },
    settings,
  )
  const names = countNames(archive, after)
  return {
    strategy,
    ...amounts,
    items: plan.items,
    names,
    prefixKept,
    thinkingLost: lostThinking(before, after),
    thinkingBehind: signaturesIn(after.items.slice(front.items)).length,
    cost,
    summary,
    durationMs,
  }
}

export type Attributes = Readonly<Record<string, string | number | boolean>>

const amountAttributes = (name: string, amount: Amount): Attributes => ({
  [`ligature.compaction.${name}.tokens`]: amount.tokens,
  [`ligature.compaction.${name}.bytes`]: amount.bytes,
  [`ligature.compaction.${name}.messages`]: amount.messages,
  [`ligature.compaction.${name}.exchanges`]: amount.exchanges,
  ...Object.fromEntries(
    categories.flatMap((category: Category) => [
      [`ligature.compaction.${name}.tokens.${category}`, amount.categories[category]],
      [`ligature.compaction.${name}.bytes.${category}`, amount.categoryBytes[category]],
    ]),
  ),
})

/** The statistics as attributes of an OpenTelemetry span or event: flat, and nothing but texts and numbers. */
export const attributesOf = (statistics: CompactionStatistics, conversation?: string): Attributes => {
  const { strategy, before, after, archive, items, names, prefixKept, thinkingLost, thinkingBehind, cost, summary, durationMs } = statistics
  return {
    "ligature.compaction.strategy": strategy,
    ...(conversation !== undefined && { "ligature.compaction.conversation": conversation }),
    ...amountAttributes("before", before),
    ...amountAttributes("after", after),
    "ligature.compaction.archive.tokens": archive.tokens,
    "ligature.compaction.items.kept": items.kept,
    "ligature.compaction.items.edited": items.edited,
    "ligature.compaction.items.covered": items.covered,
    "ligature.compaction.items.hidden": items.hidden,
    ...Object.fromEntries(
      termKinds.flatMap((kind) => {
        const count = names[kind]
        if (count === undefined) return []
        return [
          [`ligature.compaction.names.${kind}.kept`, count.kept],
          [`ligature.compaction.names.${kind}.lost`, count.lost],
        ]
      }),
    ),
    "ligature.compaction.prefix_kept.tokens": prefixKept,
    "ligature.compaction.thinking_lost": thinkingLost,
    "ligature.compaction.thinking_behind": thinkingBehind,
    ...(Number.isFinite(cost.requests) && { "ligature.compaction.cost.break_even_requests": cost.requests }),
    "ligature.compaction.cost.once_tokens": cost.once,
    "ligature.compaction.cost.saved_tokens_per_request": cost.perRequest,
    "ligature.compaction.summary.requests": summary.requests,
    "ligature.compaction.summary.input_tokens": summary.inputTokens,
    "ligature.compaction.summary.output_tokens": summary.outputTokens,
    "ligature.compaction.duration_ms": durationMs,
  }
}
