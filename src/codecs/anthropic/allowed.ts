/** Fields the Messages API knows, per block type: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"

const blockFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "cache_control", "citations", "context", "title"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
}

/** Blocks the model keeps opaque and the API takes back; of any other type it has not heard. */
const opaqueTypes = new Set([
  "server_tool_use",
  "mcp_tool_use",
  "mcp_tool_result",
  "mcp_tool_listing",
  "container_upload",
  "search_result",
  "tool_reference",
  "compaction",
  "fallback",
  "connector_text",
  "browser_state",
])

const messageFields = new Set(["role", "content", "clear_at", "output_config"])

/** Fields of storage that agents put into the body and the API does not take. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "agent"])

const pick = (wire: Wire, fields: ReadonlySet<string>): Wire => {
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const type = String(wire["type"])
  const fields = Object.hasOwn(blockFields, type) ? blockFields[type] : undefined
  if (!fields && !opaqueTypes.has(type) && !type.endsWith("_tool_result")) {
    return { type: "text", text: JSON.stringify(wire) }
  }
  const picked = fields ? pick(wire, fields) : wire
  const content = picked["content"]
  if (picked["type"] !== "tool_result" || !Array.isArray(content)) return picked
  const inner = content.map(block)
  return inner.some((value, index) => value !== content[index]) ? { ...picked, content: inner } : picked
}

const body = (wire: Wire): Wire => Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

export const allowed = { block, message: (wire: Wire): Wire => pick(wire, messageFields), body }
