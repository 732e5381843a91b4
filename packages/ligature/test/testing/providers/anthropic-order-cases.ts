/**
 * What the Anthropic judge must refuse about roles, emptiness, thinking, server tools and cache marks.
 */
import { assistant, call, found, hi, marked, result, search, text, thinking, user } from "./anthropic-blocks.ts"
import type { RejectionCase } from "./rejection-case.ts"

export const anthropicOrderCases: readonly RejectionCase[] = [
  {
    rule: "anthropic-first-message-user",
    body: { messages: [assistant(text("hello")), hi] },
    message: 'messages: first message must use the "user" role',
  },
  {
    rule: "anthropic-empty-text",
    body: { messages: [user(text(""))] },
    message: "messages: text content blocks must be non-empty",
  },
  {
    rule: "anthropic-empty-text",
    body: { messages: [{ role: "user", content: " \n" }] },
    message: "messages: text content blocks must contain non-whitespace text",
  },
  {
    rule: "anthropic-empty-text",
    body: { messages: [hi, assistant(call("a")), user(result("a", { content: [text("")] }))] },
    message: "messages: text content blocks must be non-empty",
  },
  {
    rule: "anthropic-empty-message",
    body: { messages: [{ role: "user", content: "" }, hi] },
    message: "messages.0: all messages must have non-empty content except for the optional final assistant message",
  },
  {
    rule: "anthropic-trailing-whitespace",
    body: { messages: [hi, assistant(text("The answer is "))] },
    message: "messages: final assistant content cannot end with trailing whitespace",
  },
  ...["claude-opus-4-6", "claude-sonnet-5.5", "anthropic/claude-haiku-5-5", "claude-opus-4-7-20260301"].map((model) => ({
    rule: "anthropic-no-prefill",
    body: { model, messages: [hi, assistant(text("The answer is"))] },
    message: "This model does not support assistant message prefill. The conversation must end with a user message.",
  })),
  {
    rule: "anthropic-system-role-position",
    body: { messages: [{ role: "system", content: "be brief" }, hi] },
    message: "messages.0: use the top-level 'system' parameter for the initial system prompt",
  },
  {
    rule: "anthropic-system-role-position",
    body: { messages: [hi, { role: "system", content: "be brief" }, hi] },
    message:
      "messages.1: role 'system' must precede an 'assistant' message or end the array; it must directly " + "follow a 'user' message",
  },
  {
    rule: "anthropic-system-role-unsupported",
    body: { model: "claude-sonnet-5", messages: [hi, { role: "system", content: "be brief" }] },
    message:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not ' +
      '"system" as an input message role.',
  },
  {
    rule: "anthropic-turn-scoped-system",
    body: { messages: [{ ...hi, clear_at: "next_user_message" }] },
    message: "messages.0: clear_at is only permitted on role 'system' messages",
  },
  {
    rule: "anthropic-turn-scoped-system",
    body: {
      messages: [hi, { role: "system", clear_at: "next_user_message", content: [text("x", marked())] }],
    },
    message: "messages.1: cache_control is not permitted on a turn-scoped system message",
  },
  {
    rule: "anthropic-thinking-must-lead",
    body: {
      thinking: { type: "enabled", budget_tokens: 1024 },
      messages: [hi, assistant(call("a")), user(result("a"))],
    },
    message:
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When " +
      "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the " +
      "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from " +
      "previous turns. To avoid this requirement, " +
      "disable `thinking`.",
  },
  ...["", "gAAAAABo"].map((signature) => ({
    rule: "anthropic-thinking-signature-invalid",
    body: { messages: [hi, assistant(thinking({ signature }), text("x")), hi] },
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  })),
  {
    rule: "anthropic-thinking-signature-missing",
    body: { messages: [hi, assistant({ type: "thinking", thinking: "hm" }, text("x")), hi] },
    message: "messages.1.content.0.thinking.signature: Field required",
  },
  {
    rule: "anthropic-thinking-signature-missing",
    body: { messages: [hi, assistant(thinking({ signature: null }), text("x")), hi] },
    message: "messages.1.content.0.thinking.signature.str: Input should be a valid string",
  },
  {
    rule: "anthropic-redacted-thinking-invalid",
    body: { messages: [hi, assistant({ type: "redacted_thinking", data: "" }, text("x")), hi] },
    message: "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
  },
  {
    rule: "anthropic-thinking-cache-control",
    body: { messages: [hi, assistant(thinking(marked()), text("x")), hi] },
    message: "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
  },
  {
    rule: "anthropic-server-result-needs-call",
    body: { messages: [hi, assistant(found("s1"), search("s1")), hi] },
    message:
      "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: s1. Each " +
      "`web_search_tool_result` block must have a corresponding `server_tool_use` block before it.",
  },
  {
    rule: "anthropic-server-tool-dangling",
    body: { messages: [hi, assistant(search("s1")), hi] },
    message: "messages.1: `web_search` tool use with id `s1` was found without a corresponding " + "`web_search_tool_result` block",
  },
  {
    rule: "anthropic-server-tool-name",
    body: { messages: [hi, assistant({ ...search("s1"), name: "x_search" }), hi] },
    message:
      "messages.1.content.0.server_tool_use.name: Input should be 'web_search', 'web_fetch', 'code_execution', " +
      "'bash_code_execution', 'text_editor_code_execution', 'tool_search_tool_regex', 'tool_search_tool_bm25', " +
      "'advisor'",
  },
  {
    rule: "anthropic-server-tool-caller",
    body: {
      messages: [hi, assistant(call("a", { caller: { type: "code_execution_20250825", tool_id: "s9" } })), user(result("a"))],
    },
    message: "messages.1.content.0.tool_use.caller: source tool not found",
  },
  {
    rule: "anthropic-mcp-blocks",
    body: { messages: [hi, assistant({ type: "mcp_tool_result", tool_use_id: "m1", content: [] }), hi] },
    message:
      "messages.1.content.0: unexpected `tool_use_id` found in `mcp_tool_result` blocks: m1. Each " +
      "`mcp_tool_result` block must have a corresponding `mcp_tool_use` block before it.",
  },
  {
    rule: "anthropic-cache-max-4",
    body: {
      system: [text("s", marked())],
      messages: [user(text("1", marked()), text("2", marked()), text("3", marked()), text("4", marked()))],
    },
    message: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
  {
    rule: "anthropic-cache-ttl-order",
    body: { system: [text("s", marked("5m"))], messages: [user(text("1", marked("1h")))] },
    message:
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' " + "cache_control block",
  },
  {
    rule: "anthropic-cache-ttl-toplevel",
    body: { ...marked("5m"), messages: [user(text("1", marked("1h")))] },
    message: "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
  },
  {
    rule: "anthropic-cache-empty-text",
    body: { messages: [user(text("", marked()))] },
    message: "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
  },
  {
    rule: "anthropic-image-media-type",
    body: {
      messages: [user({ type: "image", source: { type: "base64", media_type: "image/jpeg", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" } })],
    },
    message:
      "messages.0.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image " +
      "appears to be a image/png image",
  },
  {
    rule: "anthropic-compaction-block-placement",
    body: { messages: [hi, assistant({ type: "compaction", content: "s", signature: "Eq" }), hi] },
    message: "messages.1.content.0: compaction_block_misplaced",
  },
  {
    rule: "anthropic-compaction-threshold-block",
    body: { messages: [hi, assistant({ type: "compaction", content: "" }), hi] },
    message: "messages.1.content.0.compaction.content: compaction content must be null or a non-empty string",
  },
  {
    rule: "anthropic-version-document-in-assistant",
    body: { messages: [hi, assistant({ type: "document", source: {} }), hi] },
    message: "messages.1: `document` blocks can only be in `user` messages",
  },
  {
    rule: "anthropic-version-citations-in-user",
    body: { messages: [user(text("x", { citations: [{}] }))] },
    message: "messages.0.content.0.text.citations: citations are not permitted on text blocks of user messages",
  },
]
