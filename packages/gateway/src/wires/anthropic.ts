/** Anthropic Messages over HTTP. */
import { type Failure, type Json, typed, type Wire } from "./wire.ts"

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
}

const typeOf = (status: number): string => types[status] ?? (status < 500 ? "invalid_request_error" : "api_error")

/** Clients start their compaction on these words. */
const wordsOf = ({ code, message }: Failure): string =>
  code === "context" && !/prompt is too long/i.test(message) ? `prompt is too long: ${message}` : message

const modelBody = (id: string): Json => ({ type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" })

export const anthropic: Wire = {
  name: "anthropic",
  list: "messages",
  prompt: ["system"],
  match: (path) => {
    if (path === "/v1/messages") return { wire: "anthropic", kind: "generate" }
    return path === "/v1/messages/count_tokens" ? { wire: "anthropic", kind: "count" } : undefined
  },
  path: (kind) => (kind === "count" ? "/v1/messages/count_tokens" : "/v1/messages"),
  headers: { "anthropic-version": "2023-06-01" },
  credentials: ["x-api-key", "authorization"],
  keyHeader: (key) => ["x-api-key", key],
  opening: { role: "user", content: "." },
  isModel: ({ role }) => role === "assistant",
  answerId: (unique) => `msg_${unique}`,
  errorBody: (failure) => ({ type: "error", error: { type: typeOf(failure.status), message: wordsOf(failure) } }),
  countBody: (tokens) => ({ input_tokens: tokens }),
  modelsPath: "/v1/models",
  modelBody,
  modelsBody: (ids) => ({ data: ids.map(modelBody), has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }),
  endMarks: [...typed("message_stop"), ...typed("error")],
  broken: "reset",
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
}
