/**
 * What the store needs of the `pg` package, declared here so that nobody else has to install it or its types. A pool of
 * `pg` fits; so does anything that behaves like one.
 */
import { StoreError } from "../store-error.ts"

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

export type ImportModule = (name: string) => Promise<unknown>

const loadModule = async (load: ImportModule): Promise<PostgresModule> => {
  try {
    const module = (await load("pg")) as PostgresModule & { readonly default?: PostgresModule }
    return module.default ?? module
  } catch (cause) {
    const message = "The postgres store needs the package pg to open a connection string: run `npm install pg`, or give it a pool"
    throw new StoreError("unreadable", message, { cause })
  }
}

export interface PoolOptions {
  readonly connectionString: string
  readonly connections: number
  readonly timeoutMs: number
}

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
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    application_name: "ligature",
    keepAlive: true,
    allowExitOnIdle: true,
  })
}
