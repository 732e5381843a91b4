/**
 * Is this list a conversation? Asked of every list in a file, so it looks at a bounded sample; and asked of damaged
 * files, so it wants a majority, not perfection: a null between two messages is damage in a conversation.
 */

import { isObject, type JsonObject } from "../json/json-value.ts"
import { itemTypes, messageKeys, roles } from "./shapes.ts"

/** `message`: says something in a role. `item`: a Responses item without role. `weak`: could belong to a list. */
export type Likeness = "message" | "item" | "weak" | "bookkeeping" | undefined

/** Frameworks name the speaker by the type of the message. What other files have too (`system`, `tool`) proves little. */
const speakers: ReadonlySet<string> = new Set([
  "human",
  "ai",
  "HumanMessage",
  "AIMessage",
  "AIMessageChunk",
  "SystemMessage",
  "ToolMessage",
])

const sampleSize = 64
const geminiParts: readonly string[] = ["text", "functionCall", "functionResponse", "inlineData"]

export function likenessOf(value: unknown): Likeness {
  if (!isObject(value)) return undefined
  const { role, type, from } = value
  if (typeof role === "string") {
    if (role.startsWith("_")) return "bookkeeping"
    const saysSomething = messageKeys.some((key) => Object.hasOwn(value, key))
    return saysSomething && roles.has(role) ? "message" : saysSomething || roles.has(role) ? "weak" : undefined
  }
  if (typeof type === "string" && isItemType(type)) return "item"
  if (typeof type === "string" && speakers.has(type) && value["content"] !== undefined) return "message"
  if (typeof from === "string" && typeof value["value"] === "string") return "message"
  if (isGeminiContent(value)) return "message"
  return undefined
}

export function isItemType(type: string): boolean {
  return itemTypes.has(type) || ((type.endsWith("_call") || type.endsWith("_call_output")) && type !== "tool_call")
}

function isGeminiContent(value: JsonObject): boolean {
  const parts = value["parts"]
  if (!Array.isArray(parts)) return false
  const first: unknown = parts[0]
  return isObject(first) && geminiParts.some((key) => Object.hasOwn(first, key))
}

/** Items spread evenly over a list, ends included: damage and style changes sit anywhere. */
export function sampleOf(list: readonly unknown[], size: number): readonly unknown[] {
  if (list.length <= size) return list
  const step = (list.length - 1) / (size - 1)
  return Array.from({ length: size }, (_, index) => list[Math.round(index * step)])
}

/** `named`: the list is where conversations are (a known key, the top of the file), so less evidence will do. */
export function isMessageList(list: readonly unknown[], named: boolean): boolean {
  const counts = { message: 0, item: 0, weak: 0, bookkeeping: 0, none: 0 }
  const sample = sampleOf(list, sampleSize)
  for (const value of sample) counts[likenessOf(value) ?? "none"] += 1
  if (counts.message === 0 && !(named && counts.item > 0)) return false
  return counts.none * 2 <= sample.length || (named && counts.none * 4 <= sample.length * 3)
}
