/** Google Gemini generateContent over HTTP: the address names the model and says whether the answer is streamed. */
import type { Ask, Json, Wire } from "./wire.ts"

const address = /^\/(?:v1|v1beta|v1alpha)\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The model is a part of the provider's address: none that leads to another place there. */
const leadsAway = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|\\/

const match = (path: string, query: URLSearchParams): Ask | undefined => {
  const found = address.exec(path)
  if (!found) return undefined
  const [, named = "", method] = found
  const model = decoded(named)
  if (leadsAway.test(model) || leadsAway.test(decoded(model))) return undefined
  const stream = method === "streamGenerateContent"
  const kind = method === "countTokens" ? "count" : "generate"
  return { wire: "gemini", kind, model, stream, ...(stream && query.get("alt") !== "sse" && { array: true }) }
}

const modelBody = (id: string): Json => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ["generateContent", "countTokens"],
})

export const gemini: Wire = {
  name: "gemini",
  list: "contents",
  prompt: ["systemInstruction", "system_instruction"],
  match,
  path: (kind, model, stream) => {
    const method = kind === "count" ? "countTokens" : stream ? "streamGenerateContent?alt=sse" : "generateContent"
    return `/v1beta/models/${encodeURIComponent(leadsAway.test(model) ? model.replace(/[^\w-]/g, "_") : model)}:${method}`
  },
  headers: {},
  credentials: ["x-goog-api-key", "authorization"],
  keyHeader: (key) => ["x-goog-api-key", key],
  opening: { role: "user", parts: [{ text: "." }] },
  isModel: ({ role }) => role === "model",
  answerId: (unique) => unique,
  errorBody: ({ status, message }) => ({ error: { code: status, message, status: statuses[status] ?? "INTERNAL" } }),
  countBody: (tokens) => ({ totalTokens: tokens }),
  modelsPath: "/v1beta/models",
  modelBody,
  modelsBody: (ids) => ({ models: ids.map(modelBody) }),
  endMarks: ['"finishReason"', '"blockReason"', '"error":{', '"error": {'],
  broken: "error",
  ping: ": ping\n\n",
}
