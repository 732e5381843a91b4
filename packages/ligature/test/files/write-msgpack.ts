/** A small MessagePack writer for tests, independent of the reader. Extensions are `ext(code, value)`. */
export class Ext {
  readonly code: number
  readonly value: unknown
  constructor(code: number, value: unknown) {
    this.code = code
    this.value = value
  }
}

export const ext = (code: number, value: unknown): Ext => new Ext(code, value)

const sized = (size: number, small: readonly [number, number] | undefined, marks: readonly (number | undefined)[]): number[] => {
  if (small && size <= small[1]) return [small[0] | size]
  const [one, two, four] = marks
  if (one !== undefined && size < 0x100) return [one, size]
  if (two !== undefined && size < 0x10000) return [two, size >> 8, size & 255]
  return [four ?? 0, (size >>> 24) & 255, (size >>> 16) & 255, (size >>> 8) & 255, size & 255]
}

const number = (value: number): number[] => {
  if (Number.isInteger(value) && !Object.is(value, -0) && value >= 0 && value < 128) return [value]
  if (Number.isInteger(value) && value < 0 && value >= -32) return [value + 256]
  const bytes = new Uint8Array(9)
  const view = new DataView(bytes.buffer)
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    bytes[0] = 0xd3
    view.setBigInt64(1, BigInt(value))
  } else {
    bytes[0] = 0xcb
    view.setFloat64(1, value)
  }
  return [...bytes]
}

const write = (value: unknown): number[] => {
  if (value === null || value === undefined) return [0xc0]
  if (typeof value === "boolean") return [value ? 0xc3 : 0xc2]
  if (typeof value === "number") return number(value)
  if (typeof value === "string") {
    const bytes = [...new TextEncoder().encode(value)]
    return [...sized(bytes.length, [0xa0, 31], [0xd9, 0xda, 0xdb]), ...bytes]
  }
  if (value instanceof Uint8Array) return [...sized(value.length, undefined, [0xc4, 0xc5, 0xc6]), ...value]
  if (value instanceof Ext) {
    const inner = write(value.value)
    return [...sized(inner.length, undefined, [0xc7, 0xc8, 0xc9]), value.code & 255, ...inner]
  }
  if (Array.isArray(value)) return [...sized(value.length, [0x90, 15], [undefined, 0xdc, 0xdd]), ...value.flatMap(write)]
  const entries = Object.entries(value as Record<string, unknown>)
  return [
    ...sized(entries.length, [0x80, 15], [undefined, 0xde, 0xdf]),
    ...entries.flatMap(([key, inner]) => [...write(key), ...write(inner)]),
  ]
}

export const writeMsgpack = (value: unknown): Uint8Array => Uint8Array.from(write(value))
