/** Fields the SDK knows on messages and parts: its validation drops or rejects others. Clean values are untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import { isToolPart } from "./tool-part.ts"

const set = (...fields: readonly string[]): ReadonlySet<string> => new Set(["type", "providerMetadata", ...fields])

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: set("text", "state"),
  reasoning: set("text", "state", "reasoning", "details"),
  file: set("mediaType", "mimeType", "filename", "url", "data"),
  "step-start": set(),
  "tool-invocation": set("toolInvocation"),
}

const toolFields = set(
  "toolCallId", "toolName", "title", "state", "input", "rawInput", "output", "errorText", "preliminary", "approval",
  "providerExecuted", "callProviderMetadata", "resultProviderMetadata", "toolMetadata",
)

const messageFields: ReadonlySet<string> = new Set([
  "id", "role", "metadata", "parts", "content", "createdAt", "toolInvocations", "experimental_attachments",
])

/** Fields of storage that applications put beside the messages. Parameters are not ours to judge. */
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
  const own = Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined
  return pick(wire, own ?? (isToolPart(wire) ? toolFields : undefined))
}

const message = (wire: Wire): Wire => {
  const picked = pick(wire, messageFields)
  const { parts } = picked
  if (!Array.isArray(parts)) return picked
  const inner = parts.map(part)
  return inner.some((value, index) => value !== parts[index]) ? { ...picked, parts: inner } : picked
}

const body = (wire: Wire): Wire =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => !foreignBodyFields.has(key)))

export const allowed = { message, body }
