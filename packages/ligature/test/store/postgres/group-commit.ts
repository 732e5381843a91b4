/** Appends to different conversations that wait at the same time: they share a trip and a commit, and nothing else. */
import pg from "pg"
import { describe, expect, it } from "vitest"
import { type Store, StoreError } from "../../../src/store/index.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import { watchedPool } from "./watched-pool.ts"

const schema = "ligature_test_group"

export const groupCommit = (pool: () => pg.Pool): void => {
  const ids = Array.from({ length: 40 }, (_, index) => `g${index}`)

  const counting = (): { readonly store: Store; readonly sent: () => number } => {
    let sent = 0
    const counted = watchedPool(pool(), () => {
      sent++
    })
    return { store: postgresStore({ pool: counted, schema }), sent: () => sent }
  }

  const emptied = async (): Promise<void> => {
    await postgresStore({ pool: pool(), schema }).list()
    await pool().query(`delete from ${schema}.conversation; delete from ${schema}.entry; delete from ${schema}.lease`)
  }

  const made = async (store: Store): Promise<void> => {
    await emptied()
    await Promise.all(ids.map((id) => store.create({ id })))
  }

  describe("appends to many conversations", () => {
    it("take one trip when they wait at the same time", async () => {
      const { store, sent } = counting()
      await made(store)
      const before = sent()
      const outcomes = await Promise.all(ids.map((id) => store.append(id, [say(`in ${id}`)], { operation: `first ${id}` })))
      expect(sent() - before).toBe(1)
      expect(outcomes.map(({ repeated }) => repeated)).toEqual(ids.map(() => false))
      for (const [index, id] of ids.entries()) {
        const loaded = await store.load(id)
        expect([wordsOf(loaded.entries), loaded.tip]).toEqual([[`in ${id}`], outcomes[index]?.tip])
      }
      await store.close()
    })

    it.each([true, false])(
      "are flushed by several processes at the same time, whatever the server thinks of its tables (together: %s)",
      async (together) => {
        const { store } = counting()
        await emptied()
        const many = Array.from({ length: 150 }, (_, index) => `m${String(1_000 - index)}`)
        for (const id of many) await store.create({ id })
        // One goes through the table as it lies, the other by the index: in opposite orders.
        const others = [
          "-c enable_indexscan=off -c enable_bitmapscan=off -c enable_indexonlyscan=off",
          "-c enable_seqscan=off -c enable_bitmapscan=off",
        ].map((options) => new pg.Pool({ ...pool().options, max: 4, options: `${options} -c deadlock_timeout=20ms` }))
        const stores = others.map((each) => postgresStore({ pool: each, schema, durability: "none", together, retryForMs: 0 }))
        for (let round = 0; round < 4; round++) {
          for (const each of stores)
            for (let from = 0; from < many.length; from += 20) await each.append(many[from] ?? "", [say(`round ${round}`)])
          for (const each of stores) await Promise.all(many.map((id) => each.append(id, [say(`${round}`)])))
          await Promise.all(stores.map((each) => each.flush()))
        }
        await Promise.all(stores.map((each) => each.close()))
        await Promise.all(others.map((each) => each.end()))
        await store.close()
      },
    )

    it("are refused, repeated and written each by itself", async () => {
      const { store } = counting()
      const other = postgresStore({ pool: pool(), schema })
      await made(store)
      await Promise.all(ids.map((id) => store.append(id, [say("one", "one")], { operation: "one" })))
      await other.append("g1", [say("by another", "other")])
      const lease = await other.acquire("g2", { owner: "another", durationMs: 60_000 })
      await other.remove("g3")
      const appends = ids.map((id, index) => {
        if (index === 4) return store.append(id, [say("one", "one")], { operation: "one" })
        if (index === 5) return store.append(id, [say("taken", "one")])
        if (index === 6) return store.append(id, [say("x")], { operation: "one", expectedTip: "nowhere" })
        return store.append(id, [say("two", "two")], { expectedTip: "one" })
      })
      const outcomes = await Promise.allSettled(appends)
      const told = outcomes.map((outcome) => {
        if (outcome.status === "fulfilled") return outcome.value.repeated ? "repeated" : "written"
        return outcome.reason instanceof StoreError ? outcome.reason.reason : String(outcome.reason)
      })
      expect(told.slice(0, 8)).toEqual([
        "written",
        "conflict",
        "held",
        "missing-conversation",
        "repeated",
        "bad-entry",
        "repeated",
        "written",
      ])
      expect(new Set(told.slice(7))).toEqual(new Set(["written"]))
      await other.release("g2", lease)
      const words = await Promise.all(["g0", "g1", "g2", "g4", "g5", "g7"].map(async (id) => wordsOf((await store.load(id)).entries)))
      expect(words).toEqual([["one", "two"], ["one", "by another"], ["one"], ["one"], ["one"], ["one", "two"]])
      await Promise.all([store.close(), other.close()])
    })

    it("do not wait for one whose row somebody else has locked for long", async () => {
      const { store } = counting()
      await made(store)
      await Promise.all(ids.map((id) => store.append(id, [say("one")])))
      const locker = await pool().connect()
      await locker.query(`begin; select from ${schema}.conversation where id = 'g0' for update`)
      const [stuck, ...others] = ids.map((id) => store.append(id, [say(id === "g0" ? "later" : "two")], { operation: "two" }))
      expect((await Promise.all(others)).every(({ repeated }) => !repeated)).toBe(true)
      await Promise.all(ids.slice(1).map((id) => store.append(id, [say("three")])))
      await locker.query("commit")
      locker.release()
      expect((await stuck)?.repeated).toBe(false)
      expect(wordsOf((await store.load("g0")).entries)).toEqual(["one", "later"])
      await store.close()
    })

    it("from several stores at once neither block each other for ever nor lose anything", async () => {
      const stores = Array.from({ length: 4 }, () => postgresStore({ pool: pool(), schema }))
      await made(stores[0] as Store)
      // In other orders, and all on the same conversations.
      await Promise.all(
        stores.flatMap((store, writer) =>
          Array.from({ length: 5 }, async (_, round) => {
            const order = writer % 2 === 0 ? ids : ids.toReversed()
            await Promise.all(order.map((id) => store.append(id, [say(`${writer}.${round}`, `${writer}.${round}`)])))
          }),
        ),
      )
      for (const id of ids) {
        const loaded = await (stores[0] as Store).load(id)
        expect([loaded.entries.length, loaded.damage]).toEqual([20, []])
      }
      await Promise.all(stores.map((store) => store.close()))
    })

    it("can be kept apart, for a server that spreads conversations", async () => {
      let sent = 0
      const store = postgresStore({ pool: watchedPool(pool(), () => sent++), schema, together: false })
      await made(store)
      const before = sent
      await Promise.all(ids.map((id) => store.append(id, [say("one")])))
      expect(sent - before).toBe(ids.length)
      await store.close()
    })

    it("are all told when the server fails, and go on when it is back", async () => {
      await emptied()
      let isBroken = false
      const real = pool()
      const failing = {
        ...watchedPool(real, () => {}),
        connect: async () => {
          const client = await watchedPool(real, () => {}).connect()
          return {
            ...client,
            query: async (query: Parameters<typeof client.query>[0]) => {
              if (isBroken) throw Object.assign(new Error("no space left on device"), { code: "53100" })
              return client.query(query)
            },
          }
        },
      }
      const store = postgresStore({ pool: failing, schema })
      await made(store)
      isBroken = true
      const failed = await Promise.allSettled(ids.map((id) => store.append(id, [say("lost")], { operation: "op" })))
      expect(new Set(failed.map((one) => (one.status === "rejected" ? (one.reason as StoreError).reason : "")))).toEqual(
        new Set(["unwritable"]),
      )
      isBroken = false
      const again = await Promise.all(ids.map((id) => store.append(id, [say("kept")], { operation: "op" })))
      expect(again.every(({ repeated }) => !repeated)).toBe(true)
      await store.close()
    })

    it("refuse to be written after the close of the store, and those before it are written", async () => {
      const { store } = counting()
      await made(store)
      const appends = ids.map((id) => store.append(id, [say("last")]))
      await store.close()
      expect((await Promise.all(appends)).every(({ tip }) => tip !== null)).toBe(true)
      expect((await refusal(store.append("g0", [say("x")]))).reason).toBe("closed")
    })
  })

  describe("an append to a long conversation", () => {
    const rowsReadBy = async (one: pg.Pool): Promise<number> => {
      await one.query("select pg_stat_force_next_flush()")
      const { rows } = await one.query<{ readonly read: string }>(
        "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_all_tables where schemaname = $1",
        [schema],
      )
      return Number(rows[0]?.read)
    }

    it("reads as few rows as to a short one, also while the server knows nothing about its tables", async () => {
      await postgresStore({ pool: pool(), schema }).list()
      await pool().query(`drop schema ${schema} cascade`)
      const one = new pg.Pool({ ...pool().options, max: 1 })
      const store = postgresStore({ pool: one, schema })
      await store.create({ id: "long" })
      await store.append(
        "long",
        Array.from({ length: 400 }, (_, index) => say("x".repeat(500), `e${index}`)),
      )
      const before = await rowsReadBy(one)
      for (let index = 0; index < 20; index++) await store.append("long", [say("named", `n${index}`)], { operation: `o${index}` })
      expect((await rowsReadBy(one)) - before).toBeLessThan(20 * 6)
      await store.close()
      await one.end()
    })

    it("reads as few rows as to a short one, also where nearly all others are short", async () => {
      await emptied()
      const short = "select 'short ' || n, 1, null, 0, 1, 0, 'note', 'e', 'o', repeat('x', 200) from generate_series(1, 8000) as n"
      const long =
        "select 'long', n, nullif(n - 1, 0), 0, 1, 0, 'note', 'e' || n, 'o' || n, repeat('x', 200) from generate_series(1, 2000) as n"
      await pool().query(`insert into ${schema}.entry ${short}; insert into ${schema}.entry ${long}`)
      const row = "'long', 0, 0, null, 2000, 2000, 1, 1, 'made', null, null"
      await pool().query(`insert into ${schema}.conversation values (${row}); analyze ${schema}.entry`)
      const one = new pg.Pool({ ...pool().options, max: 1 })
      const [store, other] = [postgresStore({ pool: one, schema }), postgresStore({ pool: one, schema })]
      await store.append("long", [say("first")])
      const before = await rowsReadBy(one)
      for (let index = 0; index < 20; index++) {
        await store.append("long", [say("named", `n${index}`)], { operation: `p${index}` })
        // Each has to read the state: somebody else wrote.
        await other.append("long", [say("by another", `m${index}`)], { operation: `q${index}` })
      }
      expect((await rowsReadBy(one)) - before).toBeLessThan(40 * 12)
      await Promise.all([store.close(), other.close()])
      await one.end()
    })
  })
}
