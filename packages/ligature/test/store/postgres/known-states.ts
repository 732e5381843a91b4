/** Appends that do not ask the server first: what they save, and that nothing can be slipped in between. */
import type pg from "pg"
import { describe, expect, it } from "vitest"
import { assistant } from "../../../src/model/index.ts"
import { type NewEntry, type Store, cover } from "../../../src/store/index.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import { watchedPool } from "./watched-pool.ts"

const schema = "ligature_test_known"

export const knownStates = (pool: () => pg.Pool): void => {
  /** A store, and how many statements it has sent. */
  const counting = (): { readonly store: Store; readonly sent: () => number } => {
    let sent = 0
    const counted = watchedPool(pool(), () => {
      sent++
    })
    return { store: postgresStore({ pool: counted, schema }), sent: () => sent }
  }

  const statementsOf = async (sent: () => number, work: () => Promise<unknown>): Promise<number> => {
    const before = sent()
    await work()
    return sent() - before
  }

  describe("appends after each other", () => {
    it("take one trip to the server each, named or not, under a lease or not", async () => {
      const { store, sent } = counting()
      const { id } = await store.create()
      const append = (entries: readonly NewEntry[], options = {}) => statementsOf(sent, () => store.append(id, entries, options))
      expect(await append([say("a")])).toBe(1)
      const first = await store.load(id)
      expect(await append([say("b", "b")], { expectedTip: first.tip })).toBe(1)
      expect(
        await append(
          [
            { kind: "message", message: assistant("c") },
            { kind: "rename", title: "t" },
          ],
          { operation: "o" },
        ),
      ).toBe(1)
      const lease = await store.acquire(id, { owner: "me", durationMs: 60_000 })
      expect(await append([say("d")], { lease })).toBe(1)
      expect(await append([say("e")], { lease })).toBe(1)
      await store.release(id, lease)
      const { entries, title } = await store.load(id)
      expect([wordsOf(entries), title]).toEqual([["a", "b", "c", "d", "e"], "t"])
      await store.close()
    })

    it("are judged as they are when the state was read", async () => {
      const { store } = counting()
      const { id } = await store.create()
      const { ids } = await store.append(id, [say("a")], { operation: "one" })
      await store.append(id, [say("b", "b")])
      expect(await store.append(id, [say("a")], { operation: "one" })).toMatchObject({ ids, repeated: true })
      await refusal(store.append(id, [say("again", "b")]))
      expect((await refusal(store.append(id, [say("c")], { expectedTip: "a" }))).tip).toBe("b")
      const { entries } = await store.load(id)
      await store.append(id, [{ kind: "hide", covers: cover(entries.slice(0, 1)) }])
      await store.moveTip(id, "b")
      await store.append(id, [say("c", "c")], { expectedTip: "b" })
      expect(wordsOf((await store.load(id)).entries)).toEqual(["a", "b", "c"])
      await store.close()
    })

    it("notice whatever another store did in between", async () => {
      const [{ store, sent }, other] = [counting(), postgresStore({ pool: pool(), schema })]
      const { id } = await store.create()
      await store.append(id, [say("a", "a")])
      await other.append(id, [say("b", "b")])
      expect((await refusal(store.append(id, [say("x")], { expectedTip: "a" }))).tip).toBe("b")
      await store.append(id, [say("c", "c")])
      const lease = await other.acquire(id, { owner: "other", durationMs: 60_000 })
      expect((await refusal(store.append(id, [say("x")]))).holder).toBe("other")
      await other.append(id, [say("d", "d")], { lease })
      await other.release(id, lease)
      await store.append(id, [say("e", "e")], { expectedTip: "d" })
      // Others write here: the next one asks first instead of guessing wrong.
      await other.append(id, [say("f", "f")])
      expect(await statementsOf(sent, () => store.append(id, [say("g", "g")]))).toBe(2)
      expect(wordsOf((await other.load(id)).entries)).toEqual(["a", "b", "c", "d", "e", "f", "g"])
      await Promise.all([store.close(), other.close()])
    })

    it("are not taken in by a conversation that was made anew, or came to the same revision in another way", async () => {
      const [{ store }, other] = [counting(), postgresStore({ pool: pool(), schema })]
      await store.create({ id: "anew" })
      await store.append("anew", [say("old", "old")])
      await other.remove("anew")
      await other.create({ id: "anew" })
      await store.append("anew", [say("new", "new")])
      expect(wordsOf((await other.load("anew")).entries)).toEqual(["new"])
      // A server that lost its last commit, and another store that wrote meanwhile.
      await store.append("anew", [say("lost", "lost")])
      await pool().query(`delete from ${schema}.entry where conversation = 'anew' and id = 'lost'`)
      const former = "tip = (select number from entry where conversation = 'anew' and id = 'new'), last = last - 1"
      await pool().query(
        `set search_path to ${schema}; update conversation set revision = revision - 1, ${former} where id = 'anew'; reset search_path`,
      )
      await other.append("anew", [say("other", "other")])
      await store.append("anew", [say("next", "next")])
      expect(wordsOf((await other.load("anew")).entries)).toEqual(["new", "other", "next"])
      await Promise.all([store.close(), other.close()])
    })
  })
}
