/**
 * How one argument value is written between its tags, and read back.
 *
 * Rules, chosen so that a model still reads the value without effort:
 *  - A string stands as it is. One line break after the opening tag and one before the closing tag belong to the
 *    layout, not to the value; so a string with line breaks is written on lines of its own.
 *  - A string that holds the tags around it (or would otherwise be misread) is written with `&lt;`, `&amp;` and
 *    `&#13;`, and its tag says `escape="entities"`. Entities are decoded only where the tag says so: `&amp;` in
 *    real code stays `&amp;`.
 *  - Anything that is not a string is JSON, and its tag says `type="json"`.
 *  - Where bare JSON objects and arrays are customary (`invoke` style), a string that looks like one says
 *    `type="string"`.
 */
import { attributeOf, escapeEntities, mentionsTag, unescapeEntities } from "./tags.ts"
import type { Tag } from "./tags.ts"

export type JsonValue =
  | string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

export type JsonObject = { readonly [key: string]: JsonValue }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const parseJson = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Removes one line break at each end, CRLF or LF. */
export const trimLayout = (text: string): string => {
  const start = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0
  if (start === text.length) return ""
  const end = text.length - (text.endsWith("\r\n") ? 2 : text.endsWith("\n") ? 1 : 0)
  return text.slice(start, Math.max(start, end))
}

const looksLikeJsonStructure = (text: string): boolean => /^\s*[[{]/.test(text)

/** `bareJson`: objects and arrays are read as JSON even where the tag does not say so. */
export const readValue = (tag: Tag, written: string, bareJson: boolean): JsonValue => {
  const trimmed = trimLayout(written)
  const text = attributeOf(tag, "escape") === "entities" ? unescapeEntities(trimmed) : trimmed
  const type = attributeOf(tag, "type")
  if (type === "json") return parseJson(text) ?? (text.trim() === "null" ? null : text)
  if (type === undefined && bareJson && looksLikeJsonStructure(text)) return parseJson(text) ?? text
  return text
}

export interface WrittenValue {
  /** Attributes for the opening tag, each with a leading space. */
  readonly attributes: string
  readonly text: string
}

const layOut = (text: string): string => (text.includes("\n") ? `\n${text}\n` : text)

/** `framing`: the tag names that must not occur bare inside the value. */
export const writeValue = (value: JsonValue, framing: readonly string[], bareJson: boolean): WrittenValue => {
  if (typeof value !== "string") {
    // Inside JSON text `<` occurs only in strings, so this escape keeps it valid JSON with the same meaning.
    const json = JSON.stringify(value)
    return { attributes: ' type="json"', text: mentionsTag(json, framing) ? json.replaceAll("<", "\\u003c") : json }
  }
  const type = bareJson && looksLikeJsonStructure(value) && parseJson(value) !== undefined ? ' type="string"' : ""
  const needsEscape = mentionsTag(value, framing) || (value.endsWith("\r") && value.includes("\n"))
  if (!needsEscape) return { attributes: type, text: layOut(value) }
  return { attributes: `${type} escape="entities"`, text: layOut(escapeEntities(value, "value")) }
}
