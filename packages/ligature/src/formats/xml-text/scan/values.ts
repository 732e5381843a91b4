/**
 * How one argument value is written between its tags, and read back.
 *
 * Rules, chosen so that a model still reads the value without effort:
 *  - A string stands as it is. One line break after the opening tag and one before the closing tag belong to the
 *    layout, not to the value; so a string with line breaks is written on lines of its own.
 *  - A string that holds the tags around it (or would otherwise be misread) is written with `&lt;`, `&amp;` and
 *    `&#13;`, and its tag says `escape="entities"`. Entities are decoded only where the tag says so: `&amp;` in
 *    real code stays `&amp;`.
 *  - Anything that is not a string is JSON, and its tag says `type="json"`; unless the plain text says it to every
 *    reader who knows the schema of the tool (see `typed-values.ts`).
 *  - Where bare JSON objects and arrays are customary (`invoke` style), and wherever a text would be read as another value, a string says
 *    `type="string"`.
 */
import { isWire, parseJson as parseValue } from "../../../model/index.ts"
import type { JsonObject, JsonValue } from "../../../model/index.ts"
import { attributeOf, escapeEntities, mentionsTag, trimLayout, unescapeEntities } from "./tags.ts"
import type { Tag } from "./tags.ts"
import { readTyped, type Typing, writeTyped } from "./typed-values.ts"

export type { JsonObject, JsonValue } from "../../../model/index.ts"

export const isJsonObject = (value: unknown): value is JsonObject => isWire(value)

export const parseJson = (text: string): JsonValue | undefined => parseValue(text) as JsonValue | undefined

const looksLikeJsonStructure = (text: string): boolean => /^\s*[[{]/.test(text)

/** `bareJson`: objects and arrays are read as JSON even where the tag does not say so. */
export const readValue = (tag: Tag, written: string, bareJson: boolean, typing: Typing): JsonValue => {
  const escaped = attributeOf(tag, "escape") === "entities"
  const text = escaped ? unescapeEntities(trimLayout(written)) : trimLayout(written)
  const type = attributeOf(tag, "type")
  if (type === "json") return parseJson(text) ?? (text.trim() === "null" ? null : text)
  if (type !== undefined) return text
  if (bareJson && looksLikeJsonStructure(text)) return parseJson(text) ?? text
  return escaped ? text : readTyped(text, typing)
}

export interface WrittenValue {
  /** Attributes for the opening tag, each with a leading space. */
  readonly attributes: string
  readonly text: string
}

const layOut = (text: string): string => (text.includes("\n") ? `\n${text}\n` : text)

/** `framing`: the tag names that must not occur bare inside the value. */
export const writeValue = (
  value: JsonValue,
  framing: readonly string[],
  bareJson: boolean,
  typing: Typing,
): WrittenValue => {
  if (typeof value !== "string") {
    const plain = writeTyped(value, typing)
    if (plain !== undefined && !mentionsTag(plain, framing)) return { attributes: "", text: plain }
    // Inside JSON text `<` occurs only in strings, so this escape keeps it valid JSON with the same meaning.
    const json = JSON.stringify(value)
    return { attributes: ' type="json"', text: mentionsTag(json, framing) ? json.replaceAll("<", "\\u003c") : json }
  }
  const isMisread = bareJson && looksLikeJsonStructure(value) ? parseJson(value) !== undefined : readTyped(value, typing) !== value
  const type = isMisread ? ' type="string"' : ""
  const needsEscape = mentionsTag(value, framing) || (value.endsWith("\r") && value.includes("\n"))
  if (!needsEscape) return { attributes: type, text: layOut(value) }
  return { attributes: `${type} escape="entities"`, text: layOut(escapeEntities(value, "value")) }
}
