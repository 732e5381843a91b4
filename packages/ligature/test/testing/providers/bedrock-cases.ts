/**
 * What the Bedrock judges must accept and refuse.
 */
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const user = (...content: readonly WireValue[]): WireValue => ({ role: "user", content })
const assistant = (...content: readonly WireValue[]): WireValue => ({ role: "assistant", content })
const text = (value: string): WireValue => ({ text: value })
const call = (id: string, more: WireValue = {}): WireValue => ({
  toolUse: { toolUseId: id, name: "ls", input: {}, ...more },
})
const result = (id: string, more: WireValue = {}): WireValue => ({
  toolResult: { toolUseId: id, content: [{ text: "ok" }], ...more },
})
const reasoning = (more: WireValue): WireValue => ({ reasoningContent: { reasoningText: { text: "hm", ...more } } })
const hi = user(text("hi"))
const messages = (...list: readonly WireValue[]): WireValue => ({ messages: list })

export const bedrockHealthy: Readonly<Record<string, unknown>> = {
  "calls and results apart from text": messages(
    hi,
    assistant(call("a"), call("b")),
    user(result("b"), result("a", { status: "error" })),
    assistant(text("x")),
    hi,
  ),
}

export const bedrockClaudeHealthy: Readonly<Record<string, unknown>> = {
  "signed reasoning and text beside tool blocks": messages(
    hi,
    assistant(reasoning({ signature: "Eq" }), text("x"), call("a")),
    user(result("a"), text("go on")),
  ),
}

export const bedrockCases: readonly RejectionCase[] = [
  { rule: "bedrock-shape", body: {}, message: "1 validation error detected: Value at 'messages' must not be null" },
  {
    rule: "bedrock-shape",
    body: messages(hi, assistant(call("a", { input: "{}" })), user(result("a"))),
    message:
      "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for " + "the field and try again.",
  },
  {
    rule: "common-render-allow-list",
    body: messages({ ...hi, ts: 1 }),
    message: "Unexpected field: messages.0.ts",
  },
  {
    rule: "bedrock-starts-with-user",
    body: messages(assistant(text("x")), hi),
    message: "A conversation must start with a user message. Try again with a conversation that starts with a user " + "message.",
  },
  {
    rule: "bedrock-ends-with-user",
    body: messages(hi, assistant(text("x"))),
    message: "A conversation must end with a user message. Try again with a conversation that ends with a user " + "message.",
  },
  {
    rule: "bedrock-alternate",
    body: messages(hi, hi),
    message:
      "A conversation must alternate between user and assistant roles. Make sure the conversation alternates " +
      "between user and assistant roles and try again.",
  },
  {
    rule: "bedrock-missing-toolresult",
    body: messages(hi, assistant(call("a"), call("b")), user(result("a"))),
    message: "Expected toolResult blocks at messages.2.content for the following Ids: b",
  },
  {
    rule: "bedrock-excess-toolresult",
    body: messages(hi, assistant(call("a")), user(result("a"), result("a"))),
    message: "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of " + "previous turn.",
  },
  {
    rule: "bedrock-toolconfig-required",
    body: { ...messages(hi, assistant(call("a")), user(result("a"))), inferenceConfig: {} },
    message: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  },
  {
    rule: "bedrock-error-result-empty",
    body: messages(hi, assistant(call("a")), user(result("a", { status: "error", content: [] }))),
    message: "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
  },
  {
    rule: "bedrock-blank-text",
    body: messages(hi, assistant(text(" ")), hi),
    message: "The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text " + "field, and try again.",
  },
  {
    rule: "bedrock-blank-text",
    body: messages(hi, assistant(), hi),
    message:
      "The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the " + "content field and try again.",
  },
  {
    rule: "bedrock-blank-text",
    body: messages(hi, assistant(call("a")), user(result("a", { content: [{ json: {} }, { text: "" }] }))),
    message:
      "The text field in the ContentBlock object at messages.2.content.0.toolResult.content.1 is blank. Add " +
      "text to the text field, and try again.",
  },
  {
    rule: "bedrock-shape",
    body: messages(hi, assistant(call("a")), user(result("a", { content: [{ toolUse: {} }] }))),
    message: "The ToolResultContentBlock at messages.2.content.0.toolResult.content.0 is invalid.",
  },
  {
    rule: "bedrock-document-names",
    body: messages(user(text("x"), { document: { name: "a" } }, { document: { name: "a" } })),
    message: "Messages can not contain duplicate document names",
  },
  {
    rule: "bedrock-tool-id-pattern",
    body: messages(hi, assistant(call("a.b")), user(result("a.b"))),
    message:
      "Value at 'messages.1.content.0.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy " +
      "regular expression pattern: [a-zA-Z0-9_-]{1,64}",
  },
  {
    rule: "bedrock-tool-name-pattern",
    body: messages(hi, assistant(call("a", { name: "x.y" })), user(result("a"))),
    message:
      "Value at 'messages.1.content.0.toolUse.name' failed to satisfy constraint: Member must satisfy regular " +
      "expression pattern: [a-zA-Z0-9_-]{1,64}",
  },
]

export const claudeOnly: readonly RejectionCase[] = [
  {
    rule: "bedrock-claude-thinking",
    body: messages(hi, assistant(reasoning({}), text("x")), hi),
    message: "messages.1.content.0.thinking.signature: Field required",
  },
]

export const othersOnly: readonly RejectionCase[] = [
  {
    rule: "bedrock-mixed-toolresult-text",
    body: messages(hi, assistant(call("a")), user(result("a"), text("x"))),
    message: "messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
  },
  {
    rule: "bedrock-mixed-tooluse-text",
    body: messages(hi, assistant(text("x"), call("a")), user(result("a"))),
    message: "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
  },
  {
    rule: "bedrock-reasoning-signature-unsupported",
    body: messages(hi, assistant(reasoning({ signature: "Eq" }), text("x")), hi),
    message: "This model doesn't support the reasoningContent.reasoningText.signature field",
  },
  {
    rule: "bedrock-mistral-ids",
    options: { model: "mistral.mistral-large-2407-v1:0" },
    body: messages(hi, assistant(call("tooluse_a")), user(result("tooluse_a"))),
    message: "Tool call id was tooluse_a but must be a-z, A-Z, 0-9, with a length of 9.",
  },
]
