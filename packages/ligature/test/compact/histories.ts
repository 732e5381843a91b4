/**
 * Histories worth compacting: the generated ones, with damage, and with some results, requests and thoughts made
 * long. Every long line says where it comes from, so that a test can see what survived.
 */
import { settle } from "../../src/rules/index.ts"
import { type Conversation, type Message, text } from "../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../src/testing/index.ts"
import { damages, idDamages } from "../../src/testing/damage.ts"

const longText = (seed: string, lines: number, choices: Choices): string =>
  Array.from({ length: lines }, (_, line) =>
    choices.chance(20)
      ? `${seed}:${line} ${"x7Qp".repeat(60)}`
      : `${seed}:${line} value = compute(${line}, "path/to/file-${line}.ts") 数据`,
  ).join("\n")

const grown = (message: Message, index: number, choices: Choices): Message => ({
  ...message,
  blocks: message.blocks.map((block, position) => {
    const lines = choices.chance(3) ? choices.number(120) : choices.number(6)
    if (lines === 0) return block
    const added = longText(`${block.type} ${index}.${position}`, lines, choices)
    if (block.type === "result") return { ...block, content: [...block.content, text(added)] }
    if (block.type === "text" && choices.chance(4)) return text(`${block.text}\n${added}`)
    return block
  }),
})

/** Images where results or requests are, now and then. */
const withMedia = (message: Message, choices: Choices): Message => {
  if (message.role !== "user" || !choices.chance(8)) return message
  const data = "iVBORw0KGgo".repeat(1 + choices.number(300))
  const image = { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data } } as const
  return { ...message, blocks: [...message.blocks, image] }
}

/** A valid conversation from numbers; damaged first, three times out of four. */
export const generateConversation = (choices: Choices): Conversation => {
  const parts = [generateHistory(choices), ...(choices.chance(2) ? [generateHistory(choices)] : [])]
  const messages = parts.flatMap((part) => part.messages)
  const long = messages.map((message, index) => withMedia(grown(message, index, choices), choices))
  const damaged = choices.chance(4) ? long : damageHistory(long, choices, { ...damages, ...idDamages }, 4).messages
  return settle({ format: "ligature", messages: damaged }, { tip: choices.chance(2) ? "open" : "closed" }).conversation
}
