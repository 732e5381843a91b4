/**
 * The tables, and the steps that lead to them: step n turns a database of version n into one of version n + 1. The steps
 * that were taken are recorded in the database.
 *
 *   conversation   one row each; `tip` is the number of the entry where the next one goes
 *   entry          append-only: rows are added at the end of the table, which keeps its pages full
 *   lease          one row per slot that was ever held
 *   flushed        one number, counted up where a flush is wanted and nothing else is written
 *   residue        what removed conversations may have left in the file: see home.ts
 *
 * `entry_operation` holds the operations that are not found by the id of an entry: see operation-name.ts.
 *
 * `conversation.number` is never given twice (autoincrement), so that whoever reads the rows of a conversation notices
 * when it was removed and another one took its name. There is no index by time: sorting a hundred thousand conversations
 * for a list is cheaper than keeping them sorted with every append.
 */
import { shellFile } from "../../model/index.ts"
import { StoreError } from "../store-error.ts"

// The database engine inside Node. The few of its types that are used are declared here, since the oldest Node we run on
// has neither the engine nor its types. It is asked for when a store is opened, so that importing the store costs nothing
// and works everywhere.

export type SqlValue = string | number | null
type Row = Readonly<Record<string, unknown>>

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

type LoadModule = (name: string) => object | undefined

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

// Operations that the caller does not name are named after an entry they write. That entry's row then holds a ditto mark
// instead of the name, and the index of entry ids finds the operation as well: an index of all operations would cost every
// append a page to write, and the file as much as the index of ids does.
//
// The name is not the entry's id itself: a caller may well name an operation after an entry that it answers.

const prefix = "entry-"

/** Stands in a row for the operation that is named after the row's entry. No text is stored as this: quotes are escaped. */
export const ditto = "'\"'"

export const operationNamedAfter = (id: string): string => `${prefix}${id}`

/** The id of the entry an operation is named after; undefined for one that has a name of its own. */
export const entryNaming = (operation: string): string | undefined =>
  operation.length > prefix.length && operation.startsWith(prefix) ? operation.slice(prefix.length) : undefined

/** SQL: the name of a row's operation. */
export const operationOfRow = `case operation when ${ditto} then '${prefix}' || id else operation end`

/** SQL: what a new row holds, where the parameters are its operation and its id. */
export const operationForRow = (operation: string, id: string): string =>
  `case ${operation} when '${prefix}' || ${id} then ${ditto} else ${operation} end`

/** "Liga": tells a database of ours from any other. */
const applicationId = 0x4c_69_67_61

interface Step {
  readonly name: string
  readonly sql: string
}

const steps: readonly Step[] = [
  {
    name: "conversations, entries, leases",
    sql: `
      create table migration (version integer primary key, name text not null);
      create table conversation (
        number integer primary key autoincrement,
        id text not null unique,
        created integer not null,
        updated integer not null,
        title text,
        tip integer,
        version integer not null,
        operation text,
        forked_from text,
        forked_entry text
      );
      create table entry (
        number integer primary key,
        conversation integer not null,
        parent integer,
        at integer not null,
        version integer not null,
        sum integer not null,
        kind text not null,
        id text not null,
        operation text not null,
        body text not null
      );
      create unique index entry_id on entry (conversation, id);
      create index entry_operation on entry (conversation, operation);
      create table lease (
        conversation integer not null,
        slot text not null,
        owner text,
        generation integer not null,
        expires integer not null,
        primary key (conversation, slot)
      ) without rowid;
      create table flushed (times integer not null);
      insert into flushed values (0);
      pragma application_id = ${applicationId};
    `,
  },
  {
    name: "operations named after entries",
    sql: `
      drop index entry_operation;
      create index entry_operation on entry (conversation, operation) where operation <> ${ditto};
    `,
  },
  {
    // A database that ever held a conversation was written by an engine that leaves what it deletes where it was.
    name: "parents of conversations, and what removed ones leave",
    sql: `
      alter table conversation add column parent text;
      alter table conversation add column parent_call text;
      create index conversation_parent on conversation (parent) where parent is not null;
      create table residue (old integer not null, pending integer not null);
      insert into residue select exists (select 1 from sqlite_sequence), 0;
    `,
  },
]

export const schemaVersion = steps.length

const numberOf = (database: Database, sql: string): number => {
  const row = database.prepare(sql).get()
  const [value] = Object.values(row ?? {})
  return typeof value === "number" ? value : 0
}

/** The version of the tables; 0 for an empty database. Throws on one that is not ours, or newer. Changes nothing. */
export const versionOf = (database: Database, file: string): number => {
  const tables = numberOf(database, "select count(*) from sqlite_schema")
  if (tables === 0) return 0
  if (numberOf(database, "pragma application_id") !== applicationId) {
    const message = `${file} is left alone: it is a database of another program. Give the store a file of its own`
    throw new StoreError("unreadable", message)
  }
  const version = numberOf(database, "select max(version) from migration")
  if (version > schemaVersion) {
    const known = `this program knows versions up to ${schemaVersion}`
    const message = `${file} is left alone: its tables are of version ${version}, and ${known}`
    throw new StoreError("newer-version", `${message}. Use the program that wrote it, or a newer one`)
  }
  return version
}

/** Every column, in the order in which its rows are read. */
const columnsOf = (database: Database): string =>
  database
    .prepare(
      `select name || '.' || (select group_concat(name) from pragma_table_info(tables.name)) as columns from sqlite_schema as tables
       where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .all()
    .map(({ columns }) => columns)
    .join("; ")

let usual: string | undefined

/**
 * Throws where the tables are not those that the steps make. The engine believes the text of a table: one that lost a column in it
 * would give every row shifted by one, as if nothing were wrong.
 */
export const assertTables = (database: Database, file: string): void => {
  if (usual === undefined) {
    const { DatabaseSync } = loadEngine()
    const fresh = new DatabaseSync(":memory:")
    migrate(fresh, ":memory:")
    usual = columnsOf(fresh)
    fresh.close()
  }
  if (columnsOf(database) === usual) return
  const message = `${file} is damaged and left alone: its tables are not as they were made`
  throw new StoreError("unreadable", `${message}. Restore a backup, or recover its rows with: sqlite3 ${shellFile(file)} .recover`)
}

/** Takes the steps that are missing. Runs inside a transaction, so that they are taken once and whole. */
export const migrate = (database: Database, file: string): void => {
  const record = (): ReturnType<Database["prepare"]> => database.prepare("insert into migration values (?, ?)")
  for (let version = versionOf(database, file); version < steps.length; version++) {
    const step = steps[version]
    if (!step) return
    database.exec(step.sql)
    record().run(version + 1, step.name)
  }
}
