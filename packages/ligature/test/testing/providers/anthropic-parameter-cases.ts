/**
 * What the Anthropic judge must refuse about parameters and encrypted content, apart from the order of messages.
 */
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const hi: WireValue = { role: "user", content: "hi" }
const server = (...content: readonly WireValue[]): WireValue => ({ messages: [hi, { role: "assistant", content }, hi] })

export const anthropicParameterCases: readonly RejectionCase[] = [
  {
    rule: "anthropic-thinking-type-enabled",
    body: { model: "claude-opus-4-7", thinking: { type: "enabled", budget_tokens: 1024 }, messages: [hi] },
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and ' +
      '"output_config.effort" to control thinking behavior.',
  },
  {
    rule: "anthropic-thinking-type-adaptive",
    body: { model: "claude-3-7-sonnet-20250219", thinking: { type: "adaptive" }, messages: [hi] },
    message: "adaptive thinking is not supported on this model",
  },
  {
    rule: "anthropic-thinking-type-disabled",
    body: { model: "claude-fable-5-1", thinking: { type: "disabled" }, messages: [hi] },
    message: '"thinking.type.disabled" is not supported for this model.',
  },
  {
    rule: "anthropic-thinking-budget",
    options: { model: "claude-sonnet-4-5" },
    body: { max_tokens: 1024, thinking: { type: "enabled", budget_tokens: 1024 }, messages: [hi] },
    message: "`max_tokens` must be greater than `thinking.budget_tokens`",
  },
  {
    rule: "anthropic-forced-tool-choice",
    body: { model: "claude-opus-5-5", tool_choice: { type: "any" }, messages: [hi] },
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    rule: "anthropic-tool-input-schema",
    body: { messages: [hi], tools: [{ name: "ls", input_schema: { type: "object", properties: { "a b": {} } } }] },
    message: "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  },
  {
    rule: "anthropic-web-search-encrypted",
    body: server(
      { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "s1", content: [{ type: "web_search_result", url: "https://x" }] },
    ),
    message: "messages.1.content.1: Invalid `encrypted_content` in `search_result` block",
  },
  {
    rule: "anthropic-encrypted-stdout",
    body: server(
      { type: "server_tool_use", id: "s1", name: "code_execution", input: {} },
      {
        type: "code_execution_tool_result",
        tool_use_id: "s1",
        content: { type: "encrypted_code_execution_result", encrypted_stdout: "" },
      },
    ),
    message: "messages.1.content.1: Invalid `encrypted_stdout` in `encrypted_code_execution_result` block",
  },
]
