/**
 * Opening another agent's database without leaving a trace in it. The engine is the one inside Node; the few of its
 * types that are used here are declared here, since the oldest Node we run on does not have them.
 *
 * Which way it is opened depends on the files beside it:
 *   nothing         as immutable: no lock is taken and no file is made. Nobody is writing.
 *   -wal and -shm   in place, read-only: the agent has it open, and its newest rows are in the log beside it.
 *   -wal alone, or  from a copy: reading these in place would write (the index of the log, or the rollback of a
 *   -journal        transaction that a crash left open). So too where the engine cannot be told that it is immutable.
 */
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { DocumentPart } from "../../document/index.ts"
import { LigatureError, phrase, shellFile } from "../../model/index.ts"
import { assertFits, megabytes } from "../disk/read-bytes.ts"

/** One session of a database: `value` is what the codec of `format` decodes. */
export interface StoredSession {
  readonly format: DocumentPart["format"]
  readonly value: unknown
  /** The id by which its agent knows it. */
  readonly name: string
}

export interface Reading {
  readonly sessions: StoredSession[]
  /** Sessions, or parts of one, that could not be read, as sentences. */
  readonly problems: string[]
}

/** JSON of a column; text that is none stays text, for the codec to report. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** Columns without a value are left out: in JSON nobody writes them. */
export const withoutNulls = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** Rows of one table by the value of a column, in the order they came. */
export const grouped = (rows: readonly Row[], column: string): ReadonlyMap<unknown, readonly Row[]> => {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) {
    const group = groups.get(row[column])
    if (group) group.push(row)
    else groups.set(row[column], [row])
  }
  return groups
}

// Which agent a database belongs to, by its tables and their columns; file names say nothing reliable. Only tables whose rows
// are stored count: a virtual table, or a computed column, is a program of whoever made the file, and may give gigabytes.

/** Columns of each table. */
export type Schema = ReadonlyMap<string, ReadonlySet<string>>

export const readSchema = (database: Database): Schema => {
  const schema = new Map<string, Set<string>>()
  const sql = `SELECT tables.name AS name, columns.name AS field FROM sqlite_master tables
    JOIN pragma_table_xinfo(tables.name) columns WHERE tables.type = 'table' AND tables.rootpage > 0 AND NOT EXISTS
    (SELECT 1 FROM pragma_table_xinfo(tables.name) hidden WHERE hidden.hidden > 0)`
  for (const { name, field } of database.rows(sql)) {
    const fields = schema.get(String(name))
    if (fields) fields.add(String(field))
    else schema.set(String(name), new Set([String(field)]))
  }
  return schema
}

export const has = (schema: Schema, table: string, ...columns: readonly string[]): boolean => {
  const fields = schema.get(table)
  return fields !== undefined && columns.every((column) => fields.has(column))
}

export type Row = Readonly<Record<string, unknown>>

interface Statement {
  iterate(...parameters: readonly (string | number | null)[]): Iterable<Row>
}

interface DatabaseSync {
  prepare(sql: string): Statement
  exec(sql: string): void
  close(): void
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string | URL, options?: { readonly readOnly?: boolean }) => DatabaseSync
}

export interface Database {
  readonly rows: (sql: string, ...parameters: readonly (string | number | null)[]) => readonly Row[]
  readonly close: () => void
}

const busyTimeoutMs = 3000
const magic = "SQLite format 3\u0000"

/** The module is named at run time: where it does not exist, only those who need it hear of it. */
export const loadSqlite = async (load: (name: string) => Promise<unknown> = (name) => import(name)): Promise<SqliteModule> => {
  try {
    return (await load("node:sqlite")) as SqliteModule
  } catch (cause) {
    throw new LigatureError(
      "cannot-read",
      phrase`Reading a SQLite database needs Node 22.13 or newer, this is Node ${process.versions.node}. Run ligature with a newer Node, or export the session to a file with its agent and give that file.`,
      { cause },
    )
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

/** The first bytes tell a database from any other file, and from one that was cut to nothing. */
export const isSqliteFile = (path: string): boolean => {
  const file = openSync(path, "r")
  try {
    const head = Buffer.alloc(magic.length)
    return readSync(file, head, 0, head.length, 0) === head.length && head.toString("latin1") === magic
  } finally {
    closeSync(file)
  }
}

const copied = (path: string): { readonly folder: string; readonly copy: string } => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-sqlite-"))
  const copy = join(folder, basename(path))
  for (const suffix of ["", "-wal", "-journal"]) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
  }
  return { folder, copy }
}

const immutableUrl = (path: string): URL => {
  const url = pathToFileURL(path)
  url.searchParams.set("immutable", "1")
  return url
}

interface Opened {
  readonly database: DatabaseSync
  readonly folder?: string
}

/** More is not copied for one look: a file may claim to be larger than the disk. */
const mostCopied = 4 * 2 ** 30

const openCopy = (Engine: SqliteModule["DatabaseSync"], path: string): Opened => {
  const bytes = sizeOf(path) + sizeOf(`${path}-wal`) + sizeOf(`${path}-journal`)
  if (bytes > mostCopied) {
    const why = `Its last changes are not in it yet, and reading them would mean copying ${megabytes(bytes)}`
    throw new LigatureError("cannot-read", `${why}. Close its agent, or run: sqlite3 ${shellFile(path)} 'PRAGMA wal_checkpoint(TRUNCATE)'`)
  }
  const { folder, copy } = copied(path)
  try {
    return { database: new Engine(copy), folder }
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw cause
  }
}

const open = ({ DatabaseSync: Engine }: SqliteModule, path: string): Opened => {
  const isLogged = sizeOf(`${path}-wal`) > 0
  const isShared = existsSync(`${path}-shm`)
  if ((isLogged && !isShared) || sizeOf(`${path}-journal`) > 0) return openCopy(Engine, path)
  if (isShared) return { database: new Engine(path, { readOnly: true }) }
  try {
    return { database: new Engine(immutableUrl(path), { readOnly: true }) }
  } catch (cause) {
    // Before 22.15 a database had to be named by a path.
    if (cause instanceof TypeError) return openCopy(Engine, path)
    throw cause
  }
}

/** A row without texts still needs memory. */
const leastRow = 64

const sizeOfRow = (row: Row): number => {
  let bytes = leastRow
  for (const column in row) {
    const value = row[column]
    if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length
  }
  return bytes
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** What the engine said, with the way out. */
export const unreadable = (path: string, cause: unknown): LigatureError => {
  if (LigatureError.is(cause)) return cause
  const said = messageOf(cause)
  const isDamaged = /malformed|not a database|corrupt/i.test(said)
  const help = isDamaged
    ? `The file is damaged. Recover what is left with: sqlite3 ${shellFile(path)} .recover | sqlite3 recovered.db`
    : "Close the agent that uses it, or copy the database with the files beside it (-wal, -shm) and read the copy."
  return new LigatureError("cannot-read", `Cannot read the database ${path}: ${said}. ${help}`, { cause })
}

export const openDatabase = async (path: string): Promise<Database> => {
  if (!existsSync(path)) throw new LigatureError("cannot-read", `There is no file ${path}`)
  if (!isSqliteFile(path)) {
    throw new LigatureError("cannot-read", `${path} is no SQLite database: its first bytes are others`)
  }
  const engine = await loadSqlite()
  let opened: Opened | undefined
  try {
    opened = open(engine, path)
    opened.database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  } catch (cause) {
    throw unreadable(path, cause)
  }
  const { database, folder } = opened
  let bytes = 0
  return {
    rows: (sql, ...parameters) => {
      const rows: Row[] = []
      for (const row of database.prepare(sql).iterate(...parameters)) {
        bytes += sizeOfRow(row)
        assertFits(bytes, "The sessions in the database have at least")
        rows.push(row)
      }
      return rows
    },
    close: () => {
      database.close()
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
