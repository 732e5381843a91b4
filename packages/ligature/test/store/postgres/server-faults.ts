/** The postgres store on a server that is not as it should be: rights, versions, other programs, connections that are ended. */
import type pg from "pg"
import { describe, expect, it } from "vitest"
import { makePool } from "../../../src/store/postgres/server.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import type { RunningPostgres } from "./start-postgres.ts"
import { watchedPool } from "./watched-pool.ts"

export const serverFaults = (server: () => RunningPostgres, pool: () => pg.Pool): void => {
  const sql = async (text: string): Promise<void> => void (await pool().query(text))
  const as = (role: string): string => server().url.replace("postgres@", `${role}@`)

  describe("the tables", () => {
    it("are made once when many start at the same time", async () => {
      const stores = Array.from({ length: 6 }, () => postgresStore({ pool: pool(), schema: 'ligature_test_"once"' }))
      const made = await Promise.all(stores.map((store) => store.create()))
      expect((await stores[0]?.list())?.conversations).toHaveLength(made.length)
      await Promise.all(stores.map((store) => store.close()))
      const { rows } = await pool().query(`select version, name from "ligature_test_""once""".migration`)
      expect(rows).toEqual([
        { version: 1, name: "conversations, entries, leases" },
        { version: 2, name: "parents of conversations" },
        { version: 3, name: "appends to many conversations at once" },
      ])
    })

    it("of version 1 are brought up to date, with everything that was in them", async () => {
      const first = postgresStore({ pool: pool(), schema: "ligature_test_first" })
      await first.create({ id: "old", title: "Old" })
      await first.append("old", [say("one")])
      await first.close()
      await sql("alter table ligature_test_first.conversation drop column parent, drop column parent_call")
      await sql("drop function ligature_test_first.append, ligature_test_first.append_one")
      await sql("delete from ligature_test_first.migration where version > 1")
      const store = postgresStore({ pool: pool(), schema: "ligature_test_first" })
      expect(await store.load("old")).toMatchObject({ title: "Old", damage: [] })
      await store.create({ id: "sub", parent: { conversation: "old" } })
      expect((await store.list({ parent: "old" })).conversations).toMatchObject([{ id: "sub" }])
      await store.close()
    })

    it("are left alone when they are of a newer version", async () => {
      await postgresStore({ pool: pool(), schema: "ligature_test_newer" }).list()
      await sql("insert into ligature_test_newer.migration values (99, 'later')")
      const error = await refusal(postgresStore({ pool: pool(), schema: "ligature_test_newer" }).create())
      expect([error.reason, error.message]).toEqual(["newer-version", expect.stringContaining("version 99")])
    })

    it("are left alone when they are another program's", async () => {
      await sql("create schema ligature_test_other; create table ligature_test_other.conversation (id integer)")
      const error = await refusal(postgresStore({ pool: pool(), schema: "ligature_test_other" }).create())
      expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("another program")])
      const { rows } = await pool().query("select table_name from information_schema.tables where table_schema = 'ligature_test_other'")
      expect(rows).toEqual([{ table_name: "conversation" }])
    })

    it("are not read where a newer program wrote", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_later" })
      await store.create({ id: "c" })
      await sql("update ligature_test_later.conversation set version = 7")
      expect((await refusal(store.load("c"))).reason).toBe("newer-version")
      expect((await refusal(store.append("c", [say("x")]))).reason).toBe("newer-version")
    })

    it("show what can be read, and name what was changed or is gone", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_damaged" })
      await store.create({ id: "c" })
      for (const id of ["a", "b", "c", "d"]) await store.append("c", [say(id, id)])
      await sql(`update ligature_test_damaged.entry set body = replace(body, '"d"', '"D"') where id = 'd'`)
      await sql("update ligature_test_damaged.entry set body = 'no json' where id = 'c'")
      await sql("delete from ligature_test_damaged.entry where id = 'a'")
      const { entries, damage } = await store.load("c")
      expect(wordsOf(entries)).toEqual(["b", "D"])
      expect(damage.map(({ rule }) => rule)).toEqual(["missing-parent", "unreadable-entry", "changed-entry"])
      await store.close()
    })
  })

  describe("a damaged path", () => {
    it("has no circles: a parent that comes later is a missing one", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_circle" })
      await store.create({ id: "c" })
      for (const id of ["a", "b", "c", "d"]) await store.append("c", [say(id, id)])
      for (const parent of ["number", "number + 1"]) {
        await sql(`update ligature_test_circle.entry set parent = ${parent} where id = 'b'`)
        const { entries, damage } = await store.load("c")
        expect([wordsOf(entries), damage.map(({ rule }) => rule)]).toEqual([["a", "b", "c", "d"], ["missing-parent"]])
      }
      await store.close()
    })
  })

  describe("a user", () => {
    it.skipIf(process.env["LIGATURE_POSTGRES_URL"] !== undefined)(
      "without rights hears which ones are missing, and needs few",
      async () => {
        await sql("create role weak login")
        const weak = postgresStore({ connectionString: as("weak"), schema: "ligature_test_rights" })
        const refused = await refusal(weak.create({ id: "c" }))
        expect([refused.reason, refused.message]).toEqual(["unwritable", expect.stringContaining("permission denied")])
        await postgresStore({ pool: pool(), schema: "ligature_test_rights" }).list()
        expect((await refusal(weak.list())).message).toContain("usage of the schema ligature_test_rights")
        await sql("grant usage on schema ligature_test_rights to weak; grant all on all tables in schema ligature_test_rights to weak")
        await weak.create({ id: "c" })
        await weak.append("c", [say("a")])
        await weak.close()
        const missing = postgresStore({ connectionString: as("nobody_of_this_name"), retryForMs: 0 })
        expect((await refusal(missing.create())).message).toContain("does not let this user in")
      },
    )

    it("without the package pg hears what to install", async () => {
      const options = { connectionString: "postgres://x", connections: 1, timeoutMs: 1 }
      await expect(makePool(options, () => Promise.reject(new Error("not found")))).rejects.toThrow("npm install pg")
    })

    it("has to say where the server is, once", () => {
      expect(() => postgresStore({})).toThrow("either a pool or a connectionString")
      expect(() => postgresStore({ pool: pool(), connectionString: "x" })).toThrow("either a pool or a connectionString")
    })

    it("hears that an id is too long to be looked up", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_long" })
      expect((await refusal(store.create({ id: "长".repeat(500) }))).reason).toBe("bad-entry")
      await store.create({ id: "c" })
      expect((await refusal(store.append("c", [say("x", "y".repeat(2_000))]))).reason).toBe("bad-entry")
      await store.close()
    })
  })

  describe("connections", () => {
    it("may be ended by the server, idle or at work, without ending the process or losing anything", async () => {
      const store = postgresStore({ connectionString: server().url, schema: "ligature_test_ended", connections: 4 })
      await store.create({ id: "c" })
      const end = (): Promise<unknown> =>
        pool().query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ligature'")
      const ending = setInterval(() => void end().catch(() => {}), 100)
      try {
        for (let index = 0; index < 60; index++) await store.append("c", [say(`${index}`, `e${index}`)])
      } finally {
        clearInterval(ending)
      }
      await end()
      const { entries } = await store.load("c")
      expect(wordsOf(entries)).toEqual(Array.from({ length: 60 }, (_, index) => `${index}`))
      await store.close()
    })

    it("may belong to a pooler that keeps no plans", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_plain", prepare: false })
      await store.create({ id: "c" })
      for (const id of ["a", "b"]) await store.append("c", [say(id, id)])
      expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
      await store.close()
    })

    it("of a pool that was given stay open", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_given" })
      await store.create({ id: "c" })
      await store.close()
      expect((await pool().query("select 1 as one")).rows).toEqual([{ one: 1 }])
    })

    it("that wait too long for somebody else's lock give up and say so", async () => {
      const options = { connectionString: server().url, schema: "ligature_test_locked" }
      const patient = postgresStore(options)
      await patient.create({ id: "c" })
      const store = postgresStore({ ...options, timeoutMs: 150, retryForMs: 0 })
      const client = await pool().connect()
      await client.query("begin; select 1 from ligature_test_locked.conversation for update")
      const error = await refusal(store.append("c", [say("a")], { operation: "a" }))
      expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("took too long")])
      await client.query("rollback")
      client.release()
      await patient.append("c", [say("a")], { operation: "a" })
      expect(wordsOf((await patient.load("c")).entries)).toEqual(["a"])
      await store.close()
      await patient.close()
    })
  })

  describe("the clock", () => {
    it("is the server's, for all machines, unless one is given", async () => {
      const store = postgresStore({ pool: pool(), schema: "ligature_test_clock" })
      const { created } = await store.create({ id: "c" })
      const lease = await store.acquire("c", { owner: "me", durationMs: 1_000 })
      const { rows } = await pool().query("select extract(epoch from clock_timestamp()) * 1000 as now")
      const now = Number((rows[0] as { readonly now: unknown }).now)
      expect(Math.abs(created - now)).toBeLessThan(5_000)
      expect(lease.expires).toBeGreaterThan(created + 999)
      expect(Number.isInteger(created)).toBe(true)
      await store.close()
    })
  })

  describe("durability", () => {
    const modes = async (durability: "turn" | "entry" | "none"): Promise<readonly (string | null)[]> => {
      const seen: (string | null)[] = []
      const watching = watchedPool(pool(), ({ rows }) => {
        const [row] = (rows ?? []) as readonly { readonly mode?: string | null }[]
        if (row && "mode" in row) seen.push(row.mode ?? null)
      })
      const store = postgresStore({ pool: watching, schema: `ligature_test_durable_${durability}`, durability })
      await store.create({ id: "c" })
      await store.append("c", [say("a")], { operation: "a" })
      await store.append("c", [{ kind: "note", name: "n", value: 1 }])
      await store.append("c", [{ kind: "note", name: "n", value: 1 }], { durable: true })
      await store.append("c", [say("b")], { durable: false })
      await store.append("c", [say("a")], { operation: "a", durable: true })
      await store.append("c", [say("c")], { durable: false })
      await store.close()
      return seen
    }

    it("lets the server commit later only where that is allowed, and flushes on closing", async () => {
      // The operation that is repeated takes two: it is tried, found to be written, and what was written is flushed.
      expect(await modes("entry")).toEqual([null, null, null, "off", null, null, "off", null])
      expect(await modes("turn")).toEqual([null, "off", null, "off", null, null, "off", null])
      expect(await modes("none")).toEqual(["off", "off", null, "off", null, null, "off", null])
    })
  })
}
