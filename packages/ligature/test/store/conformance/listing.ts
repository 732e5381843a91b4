/** The list of conversations, and the end of a store. */
import { describe, expect, it } from "vitest"
import { say, type Stage } from "./stage.ts"

export const listConformance = (stage: Stage): void => {
  describe("the list", () => {
    it("is newest first, in pages, with titles", async () => {
      for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
        stage.clock = 1_000 + index
        await stage.store.create({ id, title: `title ${id}` })
      }
      stage.clock = 5_000
      await stage.store.append("b", [say("x"), { kind: "rename", title: "renamed" }])
      const first = await stage.store.list({ limit: 2 })
      expect(first.conversations).toEqual([
        { id: "b", title: "renamed", created: 1_001, updated: 5_000 },
        { id: "e", title: "title e", created: 1_004, updated: 1_004 },
      ])
      const second = await stage.store.list({ limit: 2, after: first.next ?? "" })
      const third = await stage.store.list({ limit: 2, after: second.next ?? "" })
      expect([...second.conversations, ...third.conversations].map(({ id }) => id)).toEqual(["d", "c", "a"])
      expect(third.next).toBeUndefined()
      await stage.store.remove("e")
      const other = stage.another()
      expect((await other.list()).conversations.map(({ id }) => id)).toEqual(["b", "d", "c", "a"])
      await other.close()
      await stage.expectRefusal(stage.store.list({ after: "nonsense" }), "bad-entry")
    })

    it("is empty at first", async () => {
      expect(await stage.store.list()).toEqual({ conversations: [], unreadable: [] })
    })
  })

  it("refuses to be used once it is closed", async () => {
    await stage.store.create({ id: "c" })
    await stage.store.flush()
    await stage.store.close()
    await stage.store.close()
    await stage.expectRefusal(stage.store.load("c"), "closed")
    await stage.expectRefusal(stage.store.append("c", [say("x")]), "closed")
    await stage.expectRefusal(stage.store.create(), "closed")
    await stage.expectRefusal(stage.store.list(), "closed")
  })
}
