/** What the bytes of a media block say of themselves: what they are, how many, how large a picture, how many pages. */
import { elidedBytes, type MediaBlock } from "../../model/index.ts"
import { Base64Bytes, canonicalBase64 } from "./base64.ts"
import { readImageHeader } from "./image-header.ts"

// How many pages a PDF has, and whether it is encrypted: by the way its own readers go, which needs a few kB of a file of
// any size. The end names the cross-reference table, that gives the place of each object, the catalog names the root of
// the page tree, and the root counts the pages. A linearised file says the number in its first object.
// Where the tables are compressed (many files of PDF 1.5 and newer), the number stays unknown. Every step is bounded.

interface PdfHeader {
  readonly pages?: number
  readonly encrypted?: true
}

/** Bytes read at one place: a dictionary, or the part of a table. */
const window = 2_048
/** Tables of a file that was saved again and again name the one before. */
const mostTables = 32
const mostSections = 256

/** Where `%PDF-` begins; readers allow something before it. -1: this is no PDF. */
const pdfStart = (bytes: Base64Bytes): number => bytes.text(0, 1_024).indexOf("%PDF-")

const numberAfter = (text: string, key: RegExp): number | undefined => {
  const digits = key.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const isNumber = (text: string): boolean => /^\d{1,10}$/.test(text)

/** A cross-reference table: where objects are, and the dictionary after it. */
class Table {
  readonly #bytes: Base64Bytes
  readonly #sections: { readonly first: number; readonly count: number; readonly at: number }[] = []
  readonly trailer: string = ""

  constructor(bytes: Base64Bytes, start: number) {
    this.#bytes = bytes
    const head = /^\s{0,8}xref\s{1,4}/.exec(bytes.text(start, start + 32))
    if (!head) return
    let at = start + head[0].length
    for (let count = 0; count < mostSections; count++) {
      const line = bytes.text(at, at + 48)
      const section = /^\s{0,4}(\d{1,9}) (\d{1,9})\s{0,2}[\r\n]{1,2}/.exec(line)
      if (!section) {
        if (/^\s{0,8}trailer/.test(line)) this.trailer = bytes.text(at, at + window)
        return
      }
      at += section[0].length
      this.#sections.push({ first: Number(section[1]), count: Number(section[2]), at })
      at += Number(section[2]) * 20
    }
  }

  /** Offset of an object; undefined when this table does not have it. */
  offsetOf(object: number): number | undefined {
    for (const { first, count, at } of this.#sections) {
      if (object < first || object >= first + count) continue
      const entry = this.#bytes.text(at + (object - first) * 20, at + (object - first) * 20 + 18)
      const found = /^(\d{10}) \d{5} n/.exec(entry)
      return found ? Number(found[1]) : undefined
    }
    return undefined
  }
}

/** The tables of a file, the newest first. */
const tablesOf = (bytes: Base64Bytes, start: number): readonly Table[] => {
  const tables: Table[] = []
  const end = bytes.text(bytes.length - window, bytes.length)
  const last = /startxref\s{1,4}(\d{1,10})/.exec(end.slice(end.lastIndexOf("startxref")))
  let at = last ? Number(last[1]) : undefined
  const seen = new Set<number>()
  while (at !== undefined && !seen.has(at) && tables.length < mostTables) {
    seen.add(at)
    const table = new Table(bytes, start + at)
    if (table.trailer === "") break
    tables.push(table)
    at = numberAfter(table.trailer, /\/Prev\s{0,4}(\d{1,10})/)
  }
  return tables
}

/** The dictionary of an object, as far as the window shows it. */
const objectText = (bytes: Base64Bytes, tables: readonly Table[], object: number, start: number): string | undefined => {
  for (const table of tables) {
    const offset = table.offsetOf(object)
    if (offset === undefined) continue
    const text = bytes.text(start + offset, start + offset + window)
    const isIt = new RegExp(`^\\s{0,8}${object}\\s{1,4}\\d{1,5}\\s{1,4}obj`).test(text)
    if (!isIt) return undefined
    const end = text.indexOf("endobj")
    return end < 0 ? text : text.slice(0, end)
  }
  return undefined
}

const countPages = (bytes: Base64Bytes, tables: readonly Table[], start: number): number | undefined => {
  const root = tables.map(({ trailer }) => numberAfter(trailer, /\/Root\s{0,4}(\d{1,9})/)).find((found) => found !== undefined)
  const catalog = root === undefined ? undefined : objectText(bytes, tables, root, start)
  const tree = catalog === undefined ? undefined : numberAfter(catalog, /\/Pages\s{0,4}(\d{1,9})\s/)
  const pages = tree === undefined ? undefined : objectText(bytes, tables, tree, start)
  return pages === undefined ? undefined : numberAfter(pages, /\/Count\s{0,4}(\d{1,9})/)
}

/** For bytes that begin with the signature of a PDF. */
const readPdfHeader = (bytes: Base64Bytes): PdfHeader => {
  const start = Math.max(0, pdfStart(bytes))
  const head = bytes.text(start, start + window)
  const linear = /\/Linearized[^>]{0,400}/.exec(head)?.[0]
  const tables = tablesOf(bytes, start)
  const counted = linear === undefined ? undefined : /\/N\s{0,4}(\d{1,9})/.exec(linear)?.[1]
  const pages = counted !== undefined && isNumber(counted) ? Number(counted) : countPages(bytes, tables, start)
  const encrypted = tables.some(({ trailer }) => /\/Encrypt\s{0,4}[\d<]/.test(trailer))
  return { ...(pages !== undefined && { pages }), ...(encrypted && { encrypted }) }
}

export interface MediaFacts {
  /** Why nobody can read it: nothing there, not base64, or no file of the kind it is said to be. */
  readonly fault?: "empty" | "not-base64" | "unreadable"
  /** The base64 text as providers take it; the very text of the block where that is it. */
  readonly data: string
  /** What the bytes are, where their signature says it. */
  readonly mediaType?: string
  readonly width?: number
  readonly height?: number
  /** Of a PDF; undefined also where its tables are compressed. */
  readonly pages?: number
  readonly encrypted?: true
  /** Size of the file, and of the base64 text that is sent. */
  readonly bytes: number
  readonly encodedBytes: number
}

/** Types whose files begin with a signature that is known here: without it, they are none. */
const signed: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"])

/** Spellings of media types that people and tools use, and what providers accept. */
const spellings: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  "application/x-pdf": "application/pdf",
}

/** A declared media type without parameters, in the spelling that providers know. */
export const plainMediaType = (declared: string): string => {
  if (signed.has(declared)) return declared
  const semicolon = declared.indexOf(";")
  const bare = (semicolon < 0 ? declared : declared.slice(0, semicolon)).trim().toLowerCase()
  return Object.hasOwn(spellings, bare) ? (spellings[bare] as string) : bare
}

const read = (block: MediaBlock, given: string): MediaFacts => {
  const data = canonicalBase64(given)
  if (data === undefined) return { fault: "not-base64", data: given, bytes: 0, encodedBytes: given.length + elidedBytes(given) }
  if (data === "") return { fault: "empty", data, bytes: 0, encodedBytes: 0 }
  const bytes = new Base64Bytes(data)
  const sizes = { data, bytes: bytes.length, encodedBytes: data.length + elidedBytes(data) }
  const declared = block.mediaType === undefined ? undefined : plainMediaType(block.mediaType)
  if (block.kind !== "image" && declared !== "application/pdf" && block.kind !== "document") return sizes
  const header = readImageHeader(bytes) ?? (pdfStart(bytes) >= 0 ? { mediaType: "application/pdf" } : undefined)
  if (header === undefined) {
    const isNone = declared === undefined ? block.kind === "image" : signed.has(declared)
    return isNone ? { ...sizes, fault: "unreadable" } : sizes
  }
  const { mediaType, width, height } = header
  if (header.cut === true) return { ...sizes, mediaType, fault: "unreadable" }
  if (mediaType === "application/pdf") return { ...sizes, mediaType, ...readPdfHeader(bytes) }
  if (width === undefined || height === undefined) return { ...sizes, mediaType }
  return { ...sizes, mediaType, width, height }
}

/** Undefined for media that is elsewhere: only its address is known. */
export const readMedia = (block: MediaBlock): MediaFacts | undefined => {
  const { source } = block
  if (source.type === "base64") return read(block, source.data)
  // A data URL that is not base64 was left as it is by the reader of its format.
  if (source.type === "url" && source.url.startsWith("data:")) {
    return { fault: "not-base64", data: source.url, bytes: 0, encodedBytes: source.url.length }
  }
  return undefined
}
