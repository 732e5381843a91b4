/** What a conversation says, for comparing one that was written and read back with the one it was. */
import { callsOf, type Block, type Conversation, resultText } from "../../src/model/index.ts"

const words = (blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap((block) => {
    if (block.type === "text") return [`text ${block.text}`]
    if (block.type === "thinking") return block.text === "" ? [] : [`thinking ${block.text}`]
    return block.type === "call" ? [`call ${block.id} ${block.name} ${JSON.stringify(block.arguments)}`] : []
  })

export const sayings = (conversation: Conversation): readonly (readonly string[])[] =>
  conversation.items.map((item) => {
    if (item.role !== "exchange") return [item.role, ...words(item.blocks)]
    const calls = callsOf(item)
    const outcomes = item.outcomes.map(({ kind, result }, index) => `${calls[index]?.id} ${kind} ${result ? resultText(result) : ""}`)
    return ["assistant", ...words(item.message.blocks), ...outcomes, ...words(item.reply?.blocks ?? [])]
  })
