/** Fields the API knows, in both spellings: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import { partKinds, partMarks } from "./fields.ts"

const both = (...names: readonly string[]): ReadonlySet<string> =>
  new Set(names.flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]))

const contentFields = new Set(["role", "parts"])
const partFields: ReadonlySet<string> = new Set([...partKinds.keys(), ...partMarks])
const callFields = both("id", "name", "args", "partialArgs", "willContinue")
const responseFields = both("id", "name", "response", "parts", "willContinue", "scheduling")
const mediaFields = both("mimeType", "data", "fileUri", "displayName")

/** What stands inside the parts whose shape is ours to write. */
const innerFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["functionCall", callFields],
  ["function_call", callFields],
  ["functionResponse", responseFields],
  ["function_response", responseFields],
  ["inlineData", mediaFields],
  ["inline_data", mediaFields],
  ["fileData", mediaFields],
  ["file_data", mediaFields],
])

/** Fields of storage that agents put into the body and the API does not take. Parameters are not ours to judge. */
const foreignBodyFields = new Set(["ts", "timestamp", "version", "updated_at", "sessionId", "history", "messages"])

const pick = (wire: Wire, fields: ReadonlySet<string>): Wire => {
  for (const key in wire) {
    if (!fields.has(key)) return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.has(name)))
  }
  return wire
}

/** The list with every element cleaned: the same list when all were clean. */
const cleanList = (list: readonly unknown[]): readonly unknown[] => {
  const cleaned = list.map(part)
  return cleaned.some((value, index) => value !== list[index]) ? cleaned : list
}

const inner = (wire: Wire, fields: ReadonlySet<string>): Wire => {
  const picked = pick(wire, fields)
  const parts = picked["parts"]
  if (!Array.isArray(parts)) return picked
  const cleaned = cleanList(parts)
  return cleaned === parts ? picked : { ...picked, parts: cleaned }
}

const part = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  let cleaned = pick(wire, partFields)
  for (const key in cleaned) {
    const fields = innerFields.get(key)
    const held = cleaned[key]
    if (!fields || !isWire(held)) continue
    const picked = inner(held, fields)
    if (picked !== held) cleaned = { ...cleaned, [key]: picked }
  }
  return cleaned
}

const content = (wire: Wire): Wire => inner(wire, contentFields)

const body = (wire: Wire): Wire => {
  for (const key of foreignBodyFields) {
    if (key in wire) return Object.fromEntries(Object.entries(wire).filter(([name]) => !foreignBodyFields.has(name)))
  }
  return wire
}

export const allowed = { content, body }
