/** What an item is, told at a glance: its type, whether it is of the usual kinds, whether another API wrote it. */
import { isWire, type Role, type Wire } from "../../model/index.ts"
import { isBorrowedPart, saysElsewhere } from "../engine/borrowed-message.ts"
import { toolKindOf } from "../engine/borrowed-tools.ts"
import { answerTypes, callKindOf } from "./items.ts"

export const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
])

/**
 * Type of an item; a message may leave it out. The long names that nearly every item has are given as constants:
 * JSON.parse makes a new string of each, and every table would have to hash it anew.
 */
export const typeOf = (wire: unknown): string | undefined => {
  if (!isWire(wire)) return undefined
  const type = wire["type"] ?? (wire["role"] === undefined ? undefined : "message")
  if (type === "function_call") return "function_call"
  if (type === "function_call_output") return "function_call_output"
  if (typeof type !== "string" || type.trim() === "" || (type === "message" && !roles.has(wire["role"]))) return undefined
  return type
}

/** Messages, reasoning, and functions with their outputs: nearly every input is made of these alone. */
export const isUsual = (wire: unknown): boolean => {
  const type = isWire(wire) ? wire["type"] : undefined
  if (type === "function_call" || type === "function_call_output") return true
  return type === "message" || type === "reasoning" || type === undefined
}

/** Ids of the calls in the input, where outputs may also answer calls that only the server holds; else nothing. */
export const callsWithElsewhere = (
  body: Wire,
  input: readonly unknown[],
  usual: boolean,
): ReadonlySet<unknown> | undefined => {
  const { previous_response_id: previous, conversation } = body
  const isReference = (wire: unknown): boolean => isWire(wire) && wire["type"] === "item_reference"
  const chained = typeof previous === "string" || (conversation !== undefined && conversation !== null)
  if (!chained && (usual || !input.some(isReference))) return undefined
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  return new Set(calls.map((wire) => wire["call_id"] ?? wire["id"]))
}

/** Parts of messages, and messages of frameworks that name the speaker by their type. */
const borrowedTypes: ReadonlySet<string> = new Set(
  "text input_text output_text image_url ai human system tool AIMessage HumanMessage SystemMessage ToolMessage".split(" "),
)

/** A call or a result of another API. */
const isForeignTool = (wire: Wire, type: string): boolean =>
  toolKindOf(wire) !== undefined && callKindOf(type) === undefined && !answerTypes.has(type)

/** Whether an item looks like a message with calls or a result, or like a block: a glance, for every item. */
export const mayBeBorrowed = (wire: Wire, type: string | undefined): boolean => {
  if (type === "function_call" || type === "function_call_output" || type === "reasoning") return false
  if (type !== "message") return type === undefined || borrowedTypes.has(type) || isForeignTool(wire, type)
  if (wire["tool_calls"] !== undefined || wire["tool_call_id"] !== undefined || saysElsewhere(wire)) return true
  return Array.isArray(wire["content"]) && wire["content"].some(isBorrowedPart)
}
