/** What an append keeps, refuses, and how often it happens. */
import { describe, expect, it } from "vitest"
import { settle } from "../../../src/rules/index.ts"
import { assistant, call, result, resultText, text, user } from "../../../src/model/index.ts"
import type { NewEntry } from "../../../src/store/index.ts"
import { say, wordsOf, type Stage } from "./stage.ts"

export const appendConformance = (stage: Stage): void => {
  describe("creating and appending", () => {
    it("gives back what was appended, with ids, parents and times", async () => {
      const record = await stage.store.create({ id: "c", title: "first" })
      expect(record).toEqual({ id: "c", title: "first", created: 1_000, updated: 1_000 })
      stage.clock = 2_000
      const appended = await stage.store.append("c", [say("hi", "a"), { kind: "message", id: "b", message: assistant("hello") }], {
        expectedTip: null,
        operation: "one",
      })
      expect(appended).toEqual({ tip: "b", ids: ["a", "b"], operation: "one", repeated: false })
      expect(await stage.store.load("c")).toEqual({
        id: "c",
        title: "first",
        created: 1_000,
        updated: 2_000,
        tip: "b",
        whole: true,
        damage: [],
        stale: [],
        sources: ["a", "b"],
        entries: [
          { kind: "message", message: user("hi"), id: "a", parent: null, operation: "one", at: 2_000 },
          { kind: "message", message: assistant("hello"), id: "b", parent: "a", operation: "one", at: 2_000 },
        ],
        transcript: { format: "ligature", source: "c", messages: [user("hi"), assistant("hello")] },
      })
    })

    it("makes ids where none are given", async () => {
      const { id } = await stage.store.create()
      const { ids, tip } = await stage.store.append(id, [say("a"), say("b")])
      expect(new Set(ids).size).toBe(2)
      expect(tip).toBe(ids[1])
    })

    it("refuses a second conversation of the same id, and knows a repeated create", async () => {
      const first = await stage.store.create({ id: "c", operation: "make" })
      expect(await stage.store.create({ id: "c", operation: "make" })).toEqual(first)
      await stage.expectRefusal(stage.store.create({ id: "c" }), "exists")
      await stage.expectRefusal(stage.store.create({ id: "c", operation: "other" }), "exists")
    })

    it("names what is missing", async () => {
      await stage.expectRefusal(stage.store.load("none"), "missing-conversation")
      await stage.expectRefusal(stage.store.append("none", [say("x")]), "missing-conversation")
      await stage.store.create({ id: "c" })
      await stage.expectRefusal(stage.store.load("c", { at: "none" }), "missing-entry")
      await stage.expectRefusal(stage.store.moveTip("c", "none"), "missing-entry")
      const covers = [{ id: "none", fingerprint: "0" }]
      await stage.expectRefusal(stage.store.append("c", [{ kind: "hide", covers }]), "missing-entry")
    })

    it("refuses entries that no store could keep, and keeps nothing of them", async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a", "a")])
      await stage.expectRefusal(stage.store.append("c", []), "bad-entry")
      await stage.expectRefusal(stage.store.append("c", [say("again", "a")]), "bad-entry")
      await stage.expectRefusal(stage.store.append("c", [say("x", "x"), say("y", "x")]), "bad-entry")
      await stage.expectRefusal(stage.store.append("c", [say("x", "")]), "bad-entry")
      await stage.expectRefusal(stage.store.append("c", [{ kind: "nonsense" } as unknown as NewEntry]), "bad-entry")
      const big = { kind: "note", name: "n", value: 1n } as unknown as NewEntry
      await stage.expectRefusal(stage.store.append("c", [big]), "bad-entry")
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a"])
      await stage.store.append("c", [say("b")], { expectedTip: "a" })
    })

    it("refuses entries that nobody could read again, and keeps nothing of them", async () => {
      await stage.store.create({ id: "c" })
      const block = { type: "text" }
      const nonsense: readonly unknown[] = [
        null,
        "text",
        { kind: "message" },
        { kind: "message", message: null },
        { kind: "message", message: { role: "nobody", blocks: [] } },
        { kind: "message", message: { role: "user", blocks: "hi" } },
        { kind: "message", message: { role: "user", blocks: [null] } },
        { kind: "message", message: { role: "user", blocks: [block] } },
        { kind: "message", message: { role: "assistant", blocks: [{ type: "call", id: "1", name: "ls", arguments: "{}" }] } },
        { kind: "message", message: { role: "user", blocks: [{ type: "media", kind: "image", source: {} }] } },
        { kind: "message", id: 5, message: user("hi") },
        { kind: "result" },
        { kind: "result", result: text("no result") },
        { kind: "result", result: { ...result("1", ""), content: [block] } },
        { kind: "summary", message: user("hi") },
        { kind: "hide", covers: [null] },
        { kind: "rename" },
        { kind: "tip" },
        { kind: "note" },
      ]
      for (const entry of nonsense) await stage.expectRefusal(stage.store.append("c", [entry as NewEntry]), "bad-entry")
      await stage.expectRefusal(stage.store.append("c", null as unknown as readonly NewEntry[]), "bad-entry")
      expect((await stage.store.load("c")).entries).toEqual([])
    })

    it("keeps what JSON keeps, untouched by later changes of the caller's objects", async () => {
      await stage.store.create({ id: "c" })
      const blocks = [text("before")]
      await stage.store.append("c", [{ kind: "message", message: { role: "user", blocks } }])
      blocks.push(text("after"))
      const { entries } = await stage.store.load("c")
      expect(wordsOf(entries)).toEqual(["before"])
    })

    it("never lets time run backwards within a conversation", async () => {
      await stage.store.create({ id: "c" })
      stage.clock = 5_000
      await stage.store.append("c", [say("a")])
      stage.clock = 10
      await stage.store.append("c", [say("b")])
      const { entries, updated } = await stage.store.load("c")
      expect([...entries.map(({ at }) => at), updated]).toEqual([5_000, 5_000, 5_000])
    })
  })

  describe("the expected tip", () => {
    it("refuses an append on an old tip and names the real one", async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a", "a")], { expectedTip: null })
      const error = await stage.expectRefusal(stage.store.append("c", [say("b")], { expectedTip: null }), "conflict")
      expect([error.tip, error.conversation]).toEqual(["a", "c"])
      expect(error.message).toContain('"a"')
      await stage.store.append("c", [say("b", "b")], { expectedTip: "a" })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "b"])
    })
  })

  describe("operations", () => {
    it("have one effect, however often they are repeated", async () => {
      await stage.store.create({ id: "c" })
      const options = { operation: "op", expectedTip: null }
      const first = await stage.store.append("c", [say("a")], options)
      await stage.store.append("c", [say("b")])
      const again = await stage.store.append("c", [say("a")], options)
      expect(again).toEqual({ ...first, repeated: true })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a", "b"])
    })

    it("are known to another store on the same home, also when somebody else holds the lease by then", async () => {
      await stage.store.create({ id: "c" })
      const first = await stage.store.append("c", [say("a")], { operation: "op" })
      const other = stage.another()
      await other.acquire("c", { owner: "other", durationMs: 1_000 })
      expect(await other.append("c", [say("a")], { operation: "op" })).toEqual({ ...first, repeated: true })
      expect(await stage.store.append("c", [say("a")], { operation: "op" })).toEqual({ ...first, repeated: true })
      await other.close()
    })

    it("have names: an empty one would make every later append under it look repeated", async () => {
      await stage.store.create({ id: "c" })
      await stage.expectRefusal(stage.store.append("c", [say("a")], { operation: "" }), "bad-entry")
      expect((await stage.store.load("c")).entries).toEqual([])
    })

    it("cannot be used for something else", async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("a", "a")], { operation: "op" })
      await stage.expectRefusal(stage.store.append("c", [say("a"), say("b")], { operation: "op" }), "operation-reused")
      await stage.expectRefusal(stage.store.append("c", [say("a", "other")], { operation: "op" }), "operation-reused")
    })

    it("share one outcome when they are repeated before the first is through", async () => {
      await stage.store.create({ id: "c" })
      const options = { operation: "op" }
      const [first, second] = await Promise.all([
        stage.store.append("c", [say("a")], options),
        stage.store.append("c", [say("a")], options),
      ])
      expect(second).toEqual({ ...first, repeated: true })
      expect(wordsOf((await stage.store.load("c")).entries)).toEqual(["a"])
    })
  })

  describe("results", () => {
    it("are stored one by one as they land, and settle in call order", async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append("c", [say("go"), { kind: "message", message: assistant(call("1", "ls"), call("2", "cat")) }])
      await stage.store.append("c", [{ kind: "result", result: result("2", "two") }])
      await stage.store.append("c", [{ kind: "result", result: result("1", "one") }])
      const { conversation, report } = settle((await stage.store.load("c")).transcript)
      const exchange = conversation.items[1]
      const outcomes = exchange?.role === "exchange" ? exchange.outcomes : []
      expect(outcomes.map((outcome) => outcome.result && resultText(outcome.result))).toEqual(["one", "two"])
      expect(report.entries.every(({ kind }) => kind === "safe")).toBe(true)
    })
  })
}
