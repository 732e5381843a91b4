/** Fields Converse knows: its clients reject every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import { mapElements, omitFields, pickFields, storageFields } from "../allow-list.ts"

const messageFields = ["role", "content"]

const blockFields = [
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
]

/** What stands inside the blocks whose shape is ours to write. */
const innerFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["toolUse", ["toolUseId", "name", "input", "type"]],
  ["toolResult", ["toolUseId", "content", "status", "type"]],
  ["image", ["format", "source", "error"]],
  ["document", ["format", "name", "source", "context", "citations"]],
  ["video", ["format", "source"]],
  ["audio", ["format", "source", "error"]],
])

/** With every block of its `content` cleaned: the same value when all were clean. */
const withContent = (wire: Wire): Wire => {
  const content = wire["content"]
  if (!Array.isArray(content)) return wire
  const cleaned = mapElements(content, block)
  return cleaned === content ? wire : { ...wire, content: cleaned }
}

/** A block of a kind newer than this list is kept: its one key is what it is. */
const block = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  let cleaned = Object.keys(wire).some((key) => blockFields.includes(key)) ? pickFields(wire, blockFields) : wire
  for (const key in cleaned) {
    const fields = innerFields.get(key)
    const held = cleaned[key]
    if (!fields || !isWire(held)) continue
    const picked = key === "toolResult" ? withContent(pickFields(held, fields)) : pickFields(held, fields)
    if (picked !== held) cleaned = { ...cleaned, [key]: picked }
  }
  return cleaned
}

const body = (wire: Wire): Wire => omitFields(wire, storageFields)

export const allowed = { message: (wire: Wire): Wire => withContent(pickFields(wire, messageFields)), body }
