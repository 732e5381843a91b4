/** The server a store talks to: its pool and tables are made ready with the first call, and afresh where that failed. */
import type { Durability } from "../durability.ts"
import { StoreError } from "../store-error.ts"
import { postgresError } from "./errors.ts"
import { makePool, type PostgresPool } from "./pool.ts"
import { prepareSchema } from "./schema.ts"
import { type Session, Sessions } from "./sessions.ts"

export interface PostgresStoreOptions {
  /** A pool of the package `pg`. It stays yours: `close` does not end it. */
  readonly pool?: PostgresPool
  /** Instead of a pool: `postgres://user@host/database`. The store makes a pool of its own and ends it on `close`. */
  readonly connectionString?: string
  /** Where the tables are; made when it does not exist. Default `ligature`. */
  readonly schema?: string
  /** When the server must have it on its disk. Default `entry`: a server that dies forgets more than a process that dies. */
  readonly durability?: Durability
  /** Milliseconds since 1970. Default: the clock of the server, which is one for all machines. */
  readonly now?: () => number
  /** How long one statement may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** For how long a call tries again when connections break, in milliseconds. Default 5,000. */
  readonly retryForMs?: number
  /** How many connections a pool of the store's own may have. Default 10. */
  readonly connections?: number
  /**
   * Whether appends to different conversations that wait at the same time are written by one statement. Default true; false
   * for a server that spreads conversations over several machines, where one statement should touch one of them.
   */
  readonly together?: boolean
  /** Whether the server keeps the plans of statements. Default true; false for poolers that cannot. */
  readonly prepare?: boolean
}

/** Done on a connection; `again`: an earlier try may have gone through. */
type Work<Result> = (session: Session, again: boolean) => Promise<Result>

export class Server {
  readonly schema: string
  readonly #options: PostgresStoreOptions
  #sessions: Promise<Sessions> | undefined
  readonly #running = new Set<Promise<unknown>>()

  constructor(options: PostgresStoreOptions) {
    if ((options.pool === undefined) === (options.connectionString === undefined)) {
      throw new StoreError("bad-entry", "Expected either a pool or a connectionString")
    }
    this.#options = options
    this.schema = options.schema ?? "ligature"
  }

  /** Errors are those of the store. Closing waits for it. */
  async do<Result>(id: string, reason: "unreadable" | "unwritable", work: Work<Result>): Promise<Result> {
    const running = this.use(work)
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw postgresError(error, this.schema, reason, id)
    } finally {
      this.#running.delete(running)
    }
  }

  async use<Result>(work: Work<Result>): Promise<Result> {
    this.#sessions ??= this.#open()
    const opening = this.#sessions
    try {
      const sessions = await opening
      return await sessions.use(work)
    } catch (error) {
      // What could not be opened is tried afresh with the next call.
      if (await opening.then(() => false, () => true)) this.#sessions = undefined
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#running)
    const sessions = await this.#sessions?.catch(() => undefined)
    await sessions?.close(this.#options.pool === undefined)
  }

  async #open(): Promise<Sessions> {
    const { pool: given, connectionString = "", connections = 10 } = this.#options
    const { timeoutMs = 30_000, retryForMs = 5_000, prepare = true } = this.#options
    const pool = given ?? (await makePool({ connectionString, connections, timeoutMs }))
    const sessions = new Sessions(pool, { timeoutMs, retryForMs, prepare })
    try {
      await sessions.use((session) => prepareSchema(session, this.schema))
      return sessions
    } catch (error) {
      await sessions.close(given === undefined)
      throw error
    }
  }
}
