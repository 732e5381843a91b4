/** Fields the Messages API knows, per block type: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"

const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "citations"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "cache_control", "citations", "context", "title"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
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

const messageFields = ["role", "content", "clear_at", "output_config"]

/** Fields of storage that agents put into the body and the API does not take. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "agent"])

/** A handful of interned names: a scan of a short list beats a hash. */
const pick = (wire: Wire, fields: readonly string[]): Wire => {
  for (const key in wire) {
    if (!fields.includes(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.includes(name)))
  }
  return wire
}

/** Applies a change to each element; the same list when nothing changed. */
const mapped = (list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] => {
  for (let index = 0; index < list.length; index++) {
    if (change(list[index]) !== list[index]) return list.map(change)
  }
  return list
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
  const inner = mapped(content, block)
  return inner === content ? picked : { ...picked, content: inner }
}

const body = (wire: Wire): Wire => Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

const message = (wire: Wire): Wire => {
  const picked = pick(wire, messageFields)
  const content = picked["content"]
  if (!Array.isArray(content)) return picked
  const inner = mapped(content, block)
  return inner === content ? picked : { ...picked, content: inner }
}

export const allowed = { message, body }
