/**
 * Preserved thinking: each signed block is bound to everything before it. After the first edit, signed thinking no
 * longer verifies; it may be removed from some point to the end, never with a gap in the middle. So everything from
 * the first edited item on loses its signed thinking, and everything in front keeps it.
 */
import { type AssistantMessage, type Conversation, type Item, phrase } from "../../model/index.ts"
import { type Note, quoted } from "./note.ts"

const firstDifference = (conversation: Conversation, fitted: readonly Item[]): number => {
  const { items } = conversation
  let index = 0
  while (index < items.length && items[index] === fitted[index]) index++
  return Math.min(index, conversation.edited ?? items.length)
}

const withoutSigned = (message: AssistantMessage): AssistantMessage => {
  const blocks = message.blocks.filter((block) => block.type !== "thinking" || block.signature === undefined)
  return blocks.length === message.blocks.length ? message : { ...message, blocks }
}

export const dropUnboundThinking = (conversation: Conversation, fitted: readonly Item[], title: string, note: Note): readonly Item[] => {
  const first = firstDifference(conversation, fitted)
  if (first >= fitted.length) return fitted
  return fitted.flatMap((item, index): readonly Item[] => {
    if (index < first || item.role !== "exchange") return [item]
    const message = withoutSigned(item.message)
    const reply = item.reply && withoutSigned(item.reply)
    if (message === item.message && reply === item.reply) return [item]
    const thought = [...item.message.blocks, ...(item.reply?.blocks ?? [])].find((block) => block.type === "thinking")
    const found = phrase`${title} takes signed thinking only after an unchanged history; ${thought && thought.text !== "" ? quoted(thought.text) : "this block"} comes after a change and would be left out`
    note("prefix-binding", "drop", "removed thinking that is bound to an unedited history", item, { original: item.message, found })
    const { reply: _, ...rest } = item
    const kept = reply && reply.blocks.length > 0 && { reply }
    if (message.blocks.length > 0) return [{ ...rest, message, ...kept }]
    return kept ? [{ role: "exchange", message: kept.reply, outcomes: [] }] : []
  })
}
