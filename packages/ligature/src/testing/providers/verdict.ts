/**
 * What a judge says about one request body, and how a finding becomes the error a client would receive.
 *
 * Judges are written from the providers' published demands and import nothing from the rest of the package. They are a
 * second opinion: if they shared code with the rules they are meant to confirm, one mistake would pass twice.
 *
 * A judge stops at the first violation, as a provider does, and builds no text before it has found one, so that an
 * accepted history of any length costs one walk and next to no allocation.
 */

export type ProfileName =
  | "anthropic"
  | "anthropic-preserved"
  | "openai-chat"
  | "azure"
  | "openai-responses"
  | "gemini"
  | "bedrock-claude"
  | "bedrock"
  | "mistral"
  | "deepseek"
  | "kimi"
  | "groq"
  | "cerebras"
  | "xai"
  | "litellm"
  | "openrouter"
  | "ollama"
  | "template-strict"

export interface JudgeOptions {
  /** Name of the model the request is for. Default: `body.model`. Some demands hold only for some models. */
  readonly model?: string
  /**
   * Whether calls of the last assistant message may still be unanswered. Default: `"closed"`, which is what a provider
   * insists on; `"open"` judges a history whose last calls are still running. It changes nothing else.
   */
  readonly tip?: "open" | "closed"
  /**
   * Bedrock and LiteLLM only: demand a list of tools when the history has calls. Default: only if the body has the key
   * `inferenceConfig` or `model`, because a bare message list is not yet a request.
   */
  readonly requireToolConfig?: boolean
  /**
   * Responses only: ids of items and the id of the reasoning item each was generated with. A request alone does not
   * show which reasoning an item once had; a server that issued the items knows.
   */
  readonly requiredReasoning?: ReadonlyMap<string, string>
}

export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly status: number
      /** The demand that was broken. */
      readonly rule: string
      /** The provider's text, with the real place and ids. */
      readonly message: string
      /** The error JSON as this provider shapes it. */
      readonly body: unknown
    }

export type Judge = (body: unknown, options?: JudgeOptions) => Verdict

/** A finding before it has the shape of one provider's error. */
export interface Violation {
  readonly rule: string
  readonly message: string
  /** Default 400. */
  readonly status?: number
  readonly param?: string
  readonly code?: string
}

/** Turns a violation into the error JSON of one provider. */
export type ErrorBody = (violation: Violation) => unknown

const accepted: Verdict = Object.freeze({ ok: true })

export function verdictOf(violation: Violation | undefined, errorBody: ErrorBody): Verdict {
  if (violation === undefined) return accepted
  const { rule, message, status = 400 } = violation
  return { ok: false, status, rule, message, body: errorBody(violation) }
}

/** The model a request is for: the option wins, because some formats name the model in the URL. */
export function modelOf(body: Readonly<Record<string, unknown>>, options: JudgeOptions | undefined): string | undefined {
  if (options?.model !== undefined) return options.model
  return typeof body["model"] === "string" ? body["model"] : undefined
}

// Looking at JSON values of unknown shape. `undefined` counts as absent everywhere, because a body that is judged
// before it is serialised may hold keys that JSON would leave out.

export type WireObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The first key that is not in the allow-list. */
export function unknownKey(value: WireObject, allowed: ReadonlySet<string>): string | undefined {
  for (const key in value) {
    if (!allowed.has(key) && value[key] !== undefined) return key
  }
  return undefined
}

/** Whether a text is empty or only whitespace; looks at the first visible character and no further. */
export function isBlank(text: string): boolean {
  return !/\S/u.test(text)
}

/** How the OpenAI family names the type of a value. */
export function typeName(value: unknown): string {
  if (value === undefined || value === null) return "null"
  if (Array.isArray(value)) return "an array"
  switch (typeof value) {
    case "string":
      return "a string"
    case "number":
      return Number.isInteger(value) ? "an integer" : "a decimal"
    case "boolean":
      return "a boolean"
    default:
      return "an object"
  }
}

/** Whether a text is the JSON of an object; the usual empty object is recognised without parsing. */
export function parsesToObject(text: string): boolean {
  if (text === "{}") return true
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

// The error JSON of each provider. Clients read these shapes, so a fake that answered every provider's violation in one
// shape would hide half of what it is there to test.

export const anthropicError: ErrorBody = ({ message, status = 400 }) => ({
  type: "error",
  error: { type: anthropicErrorType(status), message },
})

function anthropicErrorType(status: number): string {
  if (status === 404) return "not_found_error"
  if (status === 413) return "request_too_large"
  if (status === 429) return "rate_limit_error"
  if (status === 529) return "overloaded_error"
  return status >= 500 ? "api_error" : "invalid_request_error"
}

export const openaiError: ErrorBody = ({ message, param, code }) => ({
  error: { message, type: "invalid_request_error", param: param ?? null, code: code ?? null },
})

export const geminiError: ErrorBody = ({ message, status = 400 }) => ({
  error: { code: status, message, status: geminiStatus(status) },
})

function geminiStatus(status: number): string {
  if (status === 404) return "NOT_FOUND"
  if (status === 429) return "RESOURCE_EXHAUSTED"
  if (status === 503) return "UNAVAILABLE"
  return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT"
}

export const bedrockError: ErrorBody = ({ message }) => ({ __type: "ValidationException", message })

export const mistralError: ErrorBody = ({ message, param }) => ({
  object: "error",
  message,
  type: "invalid_request_error",
  param: param ?? null,
  code: null,
})

export const xaiError: ErrorBody = ({ message }) => ({
  code: "Client specified an invalid argument",
  error: message,
})

export const ollamaError: ErrorBody = ({ message }) => ({ error: message })

export const openrouterError: ErrorBody = ({ message, status = 400 }) => ({ error: { message, code: status } })

export const cerebrasError: ErrorBody = ({ message, param }) => ({
  message,
  type: "invalid_request_error",
  param: param ?? "validation_error",
  code: "wrong_api_format",
})

/** vLLM and its relatives, which run the chat templates. */
export const templateError: ErrorBody = ({ message, status = 400 }) => ({
  object: "error",
  message,
  type: "BadRequestError",
  param: null,
  code: status,
})
