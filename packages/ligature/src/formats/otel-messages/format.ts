/**
 * The names of the format. Messages are attributes of a span, and an attribute is a text: many exporters write the list as
 * JSON text, others as it is. Both are read, and each goes back as it came.
 */
import { isWire, type Native, parseJson, type Wire } from "../../model/index.ts"

export const format = "otel-messages"

export const inputKey = "gen_ai.input.messages"
export const outputKey = "gen_ai.output.messages"
export const systemKey = "gen_ai.system_instructions"

const keys: readonly string[] = [inputKey, outputKey, systemKey]

const hasMessages = (value: unknown): value is Wire => isWire(value) && keys.some((key) => Object.hasOwn(value, key))

/** A span keeps them under `attributes`, a log record or an export of attributes has them itself. */
export const isSpan = (body: Wire): body is Wire & { readonly attributes: Wire } => !hasMessages(body) && hasMessages(body["attributes"])

export const attributesOf = (body: Wire): Wire => (isSpan(body) ? body.attributes : body)

/** The elements of an attribute; what is neither a list nor the text of one is an element that nobody understands. */
export const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null || value === "") return []
  const read = typeof value === "string" ? parseJson(value) : value
  if (Array.isArray(read)) return read
  return [isWire(read) ? read : value]
}

/** The list as the attribute had it: as it is, or as JSON text. The very value where nothing changed. */
export const likeBefore = (list: readonly unknown[], before: unknown): unknown => {
  if (typeof before !== "string") return list
  const read = parseJson(before)
  return Array.isArray(read) && JSON.stringify(read) === JSON.stringify(list) ? before : JSON.stringify(list)
}

/** What a message, block or conversation was in this format. */
export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => {
  const native = value.native?.[format]
  return isWire(native) ? native : undefined
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
