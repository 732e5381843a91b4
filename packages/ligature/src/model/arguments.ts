/**
 * Arguments of a call as formats carry them: an object, or JSON text that may be empty, cut or double-encoded (L7). Read
 * in one way by codecs and recorders, so that a recorded call and the same call of an unstreamed answer are equal.
 */
import type { CallBlock } from "./block.ts"
import { deepestNesting, isDeeper, jsonText } from "./depth.ts"
import { isWire, type JsonObject } from "./json.ts"

export type Arguments = Pick<CallBlock, "arguments" | "raw" | "fault">

/** Undefined for text that is no JSON. JSON.parse makes `__proto__` a plain own property: no prototype is in reach. */
export const parseDeepJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same for what goes on to readers that call themselves for each level: undefined for more levels than anybody writes. */
export const parseJson = (text: string): unknown => {
  const value = parseDeepJson(text)
  // Each level takes two characters.
  return text.length > 2 * deepestNesting && isDeeper(value) ? undefined : value
}

/** From a format whose arguments are JSON text. */
export const readArgumentsText = (raw: string): Arguments => {
  const value = parseJson(raw)
  if (isWire(value)) return { arguments: value as JsonObject, raw }
  if (raw.trim() === "") return { arguments: {}, raw, fault: "empty" }
  const inner = typeof value === "string" ? parseJson(value) : undefined
  if (isWire(inner)) return { arguments: inner as JsonObject, raw, fault: "encoded" }
  return { arguments: {}, raw, fault: value === undefined ? "unparsable" : "not-object" }
}

/** From a format whose arguments are an object. */
export const readArgumentsObject = (value: unknown): Arguments => {
  if (isWire(value)) return { arguments: value as JsonObject }
  if (value === undefined || value === null) return { arguments: {}, raw: "", fault: "empty" }
  if (typeof value !== "string") return { arguments: {}, raw: jsonText(value), fault: "not-object" }
  const read = readArgumentsText(value)
  return read.fault === undefined ? { ...read, fault: "encoded" } : read
}
