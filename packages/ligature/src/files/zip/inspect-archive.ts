/**
 * A log of Inspect AI as `.eval`: a zip archive of what the same log as JSON has in one value. `header.json` is written at the
 * end, so that a run that goes on or died has only the start in its journal.
 */
import zlib from "node:zlib"
import { isWire, LigatureError, type Wire } from "../../model/index.ts"
import { megabytes } from "../disk/read-bytes.ts"
import { unpacksZstd, unpackZstd } from "../disk/unpack-zstd.ts"

// The files in a zip archive, as far as logs need it: stored, deflated or Zstandard data, no passwords, no parts. Names decide
// what is unpacked; sizes are held against a limit before and while something is unpacked, because an archive of some kilobytes
// can hold more than memory.

interface ZipEntry {
  readonly name: string
  readonly bytes: () => Buffer
}

const endMark = 0x06054b50
const directoryMark = 0x02014b50
const localMark = 0x04034b50
const mostComment = 65_557

/** More entries than any log has samples. */
const mostEntries = 100_000

const damaged = (what: string): LigatureError => new LigatureError("cannot-read", `The zip archive is damaged: ${what}.`)

const endOf = (bytes: Buffer): number => {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - mostComment); at--) if (bytes.readUInt32LE(at) === endMark) return at
  throw damaged("its end is missing")
}

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer

const unpackers: Readonly<Record<number, Unpack>> = {
  8: (bytes, options) => zlib.inflateRawSync(bytes, options),
  93: (bytes, options) => {
    if (!unpacksZstd)
      throw new LigatureError(
        "cannot-read",
        `The archive has Zstandard data, which Node ${process.versions.node} cannot unpack. Use Node 22.15 or later.`,
      )
    return unpackZstd(bytes, options.maxOutputLength)
  },
}

/** The entries in the order of the archive's directory. `most`: bytes that all of them together may have. */
export const readZip = (input: Uint8Array, most: number): readonly ZipEntry[] => {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (at === 0xffffffff || count === 0xffff)
    throw new LigatureError("cannot-read", "The zip archive has more than 65,534 entries or 4 GB. Unpack it and give the files in it.")
  let left = most
  const entries: ZipEntry[] = []
  for (let index = 0; index < Math.min(count, mostEntries); index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== directoryMark) throw damaged("its directory ends early")
    const [method, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)]
    const [nameLength, extra, comment, local] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
      bytes.readUInt32LE(at + 42),
    ]
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength)
    at += 46 + nameLength + extra + comment
    entries.push({
      name,
      bytes: () => {
        if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== localMark)
          throw damaged(`${JSON.stringify(name)} is not where its directory says`)
        const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
        const data = bytes.subarray(from, from + packed)
        const unpack = unpackers[method]
        if (method !== 0 && !unpack)
          throw new LigatureError(
            "cannot-read",
            `The zip archive is packed in a way that is not supported (method ${method}). Unpack it and give the files in it.`,
          )
        if (data.length > left) throw tooLarge(most)
        try {
          const unpacked = unpack ? unpack(data, { maxOutputLength: Math.max(1, left) }) : data
          left -= unpacked.length
          return unpacked
        } catch (cause) {
          if (LigatureError.is(cause)) throw cause
          if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(most)
          throw new LigatureError("cannot-read", `The zip archive is damaged: ${JSON.stringify(name)} cannot be unpacked.`, { cause })
        }
      },
    })
  }
  return entries
}

const tooLarge = (most: number): LigatureError =>
  new LigatureError(
    "cannot-read",
    `The zip archive unpacks to more than ${megabytes(most)}. If you trust it, unpack it and give the files in it.`,
  )

const sample = /^samples\/.+\.json$/

const parsed = (entry: ZipEntry | undefined): Wire => {
  if (entry === undefined) return {}
  try {
    const value: unknown = JSON.parse(entry.bytes().toString("utf8"))
    return isWire(value) ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The log as JSON text; undefined for an archive of anything else. */
export const inspectArchive = (input: Uint8Array, most: number): Buffer | undefined => {
  const entries = readZip(input, most)
  const named = (name: string): ZipEntry | undefined => entries.find((entry) => entry.name === name)
  const header = named("header.json")
  const start = named("_journal/start.json")
  if (!header && !start) return undefined
  const about = parsed(header ?? start)
  if (!isWire(about["eval"])) return undefined
  const { samples: _, ...rest } = about
  const texts = entries.filter(({ name }) => sample.test(name)).map((entry) => entry.bytes().toString("utf8"))
  // A sample that was being written when the run died.
  const whole = texts.filter(isJson)
  const head = JSON.stringify({ ...(!header && { status: "started" }), ...rest })
  return Buffer.from(`${head.slice(0, -1)},"samples":[${whole.join(",")}]}`)
}
