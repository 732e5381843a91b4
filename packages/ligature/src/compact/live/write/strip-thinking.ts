/**
 * Signed thinking that a compaction makes void: on models that bind thinking to all messages before it, blocks
 * after the first change are rejected. They are taken out when the compaction is written, from the front up to the tip,
 * so that later thinking is bound to the history without them and stays valid. What was thought while a compaction
 * was being prepared is bound to the history as it was before, so it goes too.
 */
import type { AssistantMessage, Conversation, Exchange, Item, Message } from "../../../model/index.ts"
import type { Entry, NewEntry } from "../../../store/index.ts"
import { cover } from "../../../store/cover.ts"
import type { Meter } from "../../meter/meter.ts"
import { makePlan } from "../../plan/make-plan.ts"
import type { Decision, Plan } from "../../plan/plan.ts"
import { compactionReason } from "../stored/archive.ts"
import { sameValue } from "./message-fates.ts"

/** Without the signed thinking after this many blocks; undefined when there is nothing else. */
const unsigned = <Said extends AssistantMessage | Message>(message: Said, front = 0): Said | undefined => {
  const blocks = message.blocks.filter(
    (block, at) => at < front || block.type !== "thinking" || block.signature === undefined,
  )
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
  return makePlan(
    conversation,
    meter,
    { strategy, outcome, decisions, summaries, ...(reason !== undefined && { reason }) },
  )
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
