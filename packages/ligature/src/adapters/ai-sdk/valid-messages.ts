/**
 * Lists of the AI SDK in, valid lists out. Two shapes: the `ModelMessage[]` an application holds, and the prompt a model
 * gets, which is the same but that user and assistant content is always a list of parts. A list that is valid already
 * comes back as the very same list, and so does every message that nothing had to be done to.
 */
import { aiSdkModel } from "../../formats/ai-sdk-model/index.ts"
import { isWire, type Wire } from "../../model/index.ts"
import { type AdapterOptions, settleFor, tell } from "../settle-for.ts"

/** What messages of all versions of the SDK have in common. */
export interface SdkMessage {
  readonly role: string
}

const fallbackTypes = { "image-url": "image/*", "file-url": "application/octet-stream" } as const

/** Media of a result whose call is gone is now said by the user, where only files have a place. */
const asUserPart = (part: unknown): unknown => {
  if (!isWire(part)) return part
  const { type, data, url, mediaType, filename } = part
  const named = typeof filename === "string" && { filename }
  switch (type) {
    case "media":
    case "image-data":
    case "file-data":
      return { type: "file", mediaType: mediaType ?? "image/png", data, ...named }
    case "image-url":
    case "file-url":
      return { type: "file", mediaType: mediaType ?? fallbackTypes[type], data: url, ...named }
    default:
      return part
  }
}

const withUserParts = (message: Wire): Wire =>
  message["role"] === "user" && Array.isArray(message["content"])
    ? { ...message, content: message["content"].map(asUserPart) }
    : message

const withParts = (message: Wire): Wire =>
  message["role"] !== "system" && typeof message["content"] === "string"
    ? { ...message, content: [{ type: "text", text: message["content"] }] }
    : message

type Write = (message: Wire) => Wire

const repaired = (messages: readonly unknown[], options: AdapterOptions, write: Write): readonly unknown[] => {
  const { conversation, report } = settleFor(aiSdkModel.decode({ messages }), options)
  const written = aiSdkModel.encode(conversation)["messages"] as readonly Wire[]
  if (written === messages) return messages
  tell(report, options)
  const known = new Set<unknown>(messages)
  return written.map((message) => (known.has(message) ? message : write(withUserParts(message))))
}

/**
 * The messages of an application, valid. The SDK throws at an unanswered call before any middleware runs, so stored
 * histories go through this, or through `validPrepareStep`, first.
 *
 * @example
 * const valid = validMessages(messages, { onRepair: ({ entries }) => console.warn(entries) })
 */
export const validMessages = <Message extends SdkMessage>(
  messages: readonly Message[],
  options: AdapterOptions = {},
): Message[] => repaired(messages, options, (message) => message) as Message[]

/** The prompt of a language model (versions 2 to 4 of its interface), valid. */
export const validPrompt = <Message extends SdkMessage>(
  prompt: readonly Message[],
  options: AdapterOptions = {},
): Message[] => repaired(prompt, options, withParts) as Message[]
