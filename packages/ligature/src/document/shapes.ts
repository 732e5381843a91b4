/**
 * What conversations look like inside files, as data. Every wrapper a log, benchmark or data set puts around a message
 * list is a row here; the walker knows none of them by name.
 */

import type { Path } from "../json/json-value.ts"

/** Keys whose list is a conversation even where the list alone would be weak evidence (all bookkeeping, all calls). */
export const listKeys: ReadonlySet<string> = new Set([
  "messages",
  "input",
  "contents",
  "conversations",
  "conversation",
  "traj",
  "trajectory",
  "history",
  "raw_messages",
  "prompt",
  "chat_history",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "input_items",
  "items",
  "turns",
])

/** Keys whose value is never walked: parts of one message, or declarations that only look like messages. */
export const closedKeys: ReadonlySet<string> = new Set([
  "content",
  "parts",
  "tool_calls",
  "tools",
  "functions",
  "declared_tools",
  "annotations",
  "metadata",
  "usage",
])

export const roles: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "system",
  "developer",
  "tool",
  "function",
  "model",
  "agent",
  "human",
  "ai",
  "gpt",
])

/** A message with a role says something if it has one of these. */
export const messageKeys: readonly string[] = [
  "content",
  "parts",
  "tool_calls",
  "function_call",
  "tool_call_id",
  "reasoning_content",
  "reasoning",
  "refusal",
]

/** Items of the Responses API that carry no role; `*_call` and `*_call_output` are recognised by their ending. */
export const itemTypes: ReadonlySet<string> = new Set([
  "reasoning",
  "item_reference",
  "compaction",
  "compaction_summary",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "tool_search_output",
])

/** Where a reply is beside the list it continues; both paths start at the object that holds both. */
export const replyPlaces: readonly { readonly request: Path; readonly list?: string; readonly reply: Path }[] = [
  // Calls written as text for a model without tools, beside the same exchange with native calls.
  { request: [], list: "messages", reply: ["raw_response"] },
  { request: [], reply: ["response"] },
  { request: [], reply: ["completion"] },
  { request: [], reply: ["choices", 0, "message"] },
  { request: ["body"], reply: ["response"] },
  { request: ["request"], reply: ["response"] },
  { request: ["request", "body"], reply: ["response", "body"] },
  { request: ["request_params"], reply: ["response"] },
  { request: ["responses_create_params"], reply: ["response"] },
  { request: ["judge_responses_create_params"], reply: ["judge_response"] },
]

/** Where the message (or the list of items) is inside a reply; the first that fits is taken. */
export const replyContents: readonly { readonly path: Path; readonly list?: true }[] = [
  { path: ["choices", 0, "message"] },
  { path: ["candidates", 0, "content"] },
  { path: ["output", "message"] },
  { path: ["output"], list: true },
  { path: ["message"] },
  { path: [] },
]

/** Keys that make an object a log entry around a request: of those only `requestKeys` go to the decoder. */
export const logKeys: ReadonlySet<string> = new Set([
  "response",
  "raw_response",
  "completion",
  "choices",
  "raw_messages",
  "kwargs",
  "cost",
  "latency_sec",
  "timestamp",
  "reward",
  "instance_id",
  "task_id",
  "sessionId",
  "session_id",
  "updated_at",
  "trajectory",
  "trajectory_format",
  "info",
])

export const requestKeys: ReadonlySet<string> = new Set([
  "messages",
  "input",
  "contents",
  "conversations",
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "tools",
  "toolConfig",
  "tool_config",
  "tool_choice",
  "toolChoice",
  "parallel_tool_calls",
  "model",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "stop_sequences",
  "thinking",
  "reasoning",
  "reasoning_effort",
  "generationConfig",
  "inferenceConfig",
  "modelId",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "previous_response_id",
  "anthropic_version",
  "anthropic_beta",
  "stream",
  "store",
  "include",
  "metadata",
])

interface SessionSignature {
  readonly name: string
  /** Each path must lead somewhere, and to the given value where one is given. */
  readonly has: readonly (readonly [path: Path, value: unknown])[]
}

/** Session files and their companions that hold a conversation in a form that no reader here knows yet. */
export const unreadSessions: readonly SessionSignature[] = [
  {
    name: "Gemini CLI (the output of --output-format stream-json)",
    has: [
      [["type"], "tool_use"],
      [["tool_name"], undefined],
      [["tool_id"], undefined],
    ],
  },
  {
    name: "Gemini CLI (the output of --output-format stream-json)",
    has: [
      [["type"], "init"],
      [["session_id"], undefined],
      [["timestamp"], undefined],
    ],
  },
  {
    name: "Cursor (the output of --output-format stream-json)",
    has: [
      [["type"], "system"],
      [["subtype"], "init"],
      [["session_id"], undefined],
    ],
  },
  {
    name: "Amp (a thread)",
    has: [
      [["v"], undefined],
      [["created"], undefined],
      [["messages"], undefined],
      [["env"], undefined],
    ],
  },
  {
    name: "Cline or Roo (ui_messages)",
    has: [
      [[0, "ts"], undefined],
      [[0, "say"], undefined],
    ],
  },
  {
    name: "Cline or Roo (ui_messages)",
    has: [
      [[0, "ts"], undefined],
      [[0, "ask"], undefined],
    ],
  },
]
