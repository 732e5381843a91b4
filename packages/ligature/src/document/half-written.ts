/**
 * Of a value whose text broke off, takes out the one thing that is neither whole nor absent: the message that was being
 * written, or, where all messages are whole, the member of the request that was (half a tool list is no tool list).
 */

import { at, isList, isObject, type Path } from "../json/json-value.ts"
import { isMessageList } from "./message-list.ts"
import { listKeys } from "./shapes.ts"

/** `value` without what was half-written along `open`. It is changed in place: the reader has just made it. */
export function withoutHalfWritten(value: unknown, open: Path): unknown {
  for (let depth = 0; depth < open.length; depth += 1) {
    const holder = at(value, open.slice(0, depth))
    const key = open[depth]
    const above = open[depth - 1]
    if (isList(holder) && typeof key === "number") {
      const named = depth === 0 || (typeof above === "string" && listKeys.has(above))
      if (!isMessageList(holder, named)) continue
      ;(holder as unknown[]).splice(key)
      return value
    }
    if (
      isObject(holder) &&
      typeof key === "string" &&
      !isConversation(holder[key], key) &&
      Object.entries(holder).some(([name, child]) => name !== key && isConversation(child, name))
    ) {
      delete (holder as Record<string, unknown>)[key]
      return value
    }
  }
  return value
}

function isConversation(value: unknown, key: string): boolean {
  return isList(value) && value.length > 0 && isMessageList(value, listKeys.has(key))
}
