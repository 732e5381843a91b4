/**
 * Nested tags as values, read and written: `<file><path>a.ts</path></file>` is `{ file: { path: "a.ts" } }`, and tags
 * that repeat are a list. Only parameters that are known to hold such structure are read this way: the text of a file
 * may consist of tags too, and must stay text.
 */
import { isWire, type JsonObject, type JsonValue } from "../../../model/index.ts"
import { attributesOf, indexTags, type Tag, type TagIndex, trimLayout } from "./tags.ts"

/** Nobody nests arguments deeper; what does is left as text. */
const deepest = 24

/** Elements that hold source text, which may look like tags. */
const textElements: ReadonlySet<string> = new Set(["content", "search", "replace"])

const characterData = /^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/

const isObject = (value: JsonValue): value is JsonObject => isWire(value)

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
    for (let position = from; position < to; ) {
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
    const holdsElements =
      close > open + 1 && joined[open] === true && joined[close - 1] === true && !textElements.has(tag.name)
    const value = (holdsElements ? this.#children(open + 1, close, depth + 1) : undefined) ?? leafText(inner)
    if (tag.attributes === "") return value
    return { ...Object.fromEntries(attributesOf(tag)), ...(isObject(value) ? value : { text: value }) }
  }
}

/** Undefined: the text is no structure of tags, so it is a text. */
export const readStructure = (text: string): JsonObject | undefined => {
  if (!text.includes("</")) return undefined
  return new StructureReader(text).read()
}

const elementName = /^[A-Za-z_][\w.-]{0,127}$/

const writeElement = (name: string, value: JsonValue, indent: string): string | undefined => {
  if (!elementName.test(name)) return undefined
  if (typeof value === "string") return `${indent}<${name}>${value.includes("\n") ? `\n${value}\n` : value}</${name}>\n`
  if (!isObject(value)) return undefined
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
export const writeStructure = (value: JsonObject): string | undefined => {
  const written = writeElements(value, "  ")
  return written === undefined || written === "" ? undefined : `\n${written}`
}
