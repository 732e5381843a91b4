/** The places of LangChain and LangGraph where a history passes on its way to a model. The state itself is not touched. */
import { type LangChainOptions, validMessages } from "./valid-messages.ts"

/**
 * For `createReactAgent({ llm, tools, preModelHook })` of LangGraph: what the model gets is valid, the state stays as it is.
 *
 * @example
 * const preModelHook = validPreModelHook()
 */
export const validPreModelHook =
  <Input>(options: LangChainOptions<Input> = {}) =>
  ({ messages }: { readonly messages: readonly Input[] }): { llmInputMessages: Input[] } => ({
    llmInputMessages: validMessages(messages, options),
  })

/** What `createMiddleware` of LangChain takes. */
export interface ValidModelCall {
  readonly name: string
  readonly wrapModelCall: <Request extends { readonly messages: readonly unknown[] }, Answer>(
    request: Request,
    handler: (request: Request) => Answer,
  ) => Answer
}

/**
 * For `createAgent({ model, tools, middleware: [createMiddleware(validModelCall())] })` of LangChain.
 *
 * @example
 * const call = validModelCall({ profile: "openai-chat" })
 */
export const validModelCall = (options: LangChainOptions = {}): ValidModelCall => ({
  name: "LigatureValidMessages",
  wrapModelCall: (request, handler) => {
    const messages = validMessages(request.messages, options)
    return handler(messages === request.messages ? request : { ...request, messages })
  },
})
