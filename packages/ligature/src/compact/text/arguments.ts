/**
 * The arguments of a call as lines, as a record prints them: values one per line. A value that says nothing by itself
 * (a number, a code, an id) has its key before it; a path, a command or a sentence needs none, since the model has the tool's definition.
 */
import type { CallBlock, JsonValue } from "../../model/index.ts"

/** One word with a digit in it, and not a small number: `#W77`, `2024-05-16`, `60000`. Of what, says the key. */
const isCode = (text: string): boolean =>
  text.length <= 40 &&
  (/\d{3}/.test(text) || (/\d/.test(text) && /[A-Za-z]/.test(text))) &&
  /^[\w#@:+.-]+$/.test(text) &&
  !/^\.{1,2}\/|\.[A-Za-z]\w{0,4}$/.test(text)

const add = (value: JsonValue | undefined, key: string | undefined, into: string[]): void => {
  if (value === null || value === undefined || value === "") return
  if (typeof value === "object") {
    if (Array.isArray(value)) for (const inner of value) add(inner as JsonValue, key, into)
    else for (const [own, inner] of Object.entries(value)) add(inner as JsonValue, own, into)
    return
  }
  const text = String(value)
  if (key !== undefined && typeof value !== "boolean" && isCode(text)) into.push(`${key}: ${text}`)
  else for (const line of text.split("\n")) into.push(line)
}

export const argumentLines = (call: CallBlock): readonly string[] => {
  if (call.fault === "unparsable" || call.fault === "not-object") return (call.raw ?? "").split("\n")
  const lines: string[] = []
  add(call.arguments, undefined, lines)
  return lines
}
