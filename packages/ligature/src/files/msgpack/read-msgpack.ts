/**
 * MessagePack bytes → values. The whole format: every type, integers beyond 2^53 as bigint, binaries as bytes,
 * extensions through a function of the caller's. Bytes that are no MessagePack end in one `LigatureError`; no length
 * that the bytes claim is believed before that many bytes are there, and nesting has a limit, so that hostile input
 * costs no more than its size.
 */
import { isWire, LigatureError } from "../../model/index.ts"

/** An extension that nobody translated. */
interface Extension {
  readonly extension: number
  readonly bytes: Uint8Array
}

interface MsgpackOptions {
  /** Makes a value of an extension. `read` reads nested MessagePack with the same options. Default: an `Extension`. */
  readonly extension?: (code: number, bytes: Uint8Array, read: (bytes: Uint8Array) => unknown) => unknown
  /** How deep lists, maps and extensions may be nested. Default 512. */
  readonly maximumDepth?: number
}

const fail = (what: string): never => {
  throw new LigatureError("cannot-read", `Expected MessagePack, got ${what}`)
}

const decoder = new TextDecoder("utf-8")

const timestampCode = -1
const longestKey = 10_000

/** Seconds since the epoch, in the three sizes the format defines. */
const readTimestamp = (bytes: Uint8Array): string | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let seconds: number
  let nanoseconds = 0
  if (bytes.length === 4) seconds = view.getUint32(0)
  else if (bytes.length === 8) {
    const packed = view.getBigUint64(0)
    nanoseconds = Number(packed >> 34n)
    seconds = Number(packed & 0x3_ffff_ffffn)
  } else if (bytes.length === 12) {
    nanoseconds = view.getUint32(0)
    seconds = Number(view.getBigInt64(4))
  } else return undefined
  const time = new Date(seconds * 1000 + Math.floor(nanoseconds / 1_000_000))
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const narrowed = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value

class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #options: MsgpackOptions
  readonly #depthLeft: number
  #at = 0

  constructor(bytes: Uint8Array, options: MsgpackOptions, depthLeft: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#options = options
    this.#depthLeft = depthLeft
  }

  whole(): unknown {
    const value = this.#value(this.#depthLeft)
    if (this.#at < this.#bytes.length) fail(`${this.#bytes.length - this.#at} more bytes after the value`)
    return value
  }

  /** Where the next `size` bytes begin; they are there. */
  #take(size: number): number {
    const start = this.#at
    if (start + size > this.#bytes.length) fail(`an end after ${this.#bytes.length} bytes, where ${size} more belong`)
    this.#at = start + size
    return start
  }

  #unsigned(size: 1 | 2 | 4): number {
    const at = this.#take(size)
    if (size === 1) return this.#view.getUint8(at)
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at)
  }

  #slice(size: number): Uint8Array {
    const start = this.#take(size)
    return this.#bytes.subarray(start, start + size)
  }

  #text(size: number): string {
    return decoder.decode(this.#slice(size))
  }

  #list(size: number, depth: number): unknown {
    const left = this.#bytes.length - this.#at
    if (size > left) fail(`a list of ${size} elements in ${left} bytes`)
    const list: unknown[] = []
    for (let index = 0; index < size; index++) list.push(this.#value(depth - 1))
    return list
  }

  /** Keys that are no text become it, as they would in JSON. */
  #map(size: number, depth: number): unknown {
    const left = this.#bytes.length - this.#at
    if (size * 2 > left) fail(`a map of ${size} entries in ${left} bytes`)
    const map: Record<string, unknown> = {}
    for (let index = 0; index < size; index++) {
      const key = this.#value(depth - 1)
      const name = typeof key === "object" ? JSON.stringify(key, printable) : String(key)
      // Each level of keys in keys doubles the escapes of the one inside: a few bytes would become gigabytes.
      if (typeof key === "object" && name.length > longestKey) fail(`a map as key that is longer than ${longestKey} characters`)
      const value = this.#value(depth - 1)
      if (name !== "__proto__") map[name] = value
      else Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true })
    }
    return map
  }

  #extension(size: number, depth: number): unknown {
    const code = this.#view.getInt8(this.#take(1))
    const bytes = this.#slice(size)
    if (code === timestampCode) return readTimestamp(bytes) ?? { extension: code, bytes }
    const { extension } = this.#options
    if (!extension) return { extension: code, bytes } satisfies Extension
    return extension(code, bytes, (inner) => new Reader(inner, this.#options, depth - 1).whole())
  }

  #value(depth: number): unknown {
    if (depth <= 0) fail("a value nested deeper than the limit")
    const type = this.#unsigned(1)
    if (type <= 0x7f) return type
    if (type <= 0x8f) return this.#map(type & 0x0f, depth)
    if (type <= 0x9f) return this.#list(type & 0x0f, depth)
    if (type <= 0xbf) return this.#text(type & 0x1f)
    if (type >= 0xe0) return type - 0x100
    return this.#marked(type, depth)
  }

  #marked(type: number, depth: number): unknown {
    switch (type) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
        return this.#slice(this.#unsigned(1))
      case 0xc5:
        return this.#slice(this.#unsigned(2))
      case 0xc6:
        return this.#slice(this.#unsigned(4))
      case 0xc7:
        return this.#extension(this.#unsigned(1), depth)
      case 0xc8:
        return this.#extension(this.#unsigned(2), depth)
      case 0xc9:
        return this.#extension(this.#unsigned(4), depth)
      case 0xca:
        return this.#view.getFloat32(this.#take(4))
      case 0xcb:
        return this.#view.getFloat64(this.#take(8))
      case 0xcc:
        return this.#unsigned(1)
      case 0xcd:
        return this.#unsigned(2)
      case 0xce:
        return this.#unsigned(4)
      case 0xcf:
        return narrowed(this.#view.getBigUint64(this.#take(8)))
      case 0xd0:
        return this.#view.getInt8(this.#take(1))
      case 0xd1:
        return this.#view.getInt16(this.#take(2))
      case 0xd2:
        return this.#view.getInt32(this.#take(4))
      case 0xd3:
        return narrowed(this.#view.getBigInt64(this.#take(8)))
      case 0xd4:
        return this.#extension(1, depth)
      case 0xd5:
        return this.#extension(2, depth)
      case 0xd6:
        return this.#extension(4, depth)
      case 0xd7:
        return this.#extension(8, depth)
      case 0xd8:
        return this.#extension(16, depth)
      case 0xd9:
        return this.#text(this.#unsigned(1))
      case 0xda:
        return this.#text(this.#unsigned(2))
      case 0xdb:
        return this.#text(this.#unsigned(4))
      case 0xdc:
        return this.#list(this.#unsigned(2), depth)
      case 0xdd:
        return this.#list(this.#unsigned(4), depth)
      case 0xde:
        return this.#map(this.#unsigned(2), depth)
      case 0xdf:
        return this.#map(this.#unsigned(4), depth)
      default:
        return fail(`the byte 0x${type.toString(16)}, which begins no value`)
    }
  }
}

/** JSON has no big integers. */
const printable = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value)

export const readMsgpack = (bytes: Uint8Array, options: MsgpackOptions = {}): unknown =>
  new Reader(bytes, options, options.maximumDepth ?? 512).whole()

// MessagePack as LangGraph writes it. Python objects are extensions that name a class and what it was made of; here
// they become plain values: no class is ever looked up, nothing is called. A message becomes the object of its fields
// with its kind in `type`, other models their fields, and small values (ids, dates, enums, sets) what they were made
// of.
//
// Codes: 0 one argument, 1 a list of arguments, 2 named arguments, 3 a method with one argument, 4 and 5 Pydantic
// models, 6 a NumPy array, 7 the snapshot of a delta channel, which is the channel's value itself.

const snapshotCode = 7
const arrayCode = 6

/** `AIMessage` → `ai`: most messages say so themselves. */
const kindOfClass = (name: string): string | undefined =>
  /Message(?:Chunk)?$/.test(name) ? name.replace(/Message(?:Chunk)?$/, "").toLowerCase() : undefined

const plain = (name: unknown, made: unknown): unknown => {
  if (!isWire(made) || typeof name !== "string") return made
  const kind = kindOfClass(name)
  return kind === undefined || typeof made["type"] === "string" ? made : { type: kind, ...made }
}

export const readLanggraphMsgpack = (bytes: Uint8Array): unknown =>
  readMsgpack(bytes, {
    extension: (code, inner, read) => {
      if (code < 0 || code > snapshotCode) return { extension: code, bytes: inner }
      const parts = read(inner)
      if (code === snapshotCode || code === arrayCode || !Array.isArray(parts)) return parts
      return plain(parts[1], parts[2])
    },
  })
