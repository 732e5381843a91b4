/**
 * Item types of the Responses API: which keys they allow, how their ids begin, and which output answers which call. A
 * type without an allow-list here is taken as it comes.
 */

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", ...names])

export const itemKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["message", keys("role", "content", "id", "status", "phase", "prompt_cache_breakpoint")],
  ["function_call", keys("id", "call_id", "name", "arguments", "status", "namespace", "caller", "async")],
  ["function_call_output", keys("id", "call_id", "output", "status", "name", "namespace", "caller")],
  ["custom_tool_call", keys("id", "call_id", "name", "input", "status", "namespace", "caller", "async")],
  ["custom_tool_call_output", keys("id", "call_id", "output", "status", "name", "namespace", "caller")],
  ["reasoning", keys("id", "summary", "content", "encrypted_content", "status")],
  ["item_reference", keys("id")],
])

/** Types whose shape is not judged but which a request may hold. */
export const otherItems: ReadonlySet<string> = new Set([
  "local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
  "apply_patch_call_output", "computer_call", "computer_call_output", "web_search_call", "file_search_call",
  "image_generation_call", "code_interpreter_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
  "mcp_call", "tool_search_call", "tool_search_output", "compaction", "compaction_trigger", "program", "program_output",
  "additional_tools", "configuration_update",
])

export const idPrefixes: ReadonlyMap<string, string> = new Map([
  ["function_call", "fc"],
  ["message", "msg"],
  ["reasoning", "rs"],
  ["custom_tool_call", "ctc"],
])

interface CallKind {
  readonly output: string
  /** How error texts name this kind of call. */
  readonly name: string
}

export const callKinds: ReadonlyMap<string, CallKind> = new Map([
  ["function_call", { output: "function_call_output", name: "function call" }],
  ["custom_tool_call", { output: "custom_tool_call_output", name: "custom tool call" }],
  ["apply_patch_call", { output: "apply_patch_call_output", name: "apply patch call" }],
  ["shell_call", { output: "shell_call_output", name: "shell call" }],
  ["local_shell_call", { output: "local_shell_call_output", name: "local shell call" }],
  ["computer_call", { output: "computer_call_output", name: "computer call" }],
])

export const outputKinds: ReadonlyMap<string, string> = new Map(
  [...callKinds].map(([call, kind]) => [kind.output, call]),
)

/** Items that the client wrote; everything else came out of the model. */
export function isClientItem(type: string, role: unknown): boolean {
  if (type === "message") return role !== "assistant"
  return outputKinds.has(type) || type === "mcp_approval_response" || type === "compaction_trigger"
    || type === "additional_tools" || type === "configuration_update"
}

/** The type of an item; a message may leave its type out. */
export function typeOfItem(item: Readonly<Record<string, unknown>>): string {
  const type = item["type"]
  if (typeof type === "string") return type
  return type === undefined && item["role"] !== undefined ? "message" : ""
}
