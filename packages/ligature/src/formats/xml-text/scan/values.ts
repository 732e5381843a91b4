/**
 * How one argument value is written between its tags, and read back.
 *
 * Rules, chosen so that a model still reads the value without effort:
 *  - A string is as it is. One line break after the opening tag and one before the closing tag belong to the
 *    layout, not to the value; so a string with line breaks is written on lines of its own.
 *  - A string that holds the tags around it (or would otherwise be misread) is written with `&lt;`, `&amp;` and
 *    `&#13;`, and its tag says `escape="entities"`. Entities are decoded only where the tag says so: `&amp;` in
 *    real code stays `&amp;`.
 *  - Anything that is not a string is JSON, and its tag says `type="json"`; unless the plain text says it to every
 *    reader who knows the schema of the tool (see `typed-values.ts`).
 *  - Where bare JSON objects and arrays are customary (`invoke` style), and wherever a text would be read as another value, a string says
 *    `type="string"`.
 */
import { isWire, type JsonObject, type JsonValue, parseJson as parseValue, type Wire } from "../../../model/index.ts"
import {
  attributeOf,
  attributesOf,
  escapeEntities,
  indexTags,
  mentionsTag,
  type Tag,
  type TagIndex,
  trimLayout,
  unescapeEntities,
} from "./tags.ts"

// Nested tags as values, read and written: `<file><path>a.ts</path></file>` is `{ file: { path: "a.ts" } }`, and tags that repeat are a list. Only
// parameters that are known to hold such structure are read this way: the text of a file may consist of tags too, and must stay text.

/** Nobody nests arguments deeper; what does is left as text. */
const deepest = 24

/** Elements that hold source text, which may look like tags. */
const textElements: ReadonlySet<string> = new Set(["content", "search", "replace"])

const characterData = /^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/

const leafText = (text: string): string => characterData.exec(text)?.[1] ?? trimLayout(text)

const addTo = (fields: Map<string, JsonValue[]>, name: string, value: JsonValue): void => {
  const known = fields.get(name)
  if (known) known.push(value)
  else fields.set(name, [value])
}

const objectOf = (fields: ReadonlyMap<string, readonly JsonValue[]>): JsonObject =>
  Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] as JsonValue) : values]))

class StructureReader {
  readonly #text: string
  readonly #index: TagIndex

  constructor(text: string) {
    this.#text = text
    this.#index = indexTags(text)
  }

  /** The value of all tags there are; undefined where they are not all there is. */
  read(): JsonObject | undefined {
    const { tags } = this.#index
    const [first, last] = [tags[0], tags.at(-1)]
    if (!first || !last) return undefined
    if (this.#text.slice(0, first.start).trim() !== "" || this.#text.slice(last.end).trim() !== "") return undefined
    return this.#children(0, tags.length, 1)
  }

  /** The elements from one tag up to another; undefined where anything but elements is there. */
  #children(from: number, to: number, depth: number): JsonObject | undefined {
    const { tags, joined, balanced } = this.#index
    if (depth > deepest) return undefined
    const fields = new Map<string, JsonValue[]>()
    for (let position = from; position < to;) {
      const tag = tags[position] as Tag
      const close = tag.kind === "empty" ? position : (balanced[position] ?? -1)
      if (tag.kind === "close" || close < position || close >= to) return undefined
      if (close + 1 < to && joined[close] !== true) return undefined
      addTo(fields, tag.name, this.#element(position, close, depth))
      position = close + 1
    }
    return objectOf(fields)
  }

  #element(open: number, close: number, depth: number): JsonValue {
    const { tags, joined } = this.#index
    const tag = tags[open] as Tag
    const inner = open === close ? "" : this.#text.slice(tag.end, tags[close]?.start)
    const holdsElements = close > open + 1 && joined[open] === true && joined[close - 1] === true && !textElements.has(tag.name)
    const value = (holdsElements ? this.#children(open + 1, close, depth + 1) : undefined) ?? leafText(inner)
    if (tag.attributes === "") return value
    return { ...Object.fromEntries(attributesOf(tag)), ...(isJsonObject(value) ? value : { text: value }) }
  }
}

/** Undefined: the text is no structure of tags, so it is a text. */
const readStructure = (text: string): JsonObject | undefined => {
  if (!text.includes("</")) return undefined
  return new StructureReader(text).read()
}

const elementName = /^[A-Za-z_][\w.-]{0,127}$/

const writeElement = (name: string, value: JsonValue, indent: string): string | undefined => {
  if (!elementName.test(name)) return undefined
  if (typeof value === "string") return `${indent}<${name}>${layOut(value)}</${name}>\n`
  if (!isJsonObject(value)) return undefined
  const inner = writeElements(value, `${indent}  `)
  return inner === undefined || inner === "" ? undefined : `${indent}<${name}>\n${inner}${indent}</${name}>\n`
}

const writeElements = (value: JsonObject, indent: string): string | undefined => {
  let written = ""
  for (const [name, held] of Object.entries(value)) {
    for (const one of Array.isArray(held) ? (held as readonly JsonValue[]) : [held]) {
      const element = writeElement(name, one, indent)
      if (element === undefined) return undefined
      written += element
    }
  }
  return written
}

/** As agents lay such values out. Whether it reads back as the same value is for the caller to try. */
const writeStructure = (value: JsonObject): string | undefined => {
  const written = writeElements(value, "  ")
  return written === undefined || written === "" ? undefined : `\n${written}`
}

// Values of parameters that carry no type: what a schema wants them to be, where one is known, and text otherwise. Tags inside a value are structure
// where the schema wants an object or a list; without a schema, in the parameters of agents that are known to nest tags.

/** Which parameter a value belongs to, and the schema of the tool's arguments. */
interface Typing {
  readonly key: string
  readonly schema?: Wire | undefined
}

/** Parameters in which Cline, Roo and Kilo nest tags: files to read or change, and suggested answers. */
const structured: ReadonlySet<string> = new Set(["args", "follow_up"])

const propertyOf = (schema: unknown, key: string): unknown => {
  const properties = isWire(schema) ? schema["properties"] : undefined
  return isWire(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
}

/** The types a schema allows; empty when it does not say. */
const typesOf = (schema: unknown): ReadonlySet<unknown> => {
  if (!isWire(schema)) return new Set()
  const { type, anyOf, oneOf, enum: values } = schema
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined
  if (alternatives) return new Set(alternatives.flatMap((each) => [...typesOf(each)]))
  if (type !== undefined) return new Set((Array.isArray(type) ? type : [type]).map((each) => String(each).toLowerCase()))
  return new Set(Array.isArray(values) ? values.map((value) => typeof value) : [])
}

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A number that is written like the text; longer ones would lose digits and stay text. */
const readNumber = (text: string): number | undefined => {
  if (!numberText.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && (String(value) === text || /[.eE]/.test(text)) ? value : undefined
}

const itemsIn = (value: JsonObject): readonly JsonValue[] | undefined => {
  const [only, ...more] = Object.values(value)
  if (only === undefined || more.length > 0) return undefined
  return Array.isArray(only) ? (only as readonly JsonValue[]) : [only]
}

/** The parts of a structure, as their schema wants them. */
const typedParts = (value: JsonValue, schema: unknown): JsonValue => {
  if (typeof value === "string") return readBySchema(value, schema) ?? value
  const types = typesOf(schema)
  if (isJsonObject(value) && types.has("array") && !types.has("object")) {
    const items = itemsIn(value)
    return items ? typedParts(items, schema) : value
  }
  if (Array.isArray(value)) {
    const items = isWire(schema) ? schema["items"] : undefined
    return (value as readonly JsonValue[]).map((item) => typedParts(item, items))
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => {
      const property = propertyOf(schema, key)
      const wanted = typesOf(property)
      const listed = wanted.has("array") && !wanted.has("object") && typeof held === "string" ? [held] : held
      return [key, typedParts(listed, property)]
    }),
  )
}

/** Undefined: the schema does not make anything else of the text. */
const readBySchema = (text: string, schema: unknown): JsonValue | undefined => {
  const types = typesOf(schema)
  if (types.has("string")) return undefined
  const trimmed = text.trim()
  if (types.has("boolean") && (trimmed === "true" || trimmed === "false")) return trimmed === "true"
  if (types.has("null") && trimmed === "null") return null
  if (types.has("number") || types.has("integer")) {
    const value = readNumber(trimmed)
    if (value !== undefined) return value
  }
  if (!types.has("array") && !types.has("object")) return undefined
  const parsed = parseJson(trimmed)
  if (Array.isArray(parsed) && types.has("array")) return parsed as readonly JsonValue[]
  if (isJsonObject(parsed) && types.has("object")) return parsed
  const structure = readStructure(text)
  return structure && typedParts(structure, schema)
}

/** What a text means as the value of this parameter. */
const readTyped = (text: string, { key, schema }: Typing): JsonValue => {
  const property = propertyOf(schema, key)
  if (typesOf(property).size > 0) return readBySchema(text, property) ?? text
  return (structured.has(key) ? readStructure(text) : undefined) ?? text
}

/** The value as a text for readers who know the schema; undefined where there is none. */
const textOf = (value: JsonValue, { key, schema }: Typing): string | undefined => {
  if (typeof value === "boolean" || typeof value === "number" || value === null) return String(value)
  if (isJsonObject(value)) return writeStructure(value)
  const known = typesOf(propertyOf(schema, key)).size > 0
  return known && Array.isArray(value) ? writeStructure({ item: value }) : undefined
}

/** The value as plain text, where that reads back as the very same value; undefined where its tag has to say a type. */
const writeTyped = (value: JsonValue, typing: Typing): string | undefined => {
  const text = textOf(value, typing)
  return text !== undefined && JSON.stringify(readTyped(text, typing)) === JSON.stringify(value) ? text : undefined
}

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

interface WrittenValue {
  /** Attributes for the opening tag, each with a leading space. */
  readonly attributes: string
  readonly text: string
}

const layOut = (text: string): string => (text.includes("\n") ? `\n${text}\n` : text)

/** `framing`: the tag names that must not occur bare inside the value. */
export const writeValue = (value: JsonValue, framing: readonly string[], bareJson: boolean, typing: Typing): WrittenValue => {
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
