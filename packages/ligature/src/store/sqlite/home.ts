/**
 * A database file in use: opened with the first call, writes one after the other, and patience with other processes.
 *
 * Writes wait for their turn; reads do not, because entries never change and a conversation's number is never given to
 * another one.
 */
import { setTimeout as pause } from "node:timers/promises"
import { Connection, isBusy, isWithoutLog, sqliteError } from "./connection.ts"
import { erase, notErased, type Opened } from "./erase.ts"
import { readStill } from "./still.ts"
import { Tables } from "./tables.ts"

export interface HomeOptions {
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
    // A process that died behind a removal left this to whoever comes next. What keeps it from it now is no reason not to read.
    try {
      erase(opened)
    } catch {}
    return opened
  }
}
