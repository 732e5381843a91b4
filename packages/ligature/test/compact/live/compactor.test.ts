import { describe, expect, it } from "vitest"
import { compactor as newCompactor, recall } from "../../../src/compact/index.ts"
import type { CompactionEvent } from "../../../src/compact/live/stored/notes.ts"
import { summarySlot } from "../../../src/compact/live/stored/surroundings.ts"
import { attributesOf } from "../../../src/compact/policy/compaction-statistics.ts"
import { declareTools } from "../../../src/agent/request/model.ts"
import { profiles, resolveProfile } from "../../../src/rules/index.ts"
import { LigatureError } from "../../../src/model/index.ts"
import type { WireFormat } from "../../../src/convert/index.ts"
import { memoryStore, type Store, StoreError } from "../../../src/store/index.ts"
import { expectValid } from "../../../src/testing/index.ts"
import { goodSummary, storeTask, taskEntries } from "./long-task.ts"

const settings = { window: { tokens: 24_000, reserveTokens: 1_000 }, summary: { timeoutMs: 5_000 }, gain: { tokens: 1_000 } }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const summariesIn = async (store: Store, id: string): Promise<number> =>
  (await store.load(id)).entries.filter(({ kind }) => kind === "summary").length

describe("a Compactor", () => {
  it("finds the conversations that are too large, and leaves the others alone", async () => {
    const store = memoryStore()
    await storeTask(store, "large", 40)
    await storeTask(store, "small", 2)
    const events: CompactionEvent[] = []
    const compactor = newCompactor({
      store,
      settings,
      summarise: async () => goodSummary,
      onEvent: (event) => events.push(event),
    })
    await compactor.look()
    await compactor.idle()
    expect([await summariesIn(store, "large"), await summariesIn(store, "small")]).toEqual([1, 0])
    const told = events.filter(({ conversation }) => conversation === "large").map(({ type }) => type)
    expect(told).toEqual(["lease-start", "compaction-start", "summary-start", "summary-end", "strategy-end", "compaction-end", "lease-end"])
    await compactor.stop()
  })

  it.each([0, -1, 1.5, Number.NaN])("refuses to work on %d conversations at the same time", (concurrency) => {
    const expected = `Expected a whole number of 1 or more as concurrency, got ${concurrency}`
    expect(() => newCompactor({ store: memoryStore(), concurrency })).toThrow(new LigatureError("bad-option", expected))
  })

  it("goes on when a listener throws", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const onEvent = (): void => {
      throw new Error("the listener broke")
    }
    const compactor = newCompactor({ store, settings, onEvent })
    compactor.notice("c")
    await compactor.idle()
    expect(await summariesIn(store, "c")).toBe(1)
    await compactor.stop()
  })

  it("does not begin again what was cancelled, though it was noticed meanwhile", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let asked = 0
    const compactor = newCompactor({
      store,
      settings,
      summarise: () => {
        asked++
        compactor.notice("c")
        compactor.cancel("c")
        return new Promise(() => undefined)
      },
    })
    compactor.notice("c")
    await compactor.idle()
    expect([asked, await summariesIn(store, "c")]).toEqual([1, 0])
    await compactor.stop()
  })

  it("looks again only at what has changed", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 2)
    const leases: string[] = []
    const compactor = newCompactor({ store, settings, onEvent: ({ type }) => leases.push(type) })
    await compactor.look()
    await compactor.idle()
    await compactor.look()
    await compactor.idle()
    expect(leases.filter((type) => type === "lease-start")).toHaveLength(1)
    await store.append("c", taskEntries(40, 2))
    await compactor.look()
    await compactor.idle()
    expect(leases.filter((type) => type === "lease-start")).toHaveLength(2)
    await compactor.stop()
  })

  it("lets one of many work on a conversation at a time", async () => {
    const home = new Map<string, unknown>()
    await storeTask(memoryStore({ home }), "c", 40)
    let running = 0
    let most = 0
    let asked = 0
    const summarise = async (): Promise<string> => {
      asked++
      most = Math.max(most, ++running)
      await pause(30)
      running--
      return goodSummary
    }
    const compactors = Array.from({ length: 5 }, () => newCompactor({ store: memoryStore({ home }), settings, summarise }))
    await Promise.all(compactors.map((compactor) => compactor.look()))
    await Promise.all(compactors.map((compactor) => compactor.idle()))
    expect([asked, most]).toEqual([1, 1])
    expect(await summariesIn(memoryStore({ home }), "c")).toBe(1)
    await Promise.all(compactors.map((compactor) => compactor.stop()))
  })

  it("works on several conversations at once, but not on more than it may", async () => {
    const store = memoryStore()
    for (const id of ["a", "b", "c", "d", "e"]) await storeTask(store, id, 40)
    let running = 0
    let most = 0
    const summarise = async (): Promise<string> => {
      most = Math.max(most, ++running)
      await pause(20)
      running--
      return goodSummary
    }
    const compactor = newCompactor({ store, settings, summarise, concurrency: 3 })
    await compactor.look()
    await compactor.idle()
    expect(most).toBe(3)
    for (const id of ["a", "b", "c", "d", "e"]) expect(await summariesIn(store, id)).toBe(1)
    await compactor.stop()
  })

  it.each([
    ["notices it when it wants to write", 30_000],
    ["notices it while it works", 30],
  ])("writes nothing once its lease went to somebody else: it %s", async (_, leaseMs) => {
    const home = new Map<string, unknown>()
    const store = memoryStore({ home })
    await storeTask(store, "c", 40)
    const { tip } = await store.load("c")
    const events: CompactionEvent[] = []
    const summarise = async (): Promise<string> => {
      // For somebody whose clock is ahead, or who waited long enough, the lease has run out.
      const later = memoryStore({ home, now: () => Date.now() + 60_000 })
      await later.acquire("c", { owner: "successor", durationMs: 60_000, slot: summarySlot })
      await pause(60)
      return goodSummary
    }
    const compactor = newCompactor({ store, settings, summarise, leaseMs, onEvent: (event) => events.push(event) })
    await compactor.look()
    await compactor.idle()
    expect(events.at(-1)).toMatchObject({ type: "lease-end", reason: "lost" })
    expect((await store.load("c")).tip).toBe(tip)
    await compactor.stop()
  })

  it("takes up what a dead one left when its lease has run out", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    await store.acquire("c", { owner: "one that died", durationMs: 500, slot: summarySlot })
    const compactor = newCompactor({ store, settings, summarise: async () => goodSummary })
    await compactor.look()
    await compactor.idle()
    expect(await summariesIn(store, "c")).toBe(0)
    for (let tries = 0; tries < 200 && (await summariesIn(store, "c")) === 0; tries++) await pause(10)
    expect(await summariesIn(store, "c")).toBe(1)
    await compactor.stop()
  })

  it("can be cancelled: the summariser is told, nothing is written, the lease is free again", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let told = false
    let begun: () => void = () => undefined
    const started = new Promise<void>((resolve) => (begun = resolve))
    const compactor = newCompactor({
      store,
      settings,
      summarise: (_, { signal }) => {
        signal.addEventListener("abort", () => (told = true))
        begun()
        return new Promise(() => undefined)
      },
    })
    void compactor.look()
    await started
    await compactor.stop()
    expect(told).toBe(true)
    expect(await summariesIn(store, "c")).toBe(0)
    expect((await store.acquire("c", { owner: "next", durationMs: 10, slot: summarySlot })).owner).toBe("next")
  })

  it("waits for the write lease of an agent, and writes when it is free", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const lease = await store.acquire("c", { owner: "agent", durationMs: 60_000 })
    const compactor = newCompactor({ store, settings, summarise: async () => goodSummary, heldWaitMs: 100 })
    await compactor.look()
    await pause(60)
    await store.append("c", taskEntries(1, 40), { lease })
    await store.release("c", lease)
    await expect.poll(() => summariesIn(store, "c"), { timeout: 10_000 }).toBe(1)
    expectValid((await store.load("c")).transcript, { profiles: ["anthropic"] })
    await compactor.stop()
  })

  it("tells of errors of the store and goes on with other conversations", async () => {
    const store = memoryStore()
    await storeTask(store, "bad", 40)
    await storeTask(store, "good", 40)
    const errors: unknown[] = []
    const failing: Store = Object.assign(Object.create(store) as Store, {
      load: async (id: string) => {
        if (id === "bad") throw new StoreError("unreadable", "the disk is gone")
        return store.load(id)
      },
      acquire: store.acquire.bind(store),
      append: store.append.bind(store),
      renew: store.renew.bind(store),
      release: store.release.bind(store),
      list: store.list.bind(store),
    })
    const compactor = newCompactor({
      store: failing,
      settings,
      onEvent: (event) => event.type === "compaction-error" && errors.push(event.error),
    })
    await compactor.look()
    await compactor.idle()
    expect(errors.map(String)).toEqual(["StoreError: the disk is gone"])
    expect(await summariesIn(store, "good")).toBeGreaterThan(0)
    await compactor.stop()
  })
})

describe("statistics", () => {
  it("become flat attributes of a span", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const attributes: Record<string, unknown>[] = []
    let clock = 1_000
    const compactor = newCompactor({
      store,
      settings,
      summarise: async () => goodSummary,
      surroundings: { now: () => (clock += 5) },
      onEvent: (event) => {
        if (event.type === "compaction-end" && event.result.outcome === "compacted")
          attributes.push({ ...attributesOf(event.result.statistics, "c") })
      },
    })
    await compactor.look()
    await compactor.idle()
    const [found = {}] = attributes
    expect(Object.keys(found).every((key) => key.startsWith("ligature.compaction."))).toBe(true)
    expect(Object.values(found).every((value) => typeof value === "string" || Number.isFinite(value))).toBe(true)
    expect(found).toMatchObject({
      "ligature.compaction.strategy": "summary",
      "ligature.compaction.conversation": "c",
      "ligature.compaction.summary.requests": 1,
    })
    expect(Number(found["ligature.compaction.after.tokens"])).toBeLessThan(Number(found["ligature.compaction.before.tokens"]))
    expect(Number(found["ligature.compaction.names.path.kept"]) + Number(found["ligature.compaction.names.path.lost"])).toBeGreaterThan(30)
    expect(Number(found["ligature.compaction.duration_ms"])).toBeGreaterThan(0)
    await compactor.stop()
  })
})

describe("recall over a store", () => {
  it("is a tool of the loop that reads the archive, whatever the view shows", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const compactor = newCompactor({ store, settings, summarise: async () => goodSummary })
    await compactor.look()
    await compactor.idle()
    await compactor.stop()
    const view = JSON.stringify((await store.load("c")).transcript.messages)
    expect(view).not.toContain("part-3 line 17 ")
    const tool = recall.tool(store)
    const context = {
      signal: new AbortController().signal,
      call: { type: "call", id: "x", name: "recall", arguments: {} } as const,
      conversation: "c",
    }
    expect(await tool.run({ search: "part-3 line 17 " }, context)).toBe("#5.1:18  part-3 line 17 of the output, value_119")
    expect(await tool.run({ handle: "#5.1:18" }, context)).toContain("\npart-3 line 17 of the output, value_119")
  })

  it("does not give back what a person hid, also from under a summary", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 4)
    const { entries } = await store.load("c")
    const { cover } = await import("../../../src/store/index.ts")
    await store.append("c", [
      { kind: "hide", covers: cover(entries.filter(({ id }) => ["a1", "r1a", "r1b"].includes(id))), reason: "secret" },
    ])
    const tool = recall.tool(store)
    const context = {
      signal: new AbortController().signal,
      call: { type: "call", id: "x", name: "recall", arguments: {} } as const,
      conversation: "c",
    }
    expect(await tool.run({ handle: "#3" }, context)).toBe("#3 was hidden and cannot be read back.")
    expect(await tool.run({ search: "part-1 line 3" }, context)).toContain("Nothing in the history")
    expect(await tool.run({ handle: "#4.1:1" }, context)).toContain("part-2 line 0")
  })

  it("answers the arguments of a model, whatever they are", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 4)
    for (const given of [{ handle: 4.1 }, { handle: "#4.1", search: null }, "#4.1", '{"handle":"#4.1:1-3"}']) {
      expect((await recall.read(store, "c", given)).text).toContain("part-2 line 0")
    }
    expect(await recall.read(store, "c", null)).toMatchObject({ found: false })
  })

  it("is declared in the words of every format that declares tools", () => {
    const formats = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ai-sdk-model", "ai-sdk-ui"] as const
    for (const format of formats)
      expect(JSON.stringify(declareTools(format, [recall.tool()]))).toContain("Reads back parts of this conversation")
    expect(declareTools("anthropic", [recall.tool()])).toMatchObject({ tools: [{ name: "recall", input_schema: { type: "object" } }] })
    // @ts-expect-error neither a format nor a profile
    expect(() => declareTools("nothing", [recall.tool()])).toThrow("Expected a format that declares tools")
  })

  it("is declared for every profile in the words of its format", () => {
    for (const profile of Object.values(profiles)) {
      expect(declareTools(resolveProfile(profile.name), [recall.tool()])).toEqual(
        declareTools(profile.format as WireFormat, [recall.tool()]),
      )
      expect(declareTools(profile, [recall.tool()])).toEqual(declareTools(profile.format as WireFormat, [recall.tool()]))
    }
    expect(declareTools("bedrock", [recall.tool()])).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: "recall" } }] } })
  })

  it("says what to do where a format declares no tools", () => {
    for (const format of ["xml-text", "sharegpt"] as const) {
      expect(() => declareTools(format, [recall.tool()])).toThrow(
        `got "${format}", which has no place for declarations: put the descriptions of the tools into the prompt`,
      )
    }
  })
})
