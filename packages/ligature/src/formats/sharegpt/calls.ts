/**
 * The text of a `function_call` entry: one call as JSON, or a list of them. The results of a list stand in one
 * `observation`, as a list of the same length, so that speakers keep taking turns; null stands for one not there.
 */
import { misnamedCall } from "../engine/borrowed.ts"
import { type CallBlock, isWire, readArgumentsObject, readArgumentsText, type Wire } from "../../model/index.ts"

export const format = "sharegpt"

const parse = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

const isCall = (value: unknown): value is Wire => isWire(value) && typeof value["name"] === "string"

const readCall = (wire: Wire): CallBlock => {
  const value = wire["arguments"]
  const misnamed = value === undefined ? misnamedCall(wire, { id: "name", name: "name", said: "arguments" }) : undefined
  if (misnamed) return { ...misnamed, id: "" }
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)
  return { type: "call", id: "", name: String(wire["name"]), ...read, native: { sharegpt: wire } }
}

/** Undefined: not the text of calls. */
export const readCalls = (value: string): readonly CallBlock[] | undefined => {
  const read = parse(value)
  if (isCall(read)) return [readCall(read)]
  return Array.isArray(read) && read.length > 0 && read.every(isCall) ? read.map(readCall) : undefined
}

const nativeOf = (call: CallBlock): Wire | undefined => call.native?.[format] as Wire | undefined

const isUntouched = (call: CallBlock): boolean => {
  const native = nativeOf(call)
  if (!native || call.fault !== undefined || native["name"] !== call.name) return false
  return native["arguments"] === (typeof native["arguments"] === "string" ? call.raw : call.arguments)
}

const isList = (value: string): boolean => value.trimStart().startsWith("[")

/** True when the entry's text still says these calls and no others. */
export const saysCalls = (value: unknown, calls: readonly CallBlock[]): value is string => {
  if (typeof value !== "string" || !calls.every(isUntouched)) return false
  if (!isList(value)) return calls.length === 1
  const list = parse(value)
  return Array.isArray(list) && list.length === calls.length
}

const writeCall = (call: CallBlock): Wire => {
  const native = nativeOf(call)
  return { ...native, name: call.name, arguments: call.arguments }
}

export const writeCalls = (calls: readonly CallBlock[]): string => {
  const [only] = calls
  return JSON.stringify(calls.length === 1 && only ? writeCall(only) : calls.map(writeCall))
}

/** The texts of `count` results that stand in one observation; undefined where it is the text of one result. */
export const readResultList = (value: string, count: number): readonly (string | undefined)[] | undefined => {
  if (count < 2 || !isList(value)) return undefined
  const list = parse(value)
  if (!Array.isArray(list) || list.length !== count) return undefined
  return list.map((each: unknown) => {
    if (each === null) return undefined
    return typeof each === "string" ? each : JSON.stringify(each)
  })
}
