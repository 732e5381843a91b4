/**
 * Lines of a log. One line is one operation, so that an append is whole or not there at all; the first line names the
 * format version and the conversation.
 *
 *   {"sum":"5e2b1c07","ligature":1,"id":"…","created":1763251200000,"title":"…"}
 *   {"sum":"0d4f6a12","operation":"…","at":1763251200001,"parent":null,"entries":[{"kind":"message","id":"…","message":{…}}]}
 *
 * `sum` is the CRC-32 of the bytes behind it: what was changed since it was written is seen on reading. `parent` is that
 * of the first entry; the others follow from it, unless an entry says its own. A line with `ligature` further down says
 * that the lines behind it are of that version.
 */
import { crc32 } from "node:zlib"
import { isWire, type Wire } from "../../model/index.ts"
import { onPath, type Operation } from "../entry.ts"
import { withoutFlippedBit } from "./flipped-bit.ts"

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
