/**
 * A text as one byte per UTF-16 unit, in the same places. Looking at the characters of a string costs an engine several
 * times what a byte of an array costs it, above all once it has seen strings of many makings (slices, joined pieces,
 * wide ones). Nearly every text is ASCII, and is copied at once.
 */
import { isAccented, standIn } from "./wide-costs.ts"

/** Stands for every character that is neither ASCII nor a letter with an accent. */
export const wideCode = 255

/** The first and the last byte of accented letters: above ASCII, and without the highest bit the code used in place of them there. */
export const accentedCodes = [129, 136] as const

const encoder = new TextEncoder()

/** A character is three bytes at most, or four for two units. Long texts get an array of their own, which goes with them. */
const [mostBytes, shortest] = [3, 65_536]
const shared = new Uint8Array(mostBytes * shortest)

/** UTF-8 → one byte per unit, in the same array: they are never more. */
const shrink = (bytes: Uint8Array, length: number): void => {
  let to = 0
  for (let at = 0; at < length; to++) {
    const first = bytes[at] as number
    if (first < 0x80) {
      bytes[to] = first
      at++
    } else if (first < 0xe0) {
      const code = ((first & 0x1f) << 6) | ((bytes[at + 1] as number) & 0x3f)
      bytes[to] = isAccented(code) ? 128 + standIn(code) : wideCode
      at += 2
    } else {
      bytes[to] = wideCode
      if (first >= 0xf0) bytes[++to] = wideCode
      at += first < 0xf0 ? 3 : 4
    }
  }
}

/** The last character is followed by a zero. Valid until the next call. */
export const narrowed = (text: string): Uint8Array => {
  const { length } = text
  let bytes = length < shortest ? shared : new Uint8Array(length + 1)
  let { read, written } = encoder.encodeInto(text, bytes)
  if (read < length) {
    bytes = new Uint8Array(mostBytes * length + 1)
    ;({ written } = encoder.encodeInto(text, bytes))
  }
  if (written > length) shrink(bytes, written)
  bytes[length] = 0
  return bytes
}
