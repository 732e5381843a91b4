/**
 * Ids for records that we write. Agents draw them at random; ours follow from what they name, so that the same
 * conversation gives the same file. They have the shape of the real ones, because loaders look at it.
 */
import { type Conversation, flatten, hexHash, resultText, shortHash } from "../../model/index.ts"

/** Lower-case hexadecimal digits. */
export const deriveHex = (length: number, ...parts: readonly string[]): string => hexHash(parts.join("\u0000"), length)

/** A UUID (version 8, the one for ids made by a rule of one's own). */
export const deriveUuid = (...parts: readonly string[]): string => {
  const hex = deriveHex(31, ...parts)
  const variant = "89ab"[Number.parseInt(hex.slice(15, 16), 16) % 4] ?? "8"
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(12, 15)}`, `${variant}${hex.slice(16, 19)}`, hex.slice(19, 31)].join("-")
}

/** What the ids of a new session hang on: its opening words and how much was said. */
export const conversationSeed = (conversation: Conversation): string => {
  const words: string[] = []
  for (const message of flatten(conversation).messages) {
    words.push(message.role)
    for (const block of message.blocks) {
      if (block.type === "text" || block.type === "thinking") words.push(block.text.slice(0, 200))
      else if (block.type === "call") words.push(block.id, block.name)
      else if (block.type === "result") words.push(block.callId, resultText(block).slice(0, 200))
    }
  }
  return shortHash(words.join("\u0000"), 20)
}
