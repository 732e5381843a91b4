/** The way back from a Conversation to a Transcript: the same messages in wire order, for checking and for other tools. */
import type { Native, ResultBlock } from "./block.ts"
import type { Conversation, Exchange } from "./conversation.ts"
import type { Message } from "./message.ts"
import type { Transcript } from "./transcript.ts"

/** The messages that carry the results of an exchange: one per carrier they came with. */
const carriersOf = (exchange: Exchange): readonly Message[] => {
  const messages: { role: "tool"; blocks: ResultBlock[]; native?: Native }[] = []
  for (const { result, carrier } of exchange.outcomes) {
    if (!result) continue
    const last = messages.at(-1)
    if (last && last.native === carrier) last.blocks.push(result)
    else messages.push({ role: "tool", blocks: [result], ...(carrier && { native: carrier }) })
  }
  return messages
}

export const flatten = (conversation: Conversation, format = "ligature"): Transcript => {
  const messages = conversation.items.flatMap((item): readonly Message[] => {
    if (item.role !== "exchange") return [item]
    return [item.message, ...carriersOf(item), ...(item.reply ? [item.reply] : [])]
  })
  const { native, origin, ids, unusual } = conversation
  return { format, messages, ...(native && { native }), ...(origin && { origin }), ...(ids && { ids }), ...(unusual && { unusual }) }
}
