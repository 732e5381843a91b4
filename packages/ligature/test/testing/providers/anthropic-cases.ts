/**
 * What the Anthropic judge must accept, and what it must refuse about calls, results and shapes.
 */
import { assistant, call, found, hi, marked, result, search, text, thinking, user } from "./anthropic-blocks.ts"
import type { RejectionCase } from "./rejection-case.ts"

const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" } }

const missing = (place: number, ids: string): string =>
  `messages.${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each ` +
  `\`tool_use\` ` +
  "block must have a corresponding `tool_result` block in the next message."

export const anthropicHealthy: Readonly<Record<string, unknown>> = {
  "a tool loop with thinking, parallel calls and text after the results": {
    system: [text("be brief", marked())],
    messages: [
      { role: "user", content: "hi" },
      assistant(thinking({ thinking: "" }), text("ok"), call("a"), call("b", { input: { x: 1 } })),
      user(result("b", { content: "y" }), result("a", { content: [text("x")], is_error: true }), text("go on")),
    ],
  },
  "results split over neighbouring user messages": {
    messages: [hi, assistant(call("a"), call("b")), user(result("a")), user(result("b")), user(text("more"))],
  },
  "images by address, by file and by bytes": {
    messages: [
      user(
        { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
        { type: "image", source: { type: "file", file_id: "file_1" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" } },
      ),
    ],
  },
  "server tools in one assistant turn": {
    messages: [hi, assistant(search("s1"), found("s1"), text("found")), hi],
  },
  "a paused server-tool turn at the end": {
    model: "claude-opus-4-6",
    messages: [hi, assistant(search("s1"))],
  },
  "code that waits for a client result": {
    messages: [
      hi,
      assistant(
        { type: "server_tool_use", id: "s1", name: "code_execution", input: {} },
        call("a", { caller: { type: "code_execution_20250825", tool_id: "s1" } }),
      ),
      user(result("a")),
      assistant({ type: "code_execution_tool_result", tool_use_id: "s1", content: {} }, text("done")),
      hi,
    ],
  },
  "a trailing assistant message for an old model": {
    model: "claude-sonnet-4-5-20250929",
    messages: [hi, assistant(text("The answer is"))],
  },
  "a trailing assistant message without a model": { messages: [hi, assistant(text("The answer is"))] },
  "a system message between user and assistant": {
    model: "claude-opus-4-8",
    messages: [hi, { role: "system", content: "be brief" }, assistant(text("ok")), hi],
  },
  "a signed compaction block first": {
    messages: [assistant({ type: "compaction", content: "summary", signature: "Eq" }), hi],
  },
  "an answer only to the call after a fallback block": {
    messages: [hi, assistant(call("a"), { type: "fallback" }, call("b")), user(result("b"))],
  },
}

export const anthropicCases: readonly RejectionCase[] = [
  { rule: "anthropic-shape", body: [], message: "Input should be a valid dictionary" },
  { rule: "anthropic-shape", body: {}, message: "messages: Field required" },
  {
    rule: "anthropic-shape",
    body: { messages: [{ role: "tool", content: "x" }] },
    message: 'messages.0.role: Unexpected role "tool". Allowed roles are "user" or "assistant"',
  },
  {
    rule: "anthropic-shape",
    body: { messages: [user({ type: "audio" })] },
    message: "messages.0.content.0: Input tag 'audio' found using 'type' does not match any of the expected tags",
  },
  {
    rule: "anthropic-tool-use-needs-result",
    body: { messages: [hi, assistant(call("a"), call("b")), user(result("a"))] },
    message: missing(1, "b"),
  },
  {
    rule: "anthropic-tool-use-needs-result",
    body: { messages: [hi, assistant(call("a")), hi] },
    message: missing(1, "a"),
  },
  { rule: "anthropic-tool-use-needs-result", body: { messages: [hi, assistant(call("a"))] }, message: missing(1, "a") },
  {
    rule: "anthropic-orphan-tool-result",
    body: { messages: [user(text("hi"), result("a"))] },
    message:
      "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` " +
      "block must have a corresponding `tool_use` block in the previous message.",
  },
  {
    rule: "anthropic-orphan-tool-result",
    body: { messages: [hi, assistant(call("a"), { type: "fallback" }, text("x")), user(result("a"))] },
    message:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` " +
      "block must have a corresponding `tool_use` block in the previous message.",
  },
  {
    rule: "anthropic-tool-result-first-in-content",
    body: { messages: [hi, assistant(call("a")), user(text("so"), result("a"))] },
    message: missing(1, "a"),
  },
  {
    rule: "anthropic-tool-use-id-unique",
    body: {
      messages: [hi, assistant(call("a")), user(result("a")), assistant(text("x"), call("a")), user(result("a"))],
    },
    message: "messages.3.content.1: `tool_use` ids must be unique",
  },
  {
    rule: "anthropic-duplicate-tool-result",
    body: { messages: [hi, assistant(call("a")), user(result("a"), result("a"))] },
    message: "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks " + "with id: a",
  },
  {
    rule: "anthropic-tool-id-pattern",
    body: { messages: [hi, assistant(call("functions.ls:0"))] },
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: "anthropic-tool-id-pattern",
    body: { messages: [hi, assistant(call("a")), user(result(""))] },
    message: "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    rule: "anthropic-tool-blocks-role",
    body: { messages: [user(call("a"))] },
    message: "messages.0: `tool_use` blocks can only be in `assistant` messages",
  },
  {
    rule: "anthropic-tool-blocks-role",
    body: { messages: [user(thinking())] },
    message: "messages.0: `thinking` blocks can only be in `assistant` messages",
  },
  {
    rule: "anthropic-programmatic-results-only",
    body: {
      messages: [
        hi,
        assistant(
          { type: "server_tool_use", id: "s1", name: "code_execution", input: {} },
          call("a", { caller: { type: "code_execution_20250825", tool_id: "s1" } }),
        ),
        user(result("a"), text("and?")),
      ],
    },
    message: "messages.2.content.1: only `tool_result` blocks may answer calls made by code execution",
  },
  {
    rule: "anthropic-tool-use-input-object",
    body: { messages: [hi, assistant(call("a", { input: "{}" }))] },
    message: "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
  },
  {
    rule: "anthropic-tool-use-name-length",
    body: { messages: [hi, assistant(call("a", { name: "x".repeat(201) }))] },
    message: "messages.1.content.0.tool_use.name: String should have at most 200 characters",
  },
  {
    rule: "anthropic-tool-use-name-length",
    body: { messages: [hi, assistant(call("a", { name: "" }))] },
    message: "messages.1.content.0.tool_use.name: String should have at least 1 character",
  },
  {
    rule: "anthropic-tool-use-name-length",
    body: { messages: [hi], tools: [{ name: "x".repeat(129), input_schema: {} }] },
    message: "tools.0.custom.name: String should have at most 128 characters",
  },
  {
    rule: "anthropic-tool-result-content-types",
    body: { messages: [hi, assistant(call("a")), user(result("a", { content: [thinking()] }))] },
    message:
      "messages.2.content.0.tool_result.content.0: Input tag 'thinking' found using 'type' does not match " +
      "any of the expected tags: 'text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'",
  },
  {
    rule: "anthropic-failed-result-text",
    body: { messages: [hi, assistant(call("a")), user(result("a", { is_error: true, content: [picture] }))] },
    message: "messages.2.content.0.tool_result: all content must be type 'text' if 'is_error' is true",
  },
  {
    rule: "anthropic-tool-reference-unresolved",
    body: {
      tools: [{ name: "ls", input_schema: {} }],
      messages: [hi, assistant(call("a")), user(result("a", { content: [{ type: "tool_reference", tool_name: "cat" }] }))],
    },
    message: "messages.2.content.0: tool_reference_unresolved: no tool is named 'cat'",
  },
  {
    rule: "anthropic-defer-loading-all",
    body: { messages: [hi], tools: [{ name: "ls", defer_loading: true }] },
    message: "All tools have defer_loading: true",
  },
  {
    rule: "anthropic-extra-inputs",
    body: { messages: [{ role: "user", content: "hi", ts: 1 }] },
    message: "messages.0.ts: Extra inputs are not permitted",
  },
  {
    rule: "anthropic-extra-inputs",
    body: { messages: [hi, assistant(call("a", { index: 0 }))] },
    message: "messages.1.content.0.tool_use.index: Extra inputs are not permitted",
  },
  { rule: "anthropic-extra-inputs", body: { messages: [hi], foo: 1 }, message: "foo: Extra inputs are not permitted" },
  {
    rule: "anthropic-messages-nonempty",
    body: { messages: [] },
    message: "messages: at least one message is required",
  },
]
