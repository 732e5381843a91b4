/**
 * What single Chat Completions servers must refuse beyond the shared judge.
 */
import { asks, call, openai, tool, user } from "./chat-cases.ts"
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const says = (content: unknown, more: WireValue = {}): WireValue => ({ role: "assistant", content, ...more })
const system: WireValue = { role: "system", content: "be brief" }
const id = "abcdefgh1"

export const azureCases: readonly RejectionCase[] = [
  {
    rule: "azure-tool-description-1024",
    body: { messages: [user], tools: [{ type: "function", function: { name: "ls", description: "x".repeat(1025) } }] },
    message:
      "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, " +
      "but got a string with length 1025 instead.",
  },
]

export const deepseekCases: readonly RejectionCase[] = [
  {
    rule: "deepseek-reasoning-required",
    body: { messages: [user, says("ok"), user, { ...asks(openai, call("a")), reasoning_content: "" }, tool("a")] },
    message:
      "Missing reasoning_content field in the assistant message at message index 1. For more information, " +
      "please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
  },
  {
    rule: "deepseek-reasoner-r1-forbidden",
    options: { model: "deepseek-r1" },
    body: { messages: [user, says("ok", { reasoning_content: "hm" }), user] },
    message: "messages[1]: reasoning_content is not allowed in the input messages of this model",
  },
  {
    rule: "deepseek-content-string",
    body: { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    message: "messages[0].content: invalid type: sequence, expected a string",
  },
  {
    rule: "deepseek-last-role",
    body: { messages: [user, says("ok")] },
    message: "The last message must be a user message, or an assistant message with prefix mode on",
  },
]

export const kimiCases: readonly RejectionCase[] = [
  {
    rule: "kimi-reasoning-required",
    body: { messages: [user, asks(openai, call("functions.ls:0")), tool("functions.ls:0")] },
    message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
  },
]

export const groqCases: readonly RejectionCase[] = [
  {
    rule: "groq-unsupported-property",
    body: { messages: [user, says("ok", { reasoning_content: "hm" }), user] },
    message:
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property " +
      "'reasoning_content' is unsupported)]",
  },
]

export const cerebrasCases: readonly RejectionCase[] = [
  {
    rule: "cerebras-unsupported-property",
    body: { messages: [user, says("ok", { reasoning_content: "hm" }), user] },
    message: "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported",
  },
]

export const xaiCases: readonly RejectionCase[] = [null, "", [], undefined].map((content) => ({
  rule: "xai-content-element",
  body: { messages: [user, { ...asks(openai, call("a")), content }, tool("a")] },
  message: "Invalid request content: Each message must have at least one content element.",
}))

const native = (...calls: readonly WireValue[]): WireValue => says("", { tool_calls: calls })
const nativeCall: WireValue = { function: { name: "ls", arguments: { path: "." } } }

export const ollamaHealthy: Readonly<Record<string, unknown>> = {
  "object arguments and a named tool message": {
    messages: [system, user, native(nativeCall), { role: "tool", content: "ok", tool_name: "ls" }],
  },
}

export const ollamaCases: readonly RejectionCase[] = [
  {
    rule: "common-render-allow-list",
    body: { messages: [{ ...user, timestamp: 1 }] },
    message: 'unknown field "timestamp"',
  },
  {
    rule: "ollama-native-shape",
    body: { messages: [user, native({ function: { name: "ls", arguments: "{}" } })] },
    message: "invalid message format",
  },
  {
    rule: "ollama-native-shape",
    body: { messages: [user, native(nativeCall), tool("a")] },
    message: "invalid message format",
  },
  {
    rule: "ollama-native-shape",
    body: { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    message: "invalid message content type",
  },
  {
    rule: "ollama-system-first",
    body: { messages: [user, system] },
    message: "system message must be at the beginning",
    status: 500,
  },
  { rule: "ollama-needs-user", body: { messages: [system] }, message: "no user query found in messages", status: 500 },
]

export const templateHealthy: Readonly<Record<string, unknown>> = {
  "one call at a time, tool results on the user's side": {
    messages: [system, user, asks(openai, call(id)), tool(id), asks(openai, call("abcdefgh2")), tool("abcdefgh2"), says("ok")],
  },
}

const alternate = "After the optional system message, conversation roles must alternate " + "user/assistant/user/assistant/..."

export const templateCases: readonly RejectionCase[] = [
  { rule: "template-shape", body: {}, message: "Missing required parameter: 'messages'." },
  {
    rule: "common-render-allow-list",
    body: { messages: [{ ...user, timestamp: 1 }] },
    message: "messages.0.timestamp: Extra inputs are not permitted",
  },
  {
    rule: "openai-chat-content-null",
    body: { messages: [{ role: "user", content: null }] },
    message: "Invalid value for 'content': expected a string, got null.",
  },
  {
    rule: "openai-chat-tool-call-needs-response",
    body: { messages: [user, asks(openai, call(id)), user] },
    message: openai.unanswered(id),
  },
  {
    rule: "openai-chat-orphan-tool",
    body: { messages: [user, asks(openai, call(id)), tool("abcdefgh2")] },
    message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  },
  {
    rule: "ollama-system-first",
    body: { messages: [user, says("ok"), system, user] },
    message: "System message must be at the beginning.",
    status: 500,
  },
  { rule: "template-alternation", body: { messages: [system, user, user] }, message: alternate },
  { rule: "template-alternation", body: { messages: [says("ok"), user] }, message: alternate },
  {
    rule: "template-alternation",
    body: { messages: [user, asks(openai, call(id)), tool(id), user] },
    message: alternate,
  },
  {
    rule: "template-mistral-id",
    body: { messages: [user, asks(openai, call("call_1")), tool("call_1")] },
    message: "Tool call IDs should be alphanumeric strings with length >= 9!",
  },
  {
    rule: "template-single-call",
    body: { messages: [user, asks(openai, call(id), call("abcdefgh2")), tool(id), tool("abcdefgh2")] },
    message: "This model only supports single tool-calls at once!",
  },
  {
    rule: "template-tool-outside",
    body: { messages: [user, says("ok"), tool(id)] },
    message: "Tool message outside of assistant",
  },
]
