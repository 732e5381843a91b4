/**
 * What every store must do. A store's own test calls `storeConformance` with a way to open several stores on one home,
 * as several processes would.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { settle } from "../../src/laws/index.ts"
import { assistant, call, resultText, result, text, user } from "../../src/model/index.ts"
import { cover, type Entry, type NewEntry, type Store, StoreError, type StoreErrorReason } from "../../src/store/index.ts"

/** One home; `open` gives another store on it. */
export interface StoreHome {
  readonly open: (now: () => number) => Store
  readonly dispose: () => Promise<void>
}

export const say = (words: string, id?: string): NewEntry => ({
  kind: "message",
  message: user(words),
  ...(id !== undefined && { id }),
})

export const wordsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => {
    if (entry.kind === "result") return resultText(entry.result)
    if (entry.kind !== "message" && entry.kind !== "summary") return entry.kind
    return entry.message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
  })

export const refusal = async (action: Promise<unknown>): Promise<StoreError> => {
  try {
    await action
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error("Expected a refusal, it went through")
}

export const storeConformance = (name: string, makeHome: () => Promise<StoreHome>): void => {
  describe(`${name}: a store`, () => {
    let home: StoreHome
    let store: Store
    let clock = 0
    const now = (): number => clock

    beforeEach(async () => {
      clock = 1_000
      home = await makeHome()
      store = home.open(now)
    })
    afterEach(async () => {
      await store.close()
      await home.dispose()
    })

    const expectRefusal = async (action: Promise<unknown>, reason: StoreErrorReason): Promise<StoreError> => {
      const error = await refusal(action)
      expect(error.reason).toBe(reason)
      return error
    }

    const shown = async (id: string): Promise<readonly string[]> =>
      (await store.load(id)).transcript.messages.map((message) =>
        message.blocks.map((block) => (block.type === "text" ? block.text : block.type)).join("|"),
      )

    describe("creating and appending", () => {
      it("gives back what was appended, with ids, parents and times", async () => {
        const record = await store.create({ id: "c", title: "first" })
        expect(record).toEqual({ id: "c", title: "first", created: 1_000, updated: 1_000 })
        clock = 2_000
        const appended = await store.append("c", [say("hi", "a"), { kind: "message", id: "b", message: assistant("hello") }], {
          expectedTip: null,
          operation: "one",
        })
        expect(appended).toEqual({ tip: "b", ids: ["a", "b"], operation: "one", repeated: false })
        expect(await store.load("c")).toEqual({
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
        const { id } = await store.create()
        const { ids, tip } = await store.append(id, [say("a"), say("b")])
        expect(new Set(ids).size).toBe(2)
        expect(tip).toBe(ids[1])
      })

      it("refuses a second conversation of the same id, and knows a repeated create", async () => {
        const first = await store.create({ id: "c", operation: "make" })
        expect(await store.create({ id: "c", operation: "make" })).toEqual(first)
        await expectRefusal(store.create({ id: "c" }), "exists")
        await expectRefusal(store.create({ id: "c", operation: "other" }), "exists")
      })

      it("names what is missing", async () => {
        await expectRefusal(store.load("none"), "missing-conversation")
        await expectRefusal(store.append("none", [say("x")]), "missing-conversation")
        await store.create({ id: "c" })
        await expectRefusal(store.load("c", { at: "none" }), "missing-entry")
        await expectRefusal(store.moveTip("c", "none"), "missing-entry")
        const covers = [{ id: "none", fingerprint: "0" }]
        await expectRefusal(store.append("c", [{ kind: "hide", covers }]), "missing-entry")
      })

      it("refuses entries that no store could keep, and keeps nothing of them", async () => {
        await store.create({ id: "c" })
        await store.append("c", [say("a", "a")])
        await expectRefusal(store.append("c", []), "bad-entry")
        await expectRefusal(store.append("c", [say("again", "a")]), "bad-entry")
        await expectRefusal(store.append("c", [say("x", "x"), say("y", "x")]), "bad-entry")
        await expectRefusal(store.append("c", [say("x", "")]), "bad-entry")
        await expectRefusal(store.append("c", [{ kind: "nonsense" } as unknown as NewEntry]), "bad-entry")
        const big = { kind: "note", name: "n", value: 1n } as unknown as NewEntry
        await expectRefusal(store.append("c", [big]), "bad-entry")
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
        await store.append("c", [say("b")], { expectedTip: "a" })
      })

      it("keeps what JSON keeps, untouched by later changes of the caller's objects", async () => {
        await store.create({ id: "c" })
        const blocks = [text("before")]
        await store.append("c", [{ kind: "message", message: { role: "user", blocks } }])
        blocks.push(text("behind"))
        const { entries } = await store.load("c")
        expect(wordsOf(entries)).toEqual(["before"])
      })

      it("never lets time run backwards within a conversation", async () => {
        await store.create({ id: "c" })
        clock = 5_000
        await store.append("c", [say("a")])
        clock = 10
        await store.append("c", [say("b")])
        const { entries, updated } = await store.load("c")
        expect([...entries.map(({ at }) => at), updated]).toEqual([5_000, 5_000, 5_000])
      })
    })

    describe("the expected tip", () => {
      it("refuses an append on an old tip and names the real one", async () => {
        await store.create({ id: "c" })
        await store.append("c", [say("a", "a")], { expectedTip: null })
        const error = await expectRefusal(store.append("c", [say("b")], { expectedTip: null }), "conflict")
        expect([error.tip, error.conversation]).toEqual(["a", "c"])
        expect(error.message).toContain('"a"')
        await store.append("c", [say("b", "b")], { expectedTip: "a" })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
      })
    })

    describe("operations", () => {
      it("have one effect, however often they are repeated", async () => {
        await store.create({ id: "c" })
        const options = { operation: "op", expectedTip: null }
        const first = await store.append("c", [say("a")], options)
        await store.append("c", [say("b")])
        const again = await store.append("c", [say("a")], options)
        expect(again).toEqual({ ...first, repeated: true })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
      })

      it("are known to another store on the same home, also when somebody else holds the lease by then", async () => {
        await store.create({ id: "c" })
        const first = await store.append("c", [say("a")], { operation: "op" })
        const other = home.open(now)
        await other.acquire("c", { owner: "other", durationMs: 1_000 })
        expect(await other.append("c", [say("a")], { operation: "op" })).toEqual({ ...first, repeated: true })
        expect(await store.append("c", [say("a")], { operation: "op" })).toEqual({ ...first, repeated: true })
        await other.close()
      })

      it("cannot be used for something else", async () => {
        await store.create({ id: "c" })
        await store.append("c", [say("a", "a")], { operation: "op" })
        await expectRefusal(store.append("c", [say("a"), say("b")], { operation: "op" }), "operation-reused")
        await expectRefusal(store.append("c", [say("a", "other")], { operation: "op" }), "operation-reused")
      })

      it("share one outcome when they are repeated before the first is through", async () => {
        await store.create({ id: "c" })
        const options = { operation: "op" }
        const [first, second] = await Promise.all([store.append("c", [say("a")], options), store.append("c", [say("a")], options)])
        expect(second).toEqual({ ...first, repeated: true })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
      })
    })

    describe("paths", () => {
      beforeEach(async () => {
        await store.create({ id: "c" })
        await store.append("c", [say("a", "a"), say("b", "b"), say("c", "c")])
      })

      it("rewind and branch, and nothing is lost", async () => {
        const moved = await store.moveTip("c", "a", { expectedTip: "c" })
        expect(moved.tip).toBe("a")
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
        await store.append("c", [say("d", "d")], { expectedTip: "a" })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "d"])
        expect(wordsOf((await store.load("c", { at: "c" })).entries)).toEqual(["a", "b", "c"])
        expect((await store.load("c", { at: "c" })).tip).toBe("d")
        const ends = (await store.branches("c")).map(({ tip, active }) => [tip, active])
        expect(ends).toEqual([["c", false], ["d", true]])
        await store.moveTip("c", "c")
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b", "c"])
      })

      it("can start over", async () => {
        await store.moveTip("c", null)
        expect(await store.load("c")).toMatchObject({ tip: null, entries: [], whole: true })
        await store.append("c", [say("new")], { expectedTip: null })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["new"])
        expect((await store.load("c", { at: null })).entries).toEqual([])
      })

      it("move and go on in one append", async () => {
        await store.append("c", [{ kind: "tip", to: "a" }, say("edited", "e"), { kind: "tip", to: "e" }, say("f")])
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "edited", "f"])
      })

      it("give the newest entries alone", async () => {
        const tail = await store.load("c", { last: 2 })
        expect([wordsOf(tail.entries), tail.whole, tail.tip]).toEqual([["b", "c"], false, "c"])
        expect(await store.load("c", { last: 3 })).toMatchObject({ whole: true })
        expect(wordsOf((await store.load("c", { at: "b", last: 1 })).entries)).toEqual(["b"])
        expect(wordsOf((await store.load("c", { last: 100 })).entries)).toEqual(["a", "b", "c"])
      })

      it("leave titles beside the path, and notes on it", async () => {
        await store.append("c", [{ kind: "rename", title: "named" }])
        await store.append("c", [{ kind: "note", id: "n", name: "usage", value: { tokens: 3 } }], { expectedTip: "c" })
        const loaded = await store.load("c")
        expect([loaded.title, loaded.tip, wordsOf(loaded.entries)]).toEqual(["named", "n", ["a", "b", "c", "note"]])
        expect(loaded.transcript.messages).toHaveLength(3)
        await store.moveTip("c", "a")
        expect((await store.load("c")).title).toBe("named")
      })
    })

    describe("forks", () => {
      it("copy a path and then go their own way", async () => {
        await store.create({ id: "c", title: "original" })
        await store.append("c", [say("a", "a"), say("b", "b")])
        await store.append("c", [{ kind: "tip", to: "a" }, say("c", "c")])
        clock = 3_000
        const fork = await store.fork("c", { id: "f", operation: "fork" })
        expect(fork).toMatchObject({ id: "f", title: "original", forkedFrom: { conversation: "c", entry: "c" } })
        expect(await store.fork("c", { id: "f", operation: "fork" })).toEqual(fork)
        const copy = await store.load("f")
        expect(copy.entries).toEqual((await store.load("c")).entries)
        await store.append("f", [say("d")], { expectedTip: "c" })
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "c"])
        expect(wordsOf((await store.load("f")).entries)).toEqual(["a", "c", "d"])
        await store.fork("c", { id: "g", at: "b", title: "other" })
        expect(await store.load("g")).toMatchObject({ title: "other", tip: "b" })
        await store.fork("c", { id: "h", at: null })
        expect(await store.load("h")).toMatchObject({ tip: null, entries: [] })
        await expectRefusal(store.fork("c", { id: "f" }), "exists")
        await store.remove("c")
        expect(wordsOf((await store.load("f")).entries)).toEqual(["a", "c", "d"])
      })
    })

    describe("hides and summaries", () => {
      const summary = (words: string, entries: readonly Entry[], id: string): NewEntry => ({
        kind: "summary",
        id,
        message: { ...user(words), summary: true },
        covers: cover(entries),
      })

      beforeEach(async () => {
        await store.create({ id: "c" })
        await store.append("c", ["a", "b", "c", "d"].map((id) => say(id, id)))
      })

      it("show the summary in place of what it covers, and the originals stay in the entries", async () => {
        const { entries } = await store.load("c")
        await store.append("c", [summary("S", entries.slice(0, 2), "s")])
        await store.append("c", [say("e", "e")])
        expect(await shown("c")).toEqual(["S", "c", "d", "e"])
        const loaded = await store.load("c")
        expect(loaded.sources).toEqual(["s", "c", "d", "e"])
        expect(wordsOf(loaded.entries)).toEqual(["a", "b", "c", "d", "S", "e"])
      })

      it("bring the originals back when the path goes another way", async () => {
        const { entries } = await store.load("c")
        await store.append("c", [summary("S", entries.slice(0, 2), "s")])
        await store.moveTip("c", "d")
        expect(await shown("c")).toEqual(["a", "b", "c", "d"])
      })

      it("do not count when what they cover says something else, or is not on the path", async () => {
        await store.append("c", [{ kind: "hide", covers: [{ id: "a", fingerprint: "0000000000000000" }] }])
        expect(await shown("c")).toEqual(["a", "b", "c", "d"])
        const { entries } = await store.load("c")
        await store.append("c", [{ kind: "tip", to: "a" }, summary("S", entries.slice(0, 2), "s")])
        expect(await shown("c")).toEqual(["a"])
        expect((await store.load("c")).stale).toEqual(["s"])
      })

      it("hide single entries", async () => {
        const { entries } = await store.load("c")
        await store.append("c", [{ kind: "hide", covers: cover(entries.slice(1, 2)) }])
        expect(await shown("c")).toEqual(["a", "c", "d"])
      })

      it("let a summary cover an earlier one, and both vanish together", async () => {
        const before = (await store.load("c")).entries
        await store.append("c", [summary("S1", before.slice(0, 2), "s1")])
        const behind = (await store.load("c")).entries
        await store.append("c", [summary("S2", [...behind.slice(2, 3), ...behind.slice(4)], "s2")])
        expect(await shown("c")).toEqual(["S2", "d"])
        await store.moveTip("c", "s1")
        expect(await shown("c")).toEqual(["S1", "c", "d"])
      })

      it("keep their meaning in a fork", async () => {
        const { entries } = await store.load("c")
        await store.append("c", [summary("S", entries.slice(0, 3), "s")])
        await store.fork("c", { id: "f" })
        expect(await shown("f")).toEqual(["S", "d"])
      })

      it("hold in a tail that does not reach back to what they cover", async () => {
        const { entries } = await store.load("c")
        await store.append("c", [summary("S", entries.slice(0, 3), "s")])
        const { transcript } = await store.load("c", { last: 3 })
        expect(transcript.messages.map(({ blocks }) => blocks[0])).toEqual([text("S"), text("d")])
      })
    })

    describe("results", () => {
      it("are stored one by one as they land, and settle in call order", async () => {
        await store.create({ id: "c" })
        await store.append("c", [say("go"), { kind: "message", message: assistant(call("1", "ls"), call("2", "cat")) }])
        await store.append("c", [{ kind: "result", result: result("2", "two") }])
        await store.append("c", [{ kind: "result", result: result("1", "one") }])
        const { conversation, report } = settle((await store.load("c")).transcript)
        const exchange = conversation.items[1]
        const outcomes = exchange?.role === "exchange" ? exchange.outcomes : []
        expect(outcomes.map((outcome) => outcome.result && resultText(outcome.result))).toEqual(["one", "two"])
        expect(report.entries.every(({ kind }) => kind === "safe")).toBe(true)
      })
    })

    describe("leases", () => {
      beforeEach(async () => {
        await store.create({ id: "c" })
      })

      it("keep everybody else from appending, and the refusal names the holder", async () => {
        const lease = await store.acquire("c", { owner: "first", durationMs: 100 })
        expect(lease).toEqual({ slot: "write", owner: "first", generation: 1, expires: 1_100 })
        const taken = await expectRefusal(store.acquire("c", { owner: "second", durationMs: 100 }), "held")
        expect([taken.holder, taken.expires]).toEqual(["first", 1_100])
        expect(taken.message).toContain("first")
        const append = await expectRefusal(store.append("c", [say("x")]), "held")
        expect(append.holder).toBe("first")
        await expectRefusal(store.remove("c"), "held")
        await store.append("c", [say("a")], { lease })
        await store.release("c", lease)
        await store.append("c", [say("b")])
        await expectRefusal(store.append("c", [say("c")], { lease }), "lease-lost")
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
      })

      it("can be taken over when they ran out, and the old one never writes again", async () => {
        const other = home.open(now)
        const first = await store.acquire("c", { owner: "first", durationMs: 100 })
        clock += 101
        const second = await other.acquire("c", { owner: "second", durationMs: 100 })
        expect(second.generation).toBe(2)
        const stale = await expectRefusal(store.append("c", [say("x")], { lease: first }), "lease-lost")
        expect(stale.holder).toBe("second")
        await expectRefusal(store.renew("c", first, 100), "lease-lost")
        await store.release("c", first)
        await other.append("c", [say("a")], { lease: second })
        clock += 1_000
        await expectRefusal(store.append("c", [say("x")], { lease: first }), "lease-lost")
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
        await other.close()
      })

      it("still write after their time while nobody took over, and can be renewed", async () => {
        const lease = await store.acquire("c", { owner: "first", durationMs: 100 })
        clock += 500
        await store.append("c", [say("a")], { lease })
        const renewed = await store.renew("c", lease, 100)
        expect(renewed).toEqual({ ...lease, expires: 1_600 })
        await expectRefusal(store.acquire("c", { owner: "second", durationMs: 1 }), "held")
        await store.append("c", [say("b")], { lease })
      })

      it("are replaced by the same owner, which fences its former self off", async () => {
        const before = await store.acquire("c", { owner: "me", durationMs: 100 })
        const after = await store.acquire("c", { owner: "me", durationMs: 100 })
        expect(after.generation).toBe(2)
        await expectRefusal(store.append("c", [say("x")], { lease: before }), "lease-lost")
        await store.append("c", [say("a")], { lease: after })
      })

      it("live longer, not shorter, when the clock goes backwards", async () => {
        const lease = await store.acquire("c", { owner: "first", durationMs: 100 })
        clock = 10
        await expectRefusal(store.acquire("c", { owner: "second", durationMs: 100 }), "held")
        await store.append("c", [say("a")], { lease })
      })

      it("have slots: a summary lease does not guard appends, and only one holds it", async () => {
        const summary = await store.acquire("c", { owner: "first", durationMs: 100, slot: "summary" })
        await expectRefusal(store.acquire("c", { owner: "second", durationMs: 100, slot: "summary" }), "held")
        await store.acquire("c", { owner: "second", durationMs: 100, slot: "__proto__" })
        await store.append("c", [say("a")])
        await expectRefusal(store.append("c", [say("b")], { lease: summary }), "lease-lost")
        await store.release("c", summary)
        await store.release("c", summary)
        expect((await store.acquire("c", { owner: "second", durationMs: 100, slot: "summary" })).generation).toBe(2)
      })

      it("go to one of many who ask at once", async () => {
        const stores = Array.from({ length: 5 }, () => home.open(now))
        const asked = await Promise.allSettled(
          stores.map((one, index) => one.acquire("c", { owner: `owner ${index}`, durationMs: 100 })),
        )
        expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
        await Promise.all(stores.map((one) => one.close()))
      })

      it("refuse nonsense", async () => {
        await expectRefusal(store.acquire("c", { owner: "", durationMs: 1 }), "bad-entry")
        await expectRefusal(store.acquire("c", { owner: "x", durationMs: Number.NaN }), "bad-entry")
      })
    })

    describe("the list", () => {
      it("is newest first, in pages, with titles", async () => {
        for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) {
          clock = 1_000 + index
          await store.create({ id, title: `title ${id}` })
        }
        clock = 5_000
        await store.append("b", [say("x"), { kind: "rename", title: "renamed" }])
        const first = await store.list({ limit: 2 })
        expect(first.conversations).toEqual([
          { id: "b", title: "renamed", created: 1_001, updated: 5_000 },
          { id: "e", title: "title e", created: 1_004, updated: 1_004 },
        ])
        const second = await store.list({ limit: 2, after: first.next ?? "" })
        const third = await store.list({ limit: 2, after: second.next ?? "" })
        expect([...second.conversations, ...third.conversations].map(({ id }) => id)).toEqual(["d", "c", "a"])
        expect(third.next).toBeUndefined()
        await store.remove("e")
        const other = home.open(now)
        expect((await other.list()).conversations.map(({ id }) => id)).toEqual(["b", "d", "c", "a"])
        await other.close()
        await expectRefusal(store.list({ after: "nonsense" }), "bad-entry")
      })

      it("is empty at first", async () => {
        expect(await store.list()).toEqual({ conversations: [], unreadable: [] })
      })
    })

    describe("odd contents", () => {
      const odd = [
        "plain",
        "line one\nline two\r\n",
        "separators \u2028 and \u2029 and \u0000",
        "lone \ud800 high, lone \udc00 low",
        "emoji 🎉, 中文, e\u0301",
        '{"sum":"00000000","operation":"fake"}',
        "}{\"sum\":\"",
      ]

      it("come back exactly", async () => {
        await store.create({ id: "c" })
        for (const words of odd) await store.append("c", [say(words)])
        const other = home.open(now)
        expect(wordsOf((await other.load("c")).entries)).toEqual(odd)
        await other.close()
      })

      it("may be ids, titles, owners and operations", async () => {
        const ids = [...odd, "__proto__", "constructor", "../../etc/passwd", "UPPER", "upper", "a/b", ".", "..", "x".repeat(1_000)]
        for (const id of ids) {
          await store.create({ id, title: id })
          const options = { operation: id, expectedTip: null }
          await store.append(id, [say(id, id)], options)
          expect(await store.append(id, [say(id, id)], options)).toMatchObject({ repeated: true, tip: id })
          const lease = await store.acquire(id, { owner: id, durationMs: 10 })
          await store.append(id, [{ kind: "note", name: id, value: id }], { lease })
        }
        const other = home.open(now)
        for (const id of ids) {
          const { entries, title } = await other.load(id)
          expect([entries[0]?.id, title]).toEqual([id, id])
        }
        const listed = (await other.list({ limit: 100 })).conversations.map(({ id }) => id)
        expect(listed.toSorted()).toEqual(ids.toSorted())
        await other.close()
        await expectRefusal(store.create({ id: "" }), "bad-entry")
      })

      it("keep keys that objects treat specially", async () => {
        await store.create({ id: "c" })
        const value = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":null}') as never
        await store.append("c", [{ kind: "note", name: "n", value }])
        const [entry] = (await store.load("c")).entries
        expect(JSON.stringify(entry?.kind === "note" && entry.value)).toBe(JSON.stringify(value))
      })

      it("may be big", async () => {
        await store.create({ id: "c" })
        const big = "x中🎉".repeat(1_000_000)
        await store.append("c", [say("small"), say(big), say("small")])
        await store.append("c", [say("last")])
        const other = home.open(now)
        expect(wordsOf((await other.load("c")).entries)).toEqual(["small", big, "small", "last"])
        expect(wordsOf((await other.load("c", { last: 1 })).entries)).toEqual(["last"])
        await other.close()
      })
    })

    describe("many entries and many stores", () => {
      it("keep a thousand entries in order, on two branches", async () => {
        await store.create({ id: "c" })
        let tip: string | null = null
        for (let index = 0; index < 1_000; index++) {
          tip = (await store.append("c", [say(`${index}`, `e${index}`)], { expectedTip: tip, durable: false })).tip
        }
        await store.append("c", [{ kind: "tip", to: "e499" }, say("other")])
        const other = home.open(now)
        expect((await other.load("c")).entries).toHaveLength(501)
        const words = wordsOf((await other.load("c", { at: "e999" })).entries)
        expect(words).toEqual(Array.from({ length: 1_000 }, (_, index) => `${index}`))
        await other.close()
      })

      it("let several stores append at once: all are kept, none is torn", async () => {
        await store.create({ id: "c" })
        const stores = Array.from({ length: 4 }, () => home.open(now))
        await Promise.all(
          stores.flatMap((one, writer) =>
            Array.from({ length: 25 }, (_, index) => one.append("c", [say(`${writer}.${index}`)], { durable: false })),
          ),
        )
        const { entries, damage } = await store.load("c")
        expect(damage).toEqual([])
        expect(entries).toHaveLength(100)
        for (const writer of stores.keys()) {
          const own = wordsOf(entries).filter((words) => words.startsWith(`${writer}.`))
          expect(own).toEqual(Array.from({ length: 25 }, (_, index) => `${writer}.${index}`))
        }
        await Promise.all(stores.map((one) => one.close()))
      })

      it("let one of several win the same tip, and tell the others where it is", async () => {
        await store.create({ id: "c" })
        const stores = Array.from({ length: 4 }, () => home.open(now))
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
        const other = home.open(now)
        await store.create({ id: "c" })
        await store.append("c", [say("a")])
        expect(wordsOf((await other.load("c")).entries)).toEqual(["a"])
        await other.append("c", [say("b")])
        expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
        await store.remove("c")
        await expectRefusal(other.load("c"), "missing-conversation")
        await expectRefusal(other.append("c", [say("x")]), "missing-conversation")
        await other.create({ id: "c" })
        expect((await store.load("c")).entries).toEqual([])
        await store.append("c", [say("new")], { expectedTip: null })
        expect(wordsOf((await other.load("c")).entries)).toEqual(["new"])
        await other.close()
      })
    })

    it("refuses to be used once it is closed", async () => {
      await store.create({ id: "c" })
      await store.flush()
      await store.close()
      await store.close()
      await expectRefusal(store.load("c"), "closed")
      await expectRefusal(store.append("c", [say("x")]), "closed")
      await expectRefusal(store.create(), "closed")
      await expectRefusal(store.list(), "closed")
    })
  })
}
