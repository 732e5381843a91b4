/**
 * By which id a call and its output belong together. It is the `call_id`; but writers confuse it with the id of the item,
 * leave it out on the call, or count in numbers. All of it is readable without doubt, and reported.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { idText } from "../id-text.ts"
import { callKindOf } from "./items.ts"

/** The id of a call. One without `call_id` goes by the id of its item. */
export const callIdOf = (wire: Wire): string => idText(wire["call_id"]) || idText(wire["id"])

/** The id that an output names. */
export const answeredIdOf = (wire: Wire): string => {
  const id = idText(wire["call_id"])
  return id === "" && wire["type"] === "local_shell_call_output" ? idText(wire["id"]) : id
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
