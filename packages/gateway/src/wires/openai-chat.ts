/** OpenAI Chat Completions over HTTP, and everything that speaks it. */
import type { Failure, Json, Wire } from "./wire.ts"

const typeOf = (status: number): string =>
  status === 429 ? "rate_limit_error" : status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "server_error"

const codes: Readonly<Record<NonNullable<Failure["code"]>, string>> = {
  context: "context_length_exceeded",
  "previous-response": "previous_response_not_found",
}

/** The errors of both OpenAI wires. */
export const openaiError = ({ status, message, code }: Failure): Json => ({
  error: {
    message,
    type: typeOf(status),
    param: code === "previous-response" ? "previous_response_id" : null,
    code: code ? codes[code] : null,
  },
})

export const openaiModel = (id: string): Json => ({ id, object: "model", created: 0, owned_by: "ligature" })

export const openaiChat: Wire = {
  name: "openai-chat",
  list: "messages",
  prompt: [],
  match: (path) =>
    path === "/v1/chat/completions" || path === "/chat/completions" ? { wire: "openai-chat", kind: "generate" } : undefined,
  path: () => "/v1/chat/completions",
  headers: {},
  credentials: ["authorization", "api-key"],
  keyHeader: (key) => ["authorization", `Bearer ${key}`],
  opening: { role: "user", content: "." },
  isModel: ({ role }) => role === "assistant",
  answerId: (unique) => `chatcmpl-${unique}`,
  errorBody: openaiError,
  countBody: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  modelsPath: "/v1/models",
  modelBody: openaiModel,
  modelsBody: (ids) => ({ object: "list", data: ids.map(openaiModel) }),
  endMarks: ["\ndata: [DONE]", "\ndata:[DONE]", '"finish_reason":"', '"finish_reason": "', '"error":{', '"error": {', '"error":"'],
  broken: "reset",
  ping: ": ping\n\n",
}
