/** What L8 asks of text: not blank, and no half of a surrogate pair. Both answers are instant for ordinary strings. */
import type { Block, ContentBlock, JsonObject, JsonValue } from "../model/index.ts"

/** Empty or whitespace only. Looks at one character for all but the rarest texts. */
export const isBlank = (value: string): boolean => {
  const first = value.charCodeAt(0)
  if (first > 32 && first !== 0xa0 && first < 0x1680) return false
  return value.trim() === ""
}

const isWellFormedJson = (value: JsonValue | undefined): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return (value as readonly JsonValue[]).every(isWellFormedJson)
  for (const key in value as JsonObject) {
    if (!key.isWellFormed() || !isWellFormedJson((value as JsonObject)[key])) return false
  }
  return true
}

const isWellFormedContent = (block: ContentBlock): boolean => block.type !== "text" || block.text.isWellFormed()

/** Opaque and media values are not ours to look into. */
export const isWellFormedBlock = (block: Block): boolean => {
  switch (block.type) {
    case "text":
    case "thinking":
      return block.text.isWellFormed()
    case "call":
      return (
        block.name.isWellFormed() &&
        block.id.isWellFormed() &&
        (block.raw === undefined ? isWellFormedJson(block.arguments) : block.raw.isWellFormed() && isWellFormedEscapes(block))
      )
    case "result":
      return block.callId.isWellFormed() && block.content.every(isWellFormedContent)
    case "media":
    case "opaque":
      return true
  }
}

/** JSON text can hide a lone surrogate in a `\ud800` escape; only then are the parsed arguments worth a walk. */
const isWellFormedEscapes = (block: { readonly raw?: string; readonly arguments: JsonObject }): boolean =>
  !/\\u[dD][89abAB]|\\u[dD][c-fC-F]/.test(block.raw ?? "") || isWellFormedJson(block.arguments)

export const wellFormedJson = (value: JsonValue): JsonValue => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormedJson)
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, inner]) => [key.toWellFormed(), wellFormedJson(inner)]),
  )
}
