/**
 * Plans as strategies hand them over. Whether a plan fits is decided here and nowhere else, by measuring the view it
 * gives. Statistics count the whole history, which can cost more than the plan itself, so they are made when first
 * read.
 */
import type { Block, Conversation, Item, Message, ViewOrigin } from "../../model/index.ts"
import { withItems } from "../../rules/index.ts"
import { addSizes, fitsIn, type Meter, noSize, type Size, subtractSizes } from "../meter/meter.ts"
import { ledgerOf } from "./ledger.ts"
import { type Decision, leadOf, type Plan, type Summary } from "./plan.ts"

// The view of a plan: a Conversation again, because plans work on whole items. It remembers where the first edit is,
// so that encoders know which signed thinking is void from there on.

export interface ViewItems {
  readonly items: readonly Item[]
  /** Where the view first differs from the conversation; undefined when it does not. */
  readonly edited?: number
}

/** The items that stay in sight, with summaries in place of the first item they cover. */
export const viewItems = (items: readonly Item[], decisions: readonly Decision[], summaries: readonly Summary[]): ViewItems => {
  const view: Item[] = []
  const shown = new Set<number>()
  let edited: number | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    const decision = decisions[index]
    if (decision === undefined || decision.kind === "keep") {
      view.push(item)
      continue
    }
    edited ??= view.length
    if (decision.kind === "edit") view.push(decision.item)
    if (decision.kind !== "cover" || shown.has(decision.summary)) continue
    shown.add(decision.summary)
    const summary = summaries[decision.summary]
    if (summary) view.push(summary.message)
  }
  return { items: view, ...(edited !== undefined && { edited }) }
}

/** The conversation with other items, which a plan made of its own. */
export const showItems = (conversation: Conversation, view: ViewItems, viewOf?: ViewOrigin): Conversation => {
  const { viewOf: _, ...whole } = conversation
  const edited = Math.min(conversation.edited ?? Number.POSITIVE_INFINITY, view.edited ?? Number.POSITIVE_INFINITY)
  return withItems(whole, view.items, { ...(Number.isFinite(edited) && { edited }), ...(viewOf && { viewOf }) })
}

/** The conversation as the plan wants it shown; the very conversation when the plan changes nothing. */
export const apply = (conversation: Conversation, plan: Plan, viewOf?: ViewOrigin): Conversation =>
  plan.outcome === "compacted"
    ? showItems(conversation, viewItems(conversation.items, plan.decisions, plan.summaries), viewOf)
    : conversation

export const categories = ["system", "user", "assistant", "thinking", "arguments", "results", "media", "summary"] as const
export type Category = (typeof categories)[number]

export interface Amount extends Size {
  readonly messages: number
  readonly exchanges: number
  /** Tokens; they add up to `tokens`. What the wire adds around blocks counts with their message. */
  readonly categories: Readonly<Record<Category, number>>
  /** The same in bytes. */
  readonly categoryBytes: Readonly<Record<Category, number>>
}

export interface Statistics {
  readonly before: Amount
  readonly after: Amount
  /** Items by what became of them. */
  readonly items: { readonly kept: number; readonly edited: number; readonly covered: number; readonly hidden: number }
  /** Tokens at the front that are the same as before, so that a prompt cache still holds them. */
  readonly prefixKept: number
  /** Signed thinking blocks that are gone. */
  readonly thinkingLost: number
  /** Those that stay after the first change: void for providers that bind thinking to the messages before it. */
  readonly thinkingBehind: number
}

type Tally = Record<Category, Size>

const noTally = (): Tally => Object.fromEntries(categories.map((category) => [category, noSize])) as Tally

const measureOf = (tally: Tally, measure: keyof Size): Record<Category, number> =>
  Object.fromEntries(categories.map((category) => [category, tally[category][measure]])) as Record<Category, number>

const ownCategory = (item: Item): Category => {
  if (item.role === "exchange") return "assistant"
  return item.summary === true ? "summary" : item.role
}

/** Messages an item is sent as: each result travels in one of its own, as far as the meter is concerned. */
const messagesOf = (item: Item): number =>
  item.role === "exchange" ? 1 + item.outcomes.filter((outcome) => outcome.result).length + (item.reply ? 1 : 0) : 1

const blocksOf = (item: Item): readonly Block[] => {
  if (item.role !== "exchange") return item.blocks
  const results = item.outcomes.flatMap(({ result }) => (result ? [result] : []))
  return [...item.message.blocks, ...results, ...(item.reply?.blocks ?? [])]
}

const tallyBlock = (tally: Tally, block: Block, own: Category, meter: Meter): Size => {
  const size = meter.sizeOfBlock(block)
  const add = (category: Category, more: Size): void => {
    tally[category] = addSizes(tally[category], more)
  }
  if (block.type === "result") {
    let media = noSize
    for (const part of block.content) if (part.type === "media") media = addSizes(media, meter.sizeOfBlock(part))
    add("media", media)
    add("results", subtractSizes(size, media))
  } else if (block.type === "call") add("arguments", size)
  else if (block.type === "thinking") add("thinking", size)
  else if (block.type === "media") add("media", size)
  else add(own, size)
  return size
}

/** How much a list of items is, by category. */
export const amountOf = (items: readonly Item[], meter: Meter): Amount => {
  const tally = noTally()
  // Not two variables: on Node 24 the compiler gave two amounts of a long history the same number now and then.
  const sums = new Float64Array(2)
  let messages = 0
  let exchanges = 0
  for (const item of items) {
    const size = meter.sizeOfItem(item)
    const own = ownCategory(item)
    let rest = size
    for (const block of blocksOf(item)) rest = subtractSizes(rest, tallyBlock(tally, block, own, meter))
    tally[own] = addSizes(tally[own], rest)
    sums[0] = (sums[0] as number) + size.tokens
    sums[1] = (sums[1] as number) + size.bytes
    messages += messagesOf(item)
    if (item.role === "exchange") exchanges++
  }
  const [tokens = 0, bytes = 0] = sums
  const [ofTokens, ofBytes] = [measureOf(tally, "tokens"), measureOf(tally, "bytes")]
  return { tokens, bytes, messages, exchanges, categories: ofTokens, categoryBytes: ofBytes }
}

const signedIn = (message: Message | undefined): number =>
  message ? message.blocks.filter((block) => block.type === "thinking" && block.signature !== undefined).length : 0

const signedThinking = (items: readonly Item[], end = items.length): number => {
  let count = 0
  for (let index = 0; index < end; index++) {
    const item = items[index]
    if (item?.role === "exchange") count += signedIn(item.message) + signedIn(item.reply)
  }
  return count
}

const prefixOf = (items: readonly Item[], view: ViewItems, meter: Meter): number => {
  let tokens = 0
  for (const item of items.slice(0, view.edited)) tokens += meter.sizeOfItem(item).tokens
  return tokens
}

/** The numbers of a view. */
const statisticsOf = (items: readonly Item[], decisions: readonly Decision[], view: ViewItems, meter: Meter): Statistics => {
  const before = amountOf(items, meter)
  const kinds = { keep: 0, edit: 0, cover: 0, hide: 0 }
  for (let index = 0; index < items.length; index++) kinds[decisions[index]?.kind ?? "keep"]++
  return {
    before,
    after: view.edited === undefined ? before : amountOf(view.items, meter),
    items: { kept: kinds.keep, edited: kinds.edit, covered: kinds.cover, hidden: kinds.hide },
    prefixKept: prefixOf(items, view, meter),
    thinkingLost: signedThinking(items) - signedThinking(view.items),
    thinkingBehind: signedThinking(view.items) - signedThinking(view.items, view.edited),
  }
}

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
export const viewSize = (conversation: Conversation, decisions: readonly Decision[], summaries: readonly Summary[], meter: Meter): Size => {
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
export const concludePlan = (strategy: string, conversation: Conversation, limit: Size, meter: Meter, proposal: Proposal): Plan => {
  const { decisions, summaries } = proposal
  const size = proposal.size ?? viewSize(conversation, decisions, summaries, meter)
  const draft = { strategy, decisions, summaries }
  if (fitsIn(size, limit)) return makePlan(conversation, meter, { ...draft, outcome: "compacted" })
  const reason = immovable(conversation, limit, meter) ?? refusal(limit, size)
  return makePlan(conversation, meter, { ...draft, outcome: "refused", reason })
}
