/**
 * By which id a call and its output belong together. It is the `call_id`; but writers confuse it with the id of the item,
 * leave it out on the call, or count in numbers. All of it is readable without doubt, and reported.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { misnamedCall } from "../engine/borrowed.ts"
import { idText } from "../engine/id-text.ts"
import { renameFields } from "../engine/rename-fields.ts"
import { callKindOf } from "./items.ts"

/** The id of a call. One without `call_id` goes by the id of its item. */
export const callIdOf = (wire: Wire): string => idText(wire["call_id"]) || idText(wire["id"])

/** The id that an output names. */
export const answeredIdOf = (wire: Wire): string => {
  const id = idText(wire["call_id"])
  return id === "" && wire["type"] === "local_shell_call_output" ? idText(wire["id"]) : id
}

/** Names that other APIs have for the id of a call, and for the words of an answer. */
const namesOfId = ["tool_call_id", "tool_use_id", "id"] as const
const namesOfOutput = ["content", "result", "text", "data", "response", "value", "body"] as const

/**
 * An output that names its call, or says what it has to say, under another name, as the API writes it; undefined where
 * it does not. Its own `id` may be that of the item, and counts where it names a call.
 */
export const outputInPlainWords = (wire: Wire, isCallId: (id: string) => boolean): Wire | undefined => {
  const names = new Map<string, string>()
  if (answeredIdOf(wire) === "") {
    const isName = (name: string): boolean =>
      idText(wire[name]) !== "" && (name !== "id" || isCallId(idText(wire[name])))
    const name = namesOfId.find(isName)
    if (name !== undefined) names.set(name, "call_id")
  }
  if (wire["output"] === undefined || wire["output"] === null) {
    const name = namesOfOutput.find((each) => wire[each] !== undefined && wire[each] !== null)
    if (name !== undefined) names.set(name, "output")
  }
  return names.size === 0 ? undefined : renameFields(wire, names)
}

/** A call whose name or arguments have another name, or are inside another object, as the API writes it. */
export const callInPlainWords = (wire: Wire): Wire | undefined => {
  const id = idText(wire["call_id"]) === "" ? "id" : "call_id"
  const call = misnamedCall(wire, { id, name: "name", said: "arguments" })
  if (!call) return undefined
  return { ...wire, call_id: call.id, name: call.name, arguments: call.raw ?? JSON.stringify(call.arguments) }
}

/** The ids of all calls. */
export const callIdsIn = (input: readonly unknown[]): ReadonlySet<string> => {
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  return new Set(calls.map(callIdOf))
}

/** How ids of call items begin: a glance, for every output. */
export const looksLikeItemId = (id: string): boolean => id.startsWith("fc") || id.startsWith("ctc")

/** The call ids by the ids of their items, for those that no call has as its call id. */
export const callIdsByItem = (input: readonly unknown[]): ReadonlyMap<string, string> => {
  const byItem = new Map<string, string>()
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  for (const call of calls) if (typeof call["id"] === "string") byItem.set(call["id"], callIdOf(call))
  for (const call of calls) byItem.delete(callIdOf(call))
  return byItem
}

/** Why the server would not find the call by its id; undefined where it would. */
export const callIdFault = (wire: Wire, isCall: boolean): string | undefined => {
  if (typeof wire["call_id"] === "number") return "The call id is a number where text belongs"
  const nameless = isCall && typeof wire["call_id"] !== "string" && wire["type"] !== "local_shell_call"
  return nameless && callIdOf(wire) !== "" ? "A call has an item id and no call id" : undefined
}
