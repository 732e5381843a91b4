/**
 * JSON of a request that was made from a JSON text, as `JSON.stringify` writes it, but for what is in that text: long
 * strings keep their spelling, and so do arguments that came as a text of their own, digits beyond double precision included.
 */
import type { Conversation } from "../model/index.ts"
import { deepest, isPlain, longFrom, Spellings } from "./spellings.ts"

/** Printable ASCII without quotes and backslashes: nothing to escape. */
const plain = /^[ !#-[\]-~]*$/

const short = (value: string): string => (plain.test(value) ? `"${value}"` : JSON.stringify(value))

/** The text that the arguments of a call were parsed from, by the object they became. */
const argumentTexts = ({ items }: Conversation): ReadonlyMap<object, string> => {
  const texts = new Map<object, string>()
  for (const item of items) {
    if (item.role !== "exchange") continue
    for (const block of item.message.blocks) {
      if (block.type === "call" && block.raw !== undefined && block.fault === undefined) texts.set(block.arguments, block.raw)
    }
  }
  return texts
}

class Writer {
  readonly #spellings: Spellings
  readonly #arguments: ReadonlyMap<object, string>
  /** Names of fields are few, and each is written in two ways: the first of an object, and a later one. */
  readonly #firsts = new Map<string, string>()
  readonly #others = new Map<string, string>()
  /** What is finished: small pieces put together, and long texts. */
  readonly #parts: string[] = []
  #text = ""
  /** The character last looked at: kept, because an optimizer leaves out a look of which nothing is kept. */
  seen = 0

  constructor(spellings: Spellings, known: ReadonlyMap<object, string>) {
    this.#spellings = spellings
    this.#arguments = known
  }

  /** False: a value that JSON leaves out. */
  write(prefix: string, value: unknown, depth: number): boolean {
    if (typeof value === "string") this.#string(prefix, value)
    else if (typeof value !== "object" || value === null || depth === 0) return this.#leaf(prefix, value)
    else if (Array.isArray(value)) this.#list(prefix, value, depth - 1)
    else this.#object(prefix, value as Readonly<Record<string, unknown>>, depth - 1)
    return true
  }

  end(): string {
    this.#parts.push(this.#text)
    return this.#parts.join("")
  }

  #string(prefix: string, value: string): void {
    if (value.length < longFrom) this.#text += prefix + short(value)
    else this.#long(prefix, this.#spellings.of(value) ?? JSON.stringify(value))
  }

  #long(prefix: string, json: string): void {
    this.#text += prefix
    // Engines keep a text in the making as a tree of its pieces; looking at a character puts them together.
    this.seen = this.#text.charCodeAt(0)
    this.#parts.push(this.#text, json)
    this.#text = ""
  }

  #leaf(prefix: string, value: unknown): boolean {
    const json: string | undefined = JSON.stringify(value)
    if (json === undefined) return false
    this.#text += prefix + json
    return true
  }

  #list(prefix: string, list: readonly unknown[], depth: number): void {
    this.#text += `${prefix}[`
    for (let index = 0; index < list.length; index++) {
      const comma = index === 0 ? "" : ","
      if (!this.write(comma, list[index], depth)) this.#text += `${comma}null`
    }
    this.#text += "]"
  }

  #object(prefix: string, fields: Readonly<Record<string, unknown>>, depth: number): void {
    const known = this.#arguments.get(fields)
    if (known !== undefined && isPlain(known, fields)) return this.#long(prefix, known)
    this.#text += prefix
    let isFirst = true
    for (const name in fields) {
      if (this.write(this.#name(name, isFirst), fields[name], depth)) isFirst = false
    }
    this.#text += isFirst ? "{}" : "}"
  }

  #name(name: string, isFirst: boolean): string {
    const known = isFirst ? this.#firsts : this.#others
    let written = known.get(name)
    if (written === undefined) {
      written = `${isFirst ? "{" : ","}${JSON.stringify(name)}:`
      known.set(name, written)
    }
    return written
  }
}

/** What a request was made from: a JSON text, what was parsed from it, and the conversation in between. */
export interface Source {
  readonly text: string
  readonly parsed: unknown
  readonly conversation: Conversation
}

export const writeJson = (value: unknown, { text, parsed, conversation }: Source): string => {
  const spellings = Spellings.find(text, parsed)
  if (!spellings) return JSON.stringify(value)
  const writer = new Writer(spellings, argumentTexts(conversation))
  writer.write("", value, deepest)
  return writer.end()
}
