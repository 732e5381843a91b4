/**
 * Messages whose meaning is plain although a field of theirs has another name than here, or something stands around
 * them. They are read as what they mean, and reported.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { idText } from "../engine/id-text.ts"
import { renameFields } from "../engine/rename-fields.ts"
import type { Findings } from "./findings.ts"

/** Whether a call of the list has this id: gathered when a result has nothing but an id that may be its own. */
export const callIdsIn = (list: readonly unknown[]): ((id: unknown) => boolean) => {
  let ids: Set<unknown> | undefined
  const gather = (): Set<unknown> => {
    const found = new Set<unknown>()
    for (const wire of list) {
      const calls = isWire(wire) ? (wire["tool_calls"] ?? wire["toolCalls"]) : undefined
      if (Array.isArray(calls)) for (const call of calls) if (isWire(call)) found.add(call["id"])
    }
    return found
  }
  return (id) => (ids ??= gather()).has(id)
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** A result that names its call, or says what it has to say, under the name another API or a framework has for it. */
export const asResult = (wire: Wire, isCallId: (id: unknown) => boolean, findings: Findings): Wire => {
  const names = new Map<string, string>()
  if (!["tool_call_id", "toolCallId", "tool_call_ids"].some((name) => isGiven(wire[name]))) {
    const other = ["tool_use_id", "call_id"].find((name) => idText(wire[name]) !== "")
    const name = other ?? (isGiven(wire["id"]) && isCallId(wire["id"]) ? "id" : undefined)
    if (name !== undefined) names.set(name, "tool_call_id")
  }
  if (!["content", "parts", "text"].some((name) => isGiven(wire[name]))) {
    const name = ["output", "result", "data", "response", "value", "body"].find((each) => isGiven(wire[each]))
    if (name !== undefined) names.set(name, "content")
  }
  if (names.size === 0) return wire
  findings.irregular("A result has its call or its content under another name", "written as tool_call_id and content")
  return renameFields(wire, names)
}

export const isOddResult = (wire: unknown): wire is Wire =>
  isWire(wire) && wire["role"] === "tool" && (wire["tool_call_id"] === undefined || wire["content"] === undefined)

/** The message inside of a choice, or of a whole answer, that was appended as it came. */
export const messageWithin = (wire: unknown): Wire | undefined => {
  if (!isWire(wire) || wire["role"] !== undefined) return undefined
  const choices = wire["choices"]
  const choice: unknown = Array.isArray(choices) ? choices[0] : wire
  const message = isWire(choice) ? choice["message"] : undefined
  return isWire(message) && typeof message["role"] === "string" ? message : undefined
}
