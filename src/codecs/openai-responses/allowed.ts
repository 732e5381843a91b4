/** Fields the Responses API knows, per item type: it rejects every other one. Clean values are returned untouched. */
import { isWire, type Wire } from "../../model/index.ts"

const call = ["type", "id", "call_id", "status", "caller", "created_by"] as const

const itemFields: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(["type", "id", "role", "content", "status", "phase"]),
  function_call: new Set([...call, "name", "namespace", "arguments", "async"]),
  function_call_output: new Set([...call, "output", "name", "namespace"]),
  custom_tool_call: new Set([...call, "name", "namespace", "input", "async"]),
  custom_tool_call_output: new Set([...call, "output", "name", "namespace"]),
  local_shell_call: new Set([...call, "action"]),
  local_shell_call_output: new Set([...call, "output"]),
  shell_call: new Set([...call, "action", "environment", "max_output_length"]),
  shell_call_output: new Set([...call, "output", "max_output_length"]),
  apply_patch_call: new Set([...call, "operation"]),
  apply_patch_call_output: new Set([...call, "output"]),
  computer_call: new Set([...call, "action", "actions", "pending_safety_checks"]),
  computer_call_output: new Set([...call, "output", "acknowledged_safety_checks"]),
}

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  input_text: new Set(["type", "text", "prompt_cache_breakpoint"]),
  output_text: new Set(["type", "text", "annotations", "logprobs"]),
  refusal: new Set(["type", "refusal"]),
  input_image: new Set(["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"]),
  input_file: new Set(["type", "file_data", "file_id", "file_url", "filename", "detail", "prompt_cache_breakpoint"]),
  input_audio: new Set(["type", "input_audio"]),
}

/** Fields of storage that agents put into the body and the API does not take. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "agent"])

const pick = (wire: Wire, fields: ReadonlySet<string> | undefined): Wire => {
  if (!fields) return wire
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

const fieldsOf = (
  table: Readonly<Record<string, ReadonlySet<string>>>,
  type: unknown,
): ReadonlySet<string> | undefined => (typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined)

const part = (wire: unknown): unknown => (isWire(wire) ? pick(wire, fieldsOf(partFields, wire["type"])) : wire)

const listed = (wire: Wire, key: "content" | "output"): Wire => {
  const list = wire[key]
  if (!Array.isArray(list)) return wire
  const inner = list.map(part)
  return inner.some((value, index) => value !== list[index]) ? { ...wire, [key]: inner } : wire
}

const item = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  const fields = fieldsOf(itemFields, wire["type"] ?? "message")
  return fields ? listed(listed(pick(wire, fields), "content"), "output") : wire
}

const body = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

export const allowed = { item, body }
