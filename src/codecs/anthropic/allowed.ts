/** Fields the Messages API knows, per block type: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../allow-list.ts"

const textFields = ["type", "text", "cache_control", "citations"]
const callFields = ["type", "id", "name", "input", "cache_control", "caller"]
const resultFields = ["type", "tool_use_id", "content", "is_error", "cache_control"]

const otherFields: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries({
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "cache_control", "citations", "context", "title"],
}))

/** Common types are compared: JSON.parse makes a new string of each `tool_result`, and a table would hash them all. */
const fieldsOf = (type: unknown): readonly string[] | undefined => {
  if (type === "tool_use") return callFields
  if (type === "tool_result") return resultFields
  return type === "text" ? textFields : otherFields.get(type)
}

/** Blocks the model keeps opaque and the API takes back; of any other type it has not heard. */
const opaqueTypes: ReadonlySet<unknown> = new Set([
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

const asText = (wire: Wire): Wire => ({ type: "text", text: JSON.stringify(wire) })

const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const { type } = wire
  const fields = fieldsOf(type)
  if (!fields) return opaqueTypes.has(type) || String(type).endsWith("_tool_result") ? wire : asText(wire)
  const picked = pickFields(wire, fields)
  if (fields !== resultFields) return picked
  const content = picked["content"]
  if (!Array.isArray(content)) return picked
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
