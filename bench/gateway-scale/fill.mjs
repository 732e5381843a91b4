/**
 * Fills a store from a few real conversations: the server copies them under the names that the gateway gives the sessions
 * `ses_0`, `ses_1`, …, so that a request for such a session finds its history. Keys and indexes of the entries are made
 * afterwards, as a restore would do it.
 */

const batch = 100_000

const indexesOf = async (pool, schema, table) => {
  const { rows } = await pool.query(
    `select pg_get_indexdef(i.indexrelid) as make, c.relname as name, k.conname as key
      from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint k on k.conindid = i.indexrelid
      where i.indrelid = $1::regclass`,
    [`${schema}.${table}`],
  )
  return rows
}

const columnsOf = async (pool, schema, table, without) => {
  const { rows } = await pool.query(
    "select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as names from information_schema.columns where table_schema = $1 and table_name = $2 and column_name <> $3",
    [schema, table, without],
  )
  return rows[0].names
}

export const fill = async (pool, schema, { conversations, samples, prefix }) => {
  const indexes = await indexesOf(pool, schema, "entry")
  for (const { name, key } of indexes) {
    if (key === null) await pool.query(`drop index ${schema}.${name}`)
    else await pool.query(`alter table ${schema}.entry drop constraint ${key}`)
  }
  const nameOf = (text) => `substr(encode(sha256(convert_to('${prefix}' || ${text}, 'UTF8')), 'hex'), 1, 24)`
  await pool.query(
    `create table ${schema}.sample as select n, ${nameOf("'sample_' || n")} as id from generate_series(0, ${samples - 1}) as n`,
  )
  const own = await columnsOf(pool, schema, "conversation", "id")
  const ofEntry = await columnsOf(pool, schema, "entry", "conversation")
  await pool.query(
    `create table ${schema}.of_sample as select s.n, e.* from ${schema}.sample s join ${schema}.entry e on e.conversation = s.id`,
  )
  for (let from = 0; from < conversations; from += batch) {
    const to = Math.min(from + batch, conversations) - 1
    const made = `select n, ${nameOf("'ses_' || n")} as id from generate_series(${from}, ${to}) as n`
    await pool.query(
      `insert into ${schema}.conversation (id, ${own}) select made.id, ${own
        .split(", ")
        .map((name) => `c.${name}`)
        .join(
          ", ",
        )} from (${made}) as made join ${schema}.sample s on s.n = made.n % ${samples} join ${schema}.conversation c on c.id = s.id`,
    )
    await pool.query(
      `insert into ${schema}.entry (conversation, ${ofEntry}) select made.id, ${ofEntry
        .split(", ")
        .map((name) => `e.${name}`)
        .join(", ")} from (${made}) as made join ${schema}.of_sample e on e.n = made.n % ${samples}`,
    )
  }
  for (const { make, key } of indexes) {
    if (key === null) await pool.query(make)
    else await pool.query(`alter table ${schema}.entry add constraint ${key} primary key (conversation, number)`)
  }
  await pool.query(`drop table ${schema}.sample, ${schema}.of_sample`)
  await pool.query(`analyze ${schema}.conversation, ${schema}.entry`)
}

export const sizesOf = async (pool, schema, conversations) => {
  const { rows } = await pool.query(
    `select (select count(*) from ${schema}.entry) as entries,
      sum(pg_table_size(c.oid)) as tables, sum(pg_indexes_size(c.oid)) as indexes
      from pg_class c where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r'`,
  )
  const { entries, tables, indexes } = rows[0]
  const each = (value) => Math.round(Number(value) / conversations)
  const { rows: lengths } = await pool.query(`select avg(length(body)) as body from ${schema}.entry tablesample system (1)`)
  return {
    entries: Number(entries),
    gigabytes: Number(((Number(tables) + Number(indexes)) / 1e9).toFixed(2)),
    bytesPerConversation: { tables: each(tables), indexes: each(indexes) },
    bytesOfBody: Math.round(Number(lengths[0].body)),
  }
}
