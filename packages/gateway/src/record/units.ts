/**
 * A history as a list of units that can be compared with what is stored, however a client writes it: an answer of the model
 * (all messages of it in a row), or one other message. Clients trim texts of answers, join and split them, drop thinking and
 * unknown members; so an answer is known by the ids of its calls, or by its letters. What was said to the model is known by
 * its content alone, not by marks for a cache.
 */
import { createHash } from "node:crypto"
import type { Block, Message } from "ligature"

export interface Unit {
  /** Equal for two copies of the same. */
  readonly key: string
  /** Of an answer with calls: equal where ids were lost or added on the way. */
  readonly loose?: string
  readonly isAnswer: boolean
  readonly messages: readonly Message[]
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

const plain = (block: Block): unknown => {
  switch (block.type) {
    case "text":
      return block.text
    case "thinking":
      return []
    case "media":
      return [block.kind, block.source]
    case "call":
      return [block.name, block.arguments]
    case "result":
      return [block.callId, block.content.map(plain), block.error ?? false]
    case "opaque":
      return [block.kind, block.text]
    default:
      return block satisfies never
  }
}

/** Letters count, blanks do not. */
const lettersIn = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
    .replace(/\s+/g, "")

const answerKeys = (messages: readonly Message[]): Pick<Unit, "key" | "loose"> => {
  const blocks = messages.flatMap((message) => message.blocks)
  const calls = blocks.filter((block) => block.type === "call")
  if (calls.length === 0) return { key: `said ${hashOf(lettersIn(blocks))}` }
  const loose = `did ${hashOf(JSON.stringify(calls.map(plain)))}`
  const isNamed = calls.every(({ id, assigned }) => id !== "" && assigned !== true)
  return { key: isNamed ? `calls ${calls.map(({ id }) => id).join(" ")}` : loose, loose }
}

export const answerUnit = (messages: readonly Message[]): Unit => ({ ...answerKeys(messages), isAnswer: true, messages })

export const otherUnit = (message: Message): Unit => ({
  key: `${message.role} ${hashOf(JSON.stringify(message.blocks.map(plain)))}`,
  isAnswer: false,
  messages: [message],
})

export const isSame = (left: Pick<Unit, "key" | "loose">, right: Pick<Unit, "key" | "loose">): boolean =>
  left.key === right.key ||
  // Two lists of ids that differ are two answers. Where one of them has none, what was called has to do.
  (left.loose !== undefined && left.loose === right.loose && (left.key === left.loose || right.key === right.loose))

export interface Told {
  /** The system prompt: what comes before anything else, as a text. */
  readonly prompt: string
  readonly units: readonly Unit[]
}

export const unitsOf = (messages: readonly Message[]): Told => {
  let at = 0
  while (messages[at]?.role === "system") at++
  const prompt = messages
    .slice(0, at)
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])))
    .join("\n\n")
  const units: Unit[] = []
  while (at < messages.length) {
    const message = messages[at] as Message
    if (message.role !== "assistant") {
      units.push(otherUnit(message))
      at++
      continue
    }
    let end = at + 1
    while (messages[end]?.role === "assistant") end++
    units.push(answerUnit(messages.slice(at, end)))
    at = end
  }
  return { prompt, units }
}
