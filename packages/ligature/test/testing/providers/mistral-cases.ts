/**
 * What the Mistral judge must accept and refuse.
 */
import { asks, call, openai, tool, user } from "./chat-cases.ts"
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const says = (content: unknown, more: WireValue = {}): WireValue => ({ role: "assistant", content, ...more })
const system: WireValue = { role: "system", content: "be brief" }
const id = "abcdefgh1"

export const mistralHealthy: Readonly<Record<string, unknown>> = {
  "nine-character ids and an assistant message after the results": {
    messages: [system, user, asks(openai, call(id), call("abcdefgh2")), tool("abcdefgh2"), tool(id), says("ok"), user],
  },
  "a trailing prefix": { messages: [user, says("The answer", { prefix: true })] },
}

export const mistralCases: readonly RejectionCase[] = [
  { rule: "mistral-shape", body: {}, message: "Missing required parameter: 'messages'." },
  {
    rule: "common-render-allow-list",
    body: { messages: [{ ...user, timestamp: 1 }] },
    message: "Extra inputs are not permitted: messages.0.user.timestamp",
  },
  {
    rule: "openai-chat-content-null",
    body: { messages: [{ role: "user", content: null }] },
    message: "Invalid value for 'content': expected a string, got null.",
  },
  {
    rule: "openai-chat-empty-tool-calls",
    body: { messages: [user, says("ok", { tool_calls: [] }), user] },
    message: "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an " + "empty array instead.",
  },
  {
    rule: "openai-chat-arguments-json",
    body: { messages: [user, asks(openai, call(id, { arguments: "" })), tool(id)] },
    message: "failed to parse tool call arguments as json: 'messages[1].tool_calls[0].function.arguments'",
  },
  {
    rule: "mistral-tool-id-9",
    body: { messages: [user, asks(openai, call("call_abc")), tool("call_abc")] },
    message: "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.",
  },
  {
    rule: "mistral-tool-id-defined",
    body: { messages: [user, asks(openai, call(id)), { role: "tool", content: "ok" }] },
    message: "Tool call id has to be defined.",
  },
  {
    rule: "mistral-call-count",
    body: { messages: [user, asks(openai, call(id), call("abcdefgh2")), tool(id)] },
    message: "Not the same number of function calls and responses",
  },
  {
    rule: "mistral-call-count",
    body: { messages: [user, asks(openai, call(id)), user] },
    message: "Not the same number of function calls and responses",
  },
  {
    rule: "mistral-role-order",
    body: { messages: [user, asks(openai, call(id)), tool(id), user] },
    message: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: "mistral-last-role",
    body: { messages: [user, says("ok")] },
    message:
      "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for " + "serving but got assistant",
  },
  {
    rule: "mistral-prefix-last",
    body: { messages: [user, says("ok", { prefix: true }), user] },
    message: "Assistant message with prefix True must be last message",
  },
  {
    rule: "mistral-start",
    body: { messages: [says("ok"), user] },
    message: "Conversation must start with a user message or system message",
  },
  { rule: "mistral-start", body: { messages: [] }, message: "Conversation must have at least one message" },
  ...["", null].map((content) => ({
    rule: "mistral-assistant-content-xor-calls",
    body: { messages: [user, says(content), user] },
    message: "Assistant message must have either content or tool_calls, but not none.",
  })),
  {
    rule: "mistral-v13-ids",
    body: { messages: [user, asks(openai, call(id), call(id)), tool(id)] },
    message: `Duplicate tool call id ${id} in assistant message`,
  },
  {
    rule: "mistral-v13-ids",
    body: { messages: [user, asks(openai, call(id)), tool(id), tool(id)] },
    message: `Duplicate tool call id ${id} in tool results`,
  },
  {
    rule: "mistral-v13-ids",
    body: { messages: [user, asks(openai, call(id)), tool("abcdefgh2")] },
    message: "Unexpected tool call id abcdefgh2 in tool results",
  },
  {
    rule: "mistral-function-name",
    body: { messages: [user, asks(openai, call(id, { name: "x.y" })), tool(id)] },
    message: "Function name was x.y but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum " + "length of 64.",
  },
  {
    rule: "mistral-chunk-types",
    body: { messages: [user, asks(openai, call(id)), tool(id, [{ type: "image_url", image_url: "x" }])] },
    message: "Unexpected content chunk types in tool message: ['image_url']",
  },
  {
    rule: "mistral-no-reasoning-content",
    body: { messages: [user, says("ok", { reasoning_content: "hm" }), user] },
    message: "Extra inputs are not permitted: messages.1.assistant.reasoning_content",
  },
]
