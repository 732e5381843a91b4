/**
 * The arguments of a call once its text is whole (L7). Read in the same way as the codecs read them, so that a recorded
 * call and the same call of an answer that was not streamed are equal.
 */
import { type CallBlock, isWire, type JsonObject } from "../model/index.ts"

export type Arguments = Pick<CallBlock, "arguments" | "raw" | "fault">

/** JSON.parse makes `__proto__` a plain own property: nothing of the prototype can be reached from arguments. */
export const parseJson = (raw: string): unknown => {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

/** For formats whose arguments are JSON text. */
export const readArgumentsText = (raw: string): Arguments => {
  const value = parseJson(raw)
  if (isWire(value)) return { arguments: value as JsonObject, raw }
  if (raw.trim() === "") return { arguments: {}, raw, fault: "empty" }
  const inner = typeof value === "string" ? parseJson(value) : undefined
  if (isWire(inner)) return { arguments: inner as JsonObject, raw, fault: "encoded" }
  return { arguments: {}, raw, fault: value === undefined ? "unparsable" : "not-object" }
}

/** For formats whose arguments are an object. */
export const readArgumentsObject = (value: unknown): Arguments => {
  if (isWire(value)) return { arguments: value as JsonObject }
  if (value === undefined || value === null) return { arguments: {}, raw: "", fault: "empty" }
  if (typeof value !== "string") return { arguments: {}, raw: JSON.stringify(value), fault: "not-object" }
  const read = readArgumentsText(value)
  return read.fault === undefined ? { ...read, fault: "encoded" } : read
}

/** Arguments whose end never came. Text that parses is no proof: a server may send `{}` first and the rest later. */
export const cutArguments = (raw: string): Arguments => ({ arguments: {}, raw, fault: "unparsable" })

/**
 * May this call be executed? Not when its arguments were cut or are no object. Empty arguments mean `{}`, and an object
 * inside a text was parsed: both say plainly what the model meant.
 */
export const isExecutable = (call: CallBlock): boolean =>
  call.name !== "" && call.fault !== "unparsable" && call.fault !== "not-object"
