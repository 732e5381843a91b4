/** Fields the Messages API knows, per block type: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import type { OpaquePlace, TakesBack } from "../../rules/index.ts"
import { mapList, omitFields, pickFields } from "../engine/allow-list.ts"

const textFields = ["type", "text", "cache_control", "citations"]
const callFields = ["type", "id", "name", "input", "cache_control", "caller"]
const resultFields = ["type", "tool_use_id", "content", "is_error", "cache_control"]
const serverResultFields = ["type", "tool_use_id", "content", "cache_control", "caller"]

/** Types whose published shape is still moving are not listed: they go back as they came. */
const otherFields: ReadonlyMap<unknown, readonly string[]> = new Map(
  Object.entries({
    thinking: ["type", "thinking", "signature"],
    redacted_thinking: ["type", "data"],
    image: ["type", "source", "cache_control"],
    document: ["type", "source", "cache_control", "citations", "context", "title"],
    search_result: ["type", "source", "title", "content", "cache_control", "citations"],
    container_upload: ["type", "file_id", "cache_control"],
    tool_reference: ["type", "tool_name", "cache_control"],
    compaction: ["type", "content", "cache_control", "signature", "encrypted_content"],
    server_tool_use: callFields,
    mcp_tool_use: ["type", "id", "name", "server_name", "input", "cache_control"],
    mcp_tool_result: resultFields,
    web_search_tool_result: serverResultFields,
    web_fetch_tool_result: serverResultFields,
    code_execution_tool_result: serverResultFields,
    bash_code_execution_tool_result: serverResultFields,
    text_editor_code_execution_tool_result: serverResultFields,
    tool_search_tool_result: serverResultFields,
    advisor_tool_result: serverResultFields,
  }),
)

/** Common types are compared: JSON.parse makes a new string of each `tool_result`, and a table would hash them all. */
const fieldsOf = (type: unknown): readonly string[] | undefined => {
  if (type === "tool_use") return callFields
  if (type === "tool_result") return resultFields
  return type === "text" ? textFields : otherFields.get(type)
}

const serverTools: ReadonlySet<unknown> = new Set([
  "web_search",
  "web_fetch",
  "code_execution",
  "bash_code_execution",
  "text_editor_code_execution",
  "tool_search_tool_regex",
  "tool_search_tool_bm25",
  "advisor",
])

const anywhere: ReadonlySet<OpaquePlace> = new Set(["user", "assistant"])
const ofAssistant: ReadonlySet<OpaquePlace> = new Set(["assistant"])
const inResults: ReadonlySet<OpaquePlace> = new Set(["result"])

/** Where the API takes blocks that only it understands; of any other type it has not heard. */
const places: ReadonlyMap<string, ReadonlySet<OpaquePlace>> = new Map([
  ["image", new Set(["user", "assistant", "result"])],
  ["document", new Set(["user", "result"])],
  ["search_result", new Set(["user", "assistant", "result"])],
  ["container_upload", anywhere],
  ["mcp_tool_listing", anywhere],
  ["compaction", ofAssistant],
  ["fallback", ofAssistant],
  ["connector_text", ofAssistant],
  ["tool_reference", inResults],
  ["browser_state", inResults],
] as const)

const isFilled = (value: unknown): boolean => typeof value === "string" && value !== ""

/** What was found comes with a proof; without it the block is refused. */
const isProven = (content: unknown): boolean => {
  if (isWire(content) && content["type"] === "encrypted_code_execution_result") return isFilled(content["encrypted_stdout"])
  return (
    !Array.isArray(content) ||
    content.every((one: unknown) => !isWire(one) || one["type"] !== "web_search_result" || isFilled(one["encrypted_content"]))
  )
}

export const takesBack: TakesBack = ({ kind, native }, place) => {
  const wire = native["anthropic"]
  if (!isWire(wire)) return false
  if (kind === "server_tool_use") return place === "assistant" && serverTools.has(wire["name"]) && isWire(wire["input"])
  if (kind === "mcp_tool_use") return place === "assistant" && isWire(wire["input"])
  if (kind.endsWith("_tool_result")) {
    return place === "assistant" && otherFields.has(kind) && typeof wire["tool_use_id"] === "string" && isProven(wire["content"])
  }
  if (kind === "compaction" && (wire["content"] === "" || wire["signature"] === "")) return false
  return places.get(kind)?.has(place) === true
}

const messageFields = ["role", "content", "clear_at", "output_config"]

const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const { type } = wire
  const fields = fieldsOf(type)
  if (!fields) return wire
  const picked = pickFields(wire, fields)
  return fields === resultFields ? mapList(picked, "content", block) : picked
}

const bodyFields = [
  "messages",
  "model",
  "max_tokens",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "metadata",
  "stop_sequences",
  "stream",
  "temperature",
  "top_k",
  "top_p",
  "service_tier",
  "container",
  "context_management",
  "mcp_servers",
  "output_config",
  "output_format",
  "betas",
  "inference_geo",
  "speed",
  "cache_control",
  "fallbacks",
  "fallback_credit_token",
  "thread",
  "compaction",
  "anthropic_version",
  "anthropic_beta",
]

/** A tool of the user's has a name; one of the server's has its type as well. */
const isTool = (tool: unknown): boolean => isWire(tool) && isFilled(tool["name"] ?? tool["type"])

/** A list with an element that is no tool makes the whole request invalid. */
const body = (wire: Wire): Wire => {
  const picked = pickFields(wire, bodyFields)
  const { tools } = picked
  if (!Array.isArray(tools) || tools.every(isTool)) return picked
  const left = tools.filter(isTool)
  return left.length > 0 ? { ...picked, tools: left } : omitFields(picked, ["tools", "tool_choice"])
}

const message = (wire: Wire): Wire => mapList(pickFields(wire, messageFields), "content", block)

export const allowed = { message, body }
