/** Fields the Responses API knows, per item type: it rejects every other one. Clean values are returned untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../allow-list.ts"

const call = ["type", "id", "call_id", "status", "caller", "created_by"] as const

const itemFields: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "id", "role", "content", "status", "phase"],
  function_call: [...call, "name", "namespace", "arguments", "async"],
  function_call_output: [...call, "output", "name", "namespace"],
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

const partFields: Readonly<Record<string, readonly string[]>> = {
  input_text: ["type", "text", "prompt_cache_breakpoint"],
  output_text: ["type", "text", "annotations", "logprobs"],
  refusal: ["type", "refusal"],
  input_image: ["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  input_file: ["type", "file_data", "file_id", "file_url", "filename", "detail", "prompt_cache_breakpoint"],
  input_audio: ["type", "input_audio"],
}

const fieldsOf = (
  table: Readonly<Record<string, readonly string[]>>,
  type: unknown,
): readonly string[] | undefined => (typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined)

const part = (wire: unknown): unknown => {
  const fields = isWire(wire) ? fieldsOf(partFields, wire["type"]) : undefined
  return isWire(wire) && fields ? pickFields(wire, fields) : wire
}

const listed = (wire: Wire, key: "content" | "output"): Wire => {
  const list = wire[key]
  if (!Array.isArray(list)) return wire
  const inner = mapElements(list, part)
  return inner === list ? wire : { ...wire, [key]: inner }
}

const item = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const fields = fieldsOf(itemFields, wire["type"] ?? "message")
  return fields ? listed(listed(pickFields(wire, fields), "content"), "output") : wire
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

export const allowed = { item, body }
