/**
 * What a client's wire cannot carry. An answer that was converted lost what only its provider understands: signatures of
 * thinking, encrypted reasoning, ids of items. The message as it was recorded is kept here under the ids of its calls, or
 * under its text, and takes the place of the client's copy when that comes back. The provider then gets the very blocks it
 * wrote.
 */
import { createHash } from "node:crypto"
import type { Message, Transcript } from "ligature"

/** So many messages of one conversation are kept; the oldest go first. */
const mostMessages = 4096

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

/** Clients trim texts, and join or split them: only the characters count. */
const textIn = ({ blocks }: Message): string =>
  blocks
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
    .replace(/\s+/g, " ")
    .trim()

/** What both copies of a message have in common. Undefined: nothing by which it could be found again. */
const keyOf = (message: Message): string | undefined => {
  const calls = message.blocks.flatMap((block) => (block.type === "call" ? [block.id] : []))
  if (calls.length > 0) return calls.every((id) => id !== "") ? `calls ${calls.join(" ")}` : undefined
  const text = textIn(message)
  return text === "" ? undefined : `text ${hashOf(text)}`
}

const sizeOf = (message: Message): number => {
  let size = 64
  for (const block of message.blocks) {
    if (block.type === "text" || block.type === "thinking") size += 2 * block.text.length
    else size += 512
    if (block.type === "thinking") size += block.signature?.length ?? 0
  }
  return size
}

export class Carrier {
  readonly #messages = new Map<string, { readonly message: Message; readonly size: number }>()
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  keep(message: Message): void {
    const key = keyOf(message)
    if (key === undefined) return
    const size = sizeOf(message)
    this.#bytes += size - (this.#messages.get(key)?.size ?? 0)
    this.#messages.delete(key)
    this.#messages.set(key, { message, size })
    const [oldest] = this.#messages
    if (this.#messages.size <= mostMessages || !oldest) return
    this.#messages.delete(oldest[0])
    this.#bytes -= oldest[1].size
  }

  /** The transcript with the recorded messages in place of the client's copies of them. */
  restore(transcript: Transcript): Transcript {
    if (this.#messages.size === 0) return transcript
    let changed = false
    const messages = transcript.messages.map((message) => {
      const key = message.role === "assistant" ? keyOf(message) : undefined
      const kept = key === undefined ? undefined : this.#messages.get(key)?.message
      // Results that came in the same message stay with the copy.
      if (!kept || message.blocks.some((block) => block.type === "result") || textIn(kept) !== textIn(message)) return message
      changed = true
      return kept
    })
    return changed ? { ...transcript, messages } : transcript
  }
}
