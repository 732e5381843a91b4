/** Removing for good: what is gone, what stays, and who is in the way. */
import { beforeEach, describe, expect, it } from "vitest"
import { assistant, call, result } from "../../../src/model/index.ts"
import { cover, prune } from "../../../src/store/index.ts"
import { say, type Stage } from "./stage.ts"

/** A conversation with a marker in everything that has words. */
const write = async (stage: Stage, id: string, marker: string, times = 1): Promise<void> => {
  await stage.store.create({ id, title: `${marker}-first-title` })
  for (let time = 0; time < times; time++) {
    await stage.store.append(id, [say(`${marker}-question ${"long ".repeat(time * 40)}`)])
    await stage.store.append(id, [{ kind: "message", message: assistant(call(`${marker}-${time}`, "read", { path: `${marker}-path` })) }])
    await stage.store.append(id, [{ kind: "result", result: result(`${marker}-${time}`, `${marker}-result ${"x".repeat(time * 997)}`) }])
  }
  await stage.store.append(id, [{ kind: "rename", title: `${marker}-second-title` }])
  const { entries } = await stage.store.load(id)
  const covers = cover(entries.slice(0, 2))
  await stage.store.append(id, [{ kind: "summary", message: assistant(`${marker}-summary`), covers }])
}

export const removalConformance = (stage: Stage): void => {
  describe("a removed conversation", () => {
    it("is in no file any more, neither its contents nor its titles, while the store is open and afterwards", async () => {
      await write(stage, "c", "MARKER", 5)
      await stage.store.list()
      expect(await stage.holds("MARKER")).toBe(true)
      await stage.store.remove("c")
      expect(await stage.holds("MARKER")).toBe(false)
      await stage.store.list()
      await stage.store.close()
      expect(await stage.holds("MARKER")).toBe(false)
    })

    it("takes nothing of others with it, however their entries lie between its own", async () => {
      const ids = ["a", "b", "c", "d"]
      for (const id of ids) await stage.store.create({ id, title: `title-of-${id}` })
      for (let turn = 0; turn < 60; turn++) {
        for (const id of ids) await stage.store.append(id, [say(`MARK-${id} ${turn} ${"y".repeat((turn * 577) % 4_000)}`)])
      }
      await stage.store.list()
      const before = await stage.store.load("b")
      for (const id of ["c", "a"]) {
        await stage.store.remove(id)
        expect(await stage.holds(`MARK-${id}`)).toBe(false)
        expect(await stage.holds(`title-of-${id}`)).toBe(false)
      }
      expect(await stage.store.load("b")).toEqual(before)
      expect(await stage.holds("MARK-d")).toBe(true)
      expect((await stage.store.list()).conversations.map(({ id }) => id).toSorted()).toEqual(["b", "d"])
    })

    it("leaves its forks as they are", async () => {
      await write(stage, "c", "MARKER")
      await stage.store.fork("c", { id: "fork" })
      const before = await stage.store.load("fork")
      await stage.store.remove("c")
      expect(await stage.store.load("fork")).toEqual(before)
      expect(before.forkedFrom?.conversation).toBe("c")
      await stage.store.append("fork", [say("goes on")])
    })

    it("is forgotten by one that is made under the same name", async () => {
      await write(stage, "c", "MARKER")
      const lease = await stage.store.acquire("c", { owner: "me", durationMs: 100 })
      await stage.store.append("c", [say("mine")], { lease, operation: "used" })
      await stage.store.remove("c", { lease })
      await stage.store.create({ id: "c" })
      expect(await stage.store.load("c")).toMatchObject({ entries: [], tip: null })
      expect(await stage.store.append("c", [say("new")], { operation: "used" })).toMatchObject({ repeated: false })
      expect((await stage.store.acquire("c", { owner: "you", durationMs: 100 })).generation).toBe(1)
      await stage.expectRefusal(stage.store.append("c", [say("x")], { lease }), "lease-lost")
    })

    it("was not removed while somebody else held a lease of it, in whatever slot, and the refusal names the holder", async () => {
      await write(stage, "c", "MARKER")
      const summary = await stage.store.acquire("c", { owner: "summariser", durationMs: 100, slot: "summary" })
      expect((await stage.expectRefusal(stage.store.remove("c"), "held")).holder).toBe("summariser")
      const lease = await stage.store.acquire("c", { owner: "agent", durationMs: 100 })
      expect((await stage.expectRefusal(stage.store.remove("c", { lease }), "held")).holder).toBe("summariser")
      expect((await stage.expectRefusal(stage.store.remove("c", { lease: summary }), "lease-lost")).holder).toBe("agent")
      await stage.store.release("c", summary)
      expect((await stage.expectRefusal(stage.store.remove("c"), "held")).holder).toBe("agent")
      await stage.store.acquire("c", { owner: "agent", durationMs: 100, slot: "summary" })
      await stage.store.remove("c", { lease })
      await stage.expectRefusal(stage.store.load("c"), "missing-conversation")
    })

    it("can be removed when the leases of others ran out", async () => {
      await write(stage, "c", "MARKER")
      await stage.store.acquire("c", { owner: "agent", durationMs: 100 })
      stage.clock += 100
      await stage.store.remove("c")
      await stage.expectRefusal(stage.store.remove("c"), "missing-conversation")
    })
  })

  describe("pruning", () => {
    beforeEach(async () => {
      for (const [index, id] of ["old", "older", "young"].entries()) {
        stage.clock = [2_000, 1_000, 9_000][index] ?? 0
        await write(stage, id, `${id}-MARKER`)
      }
      stage.clock = 10_000
    })

    const listed = async (): Promise<readonly string[]> => (await stage.store.list()).conversations.map(({ id }) => id)

    it("removes what was last used before a time", async () => {
      const pruned = await prune(stage.store, { before: 2_000 })
      expect(pruned.removed.map(({ id }) => id)).toEqual(["older"])
      expect(await listed()).toEqual(["young", "old"])
      expect(await stage.holds("older-MARKER")).toBe(false)
    })

    it("counts back from now, and by the last use instead of the beginning", async () => {
      await stage.store.append("older", [say("used again")])
      const { removed, kept, before } = await prune(stage.store, { olderThanMs: 5_000, now: 10_000 })
      expect({ removed: removed.map(({ id }) => id), kept, before }).toEqual({ removed: ["old"], kept: [], before: 5_000 })
      expect(await listed()).toEqual(["older", "young"])
    })

    it("removes nothing when it is only asked what it would remove", async () => {
      const { removed } = await prune(stage.store, { before: 9_000, dryRun: true })
      expect(removed.map(({ id, title }) => [id, title])).toEqual([
        ["older", "older-MARKER-second-title"],
        ["old", "old-MARKER-second-title"],
      ])
      expect(await listed()).toEqual(["young", "old", "older"])
    })

    it("keeps what somebody holds, and says who", async () => {
      await stage.store.acquire("older", { owner: "agent", durationMs: 100 })
      const { removed, kept } = await prune(stage.store, { before: 10_000 })
      expect(removed.map(({ id }) => id)).toEqual(["old", "young"])
      expect(kept.map(({ conversation, error }) => [conversation.id, error.reason, error.holder])).toEqual([["older", "held", "agent"]])
    })

    it("keeps what was used since the list was made", async () => {
      const { list } = stage.store
      const slow = Object.assign(Object.create(stage.store) as typeof stage.store, {
        list: async (...parameters: Parameters<typeof list>) => {
          const page = await stage.store.list(...parameters)
          await stage.store.append("old", [say("used meanwhile")])
          await stage.store.remove("older")
          return page
        },
        remove: stage.store.remove.bind(stage.store),
      })
      const { removed, kept } = await prune(slow, { before: 5_000 })
      expect([removed, kept.map(({ conversation, error }) => [conversation.id, error.reason])]).toEqual([[], [["old", "conflict"]]])
      expect(await listed()).toEqual(["old", "young"])
    })

    it("needs a time", async () => {
      await stage.expectRefusal(prune(stage.store, { olderThanMs: Number.NaN }), "bad-entry")
      expect(await listed()).toEqual(["young", "old", "older"])
    })
  })
}
