/** Leases: who may write, and who no longer may. */
import { beforeEach, describe, expect, it } from "vitest"
import type { LeaseRequest } from "../../../src/store/index.ts"
import { say, wordsOf, type Stage } from "./stage.ts"

const day = 24 * 60 * 60 * 1_000

export const leaseConformance = (stage: Stage): void => {
  describe("leases", () => {
    beforeEach(async () => {
      await stage.store.create({ id: "c" })
    })

    it("keep everybody else from appending, and the refusal names the holder", async () => {
      const lease = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
      expect(lease).toEqual({ slot: "write", owner: "first", generation: 1, expires: 1_100 })
      const taken = await stage.expectRefusal(stage.store.acquire("c", { owner: "second", durationMs: 100 }), "held")
      expect([taken.holder, taken.expires]).toEqual(["first", 1_100])
      expect(taken.message).toContain("first")
      const append = await stage.expectRefusal(stage.store.append("c", [say("x")]), "held")
      expect(append.holder).toBe("first")
      await stage.expectRefusal(stage.store.remove("c"), "held")
      await stage.store.append("c", [say("a")], { lease })
      await stage.store.release("c", lease)
      await stage.store.append("c", [say("b")])
      await stage.expectRefusal(stage.store.append("c", [say("c")], { lease }), "lease-lost")
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "b"])
    })

    it("can be taken over when they ran out, and the old one never writes again", async () => {
      const other = stage.another()
      const first = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
      stage.clock += 101
      const second = await other.acquire("c", { owner: "second", durationMs: 100 })
      expect(second.generation).toBe(2)
      const stale = await stage.expectRefusal(stage.store.append("c", [say("x")], { lease: first }), "lease-lost")
      expect(stale.holder).toBe("second")
      await stage.expectRefusal(stage.store.renew("c", first, 100), "lease-lost")
      await stage.store.release("c", first)
      await other.append("c", [say("a")], { lease: second })
      stage.clock += 1_000
      await stage.expectRefusal(stage.store.append("c", [say("x")], { lease: first }), "lease-lost")
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a"])
      await other.close()
    })

    it("still write after their time while nobody took over, and can be renewed", async () => {
      const lease = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
      stage.clock += 500
      await stage.store.append("c", [say("a")], { lease })
      const renewed = await stage.store.renew("c", lease, 100)
      expect(renewed).toEqual({ ...lease, expires: 1_600 })
      await stage.expectRefusal(stage.store.acquire("c", { owner: "second", durationMs: 1 }), "held")
      await stage.store.append("c", [say("b")], { lease })
    })

    it("are replaced by the same owner, which fences its former self off", async () => {
      const before = await stage.store.acquire("c", { owner: "me", durationMs: 100 })
      const after = await stage.store.acquire("c", { owner: "me", durationMs: 100 })
      expect(after.generation).toBe(2)
      await stage.expectRefusal(stage.store.append("c", [say("x")], { lease: before }), "lease-lost")
      await stage.store.append("c", [say("a")], { lease: after })
    })

    it("live longer, not shorter, when the clock goes backwards", async () => {
      const lease = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
      stage.clock = 10
      await stage.expectRefusal(stage.store.acquire("c", { owner: "second", durationMs: 100 }), "held")
      await stage.store.append("c", [say("a")], { lease })
    })

    it("have slots: a summary lease does not guard appends, and only one holds it", async () => {
      const summary = await stage.store.acquire("c", { owner: "first", durationMs: 100, slot: "summary" })
      await stage.expectRefusal(stage.store.acquire("c", { owner: "second", durationMs: 100, slot: "summary" }), "held")
      await stage.store.acquire("c", { owner: "second", durationMs: 100, slot: "__proto__" })
      await stage.store.append("c", [say("a")])
      await stage.expectRefusal(stage.store.append("c", [say("b")], { lease: summary }), "lease-lost")
      await stage.store.release("c", summary)
      await stage.store.release("c", summary)
      expect((await stage.store.acquire("c", { owner: "second", durationMs: 100, slot: "summary" })).generation).toBe(2)
    })

    it("go to one of many who ask at once", async () => {
      const stores = Array.from({ length: 5 }, () => stage.another())
      const asked = await Promise.allSettled(stores.map((one, index) => one.acquire("c", { owner: `owner ${index}`, durationMs: 100 })))
      expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
      await Promise.all(stores.map((one) => one.close()))
    })

    it("end within a day, or they are not given: nobody else could write for too long", async () => {
      for (const durationMs of [Number.POSITIVE_INFINITY, day + 1]) {
        await stage.expectRefusal(stage.store.acquire("c", { owner: "x", durationMs }), "bad-entry")
        const lease = await stage.store.acquire("c", { owner: "x", durationMs: day })
        await stage.expectRefusal(stage.store.renew("c", lease, durationMs), "bad-entry")
        await stage.store.append("c", [say("a")], { lease })
      }
    })

    it("are refused where their time or slot is of another type, and block nobody", async () => {
      const wrong: readonly object[] = [{ durationMs: "5" }, { durationMs: 5, slot: 7 }, { durationMs: 5, slot: {} }]
      for (const request of wrong) {
        await stage.expectRefusal(stage.store.acquire("c", { owner: "x", ...request } as LeaseRequest), "bad-entry")
      }
      const lease = await stage.store.acquire("c", { owner: "x", durationMs: 1.5 })
      await stage.store.append("c", [say("a")], { lease })
    })

    it("of a clock that was ahead keep others out for a day, and not for as long as the clock was wrong", async () => {
      const ways = [
        () => stage.store.append("c", [say("x")]),
        () => stage.store.acquire("c", { owner: "second", durationMs: 100 }),
        () => stage.store.remove("c"),
      ]
      for (const [index, way] of ways.entries()) {
        const before = stage.clock
        stage.clock += 400 * day
        const lease = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
        stage.clock = before
        const refused = await stage.expectRefusal(way(), "held")
        expect([refused.holder, refused.isOverlong], String(index)).toEqual(["first", true])
        expect(refused.message).toContain("a clock is or was wrong")
        const again = await stage.expectRefusal(way(), "held")
        expect([again.expires, again.isOverlong], String(index)).toEqual([before + day, false])
        // Its holder still has it.
        await stage.store.append("c", [say("a")], { lease })
        stage.clock = before + day
        const other = stage.another()
        const taken = await other.acquire("c", { owner: "second", durationMs: 100 })
        expect(taken.generation).toBe(lease.generation + 1)
        await stage.expectRefusal(stage.store.append("c", [say("x")], { lease }), "lease-lost")
        await other.release("c", taken)
        await other.close()
      }
    })

    it("can be broken by a person, in every slot, and then never write again", async () => {
      const other = stage.another()
      expect(await other.unlock("c")).toEqual([])
      expect(await other.unlock("c", { force: true })).toEqual([])
      const lease = await stage.store.acquire("c", { owner: "first", durationMs: 100 })
      const summary = await stage.store.acquire("c", { owner: "second", durationMs: 100, slot: "summary" })
      const held = [
        { type: "lease", holder: "first", slot: "write", generation: 1, expires: 1_100 },
        { type: "lease", holder: "second", slot: "summary", generation: 1, expires: 1_100 },
      ]
      expect(await other.unlock("c")).toEqual(expect.arrayContaining(held))
      await stage.store.append("c", [say("a")], { lease })
      const broken = await other.unlock("c", { force: true })
      expect([broken.length, broken]).toEqual([2, expect.arrayContaining(held)])
      expect(await other.unlock("c")).toEqual([])
      await stage.expectRefusal(stage.store.append("c", [say("x")], { lease }), "lease-lost")
      await stage.expectRefusal(stage.store.renew("c", lease, 100), "lease-lost")
      await stage.expectRefusal(stage.store.renew("c", summary, 100), "lease-lost")
      await other.append("c", [say("b")])
      expect((await stage.store.acquire("c", { owner: "first", durationMs: 100 })).generation).toBe(3)
      expect(wordsOf((await other.load("c")).entries)).toEqual(["a", "b"])
      await stage.expectRefusal(other.unlock("no such conversation"), "missing-conversation")
      await other.close()
    })

    it("and entries are not written by a clock that gives no time", async () => {
      const lease = await stage.store.acquire("c", { owner: "x", durationMs: 100 })
      const before = stage.clock
      for (const nonsense of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 9e15, "1000" as unknown as number]) {
        stage.clock = nonsense
        for (const write of [
          () => stage.store.create({ id: "d" }),
          () => stage.store.fork("c", { id: "d" }),
          () => stage.store.append("c", [say("x")], { lease }),
          () => stage.store.acquire("c", { owner: "y", durationMs: 100 }),
          () => stage.store.renew("c", lease, 100),
          () => stage.store.remove("c"),
        ]) {
          const error = await stage.expectRefusal(write(), "bad-entry")
          expect(error.message).toContain("milliseconds since 1970")
        }
      }
      stage.clock = before + 0.75
      await stage.store.append("c", [say("a")], { lease })
      const { entries } = await stage.another().load("c")
      expect(entries.map(({ at }) => at)).toEqual([before])
    })

    it("refuse nonsense", async () => {
      await stage.expectRefusal(stage.store.acquire("c", { owner: "", durationMs: 1 }), "bad-entry")
      await stage.expectRefusal(stage.store.acquire("c", { owner: "x", durationMs: Number.NaN }), "bad-entry")
    })
  })
}
