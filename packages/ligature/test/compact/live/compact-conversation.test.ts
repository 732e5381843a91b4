/** Compaction of one stored conversation: what is written, what is refused, and what comes back. */
import { describe, expect, it } from "vitest"
import { choose, digest, type Strategy, window } from "../../../src/compact/index.ts"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { recall } from "../../../src/compact/live/recall.ts"
import { assistant, call, type MediaBlock, result, text, user } from "../../../src/model/index.ts"
import { memoryStore, type NewEntry } from "../../../src/store/index.ts"
import { expectValid } from "../../../src/testing/index.ts"
import { goodSummariser, storeTask, taskEntries, taskSettings as settings, viewTokens } from "./long-task.ts"
import { resolveProfile } from "../../../src/rules/index.ts"

describe("compactConversation", () => {
  it("leaves a small conversation alone", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 2)
    const result = await compactConversation({ store, id: "c", settings })
    expect(result).toMatchObject({ outcome: "unchanged", reason: "below-trigger" })
    expect((await store.load("c")).entries).toHaveLength(taskEntries(2).length)
  })

  it("puts a summary in the place of what it covers, and keeps everything in the store", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const before = await viewTokens(store, "c")
    const result = await compactConversation({ store, id: "c", settings, summarise: goodSummariser })
    expect(result).toMatchObject({ outcome: "compacted", strategy: "summary", failed: [] })
    const loaded = await store.load("c")
    expectValid(loaded.transcript, { profiles: ["anthropic", "openai-chat"], tip: "open" })
    expect(await viewTokens(store, "c")).toBeLessThan(0.42 * 23_000)
    expect(before).toBeGreaterThan(20_000)
    expect(loaded.entries.filter(({ kind }) => kind === "message" || kind === "result")).toHaveLength(taskEntries(40).length)
    expect(JSON.stringify(loaded.transcript.messages)).toContain("holds no instructions")
    expect(loaded.transcript.messages[0]).toEqual(user("Fix the flaky test in src/store/lease.test.ts. Never touch package.json."))
    expect(await recall.read(store, "c", { handle: "#3.1:1-2" })).toMatchObject({ found: true })
  })

  it("writes generations of chunks, and the first ones stay when the conversation grows", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 60)
    const inChunks = { ...settings, strategy: "generations" as const }
    const chunksOf = async (): Promise<readonly string[]> =>
      (await store.load("c")).transcript.messages.flatMap((message) =>
        message.summary ? message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])) : [],
      )
    expect(await compactConversation({ store, id: "c", settings: inChunks, force: true })).toMatchObject({ strategy: "generations" })
    const first = await chunksOf()
    expect(first.length).toBeGreaterThan(1)
    expectValid((await store.load("c")).transcript, { profiles: ["anthropic", "openai-chat"], tip: "open" })
    await store.append("c", [
      { kind: "message", message: user("And now the other test.") },
      ...taskEntries(66).slice(taskEntries(60).length),
    ])
    await compactConversation({ store, id: "c", settings: inChunks, force: true })
    expect((await chunksOf())[0]).toBe(first[0])
  })

  it("takes old pictures out of sight when the body of a request grows too large, few tokens as they are", async () => {
    const store = memoryStore()
    await store.create({ id: "c" })
    const source = { type: "base64", data: "iVBO".repeat(12_500) } as const
    const picture: MediaBlock = { type: "media", kind: "image", mediaType: "image/png", source }
    const shots = Array.from({ length: 30 }, (_, step): readonly NewEntry[] => [
      { kind: "message", message: assistant(call(`c${step}`, "screenshot", { page: step })) },
      { kind: "result", result: result(`c${step}`, "", { content: [text(`page ${step}`), picture] }) },
    ])
    await store.append("c", [{ kind: "message", message: user("Look at every page.") }, ...shots.flat()])
    const small = { strategy: "digest" as const, window: { requestBytes: 1_000_000 } }
    expect(await compactConversation({ store, id: "c", settings: { ...small, window: { requestBytes: 20_000_000 } } })).toMatchObject({
      outcome: "unchanged",
      reason: "below-trigger",
    })
    const compacted = await compactConversation({ store, id: "c", settings: small })
    expect(compacted).toMatchObject({ outcome: "compacted" })
    const loaded = await store.load("c")
    expect(JSON.stringify(loaded.transcript.messages).length).toBeLessThan(400_000)
    expect(JSON.stringify(loaded.transcript.messages)).toContain("Look at every page.")
    expectValid(loaded.transcript, { profiles: ["anthropic", "gemini"], tip: "open" })
    expect(await compactConversation({ store, id: "c", settings: small })).toMatchObject({ outcome: "unchanged" })
  })

  it.each([
    ["anthropic", "window"],
    [undefined, "digest"],
  ])("tells a choice of strategies the provider: %s", async (profile, strategy) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const heard: (string | undefined)[] = []
    const choice = choose((spokenTo) => {
      heard.push(spokenTo?.name)
      return spokenTo ? window() : digest()
    })
    const options = { store, id: "c", settings, strategies: [choice], ...(profile !== undefined && { profile: resolveProfile(profile) }) }
    expect(await compactConversation(options)).toMatchObject({ outcome: "compacted", strategy })
    expect(new Set(heard)).toEqual(new Set([profile]))
  })

  it("does nothing the second time", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser })
    const { tip } = await store.load("c")
    expect(await compactConversation({ store, id: "c", settings, summarise: goodSummariser })).toMatchObject({ outcome: "unchanged" })
    expect((await store.load("c")).tip).toBe(tip)
  })

  it("says that it is what travels beside the conversation that leaves no room", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const result = await compactConversation({ store, id: "c", settings, besideTokens: 23_000, force: true })
    const why = "What is sent beside the conversation has 23000 tokens and leaves no room for it"
    expect(result).toMatchObject({ outcome: "refused", detail: expect.stringContaining(why) as string })
  })

  it("shares what a large system prompt leaves of the window", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const result = await compactConversation({ store, id: "c", settings, besideTokens: 12_000 })
    expect(result).toMatchObject({ outcome: "compacted" })
    const left = settings.window.tokens - settings.window.reserveTokens - 12_000
    expect(await viewTokens(store, "c")).toBeLessThanOrEqual(0.4 * left)
  })

  it("keeps as many first requests as there are where more are asked for", async () => {
    for (const keepFirst of [2, 9]) {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      await compactConversation({ store, id: "c", settings: { ...settings, keep: { first: keepFirst }, strategy: "window" } })
      expect((await store.load("c")).sources).toContain("u7")
    }
  })

  it("brings the originals back when the conversation is rewound", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { transcript, tip } = await store.load("c")
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser })
    await store.moveTip("c", tip)
    expect((await store.load("c")).transcript.messages).toEqual(transcript.messages)
  })

  it("keeps what was appended while the summariser was thinking", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const summarise = async (): Promise<string> => {
      await store.append("c", taskEntries(1, 40))
      return goodSummariser({} as never, {} as never) as Promise<string>
    }
    const result = await compactConversation({ store, id: "c", settings, summarise })
    expect(result.outcome).toBe("compacted")
    const { transcript, sources } = await store.load("c")
    expect(sources.slice(-3)).toEqual(["a40", "r40a", "r40b"])
    expectValid(transcript, { profiles: ["anthropic"], tip: "open" })
  })

  it("is refused when the conversation was rewound meanwhile", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const summarise = async (): Promise<string> => {
      await store.moveTip("c", "a3")
      await store.append("c", [{ kind: "message", message: user("something else") }])
      return goodSummariser({} as never, {} as never) as Promise<string>
    }
    const result = await compactConversation({ store, id: "c", settings, summarise })
    expect(result).toMatchObject({ outcome: "refused", reason: "path-changed" })
    expect((await store.load("c")).entries.map(({ kind }) => kind)).not.toContain("summary")
  })

  it("is refused when somebody else compacted meanwhile", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const summarise = async (): Promise<string> => {
      // Somebody whose lease ran out and who has not noticed yet.
      await compactConversation({ store, id: "c", settings, assertLease: async () => undefined })
      return goodSummariser({} as never, {} as never) as Promise<string>
    }
    // The one in between takes longer than a summariser may under these settings.
    const patient = { ...settings, summary: { ...settings.summary, timeoutMs: 60_000 } }
    expect(await compactConversation({ store, id: "c", settings: patient, summarise })).toMatchObject({
      outcome: "refused",
      reason: "compacted-elsewhere",
    })
  })

  it("is refused while another holds the write lease, and names the holder", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    await store.acquire("c", { owner: "the agent", durationMs: 60_000 })
    const result = await compactConversation({ store, id: "c", settings })
    expect(result).toMatchObject({ outcome: "refused", reason: "held" })
    expect(result.outcome === "refused" && result.detail).toContain("the agent")
  })

  it("can be cancelled, and then nothing is written", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const controller = new AbortController()
    const summarise = (): Promise<string> => {
      controller.abort()
      return new Promise(() => undefined)
    }
    const { tip } = await store.load("c")
    const result = await compactConversation({
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, timeoutMs: 60_000 } },
      summarise,
      signal: controller.signal,
    })
    expect(result).toMatchObject({ outcome: "refused", reason: "cancelled" })
    expect((await store.load("c")).tip).toBe(tip)
  })

  it.each([1, 2])("goes on at the next strategy when one throws at plan %i, with a summariser too", async (fatal) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let planned = 0
    const { plan } = window()
    const broken: Strategy = {
      name: "broken",
      plan: (...given) => {
        if (++planned === fatal) throw new Error("out of order")
        return plan(...given)
      },
    }
    const strategies = [broken, window()]
    expect(await compactConversation({ store, id: "c", settings, summarise: goodSummariser, strategies })).toMatchObject({
      outcome: "compacted",
      strategy: "summary",
      failed: [{ strategy: "summary", reason: "refused", detail: "out of order" }],
    })
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "4000"])("refuses %s as a number of tokens", async (tokens) => {
    const store = memoryStore()
    await storeTask(store, "c", 2)
    for (const name of ["targetTokens", "besideTokens"]) {
      await expect(compactConversation({ store, id: "c", settings, force: true, [name]: tokens })).rejects.toMatchObject({
        code: "bad-option",
        message: expect.stringContaining(`as ${name}, got ${typeof tokens === "string" ? `"${tokens}"` : tokens}`),
      })
    }
  })

  it("keeps what is named, and writes nothing when nothing fits", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { tip } = await store.load("c")
    expect(await compactConversation({ store, id: "c", settings, force: true, targetTokens: 3 })).toMatchObject({
      outcome: "refused",
      reason: "nothing-fits",
    })
    expect((await store.load("c")).tip).toBe(tip)
    const protect = { items: (_: unknown, index: number) => index === 5 }
    await compactConversation({ store, id: "c", settings, protect })
    expect((await store.load("c")).sources).toEqual(expect.arrayContaining(["a4", "r4a", "r4b"]))
  })
})
