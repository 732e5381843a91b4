/** OpenAI Responses over HTTP. */
import { openaiError } from "./openai-chat.ts"
import type { Wire } from "./wire.ts"

const modelItems: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "reasoning", "local_shell_call", "web_search_call"])

export const openaiResponses: Wire = {
  name: "openai-responses",
  list: "input",
  prompt: ["instructions", "previous_response_id", "conversation"],
  match: (path) => (path === "/v1/responses" || path === "/responses" ? { wire: "openai-responses", kind: "generate" } : undefined),
  path: () => "/v1/responses",
  headers: {},
  credentials: ["authorization", "api-key"],
  keyHeader: (key) => ["authorization", `Bearer ${key}`],
  opening: { role: "user", content: "." },
  isModel: ({ role, type }) => role === "assistant" || modelItems.has(type),
  answerId: (unique) => `resp_${unique}`,
  errorBody: openaiError,
  endMarks: ["response.completed", "response.incomplete", "response.failed", '"type":"error"', '"type": "error"'],
  broken: "reset",
  ping: ": ping\n\n",
}
