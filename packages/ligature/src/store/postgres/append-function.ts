/**
 * The functions inside the server that append behind known states: `append` to many conversations at once, in one trip and one
 * commit however many they are, and `append_one` one entry to one conversation, which is what a process with one agent does
 * all day and costs half as much without lists. Each conversation is claimed by its revision, its number of entries and the
 * id of its tip, on its own: those that changed since are left alone, and the others are written.
 *
 * They are functions, because a statement over many conversations is planned by what the server believes about its tables,
 * which for new ones is wrong by a factor of twenty; here every step is a look into an index, for one value each: of a list
 * of values the server may think that reading the whole conversation is cheaper.
 *
 * What is looked for before the claim holds when the claim is made: who writes in between changes the revision. Conversations
 * come in the order of their ids, so that two calls that share some wait for each other and never in a circle.
 *
 *   per conversation   id, revision, id of the tip or null, entries so far, new tip, new title or null, how many entries are
 *                      added, whether operations and whether ids were given by callers and have to be looked for
 *   per entry          parent, sum, kind, id, operation, body
 *   for all            time or null, version of the format, on or off (see commitMode in sql.ts)
 *
 * They give the places of the conversations that were written, counted from 1.
 */
import { serverTime } from "./sql.ts"

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
  return define(`${schema}.append`, many, `
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
    end`)
}

const appendOne = (schema: string): string => {
  const value: Value = (name) => name
  return define(`${schema}.append_one`, single, `
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
    end`)
}

export const createAppendFunctions = (schema: string): string => `${appendMany(schema)} ${appendOne(schema)}`
