/**
 * Signed thinking that a compaction makes void: on models that bind thinking to everything in front of it, blocks
 * behind the first change are refused. They are taken out when the compaction is written, from the front up to the tip,
 * so that what is said later is bound to the history without them and stays valid.
 */
import { makePlan } from "../../compact/make-plan.ts"
import type { Meter } from "../../compact/meter/index.ts"
import type { Decision, Plan } from "../../compact/plan.ts"
import type { AssistantMessage, Conversation, Exchange, Item } from "../../model/index.ts"

const unsigned = (message: AssistantMessage): AssistantMessage => {
  const blocks = message.blocks.filter((block) => block.type !== "thinking" || block.signature === undefined)
  return blocks.length === message.blocks.length || blocks.length === 0 ? message : { ...message, blocks }
}

const stripped = (exchange: Exchange): Exchange => {
  const message = unsigned(exchange.message)
  const reply = exchange.reply && unsigned(exchange.reply)
  return message === exchange.message && reply === exchange.reply ? exchange : {
    ...exchange,
    message,
    ...(reply && { reply }),
  }
}

export const withoutVoidThinking = (conversation: Conversation, plan: Plan, meter: Meter): Plan => {
  let changed = false
  const strip = (item: Item): Item => (item.role === "exchange" ? stripped(item) : item)
  const decisions = plan.decisions.map((decision, index): Decision => {
    const item = conversation.items[index]
    const isBehind = changed
    if (decision.kind !== "keep") changed = true
    if (item === undefined || decision.kind === "cover" || decision.kind === "hide") return decision
    if (decision.kind === "edit") return { ...decision, item: strip(decision.item) }
    const left = isBehind ? strip(item) : item
    return left === item ? decision : {
      kind: "edit",
      item: left,
      elided: [],
      why: "its thinking is bound to what was compacted",
    }
  })
  const { strategy, outcome, reason, summaries } = plan
  return makePlan(
    conversation,
    meter,
    { strategy, outcome, decisions, summaries, ...(reason !== undefined && { reason }) },
  )
}
