/**
 * A database file in use: opened with the first call, writes one after the other, and patience with other processes.
 *
 * Writes wait for their turn; reads do not, because entries never change and a conversation's number is never given to
 * another one.
 */
import { statSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { StoreError } from "../store-error.ts"
import { busyError, Connection, isBusy, isWithoutLog, sqliteError } from "./connection.ts"
import { type Database, loadEngine, schemaVersion, versionOf } from "./schema.ts"
import { Tables } from "./tables.ts"

// What a removed conversation leaves in a database, and how it is taken out.
//
//   pages   The engine overwrites what it deletes (secure_delete), but not the copies that stay in the free space of a page
//           when rows move to another one, as they do when their neighbours are deleted. So the file is rewritten (vacuum):
//           about a second for 100 MB. Removals that wait share it.
//   log     Every page as it was written stays in the log (-wal) until that is copied into the database and cut to nothing.
//
// A removal notes that this is pending, in its own transaction: whoever dies before it is done leaves it to the next who opens
// the file.

interface Opened {
  readonly connection: Connection
  readonly tables: Tables
}

/** Throws `busy` while another process reads what would be cut off. */
const erase = ({ connection, tables }: Opened): void => {
  if (!tables.hasResidue()) return
  const { database } = connection
  database.exec("vacuum")
  // Gives three numbers: whether it was kept from it, pages in the log, pages copied.
  const [kept] = Object.values(database.prepare("pragma wal_checkpoint(truncate)").get() ?? {})
  if (kept === 1) throw busyError(`${connection.file}-wal is being read`)
  connection.transact(() => tables.erased(), false)
}

const notErased = (cause: StoreError, file: string): StoreError => {
  const { conversation } = cause
  const message = `The conversation was removed, but what it held may still be in ${file} or ${file}-wal: ${cause.message}`
  const way = "It is erased by the next program that opens the database or removes a conversation"
  return new StoreError("unwritable", `${message}. ${way}`, { cause, ...(conversation !== undefined && { conversation }) })
}

// Reads a database beside which the engine cannot keep its log, because this user may not write to the folder, or nobody may.
// The engine then refuses even to read, unless it is told that the file never changes. Nobody can promise that: another user
// may write. So the file is opened for one reading only, and if it changed meanwhile, it is read once more.

/** Undefined when the file is not alone, since what was written last is in its log; or when there is none. */
const stateOf = (file: string): string | undefined => {
  try {
    const { size, mtimeNs } = statSync(file, { bigint: true })
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    return log === undefined || log.size === 0 ? `${size} ${mtimeNs}` : undefined
  } catch {
    return undefined
  }
}

const open = (file: string): Database => {
  const { DatabaseSync } = loadEngine()
  const database = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  try {
    const version = versionOf(database, file)
    if (version === schemaVersion) return database
    const message = `${file} has tables of version ${version}, and nothing can be written to bring them to version ${schemaVersion}`
    throw new StoreError("unreadable", `${message}. Copy it to a folder that this user may write to`)
  } catch (error) {
    database.close()
    throw error
  }
}

const mostTries = 5

/** Undefined when the file cannot be read in this way: it has a log, or somebody keeps writing. */
const readStill = async <Result>(
  file: string,
  work: (tables: Tables) => Result | Promise<Result>,
): Promise<{ readonly result: Result } | undefined> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = stateOf(file)
    if (before === undefined) return undefined
    const database = open(file)
    try {
      const result = await work(new Tables(database))
      if (stateOf(file) === before) return { result }
    } catch (error) {
      if (stateOf(file) === before) throw error
    } finally {
      database.close()
    }
  }
  return undefined
}

interface HomeOptions {
  readonly file: string
  /** How long a call waits while other processes write, in milliseconds. */
  readonly busyWaitMs: number
  readonly mostBytes: number | undefined
}

const longestPauseMs = 25

export class Home {
  readonly file: string
  readonly #options: HomeOptions
  #opened: Opened | undefined
  #queue: Promise<unknown> = Promise.resolve()
  readonly #reading = new Set<Promise<unknown>>()
  #unflushed = false

  constructor(options: HomeOptions) {
    this.file = options.file
    this.#options = options
  }

  async read<Result>(id: string, work: (tables: Tables) => Result | Promise<Result>): Promise<Result> {
    const reading = this.#readAsItIs(work)
    this.#reading.add(reading)
    try {
      return await reading
    } catch (error) {
      throw sqliteError(error, this.file, "unreadable", id)
    } finally {
      this.#reading.delete(reading)
    }
  }

  async #readAsItIs<Result>(work: (tables: Tables) => Result | Promise<Result>): Promise<Result> {
    try {
      return await this.#patiently(({ tables }) => work(tables))
    } catch (error) {
      if (this.#opened !== undefined || !isWithoutLog(error)) throw error
      const read = await readStill(this.file, work).catch((cause: unknown) => {
        throw isWithoutLog(cause) ? error : cause
      })
      if (read) return read.result
      throw error
    }
  }

  /** One transaction, when its turn has come. Durable: it is on the disk when this is through. */
  change<Result>(id: string, durable: boolean, work: (tables: Tables) => Result): Promise<Result> {
    return this.inTurn(async () => {
      try {
        return await this.write(work, durable)
      } catch (error) {
        throw sqliteError(error, this.file, "unwritable", id)
      }
    })
  }

  inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(task)
    this.#queue = result.catch(() => {})
    return result
  }

  /** For whoever has the turn. */
  async write<Result>(work: (tables: Tables) => Result, durable: boolean): Promise<Result> {
    return this.#patiently(({ connection, tables }) => {
      tables.changed = false
      const result = connection.transact(() => work(tables), durable)
      if (tables.changed) this.#unflushed = !durable
      return result
    })
  }

  /** Removed conversations are gone from the file and from its log when this returns. Those that wait share the work. */
  erase(id: string): Promise<void> {
    return this.inTurn(async () => {
      try {
        await this.#patiently(erase)
      } catch (error) {
        throw notErased(sqliteError(error, this.file, "unwritable", id), this.file)
      }
    })
  }

  flush(): Promise<void> {
    return this.inTurn(async () => {
      if (!this.#unflushed) return
      try {
        await this.write((tables) => tables.touch(), true)
      } catch (error) {
        throw sqliteError(error, this.file, "unwritable")
      }
    })
  }

  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      await Promise.allSettled(this.#reading)
      this.#opened?.connection.close()
      this.#opened = undefined
    }
  }

  /** Tries until other processes let it through, or the time is up. */
  async #patiently<Result>(work: (opened: Opened) => Result | Promise<Result>): Promise<Result> {
    const until = performance.now() + this.#options.busyWaitMs
    for (let tries = 0; ; tries++) {
      try {
        return await work((this.#opened ??= this.#open()))
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error
      }
      await pause(Math.random() * Math.min(longestPauseMs, 2 ** tries))
    }
  }

  #open(): Opened {
    const connection = new Connection(this.file, this.#options.mostBytes)
    const opened = { connection, tables: new Tables(connection.database) }
    // A process that died after a removal left this to whoever comes next. What keeps it from it now is no reason not to read.
    try {
      erase(opened)
    } catch {}
    return opened
  }
}
