/**
 * What the Chat Completions judges must accept and refuse. The cases of the shared judge are made for each server, with
 * the additions that server wants on a healthy message.
 */
import type { RejectionCase, WireValue } from "./rejection-case.ts"

export interface ChatFlavour {
  readonly name: string
  /** Keys that an assistant message of this server must have. */
  readonly assistant: WireValue
  readonly unanswered: (ids: string) => string
  readonly orphan: string
}

const quote = "An assistant message with 'tool_calls' must be followed by tool messages responding to each " + "'tool_call_id'. "
const named = (ids: string): string => `${quote}The following tool_call_ids did not have response messages: ${ids}`
const preceding = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with " + "'tool_calls'."

export const openai: ChatFlavour = { name: "openai-chat", assistant: {}, unanswered: named, orphan: preceding }
export const deepseek: ChatFlavour = {
  name: "deepseek",
  assistant: { reasoning_content: "" },
  unanswered: () => `${quote}(insufficient tool messages following tool_calls message)`,
  orphan: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
}
export const kimi: ChatFlavour = { ...openai, name: "kimi", assistant: { reasoning_content: "hm" } }
export const xai: ChatFlavour = { ...openai, name: "xai", assistant: { content: "calling" } }

export const user: WireValue = { role: "user", content: "hi" }
export const call = (id: string, more: WireValue = {}): WireValue => ({
  id,
  type: "function",
  function: { name: "ls", arguments: "{}", ...more },
})
export const asks = (flavour: ChatFlavour, ...calls: readonly WireValue[]): WireValue => ({
  role: "assistant",
  content: null,
  ...flavour.assistant,
  tool_calls: calls,
})
export const tool = (id: string, content: unknown = "ok"): WireValue => ({ role: "tool", tool_call_id: id, content })

export function chatHealthy(flavour: ChatFlavour): Readonly<Record<string, unknown>> {
  return {
    "parallel calls answered in another order": {
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
        asks(flavour, call("a"), call("b", { arguments: '{"x":1}' })),
        tool("b"),
        tool("a"),
        { ...user, content: "and now?" },
      ],
    },
  }
}

export function chatCases(flavour: ChatFlavour): readonly RejectionCase[] {
  const { name } = flavour
  return [
    { rule: `${name}-shape`, body: {}, message: "Missing required parameter: 'messages'." },
    {
      rule: `${name}-shape`,
      body: { messages: [] },
      message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array " + "instead.",
    },
    {
      rule: `${name}-shape`,
      body: { messages: [{ role: "model", content: "x" }] },
      message: "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and " + "'developer'.",
    },
    {
      rule: `${name}-shape`,
      body: { messages: [user, asks(flavour, { type: "function", function: { name: "ls", arguments: "{}" } })] },
      message: "Missing required parameter: 'messages[1].tool_calls[0].id'.",
    },
    {
      rule: "openai-chat-tool-call-needs-response",
      body: { messages: [user, asks(flavour, call("a"), call("b")), tool("a"), user] },
      message: flavour.unanswered("b"),
    },
    {
      rule: "openai-chat-tool-call-needs-response",
      body: { messages: [user, asks(flavour, call("a"), call("b"))] },
      message: flavour.unanswered("a, b"),
    },
    { rule: "openai-chat-orphan-tool", body: { messages: [user, tool("a")] }, message: flavour.orphan },
    {
      rule: "openai-chat-orphan-tool",
      body: { messages: [user, asks(flavour, call("a")), tool("a"), tool("a")] },
      message: flavour.orphan,
    },
    {
      rule: "openai-chat-empty-tool-calls",
      body: { messages: [user, { ...asks(flavour), content: "x" }] },
      message:
        "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an " + "empty array instead.",
    },
    {
      rule: "openai-chat-tool-image",
      body: {
        messages: [user, asks(flavour, call("a")), tool("a", [{ type: "image_url", image_url: { url: "https://x" } }])],
      },
      message:
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message " +
        "with role 'tool' contains an image URL.",
    },
    {
      rule: "openai-chat-function-name",
      body: { messages: [user, asks(flavour, call("a", { name: "x.y" })), tool("a")] },
      message:
        "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string " +
        "that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    },
    {
      rule: "openai-chat-arguments-json",
      body: { messages: [user, asks(flavour, call("a", { arguments: {} })), tool("a")] },
      message: "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an " + "object instead.",
    },
    {
      rule: "openai-chat-tools-max-128",
      body: { messages: [user], tools: Array.from({ length: 129 }, () => ({})) },
      message: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with " + "length 129 instead.",
    },
    {
      rule: "openai-chat-custom-tool",
      body: { messages: [user, asks(flavour, { id: "a", type: "custom" }), tool("a")] },
      message: "Missing required parameter: 'messages[1].tool_calls[0].custom'.",
    },
  ]
}

/** The servers that imitate OpenAI parse the arguments. */
export function parsingCases(flavour: ChatFlavour): readonly RejectionCase[] {
  return ["", "[]", '{"x":'].map((text) => ({
    rule: "openai-chat-arguments-json",
    body: { messages: [user, asks(flavour, call("a", { arguments: text })), tool("a")] },
    message: "failed to parse tool call arguments as json: 'messages[1].tool_calls[0].function.arguments'",
  }))
}

export const contentNull: readonly RejectionCase[] = [
  {
    rule: "openai-chat-content-null",
    body: { messages: [{ role: "user", content: null }] },
    message: "Invalid value for 'content': expected a string, got null.",
  },
  {
    rule: "openai-chat-content-null",
    body: { messages: [{ role: "user", content: { text: "hi" } }] },
    message: "Invalid 'content': 'content' field must be a string or an array of objects.",
  },
]

export const idLength: readonly RejectionCase[] = [
  {
    rule: "openai-chat-tool-call-id-length",
    body: { messages: [user, asks(openai, call("x".repeat(41))), tool("x".repeat(41))] },
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, " +
      "but got a string with length 41 instead.",
  },
]

export const unknownParameter: readonly RejectionCase[] = [
  {
    rule: "common-render-allow-list",
    body: { messages: [{ ...user, timestamp: 1 }] },
    message: "Unknown parameter: 'messages[0].timestamp'.",
  },
]

export const openaiOnly: readonly RejectionCase[] = [
  ...contentNull,
  ...idLength,
  ...unknownParameter,
  {
    rule: "openai-chat-system-role",
    body: { model: "o1-mini", messages: [{ role: "system", content: "be brief" }, user] },
    message: "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
  },
]
