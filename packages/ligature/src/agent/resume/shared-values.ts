/**
 * Gives a message that came out of a store the sharing it had before: what a block says and what its wire message says
 * were the same objects, and encoders know by that sameness that nothing was changed. JSON forgets it. Per message only:
 * two messages that say the same are still two.
 */
import type { Message, Transcript } from "../../model/index.ts"

const shared = (message: Message): Message => {
  const known = new Map<string, unknown>()
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    const own = Array.isArray(value)
      ? value.map(visit)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    const key = JSON.stringify(own)
    if (!known.has(key)) known.set(key, own)
    return known.get(key)
  }
  return visit(message) as Message
}

/** Messages without native values have nothing to share. */
export const withSharedValues = (transcript: Transcript): Transcript => ({
  ...transcript,
  messages: transcript.messages.map((message) => (message.native === undefined ? message : shared(message))),
})
