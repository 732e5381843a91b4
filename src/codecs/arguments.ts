/** Arguments of a call as formats carry them: an object, or JSON text that may be empty, cut or double-encoded (L7). */
import { type CallBlock, isWire, type JsonObject } from "../model/index.ts"

type Arguments = Pick<CallBlock, "arguments" | "raw" | "fault">

const parse = (raw: string): unknown => {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

/** From a format whose arguments are JSON text. */
export const readArgumentsText = (raw: string): Arguments => {
  const value = parse(raw)
  if (isWire(value)) return { arguments: value as JsonObject, raw }
  if (raw.trim() === "") return { arguments: {}, raw, fault: "empty" }
  const inner = typeof value === "string" ? parse(value) : undefined
  if (isWire(inner)) return { arguments: inner as JsonObject, raw, fault: "encoded" }
  return { arguments: {}, raw, fault: value === undefined ? "unparsable" : "not-object" }
}

/** From a format whose arguments are an object. */
export const readArgumentsObject = (value: unknown): Arguments => {
  if (isWire(value)) return { arguments: value as JsonObject }
  if (value === undefined || value === null) return { arguments: {}, raw: "", fault: "empty" }
  if (typeof value !== "string") return { arguments: {}, raw: JSON.stringify(value), fault: "not-object" }
  const read = readArgumentsText(value)
  return read.fault === undefined ? { ...read, fault: "encoded" } : read
}

/** The arguments as JSON text: as they came where they came as text and were sound. */
export const writeArgumentsText = (call: CallBlock): string =>
  call.raw !== undefined && call.fault === undefined ? call.raw : JSON.stringify(call.arguments)
