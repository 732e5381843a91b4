/**
 * Recovers operations from a line that is not one JSON value: lines that lost the newline between them, and whole lines
 * behind the torn beginning of another. Looks for objects by their braces, and where that fails goes on at the next mark
 * that begins a line of ours. Each step moves forward, and the number of second tries is bounded.
 */
import { checkSum, parseLine } from "./line.ts"
import type { Wire } from "../../model/index.ts"

const lineStart = Buffer.from('{"sum":"')
const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]
const mostTries = 32

/** The position behind the object that begins at `from`; -1 when it does not end. */
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

export interface Recovered {
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
    // Behind a torn piece only a right sum tells a line from an object inside of one.
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
