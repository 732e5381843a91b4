/** `tool_calls` that a database gave back as the text it keeps; undefined where it is no such text. */
import { isWire, parseJson } from "../../model/index.ts"

export const callsInText = (calls: unknown): readonly unknown[] | undefined => {
  const value = typeof calls === "string" ? parseJson(calls) : undefined
  if (isWire(value)) return [value]
  return Array.isArray(value) ? value : undefined
}
