/** Whole conversations out of a store and into another one: nothing is lost, changed or mixed. */
import { describe, expect, it } from "vitest"
import { assistant, call, result } from "../../../src/model/index.ts"
import { copyConversations, cover, type Dump, memoryStore, type Store } from "../../../src/store/index.ts"
import { fingerprintOfDump } from "../../../src/store/dump.ts"
import { say, wordsOf, type Stage } from "./stage.ts"

/** A conversation that has everything a log can have. */
const live = async (stage: Stage, store: Store, id = "c"): Promise<void> => {
  stage.clock = 2_000
  await store.create({ id, title: "first title", operation: "made", parent: { conversation: "above", call: "call_1" } })
  await store.append(id, [say("one", "u1")], { operation: "ask" })
  stage.clock = 3_000
  await store.append(id, [
    { kind: "message", id: "a1", message: assistant(call("a", "read", { path: "x" })) },
    { kind: "note", id: "n1", name: "usage", value: { input: 1 } },
  ])
  await store.append(id, [{ kind: "result", id: "r1", result: result("a", "text \u0000 and \ud800 and 字") }])
  await store.append(id, [{ kind: "rename", title: "second title" }])
  await store.moveTip(id, "u1")
  await store.append(
    id,
    [say("another way", "u2"), { kind: "tip", to: null }, say("from the beginning", "u3"), { kind: "rename", title: "third title" }],
    { operation: "mixed" },
  )
  await store.moveTip(id, "r1")
  const { entries } = await store.load(id)
  await store.append(id, [{ kind: "summary", id: "s1", message: assistant("both"), covers: cover(entries.slice(0, 2)) }])
  await store.append(id, [{ kind: "hide", id: "h1", covers: cover(entries.slice(2, 3)), reason: "long" }])
  stage.clock = 4_000
  await store.append(id, [say("last", "u4")], { operation: "last" })
}

/** Everything that can be seen of a conversation, on all its branches. */
const seen = async (store: Store, id = "c"): Promise<unknown> => {
  const branches = await store.branches(id)
  return { loaded: await store.load(id), branches, paths: await Promise.all(branches.map(({ tip }) => store.load(id, { at: tip }))) }
}

export const dumpConformance = (stage: Stage): void => {
  const elsewhere = (): Store => memoryStore({ now: () => 9_000 })

  describe("a dump", () => {
    it("takes a conversation to another store and back, with every branch, time and operation", async () => {
      await live(stage, stage.store)
      const dump = await stage.store.dump("c")
      const other = elsewhere()
      expect(await other.restore(dump)).toBe("made")
      expect(await seen(other)).toEqual(await seen(stage.store))
      const back = await other.dump("c")
      expect(fingerprintOfDump(back)).toBe(fingerprintOfDump(dump))
      await stage.store.remove("c")
      expect(await stage.store.restore(back)).toBe("made")
      expect(await seen(stage.store)).toEqual(await seen(other))
      expect((await stage.store.dump("c")).operations).toEqual(dump.operations)
      expect((await stage.store.list()).conversations).toEqual((await other.list()).conversations)
    })

    it("of what another store wrote is the same here", async () => {
      const other = elsewhere()
      await live(stage, other)
      const dump = await other.dump("c")
      await stage.store.restore(dump)
      expect(await seen(stage.store)).toEqual(await seen(other))
      expect(fingerprintOfDump(await stage.store.dump("c"))).toBe(fingerprintOfDump(dump))
    })

    it("is gone on with: operations are recognised, ids are taken, and the tip is where it was", async () => {
      const other = elsewhere()
      await live(stage, other)
      await stage.store.restore(await other.dump("c"))
      expect(await stage.store.append("c", [say("last", "u4")], { operation: "last" })).toMatchObject({ repeated: true, tip: "u4" })
      await stage.expectRefusal(stage.store.append("c", [say("x", "u1")]), "bad-entry")
      await stage.store.append("c", [say("goes on", "u5")], { expectedTip: "u4" })
      expect(await stage.store.create({ id: "c", operation: "made" })).toMatchObject({ id: "c", title: "third title" })
      expect(wordsOf((await stage.store.load("c")).entries).at(-1)).toBe("goes on")
    })

    it("has no leases", async () => {
      await live(stage, stage.store)
      const lease = await stage.store.acquire("c", { owner: "me", durationMs: 1_000 })
      const dump = await stage.store.dump("c")
      await stage.store.remove("c", { lease })
      await stage.store.restore(dump)
      await stage.store.append("c", [say("by anybody")])
      expect((await stage.store.acquire("c", { owner: "you", durationMs: 1 })).generation).toBe(1)
    })

    it("of an empty conversation, of a fork, and of strange names works alike", async () => {
      await stage.store.create({ id: "empty" })
      await live(stage, stage.store)
      await stage.store.fork("c", { id: "fork", at: "r1" })
      await stage.store.create({ id: "\u0000 \ud800 ../ü", title: "\u0000\ud800" })
      await stage.store.append("\u0000 \ud800 ../ü", [say("x", "\u0000\udfff")], { operation: "\ud800" })
      const other = elsewhere()
      const { copied, problems } = await copyConversations(stage.store, other)
      expect([copied.length, problems]).toEqual([4, []])
      for (const id of ["empty", "fork", "\u0000 \ud800 ../ü"]) expect(await seen(other, id)).toEqual(await seen(stage.store, id))
      const again = await copyConversations(other, stage.store)
      expect([again.copied.map(({ outcome }) => outcome), again.problems]).toEqual([["same", "same", "same", "same"], []])
    })

    it("of one that is not there is refused", async () => {
      await stage.expectRefusal(stage.store.dump("nobody"), "missing-conversation")
    })

    it("of a log with a gap has what can be read, where it is read, and says what is missing", async () => {
      await stage.store.create({ id: "c" })
      for (const id of ["a", "b", "c", "d"]) await stage.store.append("c", [say(id, id)])
      await stage.lose("c", "b")
      const reader = stage.another()
      const dump = await reader.dump("c")
      expect(dump.damage.map(({ rule }) => rule)).toEqual(["missing-parent"])
      const other = elsewhere()
      await other.restore(dump)
      expect(wordsOf((await other.load("c")).entries)).toEqual(wordsOf((await reader.load("c")).entries))
      expect(wordsOf((await other.load("c")).entries)).toEqual(["a", "c", "d"])
      expect((await other.load("c")).damage).toEqual([])
      await reader.close()
    })

    it("of a log that lost a move of the tip keeps its branches", async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a", "a")])
      await stage.store.append("c", [say("b", "b")])
      await stage.store.append("c", [{ kind: "tip", id: "t", to: "a" }])
      await stage.store.append("c", [say("c", "c")])
      await stage.lose("c", "t")
      const reader = stage.another()
      const dump = await reader.dump("c")
      const other = elsewhere()
      await other.restore(dump)
      expect((await other.branches("c")).map(({ tip }) => tip)).toEqual(["b", "c"])
      await stage.store.remove("c")
      await stage.store.restore(dump)
      expect((await stage.store.branches("c")).map(({ tip }) => tip)).toEqual(["b", "c"])
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "c"])
      await reader.close()
    })
  })

  describe("restoring over a conversation", () => {
    const dumps = async (): Promise<{ readonly early: Dump; readonly late: Dump }> => {
      const other = elsewhere()
      await live(stage, other)
      const early = await other.dump("c")
      await other.append("c", [say("more"), { kind: "rename", title: "fourth title" }, { kind: "tip", to: "u1" }])
      await other.append("c", [say("and more", "u9")])
      return { early, late: await other.dump("c") }
    }

    it("that is equal changes nothing", async () => {
      const { early } = await dumps()
      await stage.store.restore(early)
      expect(await stage.store.restore(early)).toBe("same")
      expect(await stage.store.restore(early, { extend: true })).toBe("same")
      expect((await stage.store.dump("c")).operations).toEqual(early.operations)
    })

    it("that has less, more or something else is refused, and says so", async () => {
      const { early, late } = await dumps()
      await stage.store.restore(early)
      const less = await stage.expectRefusal(stage.store.restore(late), "exists")
      expect(less.message).toContain("2 operations less")
      expect((await stage.store.dump("c")).operations).toEqual(early.operations)
      await stage.store.restore(late, { extend: true })
      for (const options of [{}, { extend: true }]) {
        const more = await stage.expectRefusal(stage.store.restore(early, options), "exists")
        expect(more.message).toContain("2 operations more")
      }
      await stage.store.remove("c")
      await stage.store.create({ id: "c" })
      await stage.expectRefusal(stage.store.restore(early, { extend: true }), "exists")
      expect((await stage.store.load("c")).entries).toEqual([])
    })

    it("that is its beginning goes on with it where that is wanted", async () => {
      const { early, late } = await dumps()
      await stage.store.restore(early)
      expect(await stage.store.restore(late, { extend: true })).toBe("extended")
      const other = elsewhere()
      await other.restore(late)
      expect(await seen(stage.store)).toEqual(await seen(other))
      await stage.store.append("c", [say("on")], { expectedTip: "u9" })
    })

    it("is refused while somebody holds its lease", async () => {
      const { early, late } = await dumps()
      await stage.store.restore(early)
      await stage.store.acquire("c", { owner: "agent", durationMs: 1_000 })
      const held = await stage.expectRefusal(stage.store.restore(late, { extend: true }), "held")
      expect(held.holder).toBe("agent")
      expect(await stage.store.restore(early)).toBe("same")
    })
  })

  describe("copying conversations", () => {
    it("copies those that are named, and says which are not there", async () => {
      await live(stage, stage.store)
      await stage.store.create({ id: "other" })
      const { copied, problems } = await copyConversations(stage.store, elsewhere(), { ids: ["c", "nobody"] })
      expect(copied.map(({ conversation, outcome }) => [conversation, outcome])).toEqual([["c", "made"]])
      expect(problems.map(({ conversation, error }) => [conversation, error.reason])).toEqual([["nobody", "missing-conversation"]])
    })

    it("goes on with the others where one cannot be copied", async () => {
      for (const id of ["a", "b", "c"]) await stage.store.create({ id })
      const other = elsewhere()
      await other.create({ id: "b", title: "another one" })
      const { copied, problems } = await copyConversations(stage.store, other, { extend: true })
      expect(copied.map(({ conversation }) => conversation).toSorted()).toEqual(["a", "c"])
      expect(problems.map(({ conversation, error }) => [conversation, error.reason])).toEqual([["b", "exists"]])
      expect((await other.load("b")).title).toBe("another one")
    })

    it("does not believe a copy that reads differently", async () => {
      await live(stage, stage.store)
      const other = elsewhere()
      const forgetful = Object.assign(Object.create(other) as Store, {
        restore: other.restore.bind(other),
        dump: async (id: string) => {
          const dump = await other.dump(id)
          return { ...dump, operations: dump.operations.slice(1) }
        },
      })
      const { copied, problems } = await copyConversations(stage.store, forgetful)
      expect([copied, problems.map(({ error }) => error.reason)]).toEqual([[], ["unreadable"]])
    })
  })
}
