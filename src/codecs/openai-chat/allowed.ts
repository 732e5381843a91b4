/** Fields and parts the format knows, for servers that reject every other one. Clean values come back untouched. */
import { isWire, type Wire } from "../../model/index.ts"

const spoken = new Set(["role", "content", "name"])

const messageFields: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ["assistant", new Set([
    ...spoken, "tool_calls", "refusal", "audio", "function_call", "reasoning_content", "reasoning", "reasoning_details",
  ])],
  ["tool", new Set([...spoken, "tool_call_id", "tool_name"])],
])

const callFields = new Set(["id", "type", "function", "custom"])
const functionFields = new Set(["name", "arguments"])

const partFields: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ["text", new Set(["type", "text"])],
  ["refusal", new Set(["type", "refusal"])],
])

const partTypes: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ["user", new Set(["text", "image_url", "input_audio", "file", "video_url", "document_url"])],
  ["assistant", new Set(["text", "refusal", "thinking"])],
])
const textOnly: ReadonlySet<unknown> = new Set(["text"])

/** Fields of storage that agents put into the body. Parameters are not ours to judge. */
const foreignBodyFields = new Set([
  "timestamp", "ts", "version", "kwargs", "context_window", "raw_messages", "response", "raw_response", "cost",
  "latency_sec", "info", "agent", "sessionId", "updated_at",
])

const pick = (wire: Wire, fields: ReadonlySet<string>): Wire => {
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

const mapped = (list: unknown, change: (value: unknown) => unknown): unknown => {
  if (!Array.isArray(list)) return list
  const changed = list.map(change)
  return changed.some((value, index) => value !== list[index]) ? changed : list
}

const part = (value: unknown): unknown => {
  const fields = isWire(value) ? partFields.get(value["type"]) : undefined
  return isWire(value) && fields ? pick(value, fields) : value
}

const call = (value: unknown): unknown => {
  if (!isWire(value)) return value
  const picked = pick(value, callFields)
  const target = picked["function"]
  const inner = isWire(target) ? pick(target, functionFields) : target
  return inner === target ? picked : { ...picked, function: inner }
}

/** Null says nothing in any of these fields but `content`, and some servers reject it. */
const withoutNulls = (wire: Wire): Wire => {
  for (const key in wire) {
    if (wire[key] !== null || key === "content") continue
    return Object.fromEntries(Object.entries(wire).filter(([name, value]) => value !== null || name === "content"))
  }
  return wire
}

const withoutName = (wire: Wire): Wire => {
  const { name: _, ...rest } = wire
  return rest
}

/** `named`: whether the server knows speaker names at all. */
const message = (wire: Wire, named: boolean): Wire => {
  const fields = messageFields.get(wire["role"]) ?? spoken
  const known = named || !("name" in wire) ? wire : withoutName(wire)
  const picked = withoutNulls(pick(known, fields))
  const content = mapped(picked["content"], part)
  const calls = mapped(picked["tool_calls"], call)
  if (content === picked["content"] && calls === picked["tool_calls"]) return picked
  return { ...picked, content, ...(calls !== undefined && { tool_calls: calls }) }
}

const body = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

const isPart = (role: string, wire: Wire): boolean => (partTypes.get(role) ?? textOnly).has(wire["type"])

export const allowed = { message, body, isPart }
