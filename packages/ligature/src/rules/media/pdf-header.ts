/**
 * How many pages a PDF has, and whether it is encrypted: by the way its own readers go, which needs a few kB of a file of
 * any size. The end names the cross-reference table, that gives the place of each object, the catalog names the root of
 * the page tree, and the root counts the pages. A linearised file says the number in its first object.
 *
 * Where the tables are compressed (many files of PDF 1.5 and newer), the number stays unknown. Every step is bounded.
 */
import type { Base64Bytes } from "./base64.ts"

export interface PdfHeader {
  readonly pages?: number
  readonly encrypted?: true
}

/** Bytes read at one place: a dictionary, or the part of a table. */
const window = 2_048
/** Tables of a file that was saved again and again name the one before. */
const mostTables = 32
const mostSections = 256

/** Where `%PDF-` begins; readers allow something before it. -1: this is no PDF. */
export const pdfStart = (bytes: Base64Bytes): number => bytes.text(0, 1_024).indexOf("%PDF-")

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
export const readPdfHeader = (bytes: Base64Bytes): PdfHeader => {
  const start = Math.max(0, pdfStart(bytes))
  const head = bytes.text(start, start + window)
  const linear = /\/Linearized[^>]{0,400}/.exec(head)?.[0]
  const tables = tablesOf(bytes, start)
  const counted = linear === undefined ? undefined : /\/N\s{0,4}(\d{1,9})/.exec(linear)?.[1]
  const pages = counted !== undefined && isNumber(counted) ? Number(counted) : countPages(bytes, tables, start)
  const encrypted = tables.some(({ trailer }) => /\/Encrypt\s{0,4}[\d<]/.test(trailer))
  return { ...(pages !== undefined && { pages }), ...(encrypted && { encrypted }) }
}
