/**
 * A processor for agents of Mastra. It works at two places, because Mastra loses between them what it cannot express:
 *
 *   processInputStep    the messages of a step, memory included: a call that never got its result is closed honestly
 *                       here, where Mastra would leave it out without a word
 *   processLLMRequest   the prompt, as the last thing before the provider: what conversion and other processors made of
 *                       it. Nothing of this is kept.
 */
import type { ProfileName } from "../../rules/index.ts"
import { aiSdkUi } from "../../formats/ai-sdk-ui/index.ts"
import { isWire, type Wire } from "../../model/index.ts"
import { type SdkMessage, validPrompt } from "../ai-sdk/index.ts"
import { providerProfile } from "../ai-sdk/valid-messages.ts"
import { assertAdapter, type AdapterOptions, settleFor, tell } from "../settle-for.ts"

/** What messages of Mastra's own format have in common: a UI message whose parts are in `content`. */
export interface MastraMessage {
  readonly id: string
  readonly role: string
  readonly content: object
}

const inner = Symbol("message")

const toWire = (message: MastraMessage): unknown => {
  const { id, role, content } = message
  return { ...content, id, role: role === "signal" ? "user" : role, [inner]: message }
}

const ownText = (parts: readonly unknown[]): string =>
  parts.flatMap((part) => (isWire(part) && part["type"] === "text" ? [part["text"]] : [])).join("\n")

/** Mastra orders messages by their time, so one that had to be written takes the time of the one before it. */
const fromWire = <Message extends MastraMessage>(wire: Wire, neighbour: Message | undefined): Message => {
  const { [inner]: original, id, role, ...content } = wire as Wire & { readonly [inner]?: Message }
  if (original) return { ...original, content }
  const parts = Array.isArray(content["parts"]) ? content["parts"] : []
  return { ...neighbour, id, role, content: { format: 2, parts, content: ownText(parts) } } as unknown as Message
}

/** Messages of a thread, valid. The very same list where it was. */
export const validMessages = <Message extends MastraMessage>(messages: readonly Message[], options: AdapterOptions = {}): Message[] => {
  assertAdapter(options)
  const given = messages.map(toWire)
  const { conversation, report } = settleFor(aiSdkUi.decode({ messages: given }), options)
  const written = aiSdkUi.encode(conversation)["messages"] as readonly Wire[]
  if (written === given) return messages as Message[]
  tell(report, options)
  const places = new Map(given.map((wire, index) => [wire, messages[index] as Message]))
  let neighbour = messages[0]
  return written.map((wire) => (neighbour = places.get(wire) ?? fromWire(wire, neighbour)))
}

export interface ValidHistory {
  readonly id: string
  readonly name: string
  readonly processInputStep: <Message extends MastraMessage>(step: {
    readonly messages: readonly Message[]
  }) => { messages: Message[] } | undefined
  readonly processLLMRequest: <Message extends SdkMessage>(request: {
    readonly prompt: readonly Message[]
    readonly model?: unknown
  }) => { prompt: Message[] } | undefined
}

const profileOf = (model: unknown): ProfileName | undefined => {
  if (!isWire(model) || typeof model["provider"] !== "string") return undefined
  return providerProfile(model["provider"], typeof model["modelId"] === "string" ? model["modelId"] : "")
}

/**
 * The processor, for `inputProcessors` of an agent.
 *
 * @example
 * const processor = validHistory({ onRepair: ({ entries }) => console.warn(entries) })
 */
export const validHistory = (options: AdapterOptions = {}): ValidHistory => {
  assertAdapter(options)
  return {
    id: "ligature-valid-history",
    name: "Ligature valid history",
    processInputStep: ({ messages }) => {
      const valid = validMessages(messages, options)
      return valid === messages ? undefined : { messages: valid }
    },
    processLLMRequest: ({ prompt, model }) => {
      const profile = profileOf(model)
      const valid = validPrompt(prompt, profile === undefined ? options : { profile, ...options })
      return valid === prompt ? undefined : { prompt: valid }
    },
  }
}
