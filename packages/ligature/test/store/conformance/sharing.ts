/** Many entries, and several stores on one home. */
import { describe, expect, it } from "vitest"
import type { StoreError } from "../../../src/store/index.ts"
import { say, wordsOf, type Stage } from "./stage.ts"

export const sharingConformance = (stage: Stage): void => {
  describe("many entries and many stores", () => {
    it("keep a thousand entries in order, on two branches", async () => {
      await stage.store.create({ id: "c" })
      let tip: string | null = null
      for (let index = 0; index < 1_000; index++) {
        tip = (await stage.store.append("c", [say(`${index}`, `e${index}`)], { expectedTip: tip, durable: false })).tip
      }
      await stage.store.append("c", [{ kind: "tip", to: "e499" }, say("other")])
      const other = stage.another()
      expect((await other.load("c")).entries).toHaveLength(501)
      const words = wordsOf((await other.load("c", { at: "e999" })).entries)
      expect(words).toEqual(Array.from({ length: 1_000 }, (_, index) => `${index}`))
      await other.close()
    })

    it("let several stores append at once: all are kept, none is torn", async () => {
      await stage.store.create({ id: "c" })
      const stores = Array.from({ length: 4 }, () => stage.another())
      await Promise.all(
        stores.flatMap((one, writer) =>
          Array.from({ length: 25 }, (_, index) => one.append("c", [say(`${writer}.${index}`)], { durable: false })),
        ),
      )
      const { entries, damage } = await stage.store.load("c")
      expect(damage).toEqual([])
      expect(entries).toHaveLength(100)
      for (const writer of stores.keys()) {
        const own = wordsOf(entries).filter((words) => words.startsWith(`${writer}.`))
        expect(own).toEqual(Array.from({ length: 25 }, (_, index) => `${writer}.${index}`))
      }
      await Promise.all(stores.map((one) => one.close()))
    })

    it("let one of several win the same tip, and tell the others where it is", async () => {
      await stage.store.create({ id: "c" })
      const stores = Array.from({ length: 4 }, () => stage.another())
      const tried = await Promise.allSettled(
        stores.map((one, writer) => one.append("c", [say(`${writer}`, `w${writer}`)], { expectedTip: null })),
      )
      const won = tried.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value.tip] : []))
      const lost = tried.flatMap((outcome) => (outcome.status === "rejected" ? [(outcome.reason as StoreError).tip] : []))
      expect(won).toHaveLength(1)
      expect(lost).toEqual([won[0], won[0], won[0]])
      await Promise.all(stores.map((one) => one.close()))
    })

    it("show each other's changes at once", async () => {
      const other = stage.another()
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a")])
      expect(wordsOf((await other.load("c")).entries)).toEqual(["a"])
      await other.append("c", [say("b")])
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "b"])
      await stage.store.remove("c")
      await stage.expectRefusal(other.load("c"), "missing-conversation")
      await stage.expectRefusal(other.append("c", [say("x")]), "missing-conversation")
      await other.create({ id: "c" })
      expect((await stage.store.load("c")).entries).toEqual([])
      await stage.store.append("c", [say("new")], { expectedTip: null })
      expect(wordsOf((await other.load("c")).entries)).toEqual(["new"])
      await other.close()
    })
  })
}
