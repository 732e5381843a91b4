/**
 * The error JSON of each provider. Clients read these shapes, so a fake that answered every provider's violation in one
 * shape would hide half of what it is there to test.
 */
import type { ErrorBody } from "./verdict.ts"

export const anthropicError: ErrorBody = ({ message, status = 400 }) => ({
  type: "error",
  error: { type: anthropicErrorType(status), message },
})

export function anthropicErrorType(status: number): string {
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

export function geminiStatus(status: number): string {
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
