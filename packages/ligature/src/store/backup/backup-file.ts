/**
 * A backup in one file: the logs of conversations one after the other, in the lines that a folder of conversations has (see
 * jsonl/line.ts), and a last line that says how many there are. Each line has its sum, and a file that was cut short has no
 * last line: neither can be mistaken for a whole backup.
 *
 *   {"sum":"…","ligature":1,"id":"first","created":…}        {"sum":"…","operation":"…","at":…,"parent":null,"entries":[…]}   …
 *   {"sum":"…","ligature":1,"id":"second","created":…}       …
 *   {"sum":"…","ligature":1,"backup":{"conversations":2,"operations":17}}
 */
import { constants } from "node:fs"
import { type FileHandle, link, open, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { assertOptions, isWire } from "../../model/index.ts"
import { type Copied, copyEach, copyFrom, copyNames, type CopyOptions, type CopyResult, restoreVerified } from "../copy-conversations.ts"
import { asRead, type Dump, fingerprintOfDump, type Restored } from "../dump.ts"
import { formatVersion, type Operation } from "../entry.ts"
import { encodeHeader, encodeOperation, newline, parseLine } from "../jsonl/line.ts"
import { type Header, readHeader } from "../jsonl/log-reader.ts"
import { Scanner } from "../jsonl/scanner.ts"
import { newConversationId } from "../inputs.ts"
import type { Store } from "../store.ts"
import { asStoreError, missingConversation, StoreError } from "../store-error.ts"

const linesOf = (dump: Dump): readonly Buffer[] => {
  const { operations, damage: _, ...header } = dump
  return [encodeHeader({ ligature: formatVersion, ...header }), ...operations.map(encodeOperation)]
}

/** Collects the lines of one conversation. */
class Section {
  readonly #operations: Operation[] = []
  readonly #damage: Dump["damage"][number][] = []
  readonly #scanner: Scanner
  readonly header: Header

  constructor(line: Buffer) {
    let header: Header | undefined
    this.#scanner = new Scanner({
      header: (value) => {
        header = readHeader(value)
      },
      operation: (operation) => void this.#operations.push(operation),
      damage: (damage) => void this.#damage.push(damage),
    })
    this.take(line)
    if (this.#scanner.foreign !== undefined || header === undefined) {
      throw new StoreError("newer-version", `The backup cannot be read: ${this.#scanner.foreign ?? "it has no header"}`)
    }
    this.header = header
  }

  /** With its newline. */
  take(line: Buffer): void {
    this.#scanner.take(line, false)
  }

  get count(): number {
    return this.#operations.length
  }

  finish(): Dump {
    return { ...this.header, operations: asRead(this.#operations), damage: this.#damage }
  }
}

const pieceBytes = 1 << 20

/** The lines of a file with their newlines; a last one without was cut and is not given. */
async function* readLines(file: FileHandle): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes)
    if (bytesRead === 0) break
    const piece = buffer.subarray(0, bytesRead)
    let from = 0
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, from)) {
      const line = piece.subarray(from, end + 1)
      yield rest.length === 0 ? line : Buffer.concat([...rest, line])
      rest = []
      from = end + 1
    }
    if (from < piece.length) rest.push(piece.subarray(from))
  }
}

/**
 * The conversations of a backup, one at a time. Throws at its end, after all that are whole, when the file was cut short or
 * says another number of conversations.
 */
export async function* readBackupFile(path: string): AsyncGenerator<Dump> {
  const incomplete = (why: string): StoreError => new StoreError("unreadable", `${path} is not a whole backup: ${why}`)
  // Without waiting: a pipe into which nobody writes would keep the process from ever ending.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw asStoreError(error, "unreadable", undefined, path)
  })
  try {
    if (!(await file.stat()).isFile()) throw incomplete("it is not a file")
    let section: Section | undefined
    const counts = { conversations: 0, operations: 0 }
    for await (const line of readLines(file)) {
      const value = parseLine(line)
      const isHeader = typeof value?.["ligature"] === "number"
      if (isHeader && (typeof value["id"] === "string" || isWire(value["backup"]))) {
        if (section) {
          counts.conversations++
          counts.operations += section.count
          yield section.finish()
        }
        if (isWire(value["backup"])) {
          const { conversations, operations } = value["backup"]
          if (conversations === counts.conversations && operations === counts.operations) return
          throw incomplete(
            `it has ${counts.conversations} conversations with ${counts.operations} operations, and names ${String(conversations)} with ${String(operations)}`,
          )
        }
        section = new Section(line)
      } else if (section) section.take(line)
      else throw incomplete("its first line is not one of Ligature's")
    }
    const way = "If it is a log of a store, give the folder it is in"
    throw incomplete(`its last line is missing, so it was cut short after ${counts.conversations} whole conversations. ${way}`)
  } finally {
    await file.close()
  }
}

const syncFolder = async (folder: string): Promise<void> => {
  // Not every system lets a folder be opened; the file itself is safe already.
  const handle = await open(folder, "r").catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** Reads a backup that was just written, and throws unless it has exactly these conversations. */
const insistSame = async (path: string, written: readonly Copied[]): Promise<void> => {
  let index = 0
  for await (const dump of readBackupFile(path)) {
    if (fingerprintOfDump(dump) !== written[index++]?.fingerprint) break
  }
  if (index !== written.length) throw new StoreError("unwritable", `${path} does not read as it was written`)
}

const writeAll = async (store: Store, file: FileHandle, options: CopyOptions): Promise<CopyResult> => {
  const write = async (dump: Dump): Promise<Restored> => {
    await file.appendFile(Buffer.concat(linesOf(dump)))
    return "made"
  }
  const result = await copyFrom(store, write, options)
  const operations = result.copied.reduce((sum, each) => sum + each.operations, 0)
  await file.appendFile(encodeHeader({ ligature: formatVersion, backup: { conversations: result.copied.length, operations } }))
  return result
}

/** Restores the conversations of a backup file into a store; `ids`: only these. */
export const restoreBackupFile = async (path: string, to: Store, options: CopyOptions = {}): Promise<CopyResult> => {
  assertOptions(options, copyNames)
  const wanted = options.ids && new Set(options.ids)
  const unreadable: { name: string; why: string }[] = []
  const sections = async function* () {
    try {
      for await (const dump of readBackupFile(path)) {
        if (wanted && !wanted.delete(dump.id)) continue
        yield { id: dump.id, dump: async () => dump, isListed: true }
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      unreadable.push({ name: path, why: error.message })
    }
    for (const id of wanted ?? []) yield { id, dump: () => Promise.reject(missingConversation(id)), isListed: false }
  }
  const result = await copyEach(sections(), (dump) => restoreVerified(to, dump, options.extend), options)
  return { ...result, unreadable }
}

/** Writes conversations into a new file, for its owner only. It has its name when it is whole, read back, and on the disk. */
export const writeBackupFile = async (store: Store, path: string, options: Omit<CopyOptions, "extend"> = {}): Promise<CopyResult> => {
  assertOptions(options, { ids: true, onCopied: true })
  const temporary = `${path}.${newConversationId()}.tmp`
  try {
    const file = await open(temporary, "wx", 0o600)
    try {
      const result = await writeAll(store, file, options)
      await file.sync()
      await file.close()
      await insistSame(temporary, result.copied)
      // Unlike a rename, a link never takes the place of a file that is there.
      await link(temporary, path)
      await syncFolder(dirname(path))
      return result
    } finally {
      await file.close().catch(() => {})
      await unlink(temporary).catch(() => {})
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw asStoreError(error, "unwritable", undefined, path)
    throw new StoreError("exists", `${path} already exists and was left as it is`)
  }
}
