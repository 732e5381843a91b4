/**
 * Which keys and which roles each Anthropic block type allows. The API forbids every key it does not know. A type whose
 * published shape is still moving has no allow-list here and is taken as it comes.
 */

interface BlockDemands {
  /** Allowed keys; `undefined` means not judged. */
  readonly keys: ReadonlySet<string> | undefined
  readonly roles: "user" | "assistant" | "any"
}

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", ...names])
const serverResult: BlockDemands = {
  keys: keys("tool_use_id", "content", "cache_control", "caller"),
  roles: "assistant",
}

export const blockDemands: ReadonlyMap<string, BlockDemands> = new Map<string, BlockDemands>([
  ["text", { keys: keys("text", "cache_control", "citations"), roles: "any" }],
  ["image", { keys: keys("source", "cache_control"), roles: "any" }],
  ["document", { keys: keys("source", "cache_control", "citations", "context", "title"), roles: "user" }],
  ["search_result", { keys: keys("source", "title", "content", "cache_control", "citations"), roles: "any" }],
  ["container_upload", { keys: keys("file_id", "cache_control"), roles: "any" }],
  ["tool_result", { keys: keys("tool_use_id", "content", "is_error", "cache_control"), roles: "user" }],
  ["tool_use", { keys: keys("id", "name", "input", "cache_control", "caller"), roles: "assistant" }],
  ["thinking", { keys: keys("thinking", "signature"), roles: "assistant" }],
  ["redacted_thinking", { keys: keys("data"), roles: "assistant" }],
  ["server_tool_use", { keys: keys("id", "name", "input", "cache_control", "caller"), roles: "assistant" }],
  ["web_search_tool_result", serverResult],
  ["web_fetch_tool_result", serverResult],
  ["code_execution_tool_result", serverResult],
  ["bash_code_execution_tool_result", serverResult],
  ["text_editor_code_execution_tool_result", serverResult],
  ["tool_search_tool_result", serverResult],
  ["advisor_tool_result", serverResult],
  ["mcp_tool_use", { keys: keys("id", "name", "server_name", "input", "cache_control"), roles: "assistant" }],
  ["mcp_tool_result", { keys: keys("tool_use_id", "content", "is_error", "cache_control"), roles: "assistant" }],
  ["mcp_tool_listing", { keys: undefined, roles: "any" }],
  ["compaction", { keys: keys("content", "cache_control", "signature", "encrypted_content"), roles: "assistant" }],
  ["fallback", { keys: undefined, roles: "assistant" }],
  ["connector_text", { keys: undefined, roles: "assistant" }],
])

/** Blocks that may stand inside the content of a result. */
export const resultContentTypes: ReadonlySet<string> = new Set([
  "text", "image", "document", "search_result", "tool_reference", "browser_state",
])

export const toolReferenceKeys = keys("tool_name", "cache_control")
export const messageKeys: ReadonlySet<string> = new Set(["role", "content"])
export const systemMessageKeys: ReadonlySet<string> = new Set(["role", "content", "clear_at", "output_config"])

export const bodyKeys: ReadonlySet<string> = new Set([
  "messages", "model", "max_tokens", "system", "tools", "tool_choice", "thinking", "metadata", "stop_sequences",
  "stream", "temperature", "top_k", "top_p", "service_tier", "container", "context_management", "mcp_servers",
  "output_config", "output_format", "betas", "inference_geo", "speed", "cache_control", "fallbacks",
  "fallback_credit_token", "thread", "compaction", "anthropic_version", "anthropic_beta",
])

export const serverToolNames: ReadonlySet<string> = new Set([
  "web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution",
  "tool_search_tool_regex", "tool_search_tool_bm25", "advisor",
])
