/** Fields the API knows, in both spellings: it rejects every other one. Values are returned untouched when clean. */
import { isWire, type Wire } from "../../model/index.ts"
import type { TakesBack } from "../../rules/index.ts"
import { mapList, pickFields } from "../engine/allow-list.ts"
import { partKinds, partMarks } from "./fields.ts"

/** First the usual spelling of all, in the order in which most values have them: that is compared fastest. */
const both = (...names: readonly string[]): readonly string[] => [
  ...new Set([...names, ...names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))]),
]

const contentFields = ["role", "parts"]
const usualFields = ["text", "thought", "functionCall", "functionResponse", "thoughtSignature"]
const partFields: readonly string[] = [...new Set([...usualFields, ...partKinds.keys(), ...partMarks])]
const callFields = both("id", "name", "args", "partialArgs", "willContinue")
const responseFields = both("id", "name", "response", "parts", "willContinue", "scheduling")
const mediaFields = both("mimeType", "data", "fileUri", "displayName")

/** What is inside the parts whose shape is ours to write. */
const innerFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["functionCall", callFields],
  ["function_call", callFields],
  ["functionResponse", responseFields],
  ["function_response", responseFields],
  ["inlineData", mediaFields],
  ["inline_data", mediaFields],
  ["fileData", mediaFields],
  ["file_data", mediaFields],
])

/** `config` is where the SDK for JavaScript has its parameters. */
const bodyFields = both(
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
  "model",
  "labels",
  "store",
  "serviceTier",
  "config",
)

const inner = (wire: Wire, fields: readonly string[]): Wire => mapList(pickFields(wire, fields), "parts", part)

const part = (wire: unknown): unknown => {
  if (!isWire(wire)) return wire
  let cleaned = pickFields(wire, partFields)
  // Nothing of it is known: it goes whole, as what it is (L10), and not as an empty part.
  if (cleaned !== wire && Object.keys(cleaned).length === 0) return wire
  for (const key in cleaned) {
    const fields = innerFields.get(key)
    const held = cleaned[key]
    if (!fields || !isWire(held)) continue
    const picked = inner(held, fields)
    if (picked !== held) cleaned = { ...cleaned, [key]: picked }
  }
  return cleaned
}

/** Parts that only the API understands: code it ran, tools of its own. */
export const takesBack: TakesBack = ({ kind }, place) => (place === "user" || place === "assistant") && partKinds.has(kind)

export const allowed = {
  content: (wire: Wire): Wire => inner(wire, contentFields),
  body: (wire: Wire): Wire => pickFields(wire, bodyFields),
}
