/** Fields Converse knows: its clients reject every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"

const messageFields = new Set(["role", "content"])

const blockFields = new Set([
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "reasoningContent",
  "cachePoint",
  "guardContent",
  "citationsContent",
  "searchResult",
  "toolAddition",
  "toolRemoval",
  "json",
])

/** What stands inside the blocks whose shape is ours to write. */
const innerFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["toolUse", new Set(["toolUseId", "name", "input", "type"])],
  ["toolResult", new Set(["toolUseId", "content", "status", "type"])],
  ["image", new Set(["format", "source", "error"])],
  ["document", new Set(["format", "name", "source", "context", "citations"])],
  ["video", new Set(["format", "source"])],
  ["audio", new Set(["format", "source", "error"])],
])

/** Fields of storage that agents put into the body and the API does not take. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "agent"])

const pick = (wire: Wire, fields: ReadonlySet<string>): Wire => {
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

/** With every block of its `content` cleaned: the same value when all were clean. */
const withContent = (wire: Wire): Wire => {
  const content = wire["content"]
  if (!Array.isArray(content)) return wire
  const cleaned = content.map(block)
  return cleaned.some((value, index) => value !== content[index]) ? { ...wire, content: cleaned } : wire
}

/** A block of a kind newer than this list is kept: its one key is what it is. */
const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  let cleaned = Object.keys(wire).some((key) => blockFields.has(key)) ? pick(wire, blockFields) : wire
  for (const key in cleaned) {
    const fields = innerFields.get(key)
    const held = cleaned[key]
    if (!fields || !isWire(held)) continue
    const picked = key === "toolResult" ? withContent(pick(held, fields)) : pick(held, fields)
    if (picked !== held) cleaned = { ...cleaned, [key]: picked }
  }
  return cleaned
}

const body = (wire: Wire): Wire => {
  for (const key of foreignBodyFields) {
    if (key in wire) return Object.fromEntries(Object.entries(wire).filter(([name]) => !foreignBodyFields.has(name)))
  }
  return wire
}

export const allowed = { message: (wire: Wire): Wire => withContent(pick(wire, messageFields)), body }
