/**
 * Bytes of base64 text, read where they are needed: any byte is two table look-ups away, so that the header of a 5 MB
 * image costs a few hundred of them and nothing is decoded as a whole.
 *
 * Whether the text is base64 at all is judged by its length, both ends, samples, and the blanks that a remark about a cut
 * has. A full scan would cost as much as parsing the request.
 */
import { elidedBytes } from "../../model/index.ts"

const sextets = new Int8Array(128).fill(-1)
let next = 0
for (const range of ["AZ", "az", "09", "++", "//"])
  for (let code = range.charCodeAt(0); code <= range.charCodeAt(1); code++) sextets[code] = next++

const sextetAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  return code < 128 ? (sextets[code] as number) : -1
}

/** Random access to what base64 text stands for. Never throws: outside of it, and where it is none, there is -1. */
export class Base64Bytes {
  readonly #text: string
  /** How many bytes there are. */
  readonly length: number

  constructor(text: string) {
    this.#text = text
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
    this.length = Math.max(0, Math.floor(((text.length + elidedBytes(text) - padding) * 3) / 4))
  }

  at(index: number): number {
    if (index < 0 || index >= this.length) return -1
    const rest = index % 3
    const at = ((index - rest) / 3) * 4 + rest
    const first = sextetAt(this.#text, at)
    const second = sextetAt(this.#text, at + 1)
    if (first < 0 || second < 0) return -1
    return ((first << (2 + 2 * rest)) | (second >> (4 - 2 * rest))) & 255
  }

  /** A number of several bytes, the highest first; -1 where one is missing. */
  big(index: number, bytes: number): number {
    let value = 0
    for (let offset = 0; offset < bytes; offset++) {
      const byte = this.at(index + offset)
      if (byte < 0) return -1
      value = value * 256 + byte
    }
    return value
  }

  /** A number of several bytes, the lowest first; -1 where one is missing. */
  little(index: number, bytes: number): number {
    let value = 0
    for (let offset = bytes - 1; offset >= 0; offset--) {
      const byte = this.at(index + offset)
      if (byte < 0) return -1
      value = value * 256 + byte
    }
    return value
  }

  /** One character per byte, as far as there are any. */
  text(from: number, to: number): string {
    let out = ""
    for (let index = Math.max(0, from); index < to; index++) {
      const byte = this.at(index)
      if (byte < 0) break
      out += String.fromCharCode(byte)
    }
    return out
  }

  startsWith(magic: string, from = 0): boolean {
    for (let index = 0; index < magic.length; index++) {
      if (this.at(from + index) !== magic.charCodeAt(index)) return false
    }
    return true
  }
}

const headLength = 96
const tailLength = 32
const samples = 8
const sampleLength = 16

const isPlainFrom = (text: string, from: number, to: number): boolean => {
  for (let index = from; index < to; index++) if (sextetAt(text, index) < 0) return false
  return true
}

/**
 * Wrapped lines and other alphabets show everywhere, so both ends and a few places between tell. A text that was cut in its
 * middle says so, with blanks around the remark or with an ellipsis, which are quick to look for.
 */
const isPlain = (text: string): boolean => {
  if (text.length % 4 !== 0 || text.length === 0) return text.length === 0
  const end = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length
  if (!isPlainFrom(text, 0, Math.min(headLength, end)) || !isPlainFrom(text, Math.max(0, end - tailLength), end)) return false
  const step = Math.max(sampleLength, Math.floor(end / samples))
  for (let at = headLength; at < end; at += step) if (!isPlainFrom(text, at, Math.min(at + sampleLength, end))) return false
  return !text.includes(" ") && !text.includes("…")
}

const plain = /^[A-Za-z0-9+/]*$/

/** How the beginning of a data URL looks where only its data belongs. */
const dataPrefix = /^data:[^,]{0,200},/i

/**
 * The text as providers take it: without a prefix, white space and the URL alphabet, and padded. The very text where it
 * is like that already; undefined where it is no base64. Bytes are the same in any case.
 */
export const canonicalBase64 = (text: string): string | undefined => {
  if (isPlain(text)) return text
  const bare = text
    .replace(dataPrefix, "")
    .replace(/\s+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,3}$/, "")
  if (bare.length % 4 === 1 || !plain.test(bare)) return undefined
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, "=")
}
