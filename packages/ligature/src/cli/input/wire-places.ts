/**
 * From a place in a transcript to the place in the file a person can open: `messages[12].content[0]`, line 310.
 * Messages and blocks keep the wire value they came from, so they are found again by identity, whatever the format.
 */
import { type DocumentPart, listKeyOf } from "../../document/index.ts"
import { isTree, isWire, type Place, type Transcript } from "../../model/index.ts"
import { type Keys, keysOf } from "./source-text.ts"

const blockLists = ["content", "parts", "tool_calls"] as const
const systemKeys = ["system", "instructions", "systemInstruction", "system_instruction"] as const

/** record → message → content → block */
const blockDepth = 4

const listOf = (part: DocumentPart): readonly unknown[] => {
  const isRequest = part.container === "request" && isWire(part.value)
  const value = isRequest ? part.value[listKeyOf(part.format)] : part.value
  return Array.isArray(value) ? value : []
}

export class WirePlaces {
  readonly #part: DocumentPart
  readonly #transcript: Transcript
  readonly #list: readonly unknown[]
  readonly #indices = new Map<object, number>()
  readonly #blocks = new WeakMap<object, Map<object, Keys>>()
  #inside: ReadonlyMap<object, number> | undefined

  constructor(part: DocumentPart, transcript: Transcript) {
    this.#part = part
    this.#transcript = transcript
    this.#list = listOf(part)
    this.#list.forEach((value, index) => {
      if (isTree(value) && !this.#indices.has(value)) this.#indices.set(value, index)
    })
  }

  /** Index of a message in the file's own list; undefined for a system prompt outside the list. */
  indexOf(message: number): number | undefined {
    const native = this.#native(message)
    if (isTree(native)) {
      const own = this.#indices.get(native)
      if (own !== undefined) return own
      const first: unknown = Array.isArray(native) ? native[0] : undefined
      const item = isTree(first) ? this.#indices.get(first) : undefined
      if (item !== undefined) return item
    }
    for (const block of this.#transcript.messages[message]?.blocks ?? []) {
      const item: unknown = block.native?.[this.#transcript.format]
      const index = isTree(item) ? this.#indices.get(item) : undefined
      if (index !== undefined) return index
    }
    return this.#transcript.messages[message]?.role === "system" ? undefined : this.#byNeighbour(message)
  }

  /** The path from the top of the file, or of the JSON value on its line. */
  keysOf(place: Place): Keys {
    const { message, block } = place
    const base = keysOf(this.#part.path)
    if (message === undefined) return base
    // The element named by a decoder is more exact: several may have become one message.
    const named = /^\w+\[(\d+)\]/.exec(place.path ?? "")?.[1]
    const index = named === undefined ? (this.#itemIndex(message, block) ?? this.indexOf(message)) : Number(named)
    if (index === undefined) return [...base.slice(0, -1), ...this.#systemKey()]
    return [...this.#listKeys(index), ...this.#insideKeys(index, message, block)]
  }

  /**
   * The line of the record that contains a block, if each record has a line. One message of a session may span several
   * lines, so its blocks are searched in the records themselves, by identity.
   */
  lineOf({ message, block }: Place): number | undefined {
    const { lines } = this.#part
    if (lines === undefined || message === undefined || block === undefined) return undefined
    const native = this.#transcript.messages[message]?.blocks[block]?.native ?? {}
    for (const value of Object.values(native)) {
      const record = isTree(value) ? this.#records().get(value) : undefined
      if (record !== undefined) return lines[record]
    }
    return undefined
  }

  /** The place as text: `messages[12].content[0]`. Indices may be strings, as in JSON pointers. */
  static written(keys: Keys): string {
    return keys.map((key, index) => (/^\d+$/.test(String(key)) ? `[${key}]` : `${index === 0 ? "" : "."}${key}`)).join("")
  }

  /** Transcript messages whose file index is `index`; for places that a provider names. */
  messageAt(index: number): number | undefined {
    const found = this.#transcript.messages.findIndex((_, message) => {
      const own = this.indexOf(message)
      if (own === index) return true
      const native = this.#native(message)
      return Array.isArray(native) && native.includes(this.#list[index])
    })
    return found === -1 ? undefined : found
  }

  /** Every value inside the records, down to the depth of blocks, with the index of its record. */
  #records(): ReadonlyMap<object, number> {
    if (this.#inside) return this.#inside
    const inside = new Map<object, number>()
    this.#list.forEach((record, index) => {
      let level: readonly unknown[] = [record]
      for (let depth = 0; depth < blockDepth && level.length > 0; depth++) {
        const objects = level.filter(isTree)
        for (const value of objects) if (!inside.has(value)) inside.set(value, index)
        level = objects.flatMap((value) => Object.values(value))
      }
    })
    this.#inside = inside
    return inside
  }

  #native(message: number): unknown {
    return this.#transcript.messages[message]?.native?.[this.#transcript.format]
  }

  /** A block that is an item of the list by itself (Responses). */
  #itemIndex(message: number, block: number | undefined): number | undefined {
    if (block === undefined) return undefined
    const item: unknown = this.#transcript.messages[message]?.blocks[block]?.native?.[this.#transcript.format]
    return isTree(item) ? this.#indices.get(item) : undefined
  }

  /** A message without a wire value of its own follows the one before it. */
  #byNeighbour(message: number): number | undefined {
    const isSystem = this.#transcript.messages[0]?.role === "system"
    const isOutside = isSystem && !this.#indices.has(this.#native(0) as object)
    const index = message - (isOutside ? 1 : 0)
    return index >= 0 && index < this.#list.length ? index : undefined
  }

  #systemKey(): Keys {
    const { value } = this.#part
    const key = isWire(value) ? systemKeys.find((name) => Object.hasOwn(value, name)) : undefined
    return key === undefined ? [] : [key]
  }

  #listKeys(index: number): Keys {
    const { container, path, appended } = this.#part
    const ownLength = this.#list.length - (appended?.count ?? 0)
    if (appended !== undefined && index >= ownLength) {
      const keys = keysOf(appended.path)
      return appended.count === 1 ? keys : [...keys, index - ownLength]
    }
    if (container === "lines" || container === "message" || this.#part.lines !== undefined) return []
    return container === "reply" ? keysOf(path) : [...keysOf(path), index]
  }

  #insideKeys(index: number, message: number, block: number | undefined): Keys {
    const wire = this.#list[index]
    if (block === undefined || !isWire(wire)) return []
    // A format that reads inside another's blocks keeps them under the other's name.
    for (const native of Object.values(this.#transcript.messages[message]?.blocks[block]?.native ?? {})) {
      if (native === wire) return []
      const known = isTree(native) ? this.#childrenOf(wire).get(native) : undefined
      if (known !== undefined) return known
    }
    return typeof wire["content"] === "string" ? ["content"] : []
  }

  #childrenOf(wire: object): Map<object, Keys> {
    const known = this.#blocks.get(wire)
    if (known !== undefined) return known
    const children = new Map<object, Keys>()
    for (const key of blockLists) {
      const list = (wire as Readonly<Record<string, unknown>>)[key]
      if (!Array.isArray(list)) continue
      list.forEach((child: unknown, index) => {
        if (isTree(child)) children.set(child, [key, index])
      })
    }
    this.#blocks.set(wire, children)
    return children
  }
}
