/**
 * What a client's wire cannot carry. An answer that was converted lost what only its provider understands: signatures of
 * thinking, encrypted reasoning, ids of items. The message as it was recorded is kept here under the ids of its calls, or
 * under what it says, and takes the place of the client's copy when that comes back. The provider then gets the very blocks
 * it wrote.
 *
 * Answers that say the same ("Done.") are told apart by their order, counted from the newest: what a client left out of its
 * history is at the beginning.
 */
import type { Block, Message, Transcript } from "ligature"
import { answerUnit } from "../record/units.ts"

/** So many messages of one conversation are kept; the oldest go first. */
const mostMessages = 4096

/** Clients trim texts, and join or split them: only the characters count. */
const textIn = ({ blocks }: Message): string =>
  blocks
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
    .replace(/\s+/g, "")

/** Under these it is found: exactly, or without the ids that some providers do not give. Empty: there is nothing to find. */
const keysOf = (message: Message): readonly string[] => {
  if (!message.blocks.some((block) => block.type === "call" || (block.type === "text" && block.text.trim() !== ""))) return []
  const { key, loose } = answerUnit([message])
  return loose === undefined || loose === key ? [key] : [key, loose]
}

const sizeOf = (message: Message): number => {
  let size = 128
  for (const block of message.blocks) {
    if (block.type === "text" || block.type === "thinking") size += 2 * block.text.length
    else size += 512
    if (block.type === "thinking") size += block.signature?.length ?? 0
  }
  return size
}

/** Calls that their provider gave no id go by the one the client knows. */
const withIdsOf = (kept: Message, copy: Message): Message => {
  const ids = copy.blocks.flatMap((block) => (block.type === "call" ? [block.id] : []))
  let at = 0
  let changed = false
  const blocks = kept.blocks.map((block): Block => {
    if (block.type !== "call") return block
    const id = ids[at++] ?? block.id
    if (id === block.id || (block.id !== "" && block.assigned !== true)) return block
    changed = true
    return { ...block, id, assigned: true }
  })
  return changed ? { ...kept, blocks } : kept
}

export class Carrier {
  readonly #messages = new Set<Message>()
  readonly #byKey = new Map<string, Message[]>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  keep(message: Message): void {
    const keys = keysOf(message)
    if (keys.length === 0) return
    this.#messages.add(message)
    this.#bytes += sizeOf(message)
    for (const key of keys) {
      const known = this.#byKey.get(key)
      if (known) known.push(message)
      else this.#byKey.set(key, [message])
    }
    const [oldest] = this.#messages
    if (this.#messages.size > mostMessages && oldest) this.#forget(oldest)
  }

  clear(): void {
    this.#messages.clear()
    this.#byKey.clear()
    this.#bytes = 0
  }

  #forget(message: Message): void {
    this.#messages.delete(message)
    this.#bytes -= sizeOf(message)
    for (const key of keysOf(message)) {
      const left = this.#byKey.get(key)?.filter((each) => each !== message) ?? []
      if (left.length > 0) this.#byKey.set(key, left)
      else this.#byKey.delete(key)
    }
  }

  /** The transcript with the recorded messages in place of the client's copies of them. */
  restore(transcript: Transcript): Transcript {
    if (this.#messages.size === 0) return transcript
    const used = new Map<string, number>()
    let changed = false
    const messages = transcript.messages
      .toReversed()
      .map((message) => {
        const keys = message.role === "assistant" ? keysOf(message) : []
        const key = keys.find((each) => this.#byKey.has(each))
        const known = key === undefined ? undefined : this.#byKey.get(key)
        if (!known || key === undefined) return message
        const count = used.get(key) ?? 0
        used.set(key, count + 1)
        const kept = known.at(-1 - count)
        // Results that came in the same message stay with the copy.
        if (!kept || message.blocks.some((block) => block.type === "result") || textIn(kept) !== textIn(message)) return message
        changed = true
        return withIdsOf(kept, message)
      })
      .toReversed()
    return changed ? { ...transcript, messages } : transcript
  }
}
