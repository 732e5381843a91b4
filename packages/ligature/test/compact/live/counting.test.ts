/** How large a stored conversation is, by whose count, and what earlier compactions noted about it. */
import { describe, expect, it } from "vitest"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { type JsonValue, thinking } from "../../../src/model/index.ts"
import { memoryStore, type NewEntry, type Store } from "../../../src/store/index.ts"
import { goodSummariser, storeTask, taskEntries, taskSettings as settings, viewTokens } from "./long-task.ts"

describe("compactConversation", () => {
  it("counts as the provider of the conversation does, by what it reported last", async () => {
    const [store, reported] = [memoryStore(), memoryStore()]
    await storeTask(store, "c", 40)
    await storeTask(reported, "c", 40)
    const inputTokens = Math.round(1.5 * (await viewTokens(store, "c")))
    await reported.append("c", [{ kind: "note", name: "iteration", value: { stop: "calls", usage: { inputTokens } } }])
    const options = { id: "c", settings: { ...settings, strategy: "window" as const }, force: true }
    await compactConversation({ store, ...options })
    await compactConversation({ store: reported, ...options })
    const target = 0.4 * 23_000
    expect(await viewTokens(store, "c")).toBeGreaterThan(0.85 * target)
    expect(await viewTokens(reported, "c")).toBeLessThan(target / 1.4)
    expect(await viewTokens(reported, "c")).toBeGreaterThan((0.85 * target) / 1.6)
  })

  it("takes the model from what was noted last: its settings, and whether it binds thinking", async () => {
    const noted = async (value: Record<string, JsonValue>): Promise<Store> => {
      const store = memoryStore()
      await store.create({ id: "c" })
      const steps = taskEntries(20).map((entry): NewEntry => {
        if (entry.kind !== "message" || entry.message.role !== "assistant") return entry
        return { ...entry, message: { ...entry.message, blocks: [thinking("hm", "signed"), ...entry.message.blocks] } }
      })
      await store.append("c", [...steps, { kind: "note", name: "iteration", value }])
      return store
    }
    const choice = {
      ...settings,
      window: { ...settings.window, tokens: 200_000 },
      strategy: "digest" as const,
      models: { small: { window: { tokens: 12_000 } } },
    }
    const signed = async (store: Store): Promise<boolean> => JSON.stringify((await store.load("c")).transcript.messages).includes("signed")
    const other = await noted({ model: "large-1" })
    expect(await compactConversation({ store: other, id: "c", settings: choice })).toMatchObject({ outcome: "unchanged" })
    const small = await noted({ model: "small-1" })
    expect(await compactConversation({ store: small, id: "c", settings: choice })).toMatchObject({ outcome: "compacted" })
    expect(await signed(small)).toBe(true)
    const bound = await noted({ model: "small-1", boundThinking: true })
    await compactConversation({ store: bound, id: "c", settings: choice })
    expect(await signed(bound)).toBe(false)
    const told = await noted({ model: "small-1" })
    await compactConversation({ store: told, id: "c", settings: choice, profile: "anthropic-preserved" })
    expect(await signed(told)).toBe(false)
  })

  it("is not irritated by notes of others under its name", async () => {
    for (const value of [null, "x", 5, { after: "many", untold: 5 }, { after: 5, untold: [null], factor: 0 }]) {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      await store.append("c", [{ kind: "note", name: "compaction", value }])
      expect(await compactConversation({ store, id: "c", settings, summarise: goodSummariser })).toMatchObject({ outcome: "compacted" })
    }
  })

  it("fits the second time what fitted the first, however the provider counts", async () => {
    for (const share of [0.7, 1.7]) {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      const inputTokens = Math.round(share * (await viewTokens(store, "c")))
      await store.append("c", [{ kind: "note", name: "iteration", value: { stop: "calls", usage: { inputTokens } } }])
      const options = { store, id: "c", settings: { ...settings, strategy: "digest" as const }, force: true }
      expect(await compactConversation(options)).toMatchObject({ outcome: "compacted" })
      expect(await compactConversation(options)).toMatchObject({ outcome: "unchanged", reason: "fits" })
      await store.append("c", [{ kind: "note", name: "of my own", value: null }])
      expect(await compactConversation(options)).toMatchObject({ outcome: "unchanged", reason: "fits" })
    }
  })

  it("waits after a compaction until enough was said since, whatever travels beside the conversation", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const shares = { target: { share: 0.75 }, trigger: { share: 0.8 }, gain: { share: 0.25 } }
    const near = {
      ...settings,
      ...shares,
      window: { ...settings.window, tokens: 25_000 },
      gain: { ...settings.gain, ...shares.gain, requests: 1_000_000 },
      strategy: "window",
    } as const
    const options = { store, id: "c", settings: near, besideTokens: 10_000 }
    expect(await compactConversation(options)).toMatchObject({ outcome: "compacted" })
    const said: string[] = []
    for (let step = 40; said.at(-1) !== "compacted" && step < 60; step++) {
      await store.append("c", taskEntries(1, step))
      const result = await compactConversation(options)
      said.push(result.outcome === "unchanged" ? result.reason : result.outcome)
    }
    expect([...new Set(said)]).toEqual(["below-trigger", "too-soon", "compacted"])
  })
})
