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
export function modelOf(
  body: Readonly<Record<string, unknown>>,
  options: JudgeOptions | undefined,
): string | undefined {
  if (options?.model !== undefined) return options.model
  return typeof body["model"] === "string" ? body["model"] : undefined
}
