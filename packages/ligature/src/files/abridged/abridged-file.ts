/**
 * A long file of JSON lines, abridged: its lines, with marks in place of what is in the middle of long strings. Everything
 * that works on a file works on these bytes, with the memory of a file of that size; what is to be written gets the missing
 * pieces back from the file, one after another, and lines that nobody changed get their very bytes.
 */
import { createHash, randomBytes } from "node:crypto"
import { closeSync, openSync, readSync } from "node:fs"
import { stat } from "node:fs/promises"
import { isUtf8 } from "node:buffer"
import { base64Mark, LigatureError, textMark } from "../../model/index.ts"
import { collectGarbage, growSlowly } from "../disk/collect-garbage.ts"
import { linesOf } from "../disk/lines-of.ts"
import { assertFits } from "../disk/read-bytes.ts"
import { type Lengths, type Left, shortenJson } from "./shorten-json.ts"

export interface AbridgeOptions extends Partial<Lengths> {
  /** Characters at the beginning of base64 that its readers need. Default: those of any other text. */
  readonly base64Head?: (text: string) => number
  /** Called now and then with the share of the file that was read. */
  readonly onProgress?: (share: number) => void
}

/** Ids are made from the first 200 characters of texts, and are longer than a few hundred themselves in some APIs. */
const usual: Lengths = { longest: 1_024, head: 320, tail: 96 }

const blockBytes = 1 << 20

/** Bytes in blocks, so that many small pieces do not become many small writes. */
class Blocks {
  readonly whole: Buffer[] = []
  #open = Buffer.allocUnsafe(blockBytes)
  #filled = 0
  bytes = 0

  add(piece: Uint8Array): void {
    this.bytes += piece.length
    let from = 0
    while (from < piece.length) {
      const count = Math.min(piece.length - from, this.#open.length - this.#filled)
      this.#open.set(piece.subarray(from, from + count), this.#filled)
      this.#filled += count
      from += count
      if (this.#filled === this.#open.length) this.end()
    }
  }

  end(): void {
    if (this.#filled === 0) return
    this.whole.push(this.#open.subarray(0, this.#filled))
    this.#open = Buffer.allocUnsafe(blockBytes)
    this.#filled = 0
  }
}

const windowBytes = 4 << 20

/** Pieces of a file: most are asked for in its order, and those of texts that occur again from further up. Look at one before the next. */
class Pieces {
  readonly #file: number
  readonly #window = Buffer.allocUnsafe(windowBytes)
  #start = 0
  #filled = 0

  constructor(path: string) {
    this.#file = openSync(path, "r")
  }

  at(start: number, bytes: number): Buffer {
    const from = start - this.#start
    if (from >= 0 && from + bytes <= this.#filled) return this.#window.subarray(from, from + bytes)
    if (from < 0 || from > this.#filled + windowBytes || bytes > windowBytes) return this.#read(Buffer.allocUnsafe(bytes), start, bytes)
    this.#filled = 0
    const read = this.#read(this.#window, start, bytes)
    this.#start = start
    this.#filled = read.length
    return read.subarray(0, bytes)
  }

  /** At least `bytes`, and as many as there are and fit. */
  #read(into: Buffer, start: number, bytes: number): Buffer {
    let filled = 0
    while (filled < into.length) {
      const read = readSync(this.#file, into, filled, into.length - filled, start + filled)
      if (read === 0) break
      filled += read
    }
    if (filled < bytes) throw changed()
    return into.subarray(0, filled)
  }

  close(): void {
    closeSync(this.#file)
  }
}

const changed = (): LigatureError =>
  new LigatureError("cannot-read", "The file changed while it was read. Try again when no process is writing to it.")

/** Twelve letters from a to p. */
const newToken = (): string =>
  [...randomBytes(6).toString("hex")].map((digit) => String.fromCharCode(0x61 + Number.parseInt(digit, 16))).join("")

const digestOf = (text: string): string => createHash("sha1").update(text).digest("base64")

/** The text of a value, escaped once less. */
const unescaped = (text: string): string => JSON.parse(`"${text}"`) as string
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Backslashes before the quote of a mark: 0, 1, 3, 7, … */
const depthOf = (backslashes: number): number => Math.round(Math.log2(backslashes + 1))

export interface Abridged {
  readonly bytes: Uint8Array
  readonly file: AbridgedFile
}

/** What stayed in the file. */
export class AbridgedFile {
  readonly path: string
  /** SHA-256 of the file, to see whether it is still the same. */
  readonly digest: string
  readonly token: string
  readonly #left: readonly Left[]

  private constructor(path: string, digest: string, token: string, left: readonly Left[]) {
    this.path = path
    this.digest = digest
    this.token = token
    this.#left = left
  }

  static async read(path: string, options: AbridgeOptions = {}): Promise<Abridged> {
    const { longest = usual.longest, head = usual.head, tail = usual.tail, base64Head = () => 0, onProgress } = options
    const { size } = await stat(path)
    const token = newToken()
    const left: Left[] = []
    const numbers = new Map<string, number>()
    const leave = (text: string, place: Left): number => {
      const digest = digestOf(text)
      const known = numbers.get(digest)
      if (known !== undefined) return known
      numbers.set(digest, left.length)
      return left.push(place) - 1
    }
    const shortening = { longest, head, tail, token, base64Head, leave }
    const hash = createHash("sha256")
    const blocks = new Blocks()
    const lineFeed = Buffer.from("\n")
    let start = 0
    for await (const line of linesOf(path)) {
      if (start > 0) {
        blocks.add(lineFeed)
        hash.update(lineFeed)
      }
      hash.update(line)
      const text = line.length > longest && isUtf8(line) ? line.toString("utf8") : undefined
      const shortened = text === undefined ? undefined : shortenJson(text, start, shortening)
      blocks.add(shortened === undefined || !isJson(shortened) ? line : Buffer.from(shortened))
      start += line.length + 1
      assertFits(blocks.bytes, "Even without its long texts, the file has at least")
      onProgress?.(start / size)
    }
    // Every line was counted with a line feed, which the last one may not have.
    if (start === size && size > 0) {
      blocks.add(lineFeed)
      hash.update(lineFeed)
    } else if (start !== size + 1 && size > 0) throw changed()
    blocks.end()
    collectGarbage()
    growSlowly()
    return { bytes: Buffer.concat(blocks.whole), file: new AbridgedFile(path, hash.digest("hex"), token, left) }
  }

  /** The file as it is. */
  *whole(): Generator<Uint8Array> {
    const file = openSync(this.path, "r")
    try {
      for (let read = 1; read > 0;) {
        const block = Buffer.allocUnsafe(blockBytes)
        read = readSync(file, block, 0, blockBytes, null)
        if (read > 0) yield block.subarray(0, read)
      }
    } finally {
      closeSync(file)
    }
  }

  /** `depth`: how often it is to be escaped; undefined where nothing in it needs to be. */
  pieceAt(number: number, depth: number | undefined, pieces: Pieces): Uint8Array {
    const left = this.#left[number]
    if (left === undefined) throw cannotRestore()
    const bytes = pieces.at(left.start, left.bytes)
    if (depth === undefined || depth === left.depth) return bytes
    let text = bytes.toString("utf8")
    for (let level = left.depth; level > depth; level--) text = unescaped(text)
    for (let level = left.depth; level < depth; level++) text = escaped(text)
    return Buffer.from(text)
  }
}

/** A mark that was changed on its way cannot be replaced. */
const assertWhole = (text: string, files: readonly AbridgedFile[]): string => {
  if (files.some(({ token }) => text.includes(token))) throw cannotRestore()
  return text
}

const textOf = (content: string | Uint8Array): string =>
  typeof content === "string" ? content : Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8")

/** What was made of abridged bytes, with everything in it that stayed in these files. */
export function* restored(content: string | Uint8Array, files: readonly AbridgedFile[]): Generator<Uint8Array> {
  const text = textOf(content)
  const open = new Map(files.map((file) => [file.token, { file, pieces: new Pieces(file.path) }]))
  const blocks = new Blocks()
  try {
    const mark = new RegExp(`${textMark.source}|${base64Mark.source}`, "g")
    let from = 0
    for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
      const [whole, backslashes = "", token = found[5] ?? "", number = found[6]] = found
      const source = open.get(token)
      if (source === undefined) continue
      blocks.add(Buffer.from(assertWhole(text.slice(from, found.index), files)))
      blocks.add(source.file.pieceAt(Number(number), found[5] === undefined ? depthOf(backslashes.length) : undefined, source.pieces))
      from = found.index + whole.length
      yield* blocks.whole.splice(0)
    }
    blocks.add(Buffer.from(assertWhole(text.slice(from), files)))
    blocks.end()
    yield* blocks.whole
  } finally {
    for (const { pieces } of open.values()) pieces.close()
  }
}

const cannotRestore = (): LigatureError =>
  new LigatureError(
    "cannot-write",
    "A long text of the file could not be put back into the result. Nothing was written. Please report this file.",
  )

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
