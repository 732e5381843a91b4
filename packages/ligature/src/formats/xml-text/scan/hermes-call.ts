/**
 * Reads the JSON of a `<tool_call>` block as Hermes and Qwen models write it.
 *
 * The end is where the JSON object ends, never the next closing tag: an argument may well contain `</tool_call>`.
 */
import { jsonObjectEnd } from "./json-extent.ts"
import { isJsonObject, parseJson } from "./values.ts"
import type { JsonObject } from "./values.ts"

export interface HermesCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly end: number
  readonly closed: boolean
}

const closingTag = "</tool_call>"

const skipWhiteSpace = (text: string, from: number): number => {
  let position = from
  while (/\s/.test(text.charAt(position))) position++
  return position
}

/** `from`: the position behind the opening tag. */
export const readHermesCall = (text: string, from: number): HermesCall | undefined => {
  const start = skipWhiteSpace(text, from)
  const objectEnd = jsonObjectEnd(text, start)
  if (objectEnd < 0) return undefined
  const call = parseJson(text.slice(start, objectEnd))
  if (!isJsonObject(call) || typeof call["name"] !== "string" || call["name"] === "") return undefined
  const given = call["arguments"] ?? call["parameters"] ?? {}
  // Some templates encode the arguments twice.
  const parsed = typeof given === "string" ? parseJson(given) : given
  if (!isJsonObject(parsed)) return undefined
  const closeStart = skipWhiteSpace(text, objectEnd)
  const closed = text.startsWith(closingTag, closeStart)
  const end = closed ? closeStart + closingTag.length : objectEnd
  return { name: call["name"], arguments: parsed, end, closed }
}
