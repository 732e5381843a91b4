/** The postgres store behind a pooler that hands connections around, and in tables that are spread by conversation. */
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StoreError } from "../../../src/store/index.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { storeConformance } from "../conformance.ts"
import { missingPgbouncer, type RunningPgbouncer, startPgbouncer } from "./start-pgbouncer.ts"
import { missingPostgres, type RunningPostgres, startPostgres } from "./start-postgres.ts"

const missing = missingPostgres()
const missingPooler = missing ?? missingPgbouncer()
if (missingPooler !== undefined) process.stdout.write(`skipped: the postgres store behind pgbouncer (${missingPooler})\n`)

describe.skipIf(missing !== undefined || process.env["LIGATURE_POSTGRES_URL"] !== undefined)("postgres", () => {
  let server: RunningPostgres
  let pooler: RunningPgbouncer | undefined
  let direct: pg.Pool

  beforeAll(async () => {
    server = await startPostgres()
    direct = new pg.Pool({ connectionString: server.url, max: 5 })
    if (missingPooler === undefined) pooler = await startPgbouncer(server)
  }, 60_000)
  afterAll(async () => {
    await direct.end()
    await pooler?.stop()
    await server.stop()
  }, 60_000)

  const holder = (schema: string) => ({
    lose: async (conversation: string, entry: string) => {
      await direct.query(`delete from ${schema}.entry where conversation = $1 and id = $2`, [conversation, entry])
    },
    holds: async (words: string) => {
      const tables = ["conversation", "entry", "lease"].map((name) => `select row_to_json(t)::text as row from ${schema}.${name} as t`)
      const { rows } = await direct.query(`select from (${tables.join(" union all ")}) as all_rows where strpos(row, $1) > 0`, [words])
      return rows.length > 0
    },
    dispose: async () => {
      await direct.query(`delete from ${schema}.conversation; delete from ${schema}.entry; delete from ${schema}.lease`)
    },
  })

  describe.skipIf(missingPooler !== undefined)("behind pgbouncer in transaction mode", () => {
    storeConformance("postgres behind pgbouncer", async () => ({
      open: (now) => postgresStore({ connectionString: pooler?.url ?? "", schema: "behind", now, durability: "turn", connections: 6 }),
      ...holder("behind"),
    }))

    it("holds nothing of a session: no plans by name, no listening, no locks", async () => {
      const store = postgresStore({ connectionString: pooler?.url ?? "", schema: "stateless", connections: 6 })
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { id } = await store.create({})
          for (let at = 0; at < 5; at++) await store.append(id, [{ kind: "note", name: "number", value: at }])
        }),
      )
      // On a connection of the pooler, as the store left it.
      const looking = new pg.Pool({ connectionString: pooler?.url ?? "", max: 6 })
      const left = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const { rows } = await looking.query(`select (select count(*)::int from pg_prepared_statements) as plans,
            (select count(*)::int from pg_listening_channels()) as channels,
            (select count(*)::int from pg_locks where locktype = 'advisory') as locks`)
          return rows[0] as unknown
        }),
      )
      expect(left).toEqual(left.map(() => ({ plans: 0, channels: 0, locks: 0 })))
      await looking.end()
      await store.close()
    })
  })

  it.skipIf(missingPooler !== undefined)("says how a pooler is named where nobody said that there is one", async () => {
    const connectionString = (pooler?.url ?? "").replace("&pgbouncer=true", "")
    const store = postgresStore({ connectionString, schema: "unsaid", retryForMs: 0 })
    await expect(store.create({})).rejects.toThrow("?pgbouncer=true")
    await store.close()
  })

  storeConformance("postgres in parts", async () => ({
    open: (now) => postgresStore({ pool: direct, schema: "parts", now, durability: "turn", partitions: 4 }),
    ...holder("parts"),
  }))

  it.each([
    ["whole", 0],
    ["in parts", 4],
  ])("has the conversation in every key, and no constraint across conversations: %s", async (_, partitions) => {
    const schema = `keys_${partitions}`
    const store = postgresStore({ pool: direct, schema, partitions })
    await store.create({ id: "one" })
    const { rows: keys } = await direct.query<{ readonly name: string; readonly first: string }>(
      `select t.relname as name, a.attname as first from pg_index i join pg_class t on t.oid = i.indrelid
        join pg_namespace n on n.oid = t.relnamespace join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
        where n.nspname = $1 and i.indisunique and t.relname <> 'migration'`,
      [schema],
    )
    expect(keys.length).toBe(4 + 4 * partitions)
    for (const { name, first } of keys) expect([name, first]).toEqual([name, name.startsWith("conversation") ? "id" : "conversation"])
    const { rows: others } = await direct.query<{ readonly count: string }>(
      `select count(*) from pg_constraint c join pg_namespace n on n.oid = c.connamespace where n.nspname = $1 and c.contype not in ('p', 'n')`,
      [schema],
    )
    const { rows: sequences } = await direct.query<{ readonly count: string }>(
      `select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'S'`,
      [schema],
    )
    expect([others[0]?.count, sequences[0]?.count]).toEqual(["0", "0"])
    await store.close()
  })

  it("refuses a number of parts that makes no sense", () => {
    expect(() => postgresStore({ pool: direct, partitions: -1 })).toThrow(StoreError)
    expect(() => postgresStore({ pool: direct, partitions: 1_000 })).toThrow("from 0 to 256")
  })
})
