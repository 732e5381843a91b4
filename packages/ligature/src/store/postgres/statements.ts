/**
 * Everything the store says to its server. Whatever changes a conversation is one statement that first claims the row of
 * the conversation by its revision, and does the rest only if it could: nothing was written since the state was read.
 *
 * Numbers of entries and times are asked for as they are and read with `Number`: how a client gives large numbers depends
 * on its settings. Texts are as stored: see entry-rows.ts.
 */
import { recordColumns } from "../entry-rows.ts"
import { appendTypes, commitMode, quoted, serverTime, type Statement, statement } from "./schema.ts"

const entryColumns = "number, parent, at, version, sum, kind, id, operation, body"

const newEntries = (first: number): string => {
  const types = ["bigint", "bigint", "float8", "integer", "bigint", "text", "text", "text", "text"]
  return `unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(", ")}) as added (${entryColumns})`
}

/** `mode` says whether the server may commit later. */
const callOf = (name: string, types: readonly string[]): Statement =>
  statement(`
    select array_to_json(${name}(${types.map((type, index) => `$${index + 1}::${type}`).join(", ")}))::text as written,
      nullif(current_setting('synchronous_commit'), 'on') as mode`)

export type Statements = ReturnType<typeof makeStatements>

export const makeStatements = (schemaName: string) => {
  const schema = quoted(schemaName)
  const claim = `update ${schema}.conversation set revision = revision + 1`
  return {
    /** $1 id, $2 ids to look for, $3 operations to look for, $4 time */
    state: statement(`
      select conversation.tip, conversation.last, conversation.revision::text, conversation.version, conversation.updated,
        tip.id as tip_id, ${serverTime("$4")} as now,
        (select json_agg(json_build_array(slot, owner, generation, expires))::text
          from ${schema}.lease where conversation = $1) as leases,
        (select json_agg(json_build_array(one.id, one.number))::text
          from unnest($2::text[]) as wanted (id) cross join lateral (
            select entry.id, entry.number from ${schema}.entry
            where entry.conversation = $1 and entry.id = wanted.id limit 1) as one) as known,
        (select json_agg(json_build_array(one.operation, one.id, one.kind, one.target, one.before) order by one.number)::text
          from unnest($3::text[]) as wanted (operation) cross join lateral (
            select entry.operation, entry.id, entry.number, entry.kind, case entry.kind when 'tip' then entry.body end as target,
              (select before.id from ${schema}.entry as before
                where before.conversation = $1 and before.number = entry.parent) as before
            from ${schema}.entry where entry.conversation = $1 and entry.operation = wanted.operation offset 0) as one) as written
      from ${schema}.conversation left join ${schema}.entry as tip
        on tip.conversation = conversation.id and tip.number = conversation.tip
      where conversation.id = $1`),

    /** $1 id */
    lock: statement(`select 1 from ${schema}.conversation where id = $1 for update`),

    /** $1 id, $2 revision, $3 tip, $4 last, $5 updated, $6 title or null, $7 version, $8 on or off, $9… columns of entries */
    append: statement(`
      with claimed as (
        ${claim}, tip = $3, last = $4, updated = $5, title = coalesce($6, title), version = greatest(version, $7)
        where id = $1 and revision = $2::bigint returning 1
      ), written as (
        insert into ${schema}.entry (conversation, ${entryColumns}) select $1, added.* from claimed, ${newEntries(9)}
      )
      select (select count(*) from claimed) as claimed, ${commitMode("$8")} as mode`),

    /** Appends to conversations whose states are known: see append-function.ts. */
    appendAll: callOf(`${schema}.append`, appendTypes.many),
    appendOne: callOf(`${schema}.append_one`, appendTypes.one),

    /** $1 id, $2 revision, $3… columns of leases */
    putLeases: statement(`
      with claimed as (${claim} where id = $1 and revision = $2::bigint returning 1), written as (
        insert into ${schema}.lease (conversation, slot, owner, generation, expires)
        select $1, added.* from claimed, unnest($3::text[], $4::text[], $5::bigint[], $6::float8[]) as added
        on conflict (conversation, slot)
          do update set owner = excluded.owner, generation = excluded.generation, expires = excluded.expires
      )
      select count(*) as claimed from claimed`),

    /** $1 id, $2 revision */
    remove: statement(`
      with claimed as (delete from ${schema}.conversation where id = $1 and revision = $2::bigint returning 1),
        entries as (delete from ${schema}.entry where conversation = $1 and exists (select from claimed)),
        leases as (delete from ${schema}.lease where conversation = $1 and exists (select from claimed))
      select count(*) as claimed from claimed`),

    /**
     * $1 id, $2 title, $3 time or null, $4 updated or null, $5 tip, $6 last, $7 revision, $8 version, $9 operation,
     * $10 and $11 where it was forked, $12 and $13 its parent
     */
    create: statement(`
      insert into ${schema}.conversation
        (id, title, created, updated, tip, last, revision, version, operation, forked_from, forked_entry, parent, parent_call)
      select $1, $2, made.at, greatest(made.at, $4::float8), $5, $6, $7::bigint, $8, $9, $10, $11, $12, $13
      from (select ${serverTime("$3")} as at) as made
      on conflict (id) do nothing returning ${recordColumns}`),

    /** $1 id, $2… columns of entries */
    addEntries: statement(`insert into ${schema}.entry (conversation, ${entryColumns}) select $1, added.* from ${newEntries(2)}`),

    /**
     * $1 ids. Changes nothing; its commit takes earlier ones to the disk, on every machine that has one of the conversations.
     * They are locked in the order in which everybody locks them.
     */
    touch: statement(`
      with locked as (select id from ${schema}.conversation where id = any($1::text[]) order by id for update)
      update ${schema}.conversation set revision = revision from locked where conversation.id = locked.id
      returning ${commitMode("'on'")} as mode`),

    /** $1 ids. The same, where all are on one machine: a commit takes all earlier ones along. */
    touchOne: statement(`
      with locked as (select id from ${schema}.conversation where id = any($1::text[]) order by id limit 1 for update)
      update ${schema}.conversation set revision = revision from locked where conversation.id = locked.id
      returning ${commitMode("'on'")} as mode`),

    /** $1 id */
    conversation: statement(`select ${recordColumns}, tip, version, operation from ${schema}.conversation where id = $1`),

    /** $1 id, $2 id of the entry */
    entryNumber: statement(`select number from ${schema}.entry where conversation = $1 and id = $2`),

    /** $1 id, $2 number of the entry */
    entryId: statement(`select id from ${schema}.entry where conversation = $1 and number = $2`),

    /** $1 id, $2 newest, $3 how many */
    entries: statement(`
      select ${entryColumns} from ${schema}.entry where conversation = $1 and number <= $2 order by number desc limit $3`),

    /** $1 id, $2 number of the entry before, $3 how many */
    entriesAfter: statement(`
      select ${entryColumns} from ${schema}.entry where conversation = $1 and number > $2 order by number limit $3`),

    /** $1 id */
    outline: statement(`
      select number, parent, kind, id, at, case kind when 'tip' then body end as target
      from ${schema}.entry where conversation = $1 order by number`),

    /** $1 how many */
    list: statement(`select ${recordColumns} from ${schema}.conversation order by updated desc, id limit $1`),

    /** $1 how many, $2 time, $3 id */
    listBehind: statement(`
      select ${recordColumns} from ${schema}.conversation
      where updated <= $2 and (updated < $2 or id > $3) order by updated desc, id limit $1`),

    /** $1 how many, $2 parents */
    children: statement(`
      select ${recordColumns} from ${schema}.conversation where parent = any($2::text[]) order by updated desc, id limit $1`),

    /** $1 how many, $2 time, $3 id, $4 parents */
    childrenBehind: statement(`
      select ${recordColumns} from ${schema}.conversation
      where parent = any($4::text[]) and updated <= $2 and (updated < $2 or id > $3) order by updated desc, id limit $1`),
  }
}
