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
import { hexHash } from "../../model/index.ts"
import { StoreError } from "../store-error.ts"
import type { Session } from "./server.ts"

/** Pieces that several statements are made of. */
export interface Statement {
  readonly text: string
  /** Under this name the server keeps its plan. */
  readonly name: string
}

/** A name as SQL writes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const statement = (text: string): Statement => ({ text, name: `ligature_${hexHash(text, 16)}` })

/** Time by the server's clock, the one clock all share, unless the caller has one (the parameter is not null). */
export const serverTime = (parameter: string): string =>
  `coalesce(${parameter}::float8, floor(extract(epoch from clock_timestamp()) * 1000)::float8)`

/** `on` is never less than what the server does by itself. */
export const commitMode = (parameter: string): string =>
  `case when ${parameter}::text = 'off' or current_setting('synchronous_commit') = 'off'
    then set_config('synchronous_commit', ${parameter}::text, true) end`

// The functions inside the server that append after known states: `append` to many conversations at once, in one trip and one
// commit however many they are, and `append_one` one entry to one conversation, which is what a process with one agent does
// all day and costs half as much without lists. Each conversation is claimed by its revision, its number of entries and the
// id of its tip, on its own: those that changed since are left alone, and the others are written.
//
// They are functions, because a statement over many conversations is planned by what the server believes about its tables,
// which for new ones is wrong by a factor of twenty; here every step is a look into an index, for one value each: of a list
// of values the server may think that reading the whole conversation is cheaper.
//
// What is looked for before the claim holds when the claim is made: who writes in between changes the revision. Conversations
// come in the order of their ids, so that two calls that share some wait for each other and never in a circle.
//
//   per conversation   id, revision, id of the tip or null, entries so far, new tip, new title or null, how many entries are
//                      added, whether operations and whether ids were given by callers and have to be looked for
//   per entry          parent, sum, kind, id, operation, body
//   for all            time or null, version of the format, on or off (see commitMode in sql.ts)
//
// They give the places of the conversations that were written, counted from 1.

const perConversation = [
  ["ids", "text"],
  ["revisions", "bigint"],
  ["tip_ids", "text"],
  ["lasts", "bigint"],
  ["tips", "bigint"],
  ["titles", "text"],
  ["counts", "integer"],
  ["has_operations", "boolean"],
  ["has_ids", "boolean"],
] as const

const perEntry = [
  ["parents", "bigint"],
  ["sums", "bigint"],
  ["kinds", "text"],
  ["entry_ids", "text"],
  ["operations", "text"],
  ["bodies", "text"],
] as const

const forAll = [
  ["clock", "float8"],
  ["format", "integer"],
  ["durability", "text"],
] as const

const lists = [...perConversation, ...perEntry].map(([name, type]) => [name, `${type}[]`] as const)
const single = [...perConversation, ...perEntry, ...forAll]
const many = [...lists, ...forAll]

const typesOf = (parameters: readonly (readonly [string, string])[]): readonly string[] => parameters.map(([, type]) => type)

/** The types of their parameters, in their order. */
export const appendTypes = { many: typesOf(many), one: typesOf(single) }

/** A conversation that somebody has locked for longer keeps the others from being written: then each is written alone. */
const longestLockMs = 100

/** How the value of a parameter is said, for this conversation and this entry. */
type Value = (name: (typeof perConversation)[number][0] | (typeof perEntry)[number][0]) => string

const lookForOperation = (schema: string, value: Value): string => `
  perform from ${schema}.entry where entry.conversation = there and entry.operation = ${value("operations")};
  used := used or found;`

const lookForId = (schema: string, value: Value): string => `
  perform from ${schema}.entry where entry.conversation = there and entry.id = ${value("entry_ids")};
  used := used or found;`

const claim = (schema: string, value: Value): string => `
  update ${schema}.conversation as kept
  set revision = kept.revision + 1, tip = ${value("tips")}, last = kept.last + ${value("counts")},
    updated = greatest(kept.updated, here), title = coalesce(${value("titles")}, kept.title),
    version = greatest(kept.version, format)
  where not used and kept.id = there and kept.revision = ${value("revisions")} and kept.last = ${value("lasts")}
    and kept.version <= format and ${value("tip_ids")} is not distinct from (
      select entry.id from ${schema}.entry where entry.conversation = there and entry.number = kept.tip)
  returning kept.updated into stamp;`

const add = (schema: string, value: Value, number: string): string => `
  insert into ${schema}.entry (conversation, number, parent, at, version, sum, kind, id, operation, body)
  values (there, ${number}, ${value("parents")}, stamp, format, ${value("sums")}, ${value("kinds")}, ${value("entry_ids")},
    ${value("operations")}, ${value("bodies")});`

/** An assignment costs the server less than a statement that only calls a function. */
const setCommitMode = `
  if durability = 'off' or current_setting('synchronous_commit') = 'off' then
    setting := set_config('synchronous_commit', durability, true);
  end if;`

const variables = `
  here float8 := ${serverTime("clock")};
  there text;
  stamp float8;
  used boolean := false;
  setting text;`

const define = (name: string, parameters: readonly (readonly [string, string])[], body: string): string => `
  create function ${name}(${parameters.map((parameter) => parameter.join(" ")).join(", ")}) returns integer[]
  language plpgsql as $function$ ${body} $function$;`

const appendMany = (schema: string): string => {
  const isOfEntry = (name: string): boolean => perEntry.some(([entryName]) => entryName === name)
  const value: Value = (name) => `${name}[${isOfEntry(name) ? "at_entry" : "place"}]`
  return define(
    `${schema}.append`,
    many,
    `
    declare ${variables}
      written integer[] := '{}';
      first integer := 1;
      final integer;
    begin
      ${setCommitMode}
      setting := set_config('lock_timeout', '${longestLockMs}', true);
      for place in 1 .. cardinality(ids) loop
        final := first + counts[place] - 1;
        there := ids[place];
        used := false;
        if has_operations[place] or has_ids[place] then
          for at_entry in first .. final loop
            if has_operations[place] and (at_entry = first or operations[at_entry] <> operations[at_entry - 1]) then
              ${lookForOperation(schema, value)}
            end if;
            if has_ids[place] then ${lookForId(schema, value)} end if;
          end loop;
        end if;
        ${claim(schema, value)}
        if found then
          for at_entry in first .. final loop
            ${add(schema, value, "lasts[place] + at_entry - first + 1")}
          end loop;
          written := written || place;
        end if;
        first := final + 1;
      end loop;
      return written;
    end`,
  )
}

const appendOne = (schema: string): string => {
  const value: Value = (name) => name
  return define(
    `${schema}.append_one`,
    single,
    `
    declare ${variables}
    begin
      ${setCommitMode}
      there := ids;
      if has_operations then ${lookForOperation(schema, value)} end if;
      if has_ids then ${lookForId(schema, value)} end if;
      ${claim(schema, value)}
      if not found then return '{}'; end if;
      ${add(schema, value, "lasts + 1")}
      return '{1}';
    end`,
  )
}

const createAppendFunctions = (schema: string): string => `${appendMany(schema)} ${appendOne(schema)}`

/** Every statement looks for the part of its conversation: with too many of them planning costs more than they save. */
export const mostPartitions = 256

const partitioned = (key: string, partitions: number): string => (partitions === 0 ? "" : ` partition by hash (${key})`)

const partsOf = (schema: string, table: string, partitions: number): string =>
  Array.from(
    { length: partitions },
    (_, at) =>
      `create table ${schema}.${table}_${at} partition of ${schema}.${table} for values with (modulus ${partitions}, remainder ${at});`,
  ).join("\n")

interface Step {
  readonly name: string
  readonly sql: (schema: string, partitions: number) => string
}

const steps: readonly Step[] = [
  {
    name: "conversations, entries, leases",
    sql: (schema, partitions) => `
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
      )${partitioned("id", partitions)};
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
      )${partitioned("conversation", partitions)};
      create unique index entry_id on ${schema}.entry (conversation, id);
      create index entry_operation on ${schema}.entry (conversation, operation);
      create table ${schema}.lease (
        conversation text collate "C" not null,
        slot text collate "C" not null,
        owner text,
        generation bigint not null,
        expires double precision not null,
        primary key (conversation, slot)
      )${partitioned("conversation", partitions)};
      ${["conversation", "entry", "lease"].map((table) => partsOf(schema, table, partitions)).join("\n")}`,
  },
  {
    name: "parents of conversations",
    sql: (schema) => `
      alter table ${schema}.conversation add column parent text collate "C", add column parent_call text;
      create index conversation_parent on ${schema}.conversation (parent, updated desc, id) where parent is not null;`,
  },
  { name: "appends to many conversations at once", sql: createAppendFunctions },
]

const schemaVersion = steps.length

/** Any number will do, as long as all processes use the same. */
const migrationLock = 4_932_150_772

/**
 * The catalogue is asked by queries. Functions such as `to_regclass` answer from a cache that does not yet know, after
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

const takeSteps = async (session: Session, schema: string, partitions: number): Promise<void> => {
  const name = quoted(schema)
  await session.rows(statement("select pg_advisory_xact_lock($1)"), [migrationLock])
  const version = await versionOf(session, schema)
  if (version === 0) {
    if (!(await finds(session, schemaExists, schema))) await session.run(`create schema ${name}`)
    await session.run(`create table if not exists ${name}.migration (version integer primary key, name text not null)`)
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue
    await session.run(step.sql(name, partitions))
    await session.rows(statement(`insert into ${name}.migration values ($1, $2)`), [index + 1, step.name])
  }
}

/** Makes the tables or brings them up to date. A user who may not make tables gets by where they are up to date. */
export const prepareSchema = async (session: Session, schema: string, partitions: number): Promise<void> => {
  await insistOnEncoding(session)
  if ((await versionOf(session, schema)) === schemaVersion) return
  await session.transaction("read committed", () => takeSteps(session, schema, partitions))
}
