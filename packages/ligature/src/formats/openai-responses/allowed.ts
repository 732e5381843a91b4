/** Fields the Responses API knows, per item type: it rejects every other one. Clean values are returned untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import type { TakesBack } from "../../rules/index.ts"
import { mapList, omitFields, pickFields, storageFields } from "../engine/allow-list.ts"
import { answerTypes, isPartKind } from "./fields.ts"

const call = ["type", "id", "call_id", "status", "caller"] as const

const messageFields = ["type", "role", "id", "content", "status", "phase", "prompt_cache_breakpoint"]
// Fields are in the order in which most items have them: that is how they are compared fastest.
const functionFields = ["type", "id", "call_id", "name", "arguments", "status", "caller", "namespace", "async"]
const answerFields = ["type", "call_id", "output", "id", "status", "caller", "name", "namespace"]

const itemFields: Readonly<Record<string, readonly string[]>> = {
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  item_reference: ["type", "id"],
  custom_tool_call: [...call, "name", "namespace", "input", "async"],
  custom_tool_call_output: [...call, "output", "name", "namespace"],
  local_shell_call: [...call, "action"],
  local_shell_call_output: [...call, "output"],
  shell_call: [...call, "action", "environment", "max_output_length"],
  shell_call_output: [...call, "output", "max_output_length"],
  apply_patch_call: [...call, "operation"],
  apply_patch_call_output: [...call, "output"],
  computer_call: [...call, "action", "actions", "pending_safety_checks"],
  computer_call_output: [...call, "output", "acknowledged_safety_checks"],
}

const inputFields = ["type", "text", "prompt_cache_breakpoint"]
const outputFields = ["type", "text", "annotations", "logprobs"]

const partFields: Readonly<Record<string, readonly string[]>> = {
  refusal: ["type", "refusal"],
  input_image: ["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  input_file: ["type", "file_data", "file_id", "file_url", "filename", "detail", "prompt_cache_breakpoint"],
  input_audio: ["type", "input_audio"],
}

const fieldsOf = (table: Readonly<Record<string, readonly string[]>>, type: unknown): readonly string[] | undefined =>
  typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined

/** Parts of this API say who they are for, also those newer than this list: another name is of another API. */
const isPartType = (type: unknown): boolean =>
  typeof type !== "string" || type.startsWith("input_") || type.startsWith("output_") || type === "computer_screenshot"

const part = (wire: unknown, textType: string): unknown => {
  if (!isWire(wire)) return wire
  const { type } = wire
  const fields = type === "output_text" ? outputFields : type === "input_text" ? inputFields : fieldsOf(partFields, type)
  if (fields) return pickFields(wire, fields)
  return isPartType(type) ? wire : { type: textType, text: JSON.stringify(wire) }
}

const inputPart = (wire: unknown): unknown => part(wire, "input_text")
const outputPart = (wire: unknown): unknown => part(wire, "output_text")

const listed = (wire: Wire, key: "content" | "output"): Wire => mapList(wire, key, wire["role"] === "assistant" ? outputPart : inputPart)

/** An item without id is never looked up, and one without type is a message; null is refused for both. */
const withoutNulls = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([key, value]) => value !== null || (key !== "id" && key !== "type")))

const item = (given: unknown): unknown => {
  if (!isWire(given)) return given
  const wire = given["id"] === null || given["type"] === null ? withoutNulls(given) : given
  const type = wire["type"] ?? "message"
  // The common types are compared: JSON.parse makes a new string of each long name, and a table would hash them all.
  if (type === "function_call") return pickFields(wire, functionFields)
  if (type === "function_call_output") return listed(pickFields(wire, answerFields), "output")
  if (type === "message") return listed(pickFields(wire, messageFields), "content")
  const fields = fieldsOf(itemFields, type)
  return fields ? listed(listed(pickFields(wire, fields), "content"), "output") : wire
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

/** Items that only the server understands, and takes back. Outputs are among them where their call is on the server. */
const opaqueItems: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "compaction",
  "compaction_trigger",
  "program",
  "program_output",
  "additional_tools",
  "configuration_update",
  "item_reference",
])

export const takesBack: TakesBack = ({ kind, native }, place) => {
  const wire = native["openai-responses"]
  if (!isWire(wire)) return false
  // Of an assistant, and of what is newer than this list, parts are text and refusals.
  if (isPartKind(kind)) return place !== "assistant" && Object.hasOwn(partFields, String(wire["type"])) && wire["type"] !== "refusal"
  if (place === "result" || place === "failed-result") return false
  if (kind === "program") return typeof wire["fingerprint"] === "string" || "fingerprint"
  const isSetting = kind === "additional_tools" || kind === "configuration_update"
  if (isSetting && wire["role"] !== undefined && wire["role"] !== "developer") return "role: developer"
  return opaqueItems.has(kind) || answerTypes.has(kind)
}

export const allowed = { item, body }
