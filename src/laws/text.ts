/** What L8 asks of text: not blank, and no half of a surrogate pair. Both answers are instant for ordinary strings. */
import type { Block, CallBlock, JsonObject, JsonValue } from "../model/index.ts"

/** Empty or whitespace only. Looks at one character for all but the rarest texts. */
export const isBlank = (value: string): boolean => {
  const first = value.charCodeAt(0)
  if (first > 32 && first !== 0xa0 && first < 0x1680) return false
  return value.trim() === ""
}

/** A block that would still be there after blank text is left out. */
export const says = (block: Block): boolean => block.type !== "text" || !isBlank(block.text)

const isWellFormedJson = (value: JsonValue | undefined): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return (value as readonly JsonValue[]).every(isWellFormedJson)
  for (const key in value as JsonObject) {
    if (!key.isWellFormed() || !isWellFormedJson((value as JsonObject)[key])) return false
  }
  return true
}

/** JSON text can hide a lone surrogate in an escape; only with one in it are the parsed arguments worth a walk. */
const hasSurrogateEscape = (raw: string): boolean =>
  raw.includes("\\u") && (raw.includes("\\ud") || raw.includes("\\uD"))

export const isWellFormedCall = ({ id, name, raw, arguments: args }: CallBlock): boolean => {
  if (!id.isWellFormed() || !name.isWellFormed()) return false
  if (raw === undefined) return isWellFormedJson(args)
  return raw.isWellFormed() && (!hasSurrogateEscape(raw) || isWellFormedJson(args))
}

/** Two keys that differ in a half only would become one, and the value of one of them be lost. */
const freeKey = (wanted: string, key: string, value: JsonObject, taken: ReadonlyMap<string, unknown>): string => {
  if (wanted === key) return key
  let free = wanted
  for (let count = 2; taken.has(free) || Object.hasOwn(value, free); count++) free = `${wanted}_${count}`
  return free
}

export const wellFormedJson = (value: JsonValue): JsonValue => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormedJson)
  const mended = new Map<string, JsonValue>()
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    mended.set(freeKey(key.toWellFormed(), key, value as JsonObject, mended), wellFormedJson(inner))
  }
  return Object.fromEntries(mended)
}
