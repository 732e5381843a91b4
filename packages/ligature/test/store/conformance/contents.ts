/** Contents, ids and titles that are easily damaged on their way to a disk or a server. */
import { describe, expect, it } from "vitest"
import { say, wordsOf, type Stage } from "./stage.ts"

export const contentConformance = (stage: Stage): void => {
  describe("odd contents", () => {
    const odd = [
      "plain",
      "line one\nline two\r\n",
      "separators \u2028 and \u2029 and \u0000",
      "lone \ud800 high, lone \udc00 low",
      "emoji 🎉, 中文, e\u0301",
      '{"sum":"00000000","operation":"fake"}',
      '}{"sum":"',
    ]

    it("come back exactly", async () => {
      await stage.store.create({ id: "c" })
      for (const words of odd) await stage.store.append("c", [say(words)])
      const other = stage.another()
      expect(wordsOf((await other.load("c")).entries)).toEqual(odd)
      await other.close()
    })

    it("may be ids, titles, owners and operations", async () => {
      const ids = [...odd, "__proto__", "constructor", "../../etc/passwd", "UPPER", "upper", "a/b", ".", "..", "x".repeat(1_000)]
      for (const id of ids) {
        await stage.store.create({ id, title: id })
        const options = { operation: id, expectedTip: null }
        await stage.store.append(id, [say(id, id)], options)
        expect(await stage.store.append(id, [say(id, id)], options)).toMatchObject({ repeated: true, tip: id })
        const lease = await stage.store.acquire(id, { owner: id, durationMs: 10 })
        await stage.store.append(id, [{ kind: "note", name: id, value: id }], { lease })
      }
      const other = stage.another()
      for (const id of ids) {
        const { entries, title } = await other.load(id)
        expect([entries[0]?.id, title]).toEqual([id, id])
      }
      const listed = (await other.list({ limit: 100 })).conversations.map(({ id }) => id)
      expect(listed.toSorted()).toEqual(ids.toSorted())
      await other.close()
      await stage.expectRefusal(stage.store.create({ id: "" }), "bad-entry")
    })

    it("keep keys that objects treat specially", async () => {
      await stage.store.create({ id: "c" })
      const value = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":null}') as never
      await stage.store.append("c", [{ kind: "note", name: "n", value }])
      const [entry] = (await stage.store.load("c")).entries
      expect(JSON.stringify(entry?.kind === "note" && entry.value)).toBe(JSON.stringify(value))
    })

    it("may be big", async () => {
      await stage.store.create({ id: "c" })
      const big = "x中🎉".repeat(1_000_000)
      await stage.store.append("c", [say("small"), say(big), say("small")])
      await stage.store.append("c", [say("last")])
      const other = stage.another()
      expect(wordsOf((await other.load("c")).entries)).toEqual(["small", big, "small", "last"])
      expect(wordsOf((await other.load("c", { last: 1 })).entries)).toEqual(["last"])
      await other.close()
    })
  })
}
