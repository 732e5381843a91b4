/** Conversations that name the conversation they were started from. */
import { describe, expect, it } from "vitest"
import { say, type Stage } from "./stage.ts"

export const parentConformance = (stage: Stage): void => {
  describe("a conversation with a parent", () => {
    it("names it when it is made, loaded and listed, in every store on the same home", async () => {
      const parent = { conversation: "main", call: "call_1" }
      await stage.store.create({ id: "main" })
      const made = await stage.store.create({ id: "sub", title: "Scout", parent })
      expect(made).toEqual({ id: "sub", title: "Scout", created: 1_000, updated: 1_000, parent })
      await stage.store.append("sub", [say("x"), { kind: "rename", title: "Renamed" }])
      const other = stage.another()
      expect(await other.load("sub")).toMatchObject({ parent, title: "Renamed" })
      expect((await other.load("main")).parent).toBeUndefined()
      const { conversations } = await other.list()
      expect(conversations.map(({ id, parent: above }) => [id, above])).toEqual([
        ["main", undefined],
        ["sub", parent],
      ])
      await other.close()
    })

    it("is found by its parent, in pages, newest first", async () => {
      await stage.store.create({ id: "main" })
      await stage.store.create({ id: "other" })
      for (const [index, id] of ["a", "b", "c"].entries()) {
        stage.clock = 2_000 + index
        await stage.store.create({ id, parent: { conversation: "main" } })
      }
      await stage.store.create({ id: "far", parent: { conversation: "other" } })
      const first = await stage.store.list({ parent: "main", limit: 2 })
      expect(first.conversations.map(({ id, parent }) => [id, parent])).toEqual([
        ["c", { conversation: "main" }],
        ["b", { conversation: "main" }],
      ])
      const second = await stage.store.list({ parent: "main", limit: 2, after: first.next ?? "" })
      expect([second.conversations.map(({ id }) => id), second.next]).toEqual([["a"], undefined])
      expect((await stage.store.list({ parent: "a" })).conversations).toEqual([])
      expect((await stage.store.list({ parent: [] })).conversations).toEqual([])
      const both = await stage.store.list({ parent: ["main", "other"] })
      expect(both.conversations.map(({ id }) => id)).toEqual(["c", "far", "b", "a"])
      await stage.store.remove("b")
      expect((await stage.store.list({ parent: "main" })).conversations.map(({ id }) => id)).toEqual(["c", "a"])
    })

    it("keeps texts that databases change, and is the same when its making is repeated", async () => {
      const parent = { conversation: 'quoted "\\ \ud800 ü', call: "line\nbreak" }
      const made = await stage.store.create({ id: "sub", parent, operation: "make" })
      expect(made.parent).toEqual(parent)
      expect(await stage.store.create({ id: "sub", parent, operation: "make" })).toEqual(made)
      expect((await stage.store.list({ parent: parent.conversation })).conversations).toEqual([made])
    })

    it("is not copied to a fork, which names what it was copied from", async () => {
      await stage.store.create({ id: "sub", parent: { conversation: "main" } })
      const fork = await stage.store.fork("sub", { id: "copy" })
      expect(fork).toMatchObject({ forkedFrom: { conversation: "sub", entry: null } })
      expect(fork.parent).toBeUndefined()
    })

    it("is refused when its parent is no link", async () => {
      for (const parent of ["main", {}, { conversation: "" }, { conversation: "main", call: 1 }, null]) {
        await stage.expectRefusal(stage.store.create({ id: "sub", parent: parent as never }), "bad-entry")
      }
      expect((await stage.store.list()).conversations).toEqual([])
    })
  })
}
