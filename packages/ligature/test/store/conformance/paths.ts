/** Paths: rewinding, branching, tails, and forks. */
import { beforeEach, describe, expect, it } from "vitest"
import { say, wordsOf, type Stage } from "./stage.ts"

export const pathConformance = (stage: Stage): void => {
  describe("paths", () => {
    beforeEach(async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a", "a"), say("b", "b"), say("c", "c")])
    })

    it("rewind and branch, and nothing is lost", async () => {
      const moved = await stage.store.moveTip("c", "a", { expectedTip: "c" })
      expect(moved.tip).toBe("a")
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a"])
      await stage.store.append("c", [say("d", "d")], { expectedTip: "a" })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "d"])
      expect(wordsOf((await stage.store.load("c", { at: "c" })).entries)).toEqual(["a", "b", "c"])
      expect((await stage.store.load("c", { at: "c" })).tip).toBe("d")
      const ends = (await stage.store.branches("c")).map(({ tip, active }) => [tip, active])
      expect(ends).toEqual([
        ["c", false],
        ["d", true],
      ])
      await stage.store.moveTip("c", "c")
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "b", "c"])
    })

    it("can start over", async () => {
      await stage.store.moveTip("c", null)
      expect(await stage.store.load("c")).toMatchObject({ tip: null, entries: [], whole: true })
      await stage.store.append("c", [say("new")], { expectedTip: null })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["new"])
      expect((await stage.store.load("c", { at: null })).entries).toEqual([])
    })

    it("move and go on in one append", async () => {
      await stage.store.append("c", [{ kind: "tip", to: "a" }, say("edited", "e"), { kind: "tip", to: "e" }, say("f")])
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "edited", "f"])
    })

    it("give the newest entries alone", async () => {
      const tail = await stage.store.load("c", { last: 2 })
      expect([wordsOf(tail.entries), tail.whole, tail.tip]).toEqual([["b", "c"], false, "c"])
      expect(await stage.store.load("c", { last: 3 })).toMatchObject({ whole: true })
      expect(wordsOf((await stage.store.load("c", { at: "b", last: 1 })).entries)).toEqual(["b"])
      expect(wordsOf((await stage.store.load("c", { last: 100 })).entries)).toEqual(["a", "b", "c"])
    })

    it("leave titles beside the path, and notes on it", async () => {
      await stage.store.append("c", [{ kind: "rename", title: "named" }])
      await stage.store.append("c", [{ kind: "note", id: "n", name: "usage", value: { tokens: 3 } }], { expectedTip: "c" })
      const loaded = await stage.store.load("c")
      expect([loaded.title, loaded.tip, wordsOf(loaded.entries)]).toEqual(["named", "n", ["a", "b", "c", "note"]])
      expect(loaded.transcript.messages).toHaveLength(3)
      await stage.store.moveTip("c", "a")
      expect((await stage.store.load("c")).title).toBe("named")
    })
  })

  describe("forks", () => {
    it("copy a path and then go their own way", async () => {
      await stage.store.create({ id: "c", title: "original" })
      await stage.store.append("c", [say("a", "a"), say("b", "b")])
      await stage.store.append("c", [{ kind: "tip", to: "a" }, say("c", "c")])
      stage.clock = 3_000
      const fork = await stage.store.fork("c", { id: "f", operation: "fork" })
      expect(fork).toMatchObject({ id: "f", title: "original", forkedFrom: { conversation: "c", entry: "c" } })
      expect(await stage.store.fork("c", { id: "f", operation: "fork" })).toEqual(fork)
      const copy = await stage.store.load("f")
      expect(copy.entries).toEqual((await stage.store.load("c")).entries)
      await stage.store.append("f", [say("d")], { expectedTip: "c" })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "c"])
      expect(wordsOf((await stage.store.load("f")).entries)).toEqual(["a", "c", "d"])
      await stage.store.fork("c", { id: "g", at: "b", title: "other" })
      expect(await stage.store.load("g")).toMatchObject({ title: "other", tip: "b" })
      await stage.store.fork("c", { id: "h", at: null })
      expect(await stage.store.load("h")).toMatchObject({ tip: null, entries: [] })
      await stage.expectRefusal(stage.store.fork("c", { id: "f" }), "exists")
      await stage.store.remove("c")
      expect(wordsOf((await stage.store.load("f")).entries)).toEqual(["a", "c", "d"])
    })
  })
}
