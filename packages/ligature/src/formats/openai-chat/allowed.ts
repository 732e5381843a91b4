/** Fields and parts the format knows, for servers that reject every other one. Clean values come back untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields } from "../engine/allow-list.ts"

// Fields are in the order in which most messages have them: that is how they are compared fastest.
const spoken = ["role", "content", "name"]

const messageFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  [
    "assistant",
    ["role", "content", "tool_calls", "refusal", "name", "audio", "function_call", "reasoning_content", "reasoning", "reasoning_details"],
  ],
  ["tool", ["role", "tool_call_id", "content", "name", "tool_name"]],
])

const toolName = ["tool_name"]

const callFields = ["id", "type", "function", "custom"]
const functionFields = ["name", "arguments"]

const partFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["type", "text"]],
  ["refusal", ["type", "refusal"]],
])

const partTypes: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ["user", new Set(["text", "image_url", "input_audio", "file"])],
  ["assistant", new Set(["text", "refusal"])],
])
const textOnly: ReadonlySet<unknown> = new Set(["text"])

/** Fields of storage that agents put into the body. Parameters are not ours to judge. */
const foreignBodyFields = [
  "timestamp",
  "ts",
  "version",
  "kwargs",
  "context_window",
  "raw_messages",
  "response",
  "raw_response",
  "cost",
  "latency_sec",
  "info",
  "agent",
  "sessionId",
  "updated_at",
]

const cleaned = (list: unknown, change: (value: unknown) => unknown): unknown => (Array.isArray(list) ? mapElements(list, change) : list)

const part = (value: unknown): unknown => {
  const fields = isWire(value) ? partFields.get(value["type"]) : undefined
  return isWire(value) && fields ? pickFields(value, fields) : value
}

const call = (value: unknown): unknown => {
  if (!isWire(value)) return value
  const picked = pickFields(value, callFields)
  const target = picked["function"]
  const inner = isWire(target) ? pickFields(target, functionFields) : target
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

/** `named`: whether the server knows speaker names at all. One that does not has names of tools on their results. */
const message = (wire: Wire, named: boolean): Wire => {
  const fields = messageFields.get(wire["role"]) ?? spoken
  const known = named ? omitFields(wire, toolName) : "name" in wire ? withoutName(wire) : wire
  const picked = withoutNulls(pickFields(known, fields))
  const content = cleaned(picked["content"], part)
  const calls = cleaned(picked["tool_calls"], call)
  if (content === picked["content"] && calls === picked["tool_calls"]) return picked
  return { ...picked, content, ...(calls !== undefined && { tool_calls: calls }) }
}

const body = (wire: Wire): Wire => omitFields(wire, foreignBodyFields)

/** `more`: what a user may send to this server beside what OpenAI takes. */
const isPart = (role: string, wire: Wire, more: readonly unknown[] = []): boolean =>
  (partTypes.get(role) ?? textOnly).has(wire["type"]) || (role === "user" && more.includes(wire["type"]))

export const allowed = { message, body, isPart }
