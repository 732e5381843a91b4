/**
 * The two places of the SDK where a history passes on its way to a model. `validPrepareStep` comes first, in front of the
 * SDK's own check, and sees the application's messages; `validMiddleware` comes last and sees the prompt, whoever made
 * it: `generateText`, an agent, another framework that takes the SDK's models.
 */
import { type AdapterOptions } from "../settle-for.ts"
import { providerProfile } from "./provider-profile.ts"
import { type SdkMessage, validMessages, validPrompt } from "./valid-messages.ts"

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
export const validPrepareStep =
  (options: AdapterOptions = {}) =>
  <Message extends SdkMessage>({ messages, model }: Step<Message>): { messages: Message[] } => ({
    messages: validMessages(messages, optionsFor(options, model)),
  })

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
export const validMiddleware = (options: AdapterOptions = {}): ValidMiddleware => ({
  specificationVersion: "v4",
  transformParams: async ({ params, model }) => {
    const prompt = validPrompt(params.prompt, optionsFor(options, model))
    return prompt === params.prompt ? params : { ...params, prompt }
  },
})
