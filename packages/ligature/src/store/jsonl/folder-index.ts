/**
 * The list of a folder's conversations. What it says of each is read from its log, once: the index remembers up to where
 * a log was read and goes on from there. It is kept in a file only to be quick after a restart; deleting that file, or
 * finding nonsense in it, costs time and nothing else.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { isWire } from "../../model/index.ts"
import type { ConversationRecord } from "../store.ts"
import type { FileLocks } from "./file-lock.ts"
import { attempt, type Files, type FileState, writeAll } from "./files.ts"
import { readHeader, recordOfHeader } from "./log-reader.ts"
import { Scanner } from "./scanner.ts"

// The file name of a conversation id: any text becomes a name that every file system takes, and no two texts the same
// one, also where file systems ignore case or cannot spell a lone surrogate.

const longest = 160

export const fileNameOf = (id: string): string => {
  let name = ""
  for (let index = 0; index < id.length; index++) {
    const letter = id.charAt(index)
    if (/[a-z0-9_-]/.test(letter) || (letter === "." && index > 0)) name += letter
    else {
      const code = id.charCodeAt(index)
      name += code < 0x80 ? `%${code.toString(16).padStart(2, "0")}` : `%u${code.toString(16).padStart(4, "0")}`
    }
  }
  if (name.length <= longest) return name
  // Hashed as UTF-16, because UTF-8 writes all lone surrogates alike.
  const hash = createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex")
  return `${name.slice(0, 80)}~${hash.slice(0, 40)}`
}

/** The id that a file is named after; undefined for one that is too long to be read from the name. */
const idOfFileName = (name: string): string | undefined => {
  const id = name.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, wide?: string, narrow?: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow ?? "", 16)),
  )
  return fileNameOf(id) === name ? id : undefined
}

export const logSuffix = ".jsonl"
const indexName = ".index.json"
const indexVersion = 3
const windowBytes = 1 << 18

interface Known {
  readonly record: ConversationRecord
  /** Bytes of the log that were read, and the version of the lines after them. */
  readonly scanned: number
  readonly version: number
  /** Size of the log when it was read, and which file it was. */
  readonly size: number
  readonly identity: string
}

const isKnown = (value: unknown): value is Known =>
  isWire(value) &&
  isWire(value["record"]) &&
  typeof value["record"]["id"] === "string" &&
  typeof value["record"]["created"] === "number" &&
  typeof value["record"]["updated"] === "number" &&
  typeof value["scanned"] === "number" &&
  typeof value["version"] === "number" &&
  typeof value["size"] === "number" &&
  typeof value["identity"] === "string"

/** Another for another file, most likely also for one of the same name and in the same place on the disk. */
const identityOf = ({ inode, born }: FileState): string => `${inode}:${born}`

interface Listing {
  readonly records: readonly ConversationRecord[]
  readonly unreadable: readonly { readonly name: string; readonly why: string }[]
}

export class FolderIndex {
  readonly #files: Files
  readonly #folder: string
  #known: Map<string, Known> | undefined
  /** The file was taken away because it named a conversation that was removed. */
  #isGone = false

  constructor(files: Files, folder: string) {
    this.#files = files
    this.#folder = folder
  }

  async list(temporaryPath: () => string): Promise<Listing> {
    const known = (this.#known ??= this.#load())
    const records: ConversationRecord[] = []
    const unreadable: { name: string; why: string }[] = []
    const found = new Set<string>()
    let changed = this.#isGone
    for (const name of this.#files.exists(this.#folder) ? this.#files.names(this.#folder) : []) {
      if (!name.endsWith(logSuffix)) continue
      const state = this.#files.stateAt(join(this.#folder, name))
      if (state === undefined) continue
      found.add(name)
      const same = known.get(name)
      const before = same?.identity === identityOf(state) ? same : undefined
      if (before?.size === state.size) {
        records.push(before.record)
        continue
      }
      changed = true
      const now = await this.#read(name, state, before)
      if (typeof now === "string") {
        known.delete(name)
        unreadable.push({ name, why: now })
        continue
      }
      known.set(name, now)
      records.push(now.record)
    }
    for (const name of known.keys()) {
      if (found.has(name)) continue
      known.delete(name)
      changed = true
    }
    if (changed) attempt(() => this.#save(temporaryPath))
    return { records, unreadable }
  }

  /**
   * A conversation is removed: its title must not stay here. The file goes at once and is rewritten by `close` or the next
   * list, so that removing many costs no more than removing one.
   */
  forget(name: string): void {
    this.#known ??= this.#load()
    this.#known.delete(name)
    this.#isGone = true
    const path = join(this.#folder, indexName)
    if (this.#files.exists(path)) this.#files.unlink(path)
  }

  close(temporaryPath: () => string): void {
    if (this.#isGone) attempt(() => this.#save(temporaryPath))
  }

  /** What the log says by now, or why it cannot be read. */
  async #read(name: string, state: FileState, before: Known | undefined): Promise<Known | string> {
    const { size } = state
    const start = before && before.scanned <= size ? before : undefined
    let record = start?.record
    const scanner = new Scanner({
      header: (value, isDamaged) => {
        const header = readHeader(value)
        const id = isDamaged ? (idOfFileName(name.slice(0, -logSuffix.length)) ?? header.id) : header.id
        record = recordOfHeader({ ...header, id }, Math.max(header.created, record?.updated ?? 0))
      },
      operation: ({ at, entries }) => {
        if (!record) return
        if (at > record.updated) record = { ...record, updated: at }
        for (const entry of entries) if (entry.kind === "rename") record = { ...record, title: entry.title }
      },
      damage: () => {},
    })
    if (start) [scanner.scanned, scanner.version] = [start.scanned, start.version]
    try {
      const file = this.#files.open(join(this.#folder, name), "read")
      try {
        let window = windowBytes
        while (scanner.scanned + scanner.fragment < size) {
          const from = scanner.scanned
          const bytes = Buffer.allocUnsafe(Math.min(window, size - from))
          const count = await this.#files.readAsync(file, bytes, bytes.length, from)
          if (count === 0) break
          scanner.take(bytes.subarray(0, count), from + count >= size)
          if (scanner.scanned === from) window *= 2
        }
      } finally {
        this.#files.close(file)
      }
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    if (!record || scanner.foreign !== undefined) return scanner.foreign ?? "it has no whole first line"
    if (`${fileNameOf(record.id)}${logSuffix}` !== name) return `it is of another conversation, ${JSON.stringify(record.id)}`
    return { record, scanned: scanner.scanned, version: scanner.version, size, identity: identityOf(state) }
  }

  #load(): Map<string, Known> {
    const known = new Map<string, Known>()
    attempt(() => {
      const value: unknown = JSON.parse(this.#files.readWhole(join(this.#folder, indexName)).toString("utf8"))
      if (!isWire(value) || value["version"] !== indexVersion || !Array.isArray(value["logs"])) return
      for (const pair of value["logs"]) {
        if (Array.isArray(pair) && typeof pair[0] === "string" && isKnown(pair[1])) known.set(pair[0], pair[1])
      }
    })
    return known
  }

  /** Whoever removes a conversation looks for its title before this is written, or its log is gone afterwards. */
  #save(temporaryPath: () => string): void {
    const known = this.#known ?? new Map<string, Known>()
    for (;;) {
      this.#write(temporaryPath(), known)
      const names = new Set(this.#files.names(this.#folder))
      const removed = [...known.keys()].filter((name) => !names.has(name))
      if (removed.length === 0) break
      for (const name of removed) known.delete(name)
    }
    this.#isGone = false
  }

  #write(temporary: string, known: ReadonlyMap<string, Known>): void {
    try {
      const file = this.#files.open(temporary, "create")
      try {
        writeAll(this.#files, file, Buffer.from(JSON.stringify({ version: indexVersion, logs: [...known] })))
      } finally {
        this.#files.close(file)
      }
      this.#files.rename(temporary, join(this.#folder, indexName))
    } catch (error) {
      attempt(() => this.#files.unlink(temporary))
      throw error
    }
  }
}

// What a process that died while it removed a conversation leaves beside its log: the lease file, the checkpoint, and locks.
// They have no contents of the conversation, but its name and who worked on it. Each is taken away under the conversation's lock and only
// while there is no log, so that a conversation of the same name that is made meanwhile keeps its lease.

/** The name of a conversation's files without what says which of them it is: `<name>.lease`, `<name>.lock.<badge>`, … */
const leftover = /^(?<name>.+?)\.(?:lease|index|lock|lock\.(?:[0-9a-z]{20}|unreadable))$/

export const sweepLeftovers = async (files: Files, folder: string, locks: FileLocks): Promise<void> => {
  const names = files.names(folder)
  const logs = new Set(names.filter((name) => name.endsWith(logSuffix)))
  const orphans = new Map<string, string[]>()
  for (const file of names) {
    const name = leftover.exec(file)?.groups?.["name"]
    if (name === undefined || logs.has(`${name}${logSuffix}`)) continue
    const others = orphans.get(name)
    if (others) others.push(file)
    else orphans.set(name, [file])
  }
  for (const [name, left] of orphans) {
    const lock = join(folder, `${name}.lock`)
    // One that somebody holds is not left over.
    if (!(await takes(locks, lock))) continue
    try {
      if (files.exists(join(folder, `${name}${logSuffix}`))) continue
      for (const file of left) if (file !== `${name}.lock`) attempt(() => files.unlink(join(folder, file)))
    } finally {
      locks.release(lock)
    }
  }
}

const takes = async (locks: FileLocks, path: string): Promise<boolean> => {
  try {
    await locks.acquire(path)
    return true
  } catch {
    return false
  }
}
