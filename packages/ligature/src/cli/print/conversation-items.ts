/** A valid conversation as the JSON that `show` prints: its content, without data that only one format understands. */
import { callsOf, type Conversation, resultText } from "../../model/index.ts"

/** Plain data: blocks without the data that only their format understands. */
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
