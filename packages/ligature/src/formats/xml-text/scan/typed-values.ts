/**
 * Values of parameters that carry no type: what a schema wants them to be, where one is known, and text otherwise. Tags
 * inside a value are structure where the schema wants an object or a list; without a schema, in the parameters of
 * agents that are known to nest tags.
 */
import { isWire, type JsonObject, type JsonValue, parseJson, type Wire } from "../../../model/index.ts"
import { readStructure, writeStructure } from "./structure.ts"

/** Which parameter a value belongs to, and the schema of the tool's arguments. */
export interface Typing {
  readonly key: string
  readonly schema?: Wire | undefined
}

/** Parameters in which Cline, Roo and Kilo nest tags: files to read or change, and suggested answers. */
const structured: ReadonlySet<string> = new Set(["args", "follow_up"])

const isJsonObject = (value: unknown): value is JsonObject => isWire(value)

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
export const readTyped = (text: string, { key, schema }: Typing): JsonValue => {
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
export const writeTyped = (value: JsonValue, typing: Typing): string | undefined => {
  const text = textOf(value, typing)
  return text !== undefined && JSON.stringify(readTyped(text, typing)) === JSON.stringify(value) ? text : undefined
}
