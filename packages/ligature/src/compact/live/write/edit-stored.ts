/** Compactions that edit single entries: thinking that its provider would reject is removed, results that are too large are shortened. */
import { type AssistantMessage, callsOf, type Conversation, type Exchange, type Item, type Message } from "../../../model/index.ts"
import { cover } from "../../../store/entry.ts"
import type { Entry, Loaded, NewEntry } from "../../../store/index.ts"
import type { Meter } from "../../meter/meter.ts"
import { makePlan } from "../../plan/make-plan.ts"
import type { Decision, Elided, Plan } from "../../plan/plan.ts"
import { recallToolName } from "../../recall/recall.ts"
import { capResult } from "../../strategies/edit-results.ts"
import { handleOf } from "../../text/handles.ts"
import { type Archive, archiveOf, compactionReason } from "../stored/archive.ts"
import { sameValue } from "./entries-of-plan.ts"

// Signed thinking that a compaction makes void: on models that bind thinking to all messages before it, blocks
// after the first change are rejected. They are taken out when the compaction is written, from the front up to the tip,
// so that later thinking is bound to the history without them and stays valid. What was thought while a compaction
// was being prepared is bound to the history as it was before, so it goes too.

/** Without the signed thinking after this many blocks; undefined when there is nothing else. */
const unsigned = <Said extends AssistantMessage | Message>(message: Said, front = 0): Said | undefined => {
  const blocks = message.blocks.filter((block, at) => at < front || block.type !== "thinking" || block.signature === undefined)
  if (blocks.length === message.blocks.length) return message
  return blocks.length === 0 ? undefined : { ...message, blocks }
}

/** Undefined for an exchange that is nothing but void thinking: it has no calls, and so no reply either. */
const stripped = (exchange: Exchange, front: number): Exchange | undefined => {
  const { reply: said, ...rest } = exchange
  const message = unsigned(exchange.message, front)
  const reply = said && unsigned(said)
  if (message === exchange.message && reply === said) return exchange
  return message && { ...rest, message, ...(reply && { reply }) }
}

/** How many blocks of an edited exchange come before the first that was changed. */
const untouchedFront = ({ message }: Exchange, original: Item): number => {
  if (original.role !== "exchange") return 0
  const at = message.blocks.findIndex((block, index) => !sameValue(block, original.message.blocks[index]))
  return at < 0 ? message.blocks.length : at
}

const why = "its thinking is bound to what was compacted"

export const withoutVoidThinking = (conversation: Conversation, plan: Plan, meter: Meter): Plan => {
  let changed = false
  const decisions = plan.decisions.map((decision, index): Decision => {
    const item = conversation.items[index]
    const isBehind = changed
    if (decision.kind !== "keep") changed = true
    if (item === undefined || !changed || decision.kind === "cover" || decision.kind === "hide") return decision
    const shown = decision.kind === "edit" ? decision.item : item
    if (shown.role !== "exchange") return decision
    const left = stripped(shown, isBehind ? 0 : untouchedFront(shown, item))
    if (left === shown) return decision
    if (left === undefined) return { kind: "hide", why }
    return decision.kind === "edit" ? { ...decision, item: left } : { kind: "edit", item: left, elided: [], why }
  })
  const { strategy, outcome, reason, summaries } = plan
  return makePlan(conversation, meter, { strategy, outcome, decisions, summaries, ...(reason !== undefined && { reason }) })
}

/** What has to be written beside a compaction, so that these entries, appended since it was planned, have no void thinking. */
export const withoutThinkingOf = (added: readonly Entry[]): readonly NewEntry[] => {
  // What somebody hid or summarised meanwhile is out of sight, and must not come back.
  const isGone = new Set(
    added.flatMap((entry) => (entry.kind === "hide" || entry.kind === "summary" ? entry.covers.map(({ id }) => id) : [])),
  )
  return added.flatMap((entry): readonly NewEntry[] => {
    if (entry.kind !== "message" || entry.message.role !== "assistant" || isGone.has(entry.id)) return []
    const left = unsigned(entry.message)
    if (left === entry.message) return []
    const covers = cover([entry])
    return [left === undefined ? { kind: "hide", covers, reason: compactionReason } : { kind: "summary", message: left, covers }]
  })
}

// Results that are too large are shortened before any request holds them: what was never sent whole never has to be
// edited later, at the price of the prompt cache. The store keeps the whole result, and its handle reads it back; the
// shortened one is stored beside it, so that every later request shows the same. What recall answers stays whole: it bounds itself, and shortened it would point at itself and not at what was asked for.

type ResultEntry = Extract<Entry, { readonly kind: "result" }>

interface Trimmed {
  readonly entries: readonly NewEntry[]
  readonly elided: readonly Elided[]
}

/** Results after the last message of the model that nothing covers yet. */
const unsentResults = (entries: readonly Entry[]): readonly ResultEntry[] => {
  const said = entries.findLastIndex((entry) => entry.kind === "message" && entry.message.role === "assistant")
  const since = entries.slice(said + 1)
  const covered = new Set(since.flatMap((entry) => (entry.kind === "summary" ? entry.covers.map(({ id }) => id) : [])))
  return since.filter((entry): entry is ResultEntry => entry.kind === "result" && !covered.has(entry.id))
}

/** Undefined for what is not to be shortened: no handle leads to it, or recall has answered it. */
const handleIn = ({ conversation, positions }: Archive, { result }: ResultEntry): string | undefined => {
  const at = conversation.items.findLastIndex(
    (item) => item.role === "exchange" && item.outcomes.some((outcome) => outcome.result?.content === result.content),
  )
  const item = conversation.items[at]
  if (item?.role !== "exchange") return undefined
  const call = item.outcomes.findIndex((outcome) => outcome.result?.content === result.content)
  return callsOf(item)[call]?.name === recallToolName ? undefined : handleOf(positions[at] ?? at, call)
}

interface TrimOptions {
  /** Results larger than this are shortened to it; 0: none is. */
  readonly tokens: number
  readonly meter: Meter
  /** Whether the model has a tool that reads the rest back. Without one the note states that it cannot. */
  readonly canRecall: boolean
}

/** The summaries that show new results shortened. `loaded` is asked only where there is something to shorten. */
export const trimResults = (path: readonly Entry[], loaded: () => Loaded, options: TrimOptions): Trimmed => {
  const { tokens, meter, canRecall } = options
  const trimmed: { entries: NewEntry[]; elided: Elided[] } = { entries: [], elided: [] }
  if (tokens === 0) return trimmed
  const large = unsentResults(path).filter(({ result }) => meter.sizeOfBlock(result).tokens > tokens)
  if (large.length === 0) return trimmed
  const archive = archiveOf(loaded())
  for (const entry of large) {
    const handle = handleIn(archive, entry)
    if (handle === undefined) continue
    const result = capResult(entry.result, { tokens, meter, ...(canRecall && { handle }) })
    if (result === entry.result) continue
    trimmed.entries.push({ kind: "summary", message: { role: "tool", blocks: [result] }, covers: cover([entry]) })
    const gone = meter.sizeOfBlock(entry.result).tokens - meter.sizeOfBlock(result).tokens
    trimmed.elided.push({ handle, tokens: gone })
  }
  return trimmed
}
