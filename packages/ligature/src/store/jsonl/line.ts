/**
 * Lines of a log. One line is one operation, so that an append is whole or not there at all; the first line names the
 * format version and the conversation.
 *
 *   {"sum":"5e2b1c07","ligature":1,"id":"…","created":1763251200000,"title":"…"}
 *   {"sum":"0d4f6a12","operation":"…","at":1763251200001,"parent":null,"entries":[{"kind":"message","id":"…","message":{…}}]}
 *
 * `sum` is the CRC-32 of the bytes after it: what was changed since it was written is seen on reading. `parent` is that
 * of the first entry; the others follow from it, unless an entry says its own. A line with `ligature` further down says
 * that the lines after it are of that version.
 */
import { crc32 } from "node:zlib"
import { isWire, type Wire } from "../../model/index.ts"
import { onPath, type Operation } from "../entry.ts"

// Finds the one bit that was flipped in a line. Bits flip on disks and in memories, and a CRC-32 says more than that
// something is wrong: the sum of a line with one wrong bit differs from the right one by a value that belongs to that bit
// alone. So a line with its sum can be read as it was written.
//
// Other damage may look like a flipped bit by chance, the more likely the longer the line is; beyond a length nobody tries.

/** At this length, one other damage in 30,000 would be taken for a flipped bit. */
const longest = 1 << 14

/** By how much a wrong byte changes the sum, if it is the last one. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/** The byte whose entry in the table has this highest byte; there is one for each. */
const byHighest = new Uint8Array(256)
for (const [byte, sum] of table.entries()) byHighest[sum >>> 24] = byte

const bitOfLast = new Map(Array.from({ length: 8 }, (_, bit) => [table[1 << bit] ?? 0, bit]))

/** Where a single wrong bit changes the sum of so many bytes by `change`; undefined: nowhere. */
const bitThatChanges = (change: number, length: number): { readonly byte: number; readonly bit: number } | undefined => {
  let difference = change | 0
  for (let byte = length - 1; byte >= 0; byte--) {
    const bit = bitOfLast.get(difference)
    if (bit !== undefined) return { byte, bit }
    // What the difference was before the byte after it was added.
    const added = byHighest[difference >>> 24] ?? 0
    difference = ((difference ^ (table[added] ?? 0)) << 8) | added
  }
  return undefined
}

const countOnes = (byte: number): number => byte.toString(2).replaceAll("0", "").length

/** How many bits differ; more than one are not counted to the end. */
const differingBits = (left: Buffer, right: Buffer): number => {
  let count = 0
  for (let index = 0; index < left.length && count < 2; index++) count += countOnes((left[index] ?? 0) ^ (right[index] ?? 0))
  return count
}

/** The line as it was before one bit of it flipped; undefined when that is not what happened to it. `head` is what is before the summed bytes. */
const withoutFlippedBit = (line: Buffer, headOf: (sum: number) => string): Buffer | undefined => {
  const { length: headLength } = headOf(0)
  if (line.length <= headLength || line.length > longest) return undefined
  const rest = line.subarray(headLength)
  const sum = crc32(rest)
  const right = Buffer.from(headOf(sum), "latin1")
  const head = line.subarray(0, headLength)
  if (differingBits(head, right) === 1) return Buffer.concat([right, rest])
  const said = Number.parseInt(head.toString("latin1", 8, 16), 16)
  if (Number.isNaN(said) || headOf(said) !== head.toString("latin1")) return undefined
  const place = bitThatChanges(sum ^ said, rest.length)
  if (!place) return undefined
  const healed = Buffer.from(line)
  healed[headLength + place.byte] = (healed[headLength + place.byte] ?? 0) ^ (1 << place.bit)
  return healed
}

/** `{"sum":"` + 8 digits + `",` */
const sumLength = 18
const sumStart = '{"sum":"'
export const newline = 0x0a

/** Stands where the sum will be, so that text becomes bytes in one step. */
const noSum = "00000000"

const hexDigits = Buffer.from("0123456789abcdef")

const encode = (value: Wire): Buffer => {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  const sum = crc32(bytes.subarray(sumLength, -1))
  // Digit by digit: writing a text of this length takes longer than everything else here.
  for (let digit = 0; digit < 8; digit++) bytes[sumStart.length + digit] = hexDigits[(sum >>> (28 - 4 * digit)) & 15] ?? 0
  return bytes
}

const hexSum = (bytes: Buffer): string => crc32(bytes).toString(16).padStart(8, "0")

export const encodeHeader = (header: Wire): Buffer => encode({ sum: noSum, ...header })

export const encodeOperation = ({ operation, at, entries }: Operation): Buffer => {
  let expected: string | null | undefined
  const lean: Wire[] = []
  for (const entry of entries) {
    const { id, kind, parent } = entry
    // In one order, wherever the entry came from: a copy has the bytes of the original. JSON leaves out what is undefined,
    // and putting it there costs less than a copy without it.
    const written: Record<string, unknown> = { id, parent, kind, ...(entry as unknown as Wire), operation: undefined, at: undefined }
    if (expected === undefined || parent === expected) written["parent"] = undefined
    lean.push(written)
    if (entry.kind === "tip") expected = entry.to
    else expected = onPath[kind] ? id : parent
  }
  return encode({ sum: noSum, operation, at, parent: entries[0]?.parent ?? null, entries: lean })
}

export type SumState = "right" | "wrong" | "none"

/** Whether the bytes of a line, without its newline, are those that were written. */
export const checkSum = (bytes: Buffer): SumState => {
  if (bytes.length < sumLength || bytes.toString("latin1", 0, sumStart.length) !== sumStart) return "none"
  const said = bytes.toString("latin1", sumStart.length, sumStart.length + 8)
  return hexSum(bytes.subarray(sumLength)) === said ? "right" : "wrong"
}

const headOf = (sum: number): string => `${sumStart}${(sum >>> 0).toString(16).padStart(8, "0")}",`

/** The line as it was written, if one flipped bit is all that happened to it since. */
export const healedLine = (bytes: Buffer): Wire | undefined => {
  const healed = withoutFlippedBit(bytes, headOf)
  return healed && parseLine(healed)
}

/** A line as JSON, if it is an object. */
export const parseLine = (bytes: Buffer): Wire | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    return isWire(value) ? value : undefined
  } catch {
    return undefined
  }
}

// Recovers operations from a line that is not one JSON value: lines that lost the newline between them, and whole lines
// after the torn beginning of another. Looks for objects by their braces, and where that fails goes on at the next mark
// that begins a line of ours. Each step moves forward, and the number of second tries is bounded.

const lineStart = Buffer.from('{"sum":"')
const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]
const mostTries = 32

/** The position after the object that begins at `from`; -1 when it does not end. */
const endOfObject = (bytes: Buffer, from: number): number => {
  let depth = 0
  let inText = false
  for (let index = from; index < bytes.length; index++) {
    const byte = bytes[index]
    if (inText) {
      if (byte === backslash) index++
      else if (byte === quote) inText = false
    } else if (byte === quote) inText = true
    else if (byte === open) depth++
    else if (byte === close && --depth === 0) return index + 1
  }
  return -1
}

interface Recovered {
  readonly pieces: readonly { readonly from: number; readonly to: number; readonly value: Wire }[]
  /** Bytes that belong to no piece. */
  readonly lostBytes: number
}

export const splitGlued = (bytes: Buffer): Recovered => {
  const pieces: { from: number; to: number; value: Wire }[] = []
  let lostBytes = 0
  let tries = 0
  let from = 0
  while (from < bytes.length && tries < mostTries) {
    const to = bytes[from] === open ? endOfObject(bytes, from) : -1
    const piece = to === -1 ? undefined : bytes.subarray(from, to)
    const sum = piece && checkSum(piece)
    // After a torn piece only a right sum tells a line from an object inside of one.
    const value = piece && (sum === "right" || (sum === "none" && tries === 0)) ? parseLine(piece) : undefined
    if (value) {
      pieces.push({ from, to, value })
      from = to
      continue
    }
    tries++
    const next = bytes.indexOf(lineStart, from + 1)
    lostBytes += (next === -1 ? bytes.length : next) - from
    from = next === -1 ? bytes.length : next
  }
  return { pieces, lostBytes: lostBytes + bytes.length - from }
}

// Tells a line that was cut off while it was written from one that was damaged later. A torn line is the beginning of a
// line: valid JSON up to its last byte, with something still open. It was never acknowledged, so nothing is missing; a
// damaged line was, so the user should know. In doubt it counts as damaged.

type Next = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end"

const words = ["true", "false", "null"] as const
const wholeScalar = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const begunScalar = /^-?\d*\.?\d*(?:[eE][+-]?\d*)?$/
const scalar = /[\w+\-.]+/y

/** The position after the string that begins at `at`; -1 when it does not end. */
const endOfString = (text: string, at: number): number => {
  for (let index = at + 1; index < text.length; index++) {
    const letter = text.charCodeAt(index)
    if (letter === 0x5c) index++
    else if (letter === 0x22) return index + 1
  }
  return -1
}

const scalarAt = (text: string, at: number): string => {
  scalar.lastIndex = at
  return scalar.exec(text)?.[0] ?? ""
}

/** Whether a scalar is in order: whole, or begun where the text ends. */
const scalarFits = (value: string, ends: boolean): boolean =>
  wholeScalar.test(value) || (ends && (begunScalar.test(value) || words.some((word) => word.startsWith(value))))

export const looksTorn = (line: Buffer): boolean => {
  const text = line.toString("latin1")
  const open: ("{" | "[")[] = []
  let next = "value" as Next
  let at = 0
  while (at < text.length) {
    const letter = text.charAt(at)
    if (letter === " " || letter === "\t" || letter === "\r") {
      at++
      continue
    }
    if (letter === '"') {
      if (next === "colon" || next === "comma-or-end") return false
      const end = endOfString(text, at)
      // Open to the end: torn, unless the line ends as whole lines do and only a quote was lost.
      if (end === -1) return !text.endsWith("]}")
      at = end
      next = next === "key" || next === "key-or-end" ? "colon" : "comma-or-end"
      continue
    }
    const inObject: boolean = open.at(-1) === "{"
    if (letter === "{" || letter === "[") {
      if (next !== "value" && next !== "value-or-end") return false
      open.push(letter)
      next = letter === "{" ? "key-or-end" : "value-or-end"
    } else if (letter === "}" || letter === "]") {
      const mayEnd = next === "comma-or-end" || next === "key-or-end" || next === "value-or-end"
      if (!mayEnd || inObject !== (letter === "}")) return false
      open.pop()
      if (open.length === 0) return false
      next = "comma-or-end"
    } else if (letter === ",") {
      if (next !== "comma-or-end") return false
      next = inObject ? "key" : "value"
    } else if (letter === ":") {
      if (next !== "colon") return false
      next = "value"
    } else {
      const value = scalarAt(text, at)
      if (value === "" || (next !== "value" && next !== "value-or-end")) return false
      if (open.length === 0 || !scalarFits(value, at + value.length === text.length)) return false
      at += value.length
      next = "comma-or-end"
      continue
    }
    at++
  }
  return open.length > 0
}
