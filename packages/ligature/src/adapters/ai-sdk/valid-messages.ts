/**
 * Lists of the AI SDK in, valid lists out. Two shapes: the `ModelMessage[]` an application holds, and the prompt a model
 * gets, which is the same but that user and assistant content is always a list of parts. A list that is valid already
 * comes back as the very same list, and so does every message that nothing had to be done to.
 */
import { aiSdkModel } from "../../formats/ai-sdk-model/index.ts"
import { isWire, type Wire } from "../../model/index.ts"
import type { ProfileName } from "../../rules/index.ts"
import type { Lease, NewEntry, Store } from "../../store/index.ts"
import { assertAdapter, type AdapterOptions, ensureConversation, loadIfThere, settleFor, tell } from "../settle-for.ts"

/** The first name that the provider begins with counts, so longer ones are in front. */
const byProvider: readonly (readonly [provider: string, profile: ProfileName])[] = [
  ["openai.responses", "openai-responses"],
  ["azure.responses", "openai-responses"],
  ["azure", "azure"],
  ["openai", "openai-chat"],
  ["anthropic", "anthropic"],
  ["google.vertex.anthropic", "anthropic"],
  ["vertex.anthropic", "anthropic"],
  ["google", "gemini"],
  ["mistral", "mistral"],
  ["deepseek", "deepseek"],
  ["moonshot", "kimi"],
  ["groq", "groq"],
  ["cerebras", "cerebras"],
  ["xai", "xai"],
  ["openrouter", "openrouter"],
  ["ollama", "ollama"],
]

const bedrock = "amazon-bedrock"

/** Undefined for a provider we do not know: then the invariants alone are kept. */
export const providerProfile = (provider: string, modelId = ""): ProfileName | undefined => {
  if (provider.startsWith(bedrock)) return /anthropic|claude/.test(modelId) ? "bedrock-claude" : "bedrock"
  return byProvider.find(([name]) => provider.startsWith(name))?.[1]
}

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
  message["role"] === "user" && Array.isArray(message["content"]) ? { ...message, content: message["content"].map(asUserPart) } : message

const withParts = (message: Wire): Wire =>
  message["role"] !== "system" && typeof message["content"] === "string"
    ? { ...message, content: [{ type: "text", text: message["content"] }] }
    : message

type Write = (message: Wire) => Wire

const repaired = (messages: readonly unknown[], options: AdapterOptions, write: Write): readonly unknown[] => {
  assertAdapter(options)
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
export const validMessages = <Message extends SdkMessage>(messages: readonly Message[], options: AdapterOptions = {}): Message[] =>
  repaired(messages, options, (message) => message) as Message[]

/** The prompt of a language model (versions 2 to 4 of its interface), valid. */
export const validPrompt = <Message extends SdkMessage>(prompt: readonly Message[], options: AdapterOptions = {}): Message[] =>
  repaired(prompt, options, withParts) as Message[]

// The two places of the SDK where a history passes on its way to a model. `validPrepareStep` comes first, before the
// SDK's own check, and sees the application's messages; `validMiddleware` comes last and sees the prompt, whoever made
// it: `generateText`, an agent, another framework that takes the SDK's models.

interface NamedModel {
  readonly provider: string
  readonly modelId: string
}

const isNamed = (model: unknown): model is NamedModel =>
  typeof model === "object" && model !== null && "provider" in model && typeof model.provider === "string"

/** The options with the profile of this very model, unless the caller has named one. */
const optionsFor = (options: AdapterOptions, model: unknown): AdapterOptions => {
  const found = isNamed(model) ? providerProfile(model.provider, model.modelId) : undefined
  return found === undefined ? options : { profile: found, ...options }
}

interface Step<Message> {
  readonly messages: readonly Message[]
  readonly model?: unknown
}

/**
 * For `generateText`, `streamText` and agents: `{ model, messages, tools, prepareStep: validPrepareStep() }`. Every step
 * starts with a valid list.
 *
 * @example
 * const prepareStep = validPrepareStep({ onRepair: ({ entries }) => console.warn(entries) })
 */
export const validPrepareStep = (
  options: AdapterOptions = {},
): (<Message extends SdkMessage>(step: Step<Message>) => { messages: Message[] }) => {
  assertAdapter(options)
  return ({ messages, model }) => ({ messages: validMessages(messages, optionsFor(options, model)) })
}

/** What `wrapLanguageModel` takes: the prompt is made valid, nothing else is touched, streams pass through. */
export interface ValidMiddleware {
  readonly specificationVersion: "v4"
  readonly transformParams: <Params extends { readonly prompt: readonly SdkMessage[] }>(call: {
    readonly params: Params
    readonly model?: unknown
  }) => Promise<Params>
}

/**
 * For `wrapLanguageModel({ model, middleware: validMiddleware() })`.
 *
 * @example
 * const middleware = validMiddleware({ profile: "mistral" })
 */
export const validMiddleware = (options: AdapterOptions = {}): ValidMiddleware => {
  assertAdapter(options)
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const prompt = validPrompt(params.prompt, optionsFor(options, model))
      return prompt === params.prompt ? params : { ...params, prompt }
    },
  }
}

// An application's messages in a Ligature store. They are written as they are said, damage included, and read back valid:
// a process that died between a call and its result leaves a history that can be sent at once.

export interface StoredMessagesOptions extends AdapterOptions {
  readonly store: Store
  /** Id of the conversation; created when the first message is appended. */
  readonly conversation: string
  /** Under which appends are written, where several processes share the conversation. */
  readonly lease?: Lease
}

export interface StoredMessages {
  /** All messages, valid; empty for a new conversation. */
  load<Message extends SdkMessage = StoredMessage>(): Promise<Message[]>
  /** Adds messages in order, all or none. An unknown outcome may be repeated under the same operation. */
  append(messages: readonly SdkMessage[], options?: { readonly operation?: string }): Promise<void>
}

/** A message as it came from the store; the SDK's own types are given by the caller: `load<ModelMessage>()`. */
interface StoredMessage extends SdkMessage {
  readonly content: unknown
}

export const storedMessages = (given: StoredMessagesOptions): StoredMessages => {
  assertAdapter(given, { store: true, conversation: true, lease: true })
  const { store, conversation: id, lease, ...options } = given
  let ensured = false
  return {
    async load<Message extends SdkMessage>(): Promise<Message[]> {
      const loaded = await loadIfThere(store, id)
      if (!loaded) return []
      const { conversation, report } = settleFor({ ...loaded.transcript, format: aiSdkModel.format }, options)
      tell(report, options)
      return aiSdkModel.encode(conversation)["messages"] as Message[]
    },
    async append(messages, { operation } = {}) {
      const entries = aiSdkModel.decode(messages).messages.map((message): NewEntry => ({ kind: "message", message }))
      if (entries.length === 0) return
      if (!ensured) await ensureConversation(store, id)
      ensured = true
      await store.append(id, entries, { ...(lease && { lease }), ...(operation !== undefined && { operation }) })
    },
  }
}
