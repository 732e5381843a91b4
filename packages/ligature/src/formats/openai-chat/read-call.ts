/** `tool_calls` and the `function_call` of old → call blocks. */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  type Wire,
} from "../../model/index.ts"
import { misnamedCall, readBorrowed, resultInCall } from "../engine/borrowed.ts"
import { callsInText } from "../engine/calls-in-text.ts"
import { idText } from "../engine/id-text.ts"
import { malformedBlock } from "../engine/malformed.ts"
import type { Findings } from "./findings.ts"
import { format } from "./native.ts"

const idOf = (wire: Wire): string => idText(wire["id"])

const nameOf = (wire: Wire): string => (typeof wire["name"] === "string" ? wire["name"] : "")

/** `target` names the tool and its arguments; `wire` is the whole entry. */
const readFunction = (id: string, target: Wire, wire: Wire, findings: Findings): CallBlock => {
  const value = target["arguments"]
  const name = nameOf(target)
  const native = { "openai-chat": wire }
  if (typeof value === "string") {
    const { arguments: read, raw = value, fault } = readArgumentsText(value)
    if (fault === undefined) return { type: "call", id, name, arguments: read, raw, native }
    return { type: "call", id, name, arguments: read, raw, fault, native }
  }
  if (isWire(value)) {
    findings.irregular(`The arguments of call ${id || name} are an object where text belongs`, "written as JSON text")
  }
  return { type: "call", id, name, ...readArgumentsObject(value), native }
}

const readCustom = (wire: Wire, custom: Wire): CallBlock => {
  const value = custom["input"]
  const input = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  const native = { "openai-chat": wire }
  return { type: "call", id: idOf(wire), name: nameOf(custom), arguments: { input }, raw: input, custom: true, native }
}

/** The `function_call` of old: one per message, without id. */
export const readLegacyCall = (wire: Wire, findings: Findings): CallBlock => readFunction("", wire, wire, findings)

export const readCall = (wire: unknown, findings: Findings): Block => {
  if (isWire(wire)) {
    if (typeof wire["id"] === "number") findings.irregular(`The id of call ${idOf(wire)} is a number`, "written as text")
    const target = wire["function"]
    if (isWire(target)) {
      const misnamed = target["arguments"] === undefined ? misnamedCall(wire, { id: "id", said: "arguments" }) : undefined
      if (misnamed) {
        findings.irregular(`Call ${idOf(wire)} has its arguments under another name`, "written as arguments")
        return misnamed
      }
      if (wire["type"] !== "function") findings.irregular(`Call ${idOf(wire)} names no type`, "written as a function")
      return readFunction(idOf(wire), target, wire, findings)
    }
    if (isWire(wire["custom"])) return readCustom(wire, wire["custom"])
    const named = typeof wire["name"] === "string"
    const borrowed = named && wire["arguments"] === undefined ? readBorrowed({ type: "tool_call", ...wire }) : undefined
    const [call] = borrowed ?? (named ? undefined : readBorrowed(wire)) ?? []
    if (named || call?.type === "call") {
      findings.irregular(`Call ${idOf(wire)} holds its name outside of "function"`, "written inside")
      return call ?? readFunction(idOf(wire), wire, wire, findings)
    }
  }
  findings.malformed("Expected a call: an object with a function")
  return malformedBlock(format, wire)
}

/** A later piece of a streamed call: it goes by the index of the piece that named the call. */
const isPiece = (wire: unknown): wire is Wire => {
  if (!isWire(wire) || typeof wire["index"] !== "number" || idOf(wire) !== "") return false
  const target = wire["function"]
  return isWire(target) && nameOf(target) === "" && typeof target["arguments"] === "string"
}

/** Calls of a stream that was stored piece by piece, each put together; undefined where none was. */
export const joinPieces = (calls: readonly unknown[]): readonly unknown[] | undefined => {
  if (!calls.some(isPiece)) return undefined
  const begun = new Map<unknown, number>()
  const joined: unknown[] = []
  for (const wire of calls) {
    const index = isWire(wire) ? wire["index"] : undefined
    const position = isPiece(wire) ? begun.get(index) : undefined
    const whole = position === undefined ? undefined : joined[position]
    if (position !== undefined && isWire(whole) && isWire(whole["function"]) && isPiece(wire)) {
      const target = whole["function"]
      const text = `${asWord(target["arguments"] ?? "")}${asWord((wire["function"] as Wire)["arguments"])}`
      joined[position] = { ...whole, function: { ...target, arguments: text } }
      continue
    }
    if (isWire(wire) && isWire(wire["function"]) && typeof index === "number") begun.set(index, joined.length)
    joined.push(wire)
  }
  const withoutIndex = (wire: unknown): unknown => {
    if (!isWire(wire)) return wire
    const { index: _, ...rest } = wire
    return rest
  }
  return joined.length === calls.length ? undefined : joined.map(withoutIndex)
}

/** A call, and behind it what it brought, where the writer kept that inside of the call. */
const readAnswered = (wire: unknown, blocks: Block[], findings: Findings): void => {
  const result = resultInCall(wire)
  if (!result || !isWire(wire)) {
    blocks.push(readCall(wire, findings))
    return
  }
  const { result: _result, output: _output, ...call } = wire
  findings.irregular(`Call ${idOf(wire)} holds its result`, "written as a message of its own")
  blocks.push(readCall(call, findings), result)
}

/** Appends the calls of a message, whatever its role: who may call is for the laws to say. */
export const readCalls = (message: Wire, blocks: Block[], findings: Findings): void => {
  const written = callsInText(message["tool_calls"])
  if (written) findings.irregular("The calls are a text where a list belongs", "written as a list")
  const calls = written ?? message["tool_calls"]
  if (Array.isArray(calls)) {
    if (calls.length === 0) findings.irregular("The list of calls is empty", "left out")
    const joined = joinPieces(calls)
    if (joined) findings.irregular("Calls stand here in the pieces of a stream", "put together")
    for (const call of joined ?? (calls as readonly unknown[])) readAnswered(call, blocks, findings)
  } else if (isWire(calls)) {
    findings.irregular("A call stands where a list of calls belongs", "written as a list")
    readAnswered(calls, blocks, findings)
  } else if (calls !== undefined && calls !== null) {
    findings.malformed("Expected tool_calls to be a list")
    blocks.push(malformedBlock(format, calls))
  }
  const legacy = message["function_call"]
  if (isWire(legacy)) blocks.push(readLegacyCall(legacy, findings))
}
