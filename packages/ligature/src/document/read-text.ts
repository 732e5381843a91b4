/**
 * Bytes to text, with everything said that the bytes got wrong. NUL bytes (what a crashed disk leaves behind) are read
 * as spaces: that is valid in JSON both inside and outside strings, and no offset moves.
 */

import { phrase, translated } from "../model/index.ts"
import { problem, placeOf, type Problem } from "../json/problem.ts"

export interface ReadText {
  /** The file as text, byte order mark and NUL characters included: what untouched places are written from. */
  readonly original: string
  /** The same characters, of the same length, in a form that JSON readers take. */
  readonly text: string
  readonly problems: readonly Problem[]
  /** False when there is nothing to read: `problems` says why. */
  readonly readable: boolean
}

/** Translated where the sentence about it is made. */
export const magics: readonly (readonly [name: string, start: readonly number[]])[] = [
  ["a SQLite database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66, 0x6f, 0x72, 0x6d, 0x61, 0x74, 0x20, 0x33, 0]],
  ["gzip data", [0x1f, 0x8b]],
  ["Zstandard data", [0x28, 0xb5, 0x2f, 0xfd]],
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04]],
  ["a PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["a PDF", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["an ELF program", [0x7f, 0x45, 0x4c, 0x46]],
]

const sampleBytes = 4096

export function readText(input: Uint8Array | string): ReadText {
  if (typeof input === "string") return cleaned(input, [], true)
  const magic = magics.find(([, start]) => start.every((byte, index) => input[index] === byte))
  if (magic !== undefined) return unreadable(notText(magic[0]))
  const wide = wideEncoding(input)
  if (wide !== undefined) {
    const what = phrase`The file is ${wide.toUpperCase()}, not UTF-8.`
    const wayOut = phrase`It is read as such; the output is UTF-8.`
    return decoded(input, wide, [problem("utf-16", what, wayOut, { offset: 0 })])
  }
  if (looksBinary(input)) return unreadable(notText("binary data"))
  return decoded(input, "utf-8", [])
}

/**
 * Strict first: the common case costs one native pass and no second copy of the text. NUL is looked for in the bytes,
 * because half the bytes of a text that is not Latin are NUL in memory, which makes searching it there slow.
 */
function decoded(bytes: Uint8Array, encoding: string, problems: readonly Problem[]): ReadText {
  const mayHoldNul = encoding !== "utf-8" || bytes.indexOf(0) !== -1
  try {
    return cleaned(new TextDecoder(encoding, { ignoreBOM: true, fatal: true }).decode(bytes), problems, mayHoldNul)
  } catch {
    try {
      const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
      return cleaned(text, [...problems, invalidText(bytes, encoding)], mayHoldNul)
    } catch {
      const what = phrase`The file (${bytes.length} bytes) is longer than a string can be.`
      return unreadable(problem("too-large", what, phrase`Split it: one conversation per file, or fewer lines per file.`))
    }
  }
}

function invalidText(bytes: Uint8Array, encoding: string): Problem {
  const wayOut = phrase`Such bytes are read as U+FFFD and would be written like that; keep the original file.`
  if (encoding !== "utf-8") return problem("invalid-utf8", phrase`The file is not valid ${encoding.toUpperCase()}.`, wayOut)
  const offset = firstInvalidByte(bytes)
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, offset))
  const place = { ...placeOf(before, before.length), offset }
  return problem("invalid-utf8", phrase`Byte ${offset} is not valid UTF-8.`, wayOut, place)
}

function cleaned(original: string, before: readonly Problem[], mayHoldNul: boolean): ReadText {
  const problems = [...before]
  let text = original
  const mark = text.indexOf("\ufeff")
  if (mark !== -1) {
    // At the start of any line: files that were appended to each other bring their marks along.
    const bare = text.replaceAll(/(^|\n)(\ufeff+)/g, (_, start: string, marks: string) => start + " ".repeat(marks.length))
    if (bare !== text) {
      const { line } = placeOf(text, firstDifference(text, bare))
      const what = line === 1 ? phrase`The file starts with a byte order mark.` : phrase`Line ${line} starts with a byte order mark.`
      const wayOut = phrase`Nothing to do: it is skipped on reading and kept on writing.`
      problems.push(problem("bom", what, wayOut, { line, column: 1, ...(line === 1 ? { offset: 0 } : {}) }))
    }
    text = bare
  }
  const firstNul = mayHoldNul ? text.indexOf("\0") : -1
  if (firstNul !== -1) {
    text = text.replaceAll("\0", " ")
    const what = phrase`The file has NUL bytes, which JSON does not allow.`
    const wayOut = phrase`They are read as spaces. A run of them usually means a crash while writing: look for a backup.`
    problems.push(problem("nul", what, wayOut, placeOf(original, firstNul)))
  }
  if (/\S/.test(text)) return { original, text, problems, readable: true }
  const what = original.length === 0 ? phrase`The file is empty.` : phrase`The file has nothing but white space.`
  problems.push(problem("empty", what, phrase`Give a file with a request body, a message list or JSON lines.`))
  return { original, text, problems, readable: false }
}

/** Where a mark was taken away: the first one that was at the start of a line. */
function firstDifference(text: string, bare: string): number {
  let index = text.indexOf("\ufeff")
  while (index !== -1 && bare[index] === "\ufeff") index = text.indexOf("\ufeff", index + 1)
  return Math.max(0, index)
}

function unreadable(why: Problem): ReadText {
  return { original: "", text: "", problems: [why], readable: false }
}

function notText(name: string): Problem {
  const wayOut = phrase`Unpack or export it first: conversations are read from JSON or JSON lines.`
  return problem("binary", phrase`The file is ${translated(name)}, not text.`, wayOut, { offset: 0 })
}

const [fewestBytes, startBytes] = [16, 64]

/** By its mark; without one, by zeros: JSON begins with ASCII, so that most second bytes are zero and no first ones are. */
function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  if (bytes.length < fewestBytes) return undefined
  const start = bytes.subarray(0, startBytes)
  const zerosAt = (parity: number): number => start.filter((byte, index) => byte === 0 && index % 2 === parity).length
  const [first, second] = [zerosAt(0), zerosAt(1)]
  if (first === 0 && second * 4 > start.length) return "utf-16le"
  return second === 0 && first * 4 > start.length ? "utf-16be" : undefined
}

/** Control characters that no text holds; NUL runs do not count, as a crashed text file may consist mostly of them. */
function looksBinary(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, sampleBytes)
  let control = 0
  let other = 0
  for (let index = 0; index < end; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === 0) continue
    other += 1
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) control += 1
  }
  return control * 20 > other
}

/** Native code finds the mebibyte, the loop finds the byte in it. */
function firstInvalidByte(bytes: Uint8Array): number {
  const chunk = 1 << 20
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let start = 0
  try {
    for (; start < bytes.length; start += chunk) decoder.decode(bytes.subarray(start, start + chunk), { stream: true })
    decoder.decode()
  } catch {
    // The character that failed may have begun just before its chunk.
    start = Math.min(start, bytes.length) - 4
  }
  const strict = new TextDecoder("utf-8", { fatal: true })
  let index = Math.max(0, start)
  while (index > 0 && ((bytes[index] ?? 0) & 0xc0) === 0x80) index -= 1
  while (index < bytes.length) {
    const byte = bytes[index] ?? 0
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    if (length > 1) {
      try {
        strict.decode(bytes.subarray(index, index + length))
      } catch {
        return index
      }
    }
    index += length
  }
  return bytes.length
}
