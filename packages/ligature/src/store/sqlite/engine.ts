/**
 * The database engine inside Node. The few of its types that are used are declared here, since the oldest Node we run on
 * has neither the engine nor its types. It is asked for when a store is opened, so that importing the store costs nothing
 * and works everywhere.
 */
import { StoreError } from "../store-error.ts"

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, unknown>>

export interface Statement {
  all(...parameters: readonly SqlValue[]): Row[]
  get(...parameters: readonly SqlValue[]): Row | undefined
  run(...parameters: readonly SqlValue[]): { readonly lastInsertRowid: number | bigint; readonly changes: number | bigint }
}

export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): void
  close(): void
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => Database
}

export type LoadModule = (name: string) => object | undefined

/** The way out is in the message: nobody should have to look up which Node has what. */
export const loadEngine = (load: LoadModule = (name) => process.getBuiltinModule(name)): SqliteModule => {
  const engine = load("node:sqlite")
  if (engine !== undefined) return engine as SqliteModule
  throw new StoreError(
    "unreadable",
    `The sqlite store needs Node 22.13 or newer, this is Node ${process.versions.node}. ` +
      "Run a newer Node, or use the jsonl store, which needs nothing but a folder",
  )
}
