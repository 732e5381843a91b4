/** The server a store talks to: its pool and tables are made ready with the first call, and afresh where that failed. */
import { setTimeout as pause } from "node:timers/promises"
import { asStoreError, StoreError } from "../store-error.ts"
import type { Durability } from "../store.ts"
import { mostPartitions, prepareSchema, type Statement } from "./schema.ts"

// What the store needs of the `pg` package, declared here so that nobody else has to install it or its types. A pool of
// `pg` fits; so does anything that behaves like one.

export type Row = Readonly<Record<string, unknown>>

export interface PostgresQuery {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  readonly query_timeout?: number
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ readonly rows: readonly unknown[] }>
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
  /** True: the connection is not used again. */
  release(destroy?: boolean): void
}

export interface PostgresPool {
  connect(): Promise<PostgresClient>
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
  end(): Promise<void>
}

interface PostgresModule {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
}

type ImportModule = (name: string) => Promise<unknown>

const loadModule = async (load: ImportModule): Promise<PostgresModule> => {
  try {
    const module = (await load("pg")) as PostgresModule & { readonly default?: PostgresModule }
    return module.default ?? module
  } catch (cause) {
    const message = "The postgres store needs the package pg to open a connection string: run `npm install pg`, or give it a pool"
    throw new StoreError("unreadable", message, { cause })
  }
}

interface PoolOptions {
  readonly connectionString: string
  readonly connections: number
  readonly timeoutMs: number
}

/**
 * `?pgbouncer=true` in a connection string, as other programs have it too: between us and the server is a pooler that hands
 * connections around after each transaction. It has no plans of statements, and refuses settings of a connection that it
 * does not know.
 */
export const isPooled = (connectionString: string): boolean => /[?&]pgbouncer=true(?:&|$)/.test(connectionString)

/** A pool of our own. It does not keep a process alive that has nothing else to do. */
export const makePool = async (
  { connectionString, connections, timeoutMs }: PoolOptions,
  load: ImportModule = (name) => import(name),
): Promise<PostgresPool> => {
  const { Pool } = await loadModule(load)
  return new Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    ...(!isPooled(connectionString) && { statement_timeout: timeoutMs, idle_in_transaction_session_timeout: timeoutMs }),
    application_name: "ligature",
    keepAlive: true,
    allowExitOnIdle: true,
  })
}

/** The system's error code, or the SQLSTATE. */
const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : ""
}

const messageOf = (error: unknown): string => {
  // Connecting to several addresses at once fails with all their errors and no message of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}

const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
])

/** Starting, stopping, out of connections: 57P01 to 57P03 and 53300. */
const serverCodes: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "53300"])

/** `pg` gives these no code. */
const brokenMessages = /connection (?:terminated|ended|timeout)|timeout exceeded when trying|query read timeout|not queryable/i

/** The connection is gone or was never there. What it was asked for may have happened or not. */
export const isConnectionError = (error: unknown): boolean => {
  if (error instanceof StoreError) return false
  const code = codeOf(error)
  if (code === "") return brokenMessages.test(messageOf(error))
  return networkCodes.has(code) || serverCodes.has(code) || code.startsWith("08")
}

/** Serialization failure, deadlock, lock not available: the server undid it, and another try may go through. */
const undoneCodes: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"])

const isWorthAnotherTry = (error: unknown): boolean => isConnectionError(error) || undoneCodes.has(codeOf(error))

const explain = (error: unknown, schema: string): string | undefined => {
  const said = messageOf(error)
  if (said.includes("unsupported startup parameter"))
    return `A pooler such as pgbouncer answered: ${said}. Add ?pgbouncer=true to the connection string`
  if (isConnectionError(error)) {
    return `The PostgreSQL server cannot be reached: ${said}. Check that it runs and that the address is right`
  }
  const code = codeOf(error)
  if (code.startsWith("28")) return `PostgreSQL does not let this user in: ${said}`
  switch (code) {
    case "3D000":
      return `PostgreSQL has no such database: ${said}. Create it, or name another one`
    case "42501":
      return (
        `PostgreSQL refuses: ${said}. The user needs usage of the schema ${schema} and all rights on its tables; ` +
        "to make them it also needs create on the database, or somebody who has it opens the store once"
      )
    case "42P07":
    case "42710":
      return `The schema ${schema} holds tables of another program. Give the store a schema of its own`
    case "42P01":
    case "3F000":
      return `The tables of the schema ${schema} are gone: ${said}`
    case "25006":
      return `The PostgreSQL server is read-only: ${said}. Connect to the primary server`
    case "53100":
      return `The disk of the PostgreSQL server is full: ${said}. What was acknowledged before is safe`
    case "57014":
      return `PostgreSQL took too long: ${said}. Another client may hold a lock; raise timeoutMs if the server is slow`
    default:
      return undefined
  }
}

/** What the server or the network said, with the way out. */
export const postgresError = (error: unknown, schema: string, reason: "unreadable" | "unwritable", conversation?: string): StoreError => {
  const message = error instanceof StoreError ? undefined : explain(error, schema)
  if (message === undefined) return asStoreError(error, reason, conversation)
  return new StoreError(reason, message, { cause: error, ...(conversation !== undefined && { conversation }) })
}

// Connections from the pool, one per piece of work. When a connection breaks, the work is tried again on another one for
// a bounded time. Work must therefore bear being done twice: it is told when an earlier try may have gone through.

interface SessionOptions {
  /** For how long to try again, in milliseconds. */
  readonly retryForMs: number
  /** How long one statement may take, in milliseconds. */
  readonly timeoutMs: number
  readonly prepare: boolean
}

const longestPauseMs = 500

/** Nothing to do: whoever uses the connection gets the error too, and nobody else needs it. */
const ignore = (): void => {}

export class Session {
  readonly #client: PostgresClient
  readonly #options: SessionOptions

  constructor(client: PostgresClient, options: SessionOptions) {
    this.#client = client
    this.#options = options
  }

  async rows(statement: Statement, values: unknown[] = []): Promise<readonly Row[]> {
    const { text, name } = statement
    // The server ends a statement by itself; the client's patience is for servers that fell silent.
    const query_timeout = this.#options.timeoutMs + 1_000
    const { rows } = await this.#client.query({ text, values, query_timeout, ...(this.#options.prepare && { name }) })
    return rows as readonly Row[]
  }

  async run(text: string): Promise<void> {
    await this.#client.query({ text, query_timeout: this.#options.timeoutMs + 1_000 })
  }

  async transaction<Result>(mode: string, work: () => Promise<Result>): Promise<Result> {
    await this.run(`begin isolation level ${mode}`)
    try {
      const result = await work()
      await this.run("commit")
      return result
    } catch (error) {
      // A connection that broke takes its transaction with it.
      if (!isConnectionError(error)) await this.run("rollback").catch(ignore)
      throw error
    }
  }
}

class Sessions {
  readonly #pool: PostgresPool
  readonly #options: SessionOptions

  constructor(pool: PostgresPool, options: SessionOptions) {
    this.#pool = pool
    this.#options = options
    // An idle connection that breaks would otherwise end the process.
    pool.on("error", ignore)
  }

  async use<Result>(work: (session: Session, again: boolean) => Promise<Result>): Promise<Result> {
    const until = performance.now() + this.#options.retryForMs
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(work, tries > 0)
      } catch (error) {
        if (!isWorthAnotherTry(error) || performance.now() > until) throw error
      }
      await pause(Math.random() * Math.min(longestPauseMs, 10 * 2 ** tries))
    }
  }

  async #once<Result>(work: (session: Session, again: boolean) => Promise<Result>, again: boolean): Promise<Result> {
    const client = await this.#pool.connect()
    client.on("error", ignore)
    let broken = true
    try {
      const result = await work(new Session(client, this.#options), again)
      broken = false
      return result
    } catch (error) {
      broken = isConnectionError(error)
      throw error
    } finally {
      client.removeListener("error", ignore)
      // One that broke must not go back; after its release nobody listens, so a late error is caught here.
      if (broken) client.on("error", ignore)
      client.release(broken)
    }
  }

  async close(own: boolean): Promise<void> {
    if (own) await this.#pool.end()
    this.#pool.removeListener("error", ignore)
  }
}

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
  /** Whether the server keeps the plans of statements. Default true, but for a connection string with `pgbouncer=true`. */
  readonly prepare?: boolean
  /**
   * When the tables are made: so many parts of each, by conversation, so that vacuum and indexes stay small on one server
   * with very many conversations. Default 0: whole tables. Tables that exist stay as they are.
   */
  readonly partitions?: number
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
    const { partitions = 0 } = options
    if (!Number.isInteger(partitions) || partitions < 0 || partitions > mostPartitions) {
      throw new StoreError("bad-entry", `Expected a whole number from 0 to ${mostPartitions} as partitions, got ${partitions}`)
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
      if (
        await opening.then(
          () => false,
          () => true,
        )
      )
        this.#sessions = undefined
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
    const { timeoutMs = 30_000, retryForMs = 5_000, prepare = !isPooled(connectionString), partitions = 0 } = this.#options
    const pool = given ?? (await makePool({ connectionString, connections, timeoutMs }))
    const sessions = new Sessions(pool, { timeoutMs, retryForMs, prepare })
    try {
      await sessions.use((session) => prepareSchema(session, this.schema, partitions))
      return sessions
    } catch (error) {
      await sessions.close(given === undefined)
      throw error
    }
  }
}
