/**
 * The tables, and the steps that lead to them: step n turns a schema of version n into one of version n + 1. The steps
 * that were taken are recorded in the schema. Processes that start at the same time wait for each other.
 *
 *   conversation   one row each; `tip` is the number of the entry where the next one goes, `last` the highest number given
 *   entry          append-only, numbered within its conversation
 *   lease          one row per slot that was ever held
 *
 * Every key of these tables begins with the conversation's id, and no constraint reaches across conversations or tables: a
 * server that spreads its tables can spread all three by that column, and every call but `list` then touches one place.
 *
 * `revision` changes with everything that happens to a conversation, and begins at a random number, so that a removed
 * conversation is never mistaken for a new one of the same name. Ids compare by bytes, alike on every server.
 */
import { StoreError } from "../store-error.ts"
import { createAppendFunctions } from "./append-function.ts"
import type { Session } from "./sessions.ts"
import { quoted, statement } from "./sql.ts"

interface Step {
  readonly name: string
  readonly sql: (schema: string) => string
}

const steps: readonly Step[] = [
  {
    name: "conversations, entries, leases",
    sql: (schema) => `
      create table ${schema}.conversation (
        id text collate "C" primary key,
        created double precision not null,
        updated double precision not null,
        title text,
        tip bigint,
        last bigint not null,
        revision bigint not null,
        version integer not null,
        operation text not null,
        forked_from text,
        forked_entry text
      );
      create index conversation_updated on ${schema}.conversation (updated desc, id);
      create table ${schema}.entry (
        conversation text collate "C" not null,
        number bigint not null,
        parent bigint,
        at double precision not null,
        version integer not null,
        sum bigint not null,
        kind text not null,
        id text collate "C" not null,
        operation text collate "C" not null,
        body text not null,
        primary key (conversation, number)
      );
      create unique index entry_id on ${schema}.entry (conversation, id);
      create index entry_operation on ${schema}.entry (conversation, operation);
      create table ${schema}.lease (
        conversation text collate "C" not null,
        slot text collate "C" not null,
        owner text,
        generation bigint not null,
        expires double precision not null,
        primary key (conversation, slot)
      );`,
  },
  {
    name: "parents of conversations",
    sql: (schema) => `
      alter table ${schema}.conversation add column parent text collate "C", add column parent_call text;
      create index conversation_parent on ${schema}.conversation (parent, updated desc, id) where parent is not null;`,
  },
  { name: "appends to many conversations at once", sql: createAppendFunctions },
]

export const schemaVersion = steps.length

/** Any number will do, as long as all processes use the same. */
const migrationLock = 4_932_150_772

/**
 * The catalogue is asked by queries. Functions such as `to_regclass` answer from a cache that does not yet know, behind
 * the lock, what was made while waiting for it.
 */
const tableExists = `
  select exists (
    select from pg_catalog.pg_class as class join pg_catalog.pg_namespace as space on space.oid = class.relnamespace
    where space.nspname = $1 and class.relname = 'migration'
  ) as found`
const schemaExists = "select exists (select from pg_catalog.pg_namespace where nspname = $1) as found"

const finds = async (session: Session, text: string, schema: string): Promise<boolean> => {
  const [row] = await session.rows(statement(text), [schema])
  return row?.["found"] === true
}

const versionOf = async (session: Session, schema: string): Promise<number> => {
  const table = `${quoted(schema)}.migration`
  if (!(await finds(session, tableExists, schema))) return 0
  const [row] = await session.rows(statement(`select coalesce(max(version), 0) as version from ${table}`))
  const version = Number(row?.["version"])
  if (version > schemaVersion) {
    const what = `The schema ${schema} is left alone: its tables are of version ${version}, and this program knows versions up to`
    throw new StoreError("newer-version", `${what} ${schemaVersion}. Use the program that made them, or a newer one`)
  }
  return version
}

const insistOnEncoding = async (session: Session): Promise<void> => {
  const [row] = await session.rows(statement("select current_setting('server_encoding') as encoding"))
  if (row?.["encoding"] === "UTF8") return
  const encoding = String(row?.["encoding"])
  const message = `The database is encoded in ${encoding} and cannot keep every text. Use one with the encoding UTF8`
  throw new StoreError("unwritable", message)
}

const takeSteps = async (session: Session, schema: string): Promise<void> => {
  const name = quoted(schema)
  await session.rows(statement("select pg_advisory_xact_lock($1)"), [migrationLock])
  const version = await versionOf(session, schema)
  if (version === 0) {
    if (!(await finds(session, schemaExists, schema))) await session.run(`create schema ${name}`)
    await session.run(`create table if not exists ${name}.migration (version integer primary key, name text not null)`)
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue
    await session.run(step.sql(name))
    await session.rows(statement(`insert into ${name}.migration values ($1, $2)`), [index + 1, step.name])
  }
}

/** Makes the tables or brings them up to date. A user who may not make tables gets by where they are up to date. */
export const prepareSchema = async (session: Session, schema: string): Promise<void> => {
  await insistOnEncoding(session)
  if ((await versionOf(session, schema)) === schemaVersion) return
  await session.transaction("read committed", () => takeSteps(session, schema))
}
