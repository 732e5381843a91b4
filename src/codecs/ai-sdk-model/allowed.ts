/** Fields the SDK knows, per part type: its schemas drop or reject others. Clean values are returned untouched. */
import { isWire, type Wire } from "../../model/index.ts"

const set = (...fields: readonly string[]): ReadonlySet<string> => new Set(["type", "providerOptions", ...fields])

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: set("text"),
  image: set("image", "mediaType", "mimeType"),
  file: set("data", "filename", "mediaType", "mimeType"),
  reasoning: set("text", "signature"),
  "redacted-reasoning": set("data"),
  "tool-call": set("toolCallId", "toolName", "input", "args", "providerExecuted"),
  "tool-result": set("toolCallId", "toolName", "output", "result", "isError"),
  "tool-approval-request": set("approvalId", "toolCallId"),
  "tool-approval-response": set("approvalId", "approved", "reason", "providerExecuted"),
}

const messageFields: ReadonlySet<string> = new Set(["role", "content", "providerOptions"])

/** Fields of storage that agents put beside the messages. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "agent"])

const pick = (wire: Wire, fields: ReadonlySet<string> | undefined): Wire => {
  if (!fields) return wire
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

const part = (wire: unknown): unknown => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return wire
  return pick(wire, Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined)
}

const message = (wire: Wire): Wire => {
  const picked = pick(wire, messageFields)
  const content = picked["content"]
  if (!Array.isArray(content)) return picked
  const inner = content.map(part)
  return inner.some((value, index) => value !== content[index]) ? { ...picked, content: inner } : picked
}

const body = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

export const allowed = { message, body }
