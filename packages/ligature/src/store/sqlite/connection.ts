/**
 * One connection to a database file: opened with care for what is there, transactions that are whole or not there, and
 * the errors of the engine as errors of the store. Everything here happens at once, without giving way to other tasks:
 * two transactions of one process never meet half-way.
 *
 * The file itself is never opened behind the engine's back. Closing it again would drop the locks that the engine holds
 * for the whole process.
 */
import { closeSync, existsSync, linkSync, mkdirSync, openSync, statSync, unlinkSync } from "node:fs"
import { dirname } from "node:path"
import { shellFile } from "../../model/index.ts"
import { newConversationId } from "../inputs.ts"
import { asStoreError, StoreError } from "../store-error.ts"
import { assertTables, type Database, loadEngine, migrate, schemaVersion, versionOf } from "./schema.ts"

/** The engine waits this long for another process before it says so; longer waits give way to other tasks in between. */
const busyTimeoutMs = 4

/** Rows are seldom longer, so that little of a page stays empty; with 4 KiB pages, entries of 2 KiB would waste half. */
const pageBytes = 16_384

/** The name of a database that has no file. */
export const inMemory = ":memory:"

const settings = `
  pragma secure_delete = on;
  pragma cache_size = -16000;
  pragma journal_size_limit = 16777216;
`

/** Primary result codes of the engine. */
const [busy, locked, readOnly, corrupt, full, cannotOpen, notDatabase] = [5, 6, 8, 11, 13, 14, 26]

const codeOf = (error: unknown): number | undefined => {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined
  return typeof code === "number" ? code & 0xff : undefined
}

/** For what the engine says in another way than by failing. */
export const busyError = (message: string): Error => Object.assign(new Error(message), { errcode: busy })

/** Another process is writing: worth another try. */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === busy || code === locked
}

/** The engine cannot keep its log beside the database. */
export const isWithoutLog = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === readOnly || code === cannotOpen
}

const explain = (error: unknown, file: string, reason: "unreadable" | "unwritable"): string | undefined => {
  switch (codeOf(error)) {
    case busy:
    case locked:
      return `${file} is busy: another process is writing and does not come to an end`
    case readOnly:
      if (reason === "unreadable") {
        const way = `Open it once as a user who may write there, or copy it to another folder, with ${file}-wal if there is one`
        return `${file} cannot be read: the engine needs a log beside it, and the folder is read-only. ${way}`
      }
      return `${file} is read-only: what is in it can be loaded, but nothing written`
    case corrupt:
      return `${file} is damaged and left alone. Recover what is left with: sqlite3 ${shellFile(file)} .recover | sqlite3 recovered.db`
    case notDatabase:
      return `${file} is left alone: it is no SQLite database`
    case full:
      return `${file} cannot grow: the disk is full, or the file has the size it may have. What was acknowledged before is safe`
    case cannotOpen:
      return `${file} cannot be opened: check that the folder exists and may be written by this user`
    default:
      return undefined
  }
}

/** What the engine said, with the way out. */
export const sqliteError = (error: unknown, file: string, reason: "unreadable" | "unwritable", conversation?: string): StoreError => {
  const message = error instanceof StoreError ? undefined : explain(error, file, reason)
  if (message === undefined) return asStoreError(error, reason, conversation, file)
  const code = codeOf(error)
  const actual = code === corrupt || code === notDatabase ? "unreadable" : reason
  return new StoreError(actual, message, { cause: error, ...(conversation !== undefined && { conversation }) })
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The engine would throw away a log whose database is gone, and with it all that was written last. */
const insistOnDatabase = (file: string): void => {
  if (sizeOf(file) > 0 || sizeOf(`${file}-wal`) === 0) return
  const message = `${file} is gone or empty, but its log ${file}-wal is not. Put the database back, or move the log away`
  throw new StoreError("unreadable", message)
}

/**
 * Makes an empty database that only its owner may read; the engine gives its logs the mode of the database. It is made under
 * another name and then linked: closing the database itself could take a lock away that the engine holds in another thread.
 * What cannot be made here the engine cannot make either, and says why.
 */
const makePrivate = (file: string): void => {
  if (file === inMemory || existsSync(file)) return
  const temporary = `${file}.${newConversationId()}.tmp`
  try {
    closeSync(openSync(temporary, "wx", 0o600))
    linkSync(temporary, file)
  } catch {
    // Another process was quicker, or there are no links here.
    if (existsSync(temporary) && !existsSync(file)) closeSync(openSync(file, "wx", 0o600))
  } finally {
    if (existsSync(temporary)) unlinkSync(temporary)
  }
}

/** Which file a name stands for; undefined where there is none, as for a database in memory. */
const identityOf = (file: string): string | undefined => {
  const state = statSync(file, { bigint: true, throwIfNoEntry: false })
  return state && `${state.dev} ${state.ino}`
}

export class Connection {
  readonly database: Database
  readonly file: string
  readonly #identity: string | undefined
  readonly #logged: boolean
  #synchronous: "full" | "normal" = "full"

  /** Makes the file when there is none. */
  constructor(file: string, mostBytes?: number) {
    const { DatabaseSync } = loadEngine()
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    insistOnDatabase(file)
    makePrivate(file)
    this.file = file
    this.database = new DatabaseSync(file)
    try {
      this.database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
      const version = versionOf(this.database, file)
      if (version === 0) this.database.exec(`pragma page_size = ${pageBytes}`)
      const [mode] = Object.values(this.database.prepare("pragma journal_mode = wal").get() ?? {})
      this.#logged = mode === "wal"
      this.database.exec(`pragma synchronous = full; ${settings}`)
      if (mostBytes !== undefined) this.database.exec(`pragma max_page_count = ${Math.floor(mostBytes / pageBytes)}`)
      if (version < schemaVersion) this.transact(() => migrate(this.database, file), true)
      assertTables(this.database, file)
      this.#identity = identityOf(this.file)
    } catch (error) {
      this.database.close()
      throw error
    }
  }

  /**
   * Runs `work` in a transaction. Durable: it is on the disk when this returns, and so is everything committed before it
   * by any process. Else it survives the death of the process, and a power cut leaves an older state, but a whole one.
   */
  transact<Result>(work: () => Result, durable: boolean): Result {
    this.#insistInPlace()
    this.#setSynchronous(durable)
    this.database.exec("begin immediate")
    try {
      const result = work()
      this.database.exec("commit")
      return result
    } catch (error) {
      try {
        this.database.exec("rollback")
      } catch {
        // The engine has rolled back by itself, as it does when the disk is full.
      }
      throw error
    }
  }

  /** The engine would go on writing to a file that nobody can open any more, and acknowledge what is gone. */
  #insistInPlace(): void {
    if (this.#identity === undefined || identityOf(this.file) === this.#identity) return
    const message = `${this.file} was removed or replaced while it was open, and nothing is written any more. Open the store anew`
    throw new StoreError("unwritable", message)
  }

  /** Only with a log is it safe to sync later: without one, a power cut could take the database apart. */
  #setSynchronous(durable: boolean): void {
    const wanted = durable || !this.#logged ? "full" : "normal"
    if (wanted === this.#synchronous) return
    this.database.exec(`pragma synchronous = ${wanted}`)
    this.#synchronous = wanted
  }

  close(): void {
    this.database.close()
  }
}
