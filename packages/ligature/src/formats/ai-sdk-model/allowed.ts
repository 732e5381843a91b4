/** Fields the SDK knows, per part type: its schemas drop or reject others. Clean values are returned untouched. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../engine/allow-list.ts"

const set = (...fields: readonly string[]): readonly string[] => ["type", "providerOptions", ...fields]

const partFields: Readonly<Record<string, readonly string[]>> = {
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

const messageFields: readonly string[] = ["role", "content", "providerOptions"]

const part = (wire: unknown): unknown => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return wire
  const fields = Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined
  return fields ? pickFields(wire, fields) : wire
}

const message = (wire: Wire): Wire => {
  const picked = pickFields(wire, messageFields)
  const content = picked["content"]
  if (!Array.isArray(content)) return picked
  const inner = mapElements(content, part)
  return inner === content ? picked : { ...picked, content: inner }
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

export const allowed = { message, body }
