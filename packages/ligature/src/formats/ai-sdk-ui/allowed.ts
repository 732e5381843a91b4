/** Fields the SDK knows on messages and parts: its validation drops or rejects others. Clean values are untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../engine/allow-list.ts"
import { isToolPart } from "./tool-part.ts"

const set = (...fields: readonly string[]): readonly string[] => ["type", "providerMetadata", ...fields]

const partFields: Readonly<Record<string, readonly string[]>> = {
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

const messageFields: readonly string[] = [
  "id", "role", "metadata", "parts", "content", "createdAt", "toolInvocations", "experimental_attachments",
]

const part = (wire: unknown): unknown => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return wire
  const own = Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined
  const fields = own ?? (isToolPart(wire) ? toolFields : undefined)
  return fields ? pickFields(wire, fields) : wire
}

const message = (wire: Wire): Wire => {
  const picked = pickFields(wire, messageFields)
  const { parts } = picked
  if (!Array.isArray(parts)) return picked
  const inner = mapElements(parts, part)
  return inner === parts ? picked : { ...picked, parts: inner }
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

export const allowed = { message, body }
