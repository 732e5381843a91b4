/** Call blocks → entries of `tool_calls`. */
import { type CallBlock, isWire, type Wire } from "../../model/index.ts"
import { writeArgumentsText } from "../engine/arguments.ts"
import type { EncodeOptions } from "../engine/codec.ts"
import { nativeOf, nativeWireOf } from "./native.ts"

const writeCustom = (call: CallBlock, input: string, native: Wire | undefined): Wire => {
  const { id, name } = call
  const custom = native?.["custom"]
  if (native && isWire(custom)) {
    if (native["id"] === id && custom["name"] === name && custom["input"] === input) return native
    return { ...native, id, type: "custom", custom: { ...custom, name, input } }
  }
  return { id, type: "custom", custom: { name, input } }
}

/** The raw text of a free-text call is no JSON. */
const argumentsText = (call: CallBlock): string =>
  call.custom === true ? JSON.stringify(call.arguments) : writeArgumentsText(call)

export const writeCall = (call: CallBlock, options: EncodeOptions): Wire => {
  const { id, name } = call
  const native = nativeWireOf(call)
  const asObject = options.objectArguments === true
  const input = call.custom === true ? call.arguments["input"] : undefined
  if (!asObject && typeof input === "string") return writeCustom(call, input, native)
  const value = asObject ? call.arguments : argumentsText(call)
  const target = native?.["function"]
  if (!native) return { id, type: "function", function: { name, arguments: value } }
  if (!isWire(target)) {
    const { name: _, arguments: __, custom: ___, ...kept } = native
    return { ...kept, id, type: "function", function: { name, arguments: value } }
  }
  const sameTarget = target["name"] === name && target["arguments"] === value
  if (sameTarget && native["id"] === id && native["type"] === "function") return native
  return { ...native, id, type: "function", function: sameTarget ? target : { ...target, name, arguments: value } }
}

/** True when `entry` is the very value this function call was read from, and still says the same. */
export const isUntouchedCall = (call: CallBlock, entry: unknown): boolean => {
  if (call.fault !== undefined || call.raw === undefined || nativeOf(call) !== entry || !isWire(entry)) return false
  const target = entry["function"]
  return (
    isWire(target) &&
    entry["id"] === call.id &&
    entry["type"] === "function" &&
    target["name"] === call.name &&
    target["arguments"] === call.raw
  )
}

/** A call in the style of old, without id, that may stay in it: nothing has happened to the message but its reading. */
export const isLegacyCall = (call: CallBlock, message: Wire | undefined): boolean =>
  call.assigned === true &&
  message !== undefined &&
  isWire(message["function_call"]) &&
  message["function_call"] === nativeWireOf(call)

/** The `function_call` of old. */
export const writeLegacyCall = (call: CallBlock): Wire => {
  const native = nativeWireOf(call) ?? {}
  const value = writeArgumentsText(call)
  if (native["name"] === call.name && native["arguments"] === value) return native
  return { ...native, name: call.name, arguments: value }
}
