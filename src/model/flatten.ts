/** The way back from a Conversation to a Transcript: the same messages in wire order, for checking and for other tools. */
import type { Block } from "./block.ts"
import type { Conversation } from "./conversation.ts"
import type { Message } from "./message.ts"
import type { Transcript } from "./transcript.ts"

export const flatten = (conversation: Conversation, format = "ligature"): Transcript => {
  const messages: Message[] = []
  for (const item of conversation.items) {
    if (item.role !== "exchange") {
      messages.push(item)
      continue
    }
    messages.push(item.message)
    const results: Block[] = item.outcomes.flatMap((outcome) => (outcome.result ? [outcome.result] : []))
    if (results.length > 0) messages.push({ role: "tool", blocks: results })
    if (item.reply) messages.push(item.reply)
  }
  const { native, origin, ids } = conversation
  return { format, messages, ...(native && { native }), ...(origin && { origin }), ...(ids && { ids }) }
}
