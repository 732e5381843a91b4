/** A lawful conversation as the JSON that `show` prints: what was said, without what only a format understands. */
import { callsOf, type Conversation, resultText } from "../../model/index.ts"

/** The conversation as plain data: blocks without what only their format understands. */
const withoutNative = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "native" ? undefined : inner)))

export const conversationItems = (conversation: Conversation): readonly unknown[] =>
  conversation.items.map((item) => {
    if (item.role !== "exchange") return { role: item.role, blocks: withoutNative(item.blocks) }
    const calls = callsOf(item).map((call, index) => {
      const outcome = item.outcomes[index]
      return {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
        outcome: outcome?.kind ?? "pending",
        synthetic: outcome?.result?.synthetic !== undefined,
        ...(outcome?.result && { result: resultText(outcome.result) }),
      }
    })
    const blocks = withoutNative(item.message.blocks.filter((block) => block.type !== "call"))
    return { role: "exchange", blocks, calls, ...(item.reply && { reply: withoutNative(item.reply.blocks) }) }
  })
