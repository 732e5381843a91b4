/**
 * Files that are not plain text: Zstandard data is unpacked where this Node can, a database is read through its tables.
 * What a file is, its first bytes say; names decide nothing.
 */
import { readFileSync, statSync } from "node:fs"
import { open, stat } from "node:fs/promises"
import type { Document } from "../document/index.ts"
import { LigatureError } from "../model/index.ts"
import { megabytes, mostBytes } from "./disk/read-bytes.ts"
import { isZstd, unpacksZstd, unpackZstd } from "./disk/unpack-zstd.ts"
import { inspectArchive } from "./zip/inspect-archive.ts"

const sqliteMagic = Buffer.from("SQLite format 3\0", "latin1")
const zipMagic = Buffer.from([0x50, 0x4b, 0x03, 0x04])

const startsWith = (bytes: Uint8Array, magic: Uint8Array): boolean => magic.every((byte, index) => bytes[index] === byte)

/** Of a file only: from a pipe they would be gone for whoever reads it next. */
const firstBytes = async (path: string): Promise<Uint8Array> => {
  if (!(await stat(path)).isFile()) return new Uint8Array()
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Sessions shrink to a tenth, repetitive ones to a hundredth. What grows beyond this, or beyond what plain files of any size
 * may have, was packed to fill the memory of who opens it.
 */
const mostGrowth = 200
const alwaysAllowed = 64 << 20

const mostUnpacked = (packed: number): number => Math.min(mostBytes(), Math.max(alwaysAllowed, packed * mostGrowth))

const unpackFile = (bytes: Uint8Array): Uint8Array => {
  if (!unpacksZstd) {
    throw new LigatureError(
      "cannot-read",
      `The file is Zstandard data, which Node ${process.versions.node} cannot unpack. ` +
        "Use Node 22.15 or later, or unpack it first: zstd -d FILE",
    )
  }
  const limit = mostUnpacked(bytes.length)
  try {
    return unpackZstd(bytes, limit)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new LigatureError(
        "cannot-read",
        `The file is Zstandard data of ${megabytes(bytes.length)} that unpacks to more than ${megabytes(limit)}. ` +
          "If you trust it, unpack it first and give the result: zstd -d FILE",
        { cause },
      )
    }
    throw new LigatureError("cannot-read", "The file is Zstandard data, but damaged: it cannot be unpacked.", { cause })
  }
}

/** Bytes of a file, unpacked if they need it. */
export const unpacked = (bytes: Uint8Array): Uint8Array => {
  if (isZstd(bytes)) return unpackFile(bytes)
  // Another archive is named as one where it is opened.
  return startsWith(bytes, zipMagic) ? (inspectArchive(bytes, mostUnpacked(bytes.length)) ?? bytes) : bytes
}

/**
 * The bytes of a regular file, unpacked, at once: a file after another is read twice as fast as by way of the thread pool.
 * undefined: it is a database, longer than `most`, or cannot be read, and `readPath` says why.
 */
export const readPlainFile = (path: string, most: number): { readonly bytes: Uint8Array; readonly isPacked: boolean } | undefined => {
  let bytes: Uint8Array
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > Math.min(most, mostBytes())) return undefined
    bytes = readFileSync(path)
  } catch {
    return undefined
  }
  if (startsWith(bytes, sqliteMagic)) return undefined
  const plain = unpacked(bytes)
  return { bytes: plain, isPacked: plain !== bytes }
}

/** Whether a file is a database, without reading all of it; a file that cannot be opened is none. */
export const isDatabase = async (path: string): Promise<boolean> =>
  startsWith(await firstBytes(path).catch(() => new Uint8Array()), sqliteMagic)

/** The sessions in a database, read through its tables. Nothing is ever written there. */
export const openDatabase = async (path: string): Promise<Document> => {
  // Loaded when needed: most runs never see a database.
  const { openSqliteSessions } = await import("./sqlite/open-sqlite-sessions.ts")
  const { sessions, problems } = await openSqliteSessions(path)
  return {
    syntax: "rows",
    problems: problems.map((what) => ({
      kind: "torn-line",
      severity: "damage",
      what,
      wayOut: "What could be read is read. sqlite3 FILE .recover may bring back more.",
    })),
    parts: sessions.map(({ format, value, name }) => ({
      format,
      value,
      name,
      certainty: "certain",
      why: "its tables are those of that agent",
      container: "session",
      path: "",
      copies: [],
    })),
    rebuild: () => {
      throw new LigatureError("cannot-write", "Databases are only read. Use: ligature convert FILE --to FORMAT --out-dir DIR")
    },
  }
}
