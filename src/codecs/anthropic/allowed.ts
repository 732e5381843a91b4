/** Fields the Messages API knows, per block type: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../allow-list.ts"

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

const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const type = String(wire["type"])
  const fields = Object.hasOwn(blockFields, type) ? blockFields[type] : undefined
  if (!fields && !opaqueTypes.has(type) && !type.endsWith("_tool_result")) {
    return { type: "text", text: JSON.stringify(wire) }
  }
  const picked = fields ? pickFields(wire, fields) : wire
  const content = picked["content"]
  if (picked["type"] !== "tool_result" || !Array.isArray(content)) return picked
  const inner = mapElements(content, block)
  return inner === content ? picked : { ...picked, content: inner }
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

const message = (wire: Wire): Wire => {
  const picked = pickFields(wire, messageFields)
  const content = picked["content"]
  if (!Array.isArray(content)) return picked
  const inner = mapElements(content, block)
  return inner === content ? picked : { ...picked, content: inner }
}

export const allowed = { message, body }
