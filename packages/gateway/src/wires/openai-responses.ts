/** OpenAI Responses over HTTP. */
import { openaiError, openaiModel } from "./openai-chat.ts"
import { typed, type Wire } from "./wire.ts"

const modelItems: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "reasoning", "local_shell_call", "web_search_call"])

export const openaiResponses: Wire = {
  name: "openai-responses",
  list: "input",
  prompt: ["instructions", "previous_response_id", "conversation"],
  match: (path) => {
    if (path === "/v1/responses" || path === "/responses") return { wire: "openai-responses", kind: "generate" }
    return path === "/v1/responses/input_tokens" ? { wire: "openai-responses", kind: "count" } : undefined
  },
  path: (kind) => (kind === "count" ? "/v1/responses/input_tokens" : "/v1/responses"),
  headers: {},
  credentials: ["authorization", "api-key"],
  keyHeader: (key) => ["authorization", `Bearer ${key}`],
  opening: { role: "user", content: "." },
  isModel: ({ role, type }) => role === "assistant" || modelItems.has(type),
  answerId: (unique) => `resp_${unique}`,
  errorBody: openaiError,
  countBody: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  modelsPath: "/v1/models",
  modelBody: openaiModel,
  modelsBody: (ids) => ({ object: "list", data: ids.map(openaiModel) }),
  endMarks: ["response.completed", "response.incomplete", "response.failed", "error"].flatMap(typed),
  broken: "reset",
  ping: ": ping\n\n",
}
