/**
 * A conversation that went through JSON has copies of the values it was read from, and the engine knows values by identity.
 * The session it brings along is read again, and each copy is replaced by its original, so that untouched records stay as they
 * are.
 */
import {
  type AssistantMessage,
  type Block,
  canonicalJson,
  type Conversation,
  isWire,
  type Item,
  type Message,
  type Outcome,
  type Transcript,
} from "../../model/index.ts"
import type { SessionFormat } from "./session-format.ts"

class Originals {
  readonly #format: string
  readonly #messages = new Map<string, Message[]>()

  constructor(format: string, { messages }: Transcript) {
    this.#format = format
    for (const message of messages) {
      const key = canonicalJson(message.native?.[format])
      const known = this.#messages.get(key)
      if (known) known.push(message)
      else this.#messages.set(key, [message])
    }
  }

  #of({ native }: { readonly native?: Message["native"] }): Message | undefined {
    const record = native?.[this.#format]
    const known = record === undefined ? undefined : this.#messages.get(canonicalJson(record))
    return known && known.length > 1 ? known.shift() : known?.[0]
  }

  message<Any extends Message>(message: Any): Any {
    const original = this.#of(message)
    return original ? { ...message, blocks: message.blocks.map((block) => sameIn(original, block)), native: original.native } : message
  }

  outcome(outcome: Outcome): Outcome {
    const { result, carrier } = outcome
    const original = carrier && this.#of({ native: carrier })
    return original && result ? { ...outcome, result: sameIn(original, result), carrier: original.native ?? carrier } : outcome
  }
}

const sameIn = <Any extends Block>({ blocks }: Message, block: Any): Any => {
  const key = canonicalJson(block)
  return (blocks.find((each) => each.type === block.type && canonicalJson(each) === key) as Any | undefined) ?? block
}

export const withOriginals = (
  conversation: Conversation,
  { format }: SessionFormat,
  read: (value: unknown) => Transcript,
): Conversation => {
  const session = conversation.native?.[format]
  if (!isWire(session) || !Array.isArray(session["records"]) || !Array.isArray(session["path"])) return conversation
  const transcript = read(session["value"])
  const originals = new Originals(format, transcript)
  const items = conversation.items.map((item): Item => {
    if (item.role !== "exchange") return originals.message(item)
    const message: AssistantMessage = originals.message(item.message)
    const outcomes = item.outcomes.map((outcome) => originals.outcome(outcome))
    return { ...item, message, outcomes, ...(item.reply && { reply: originals.message(item.reply) }) }
  })
  return { ...conversation, items, native: { ...conversation.native, ...transcript.native } }
}
