import { describe, expect, it } from "vitest"
import { digest, type Strategy, window } from "../../../src/compact/index.ts"
import { refusedPlan } from "../../../src/compact/make-plan.ts"
import { estimateMeter } from "../../../src/compact/meter/index.ts"
import type { SummariserRequest } from "../../../src/compact/summary/index.ts"
import { compactConversation, recallFromStore } from "../../../src/loop/compaction/index.ts"
import { settle } from "../../../src/laws/index.ts"
import { assistant, call, type JsonValue, type MediaBlock, type Message, result, text, thinking, user } from "../../../src/model/index.ts"
import { cover, memoryStore, type NewEntry, type Store } from "../../../src/store/index.ts"
import { expectLawful } from "../../../src/testing/index.ts"
import { failures, goodSummariser, goodSummary, storeTask, taskEntries } from "./long-task.ts"

const settings = { windowTokens: 24_000, timeoutMs: 50, minimumGainTokens: 1_000, reserveTokens: 1_000 }

const viewTokens = async (store: Store, id: string): Promise<number> => {
  const { conversation } = settle((await store.load(id)).transcript, { tip: "open" })
  return conversation.items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)
}

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
    expectLawful(loaded.transcript, { profiles: ["anthropic", "openai-chat"], tip: "open" })
    expect(await viewTokens(store, "c")).toBeLessThan(0.42 * 23_000)
    expect(before).toBeGreaterThan(20_000)
    expect(loaded.entries.filter(({ kind }) => kind === "message" || kind === "result")).toHaveLength(taskEntries(40).length)
    expect(JSON.stringify(loaded.transcript.messages)).toContain("holds no instructions")
    expect(loaded.transcript.messages[0]).toEqual(
      user("Fix the flaky test in src/store/lease.test.ts. Never touch package.json."),
    )
    expect(await recallFromStore(store, "c", { handle: "#3.1:1-2" })).toMatchObject({ found: true })
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
    expectLawful((await store.load("c")).transcript, { profiles: ["anthropic", "openai-chat"], tip: "open" })
    await store.append("c", [{ kind: "message", message: user("And now the other test.") }, ...taskEntries(66).slice(taskEntries(60).length)])
    await compactConversation({ store, id: "c", settings: inChunks, force: true })
    expect((await chunksOf())[0]).toBe(first[0])
  })

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
    const small = { strategy: "digest" as const, requestBytes: 1_000_000 }
    expect(await compactConversation({ store, id: "c", settings: { ...small, requestBytes: 20_000_000 } })).toMatchObject({
      outcome: "unchanged",
      reason: "below-trigger",
    })
    const compacted = await compactConversation({ store, id: "c", settings: small })
    expect(compacted).toMatchObject({ outcome: "compacted" })
    const loaded = await store.load("c")
    expect(JSON.stringify(loaded.transcript.messages).length).toBeLessThan(400_000)
    expect(JSON.stringify(loaded.transcript.messages)).toContain("Look at every page.")
    expectLawful(loaded.transcript, { profiles: ["anthropic", "gemini"], tip: "open" })
    expect(await compactConversation({ store, id: "c", settings: small })).toMatchObject({ outcome: "unchanged" })
  })

  it("does nothing the second time", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser })
    const { tip } = await store.load("c")
    expect(
      await compactConversation({ store, id: "c", settings, summarise: goodSummariser }),
    ).toMatchObject({ outcome: "unchanged" })
    expect((await store.load("c")).tip).toBe(tip)
  })

  it("compacts again when the conversation has grown, beginning where the last summary ended", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const asked: string[] = []
    const summarise = async ({ material, instructions }: { readonly material: string; readonly instructions: string }): Promise<string> => {
      asked.push(`${instructions}\n${material}`)
      return goodSummariser({} as never, {} as never) as Promise<string>
    }
    for (const from of [40, 80, 120]) {
      const result = await compactConversation({ store, id: "c", settings, summarise })
      expect(result).toMatchObject({ outcome: "compacted", strategy: "summary" })
      const loaded = await store.load("c")
      expectLawful(loaded.transcript, { profiles: ["anthropic"], tip: "open" })
      expect(loaded.stale).toEqual([])
      expect(loaded.transcript.messages.filter(({ summary }) => summary === true)).toHaveLength(1)
      await store.append("c", taskEntries(40, from))
    }
    expect(asked).toHaveLength(3)
    expect(asked[0]).toContain("read_file with:")
    expect(asked[0]).toContain("src/part-0.ts")
    expect(asked[1]).toContain("Summary made before, of everything up to #")
    expect(asked[1]).not.toContain("src/part-0.ts")
  })

  it("tells the summariser what stayed verbatim beside the last summary, once it goes out of sight", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 3)
    const asked: string[] = []
    const summarise = async ({ material }: SummariserRequest): Promise<string> => {
      asked.push(material)
      return goodSummary
    }
    /** What it is to summarise, without what it is shown of the messages that stay in view. */
    const happened = (material: string | undefined): string | undefined => material?.slice(material.indexOf("What happened"))
    const wish = "Write the words magenta rule into every commit message from now on."
    const roomy = { ...settings, summaryTokens: 300 }
    const next = async (id: string, words: string, from: number): Promise<void> => {
      await store.append("c", [{ kind: "message", id, message: user(words) }, ...taskEntries(3, from)])
      const options = { store, id: "c", settings: roomy, summarise, force: true, targetTokens: 1_500 }
      expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    }
    await next("wish", wish, 8)
    expect(asked[0]).toContain(`stay in view beside the summary:\n#1 user said:\nFix the flaky test`)
    expect(asked[0]).toContain(wish)
    expect([happened(asked[0])?.includes(wish), (await store.load("c")).sources.includes("wish")]).toEqual([false, true])
    await next("later", `Now look at the docs. ${"And mind the rest of it. ".repeat(20)}`, 16)
    expect([happened(asked[1])?.includes(wish), (await store.load("c")).sources.includes("wish")]).toEqual([true, false])
    expect(asked[1]).not.toContain("src/part-0.ts")
  })

  it("tells the summariser later what had to go to make room for its own summary", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 12)
    const asked: string[] = []
    const summarise = async ({ material }: SummariserRequest): Promise<string> => {
      asked.push(material)
      return goodSummary
    }
    let plans = 0
    // Keeps its fourth item until the summary takes the room.
    const sparing: Strategy = {
      name: "sparing",
      plan: (conversation, limit, context) => {
        const isFirst = plans++ === 0
        return digest().plan(conversation, limit, { ...context, isNamed: (_, index) => isFirst && index === 3 })
      },
    }
    const options = { store, id: "c", settings: { ...settings, keepLast: 0 }, summarise, strategies: [sparing], force: true, targetTokens: 5_000 }
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    const isIn = (material: string | undefined, step: number): boolean => material?.includes(`src/part-${step}.ts`) === true
    expect([isIn(asked[0], 2), isIn(asked[0], 1), (await store.load("c")).sources.includes("a2")]).toEqual([false, true, false])
    await store.append("c", taskEntries(8, 12))
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    expect([isIn(asked[1], 2), isIn(asked[1], 1)]).toEqual([true, false])
  })

  it("leaves out of sight what a person hid while the summariser was thinking", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const secret = assistant(thinking("hm", "signed"), "The password is hunter2.")
    const summarise = async (): Promise<string> => {
      await store.append("c", [{ kind: "message", id: "secret", message: secret }])
      const { entries } = await store.load("c")
      await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "secret")) }])
      return goodSummary
    }
    expect(await compactConversation({ store, id: "c", settings: { ...settings, thinking: "strip" }, summarise })).toMatchObject({ outcome: "compacted" })
    expect(JSON.stringify((await store.load("c")).transcript.messages)).not.toContain("hunter2")
  })

  it("shows nothing of a result that was shortened before a person hid it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const capped = { ...settings, strategy: "digest" as const, trimResultTokens: 100 }
    await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: 12_000 })
    const said = async (): Promise<string> => JSON.stringify((await store.load("c")).transcript.messages)
    expect(await said()).toContain("part-39 line 0")
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "r39a")) }])
    expect(await said()).not.toContain("part-39 line 0")
    await store.append("c", taskEntries(8, 40))
    await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: 12_000 })
    expect(await said()).not.toContain("part-39 line 0")
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
    const choice = { ...settings, windowTokens: 200_000, strategy: "digest" as const, models: { small: { windowTokens: 12_000 } } }
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

  it.each([["one of two results", "r3b"], ["the calls of an exchange", "a3"], ["an answer", "s3"]])("reads back under its handles what is told of an exchange of which a person hid %s", async (_, id) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter((entry) => entry.id === id)) }])
    await compactConversation({ store, id: "c", settings: { ...settings, strategy: "digest" } })
    const { transcript } = await store.load("c")
    const record = transcript.messages.find(({ summary }) => summary)?.blocks[0]
    expect(record?.type).toBe("text")
    const lines = record?.type === "text" ? record.text.split("\n").slice(1) : []
    let handle = ""
    let checked = 0
    for (const line of lines) {
      const heading = /^(#\d+(?:\.\d+)?) \S+ ?(.*)$/.exec(line)
      handle = heading?.[1] ?? handle
      const said = heading ? heading[2] : line
      // What is cut, and what was put where something is hidden, stands nowhere.
      if (said === undefined || said === "" || /…|^\[ligature:|no longer in the history/.test(said)) continue
      const recalled = await recallFromStore(store, "c", { handle: handle.replace(/\.\d+$/, "") })
      expect(recalled.text, `${handle} says ${said}`).toContain(said)
      checked++
    }
    expect(checked).toBeGreaterThan(50)
    const hidden = { r3b: "test-3 line 0", a3: "Looking at part 3.", s3: "Part 3 is done." }[id]
    expect((await recallFromStore(store, "c", { search: hidden ?? "" })).found).toBe(false)
  })

  it("says that it is what travels beside the conversation that leaves no room", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const result = await compactConversation({ store, id: "c", settings, besideTokens: 12_000, force: true })
    expect(result).toMatchObject({ outcome: "refused", detail: expect.stringContaining("What is sent beside the conversation has 12000 of 9200 tokens") })
  })

  it("is not irritated by notes of others under its name", async () => {
    for (const value of [null, "x", 5, { after: "many", untold: 5 }, { after: 5, untold: [null], factor: 0 }]) {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      await store.append("c", [{ kind: "note", name: "compaction", value }])
      expect(await compactConversation({ store, id: "c", settings, summarise: goodSummariser })).toMatchObject({ outcome: "compacted" })
    }
  })

  it("keeps as many first requests as there are where more are asked for", async () => {
    for (const keepFirst of [2, 9]) {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      await compactConversation({ store, id: "c", settings: { ...settings, keepFirst, strategy: "window" } })
      expect((await store.load("c")).sources).toContain("u7")
    }
  })

  it("hides what was shortened by one compaction after the other", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const said = async (): Promise<string> => JSON.stringify((await store.load("c")).transcript.messages)
    for (const trimResultTokens of [200, 80]) {
      const capped = { ...settings, strategy: "digest" as const, trimResultTokens }
      await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: trimResultTokens * 50 })
    }
    expect(await said()).toContain("part-39 line 0")
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "r39a")) }])
    expect(await said()).not.toContain("part-39 line 0")
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

  it("tells the summariser later what there was no room for in its window", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 200)
    const asked: string[] = []
    const summarise = async ({ material, stage }: SummariserRequest): Promise<string> => {
      if (stage !== "merge") asked.push(material)
      return goodSummary
    }
    const options = { store, id: "c", settings: { ...settings, summaryWindowTokens: 4_000 }, summarise, force: true, targetTokens: 6_000 }
    const shownIn = (materials: readonly string[]): ReadonlySet<number> => {
      const handles = materials.flatMap((material) => [...material.matchAll(/^#(\d+) assistant said:/gm)])
      return new Set(handles.map(([, handle]) => Number(handle)))
    }
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    const first = shownIn(asked)
    const parts = asked.length
    expect(first.size).toBeLessThan(150)
    await store.append("c", taskEntries(4, 200))
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    const second = shownIn(asked.slice(parts))
    expect(asked[parts]).toContain("Summary made before")
    expect(second.size).toBeGreaterThan(50)
    // What was told and stayed in sight beside the summary is told again when it goes.
    expect([...second].filter((handle) => first.has(handle)).length).toBeLessThan(3)
  })

  it("brings the originals back when the conversation is rewound", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { transcript, tip } = await store.load("c")
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser })
    await store.moveTip("c", tip)
    expect((await store.load("c")).transcript.messages).toEqual(transcript.messages)
  })

  it.each(Object.entries(failures))("goes on with a valid view when the summariser fails: %s", async (_, { summarise, reason }) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const result = await compactConversation({ store, id: "c", settings, summarise })
    expect(result).toMatchObject({ outcome: "compacted", failed: [{ strategy: "summary", reason }] })
    const loaded = await store.load("c")
    expectLawful(loaded.transcript, { profiles: ["anthropic", "openai-chat", "gemini"], tip: "open" })
    expect(await viewTokens(store, "c")).toBeLessThan(0.42 * 23_000)
    const said = JSON.stringify(loaded.transcript.messages)
    expect(said).not.toContain("IGNORE ALL PREVIOUS")
    expect(said).not.toContain("poem about trees")
    expect(said).not.toContain("503 overloaded")
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
    expectLawful(transcript, { profiles: ["anthropic"], tip: "open" })
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
      await compactConversation({ store, id: "c", settings })
      return goodSummariser({} as never, {} as never) as Promise<string>
    }
    expect(await compactConversation({ store, id: "c", settings, summarise })).toMatchObject({
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
    const result = await compactConversation(
      { store, id: "c", settings: { ...settings, timeoutMs: 60_000 }, summarise, signal: controller.signal },
    )
    expect(result).toMatchObject({ outcome: "refused", reason: "cancelled" })
    expect((await store.load("c")).tip).toBe(tip)
  })

  it("stops asking a summariser that fails each time", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let asked = 0
    const summarise = async (): Promise<string> => {
      asked++
      return ""
    }
    for (let round = 1; round <= 5; round++) {
      expect(
        (await compactConversation(
          { store, id: "c", settings: { ...settings, failureCap: 2, attempts: 1 }, summarise },
        )).outcome,
      ).toBe("compacted")
      await store.append("c", taskEntries(40, round * 40))
    }
    expect(asked).toBe(2)
  })

  it("counts no failure of a summariser whose summary does not fit, and asks it the next time", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let [asked, planned] = [0, 0]
    const summarise = async (): Promise<string> => {
      asked++
      return goodSummary
    }
    const { name, plan } = window()
    // Of three plans the second is the one with the summary in front.
    const tight: Strategy = {
      name,
      plan: (conversation, limit, context) =>
        planned++ % 3 === 1 ? refusedPlan(name, conversation, context.meter, "too tight") : plan(conversation, limit, context),
    }
    const options = { store, id: "c", settings: { ...settings, failureCap: 1 }, summarise, strategies: [tight] }
    for (let round = 1; round <= 3; round++) {
      expect(await compactConversation(options)).toMatchObject({
        strategy: "window",
        failed: [{ strategy: "summary", reason: "refused", detail: "too tight" }],
        statistics: { summary: { requests: 1 } },
      })
      await store.append("c", taskEntries(40, round * 40))
    }
    expect(asked).toBe(3)
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

  it("pays for no summary where any would gain too little", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.reserveTokens
    const greedy = { ...settings, windowTokens, minimumGainShare: 0.9 }
    let asked = 0
    const summarise = async (): Promise<string> => {
      asked++
      return goodSummary
    }
    expect(await compactConversation({ store, id: "c", settings: greedy, summarise })).toMatchObject({
      outcome: "refused",
      failed: expect.arrayContaining([expect.objectContaining({ strategy: "summary", reason: "gain-too-small" })]),
    })
    expect(asked).toBe(0)
  })

  it("asks for a summary where only the longest would gain too little, and there is no more to show beside it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.reserveTokens
    const greedy = { ...settings, windowTokens, minimumGainShare: 0.92 }
    const { name, plan } = window()
    const frugal: Strategy = { name, plan: (conversation, limit, context) => plan(conversation, { ...limit, tokens: 1_600 }, context) }
    expect(
      await compactConversation({ store, id: "c", settings: greedy, strategies: [frugal], summarise: goodSummariser }),
    ).toMatchObject({ outcome: "compacted", strategy: "summary" })
  })

  it("waits for a better summariser until the hard limit when it is told to", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.reserveTokens
    const patient = { ...settings, failMode: "wait", windowTokens } as const
    const summarise = async (): Promise<string> => ""
    const result = await compactConversation({ store, id: "c", settings: patient, summarise })
    expect(result).toMatchObject({ outcome: "refused", reason: "nothing-fits", failed: [{ strategy: "summary", reason: "empty" }] })
    await store.append("c", taskEntries(10, 40))
    expect(await compactConversation({ store, id: "c", settings: patient, summarise })).toMatchObject({ outcome: "compacted" })
  })

  it("counts the failures of a summariser it waits for, and asks no more until the hard limit", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.reserveTokens
    const patient = { ...settings, failMode: "wait", windowTokens, failureCap: 2, attempts: 1 } as const
    let asked = 0
    const summarise = async (): Promise<string> => {
      asked++
      return ""
    }
    const before = await viewTokens(store, "c")
    for (let round = 0; round < 5; round++) {
      const result = await compactConversation({ store, id: "c", settings: patient, summarise })
      expect(result).toMatchObject({ outcome: "refused", reason: "nothing-fits", failed: [{ strategy: "summary" }] })
    }
    expect([asked, await viewTokens(store, "c")]).toEqual([2, before])
    await store.append("c", taskEntries(10, 40))
    expect(await compactConversation({ store, id: "c", settings: patient, summarise })).toMatchObject({ outcome: "compacted" })
    expect(asked).toBe(2)
  })

  it("waits after a compaction until enough was said since, whatever travels beside the conversation", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const shares = { targetShare: 0.75, triggerShare: 0.8, minimumGainShare: 0.25 }
    const near = { ...settings, ...shares, windowTokens: 25_000, expectedRequests: 1_000_000, strategy: "window" } as const
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

  it("lists the names that neither summary nor evidence kept, with handles that lead to them", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const strategies = [window()]
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser, strategies })
    const said = JSON.stringify((await store.load("c")).transcript.messages)
    const [, name = "", handle = ""] = /found by a scan:\\n.*?(src\/part-\d+\.ts) \((#[\d.]+)\)/.exec(said) ?? []
    expect(name).toMatch(/^src\/part-/)
    expect((await recallFromStore(store, "c", { handle })).text).toContain(name)
  })

  it("asks once more for lost names when it is told to", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const complaints: boolean[] = []
    const summarise = async ({ instructions }: SummariserRequest): Promise<string> => {
      complaints.push(instructions.includes("left out these names"))
      return goodSummary
    }
    await compactConversation({ store, id: "c", settings: { ...settings, guard: "retry" }, summarise, strategies: [window()] })
    expect(complaints).toEqual([false, true])
  })

  it.each([
    ["helps", goodSummary, 2],
    ["fails", "", 1],
  ])("counts all that was asked when asking once more %s", async (_, second, answers) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    let inputTokens = 0
    const summarise = async ({ instructions, material }: SummariserRequest): Promise<string> => {
      inputTokens += estimateMeter.count(instructions) + estimateMeter.count(material)
      return instructions.includes("left out these names") ? second : goodSummary
    }
    const retrying = { ...settings, guard: "retry", attempts: 1 } as const
    const result = await compactConversation({ store, id: "c", settings: retrying, summarise, strategies: [window()] })
    const summary = { requests: 2, inputTokens, outputTokens: answers * estimateMeter.count(goodSummary) }
    expect(result).toMatchObject({ strategy: "summary", statistics: { summary } })
  })

  it("counts what was written for answers that were refused, calls included", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const rambling = assistant("Let me look.", call("x", "bash", { command: "cat src/store/lease.ts" }))
    let asked = 0
    const summarise = async (): Promise<string | Message> => (asked++ === 0 ? rambling : goodSummary)
    const result = await compactConversation({ store, id: "c", settings: { ...settings, guard: "off" }, summarise })
    const refused = estimateMeter.count('Let me look.\nbash {"command":"cat src/store/lease.ts"}')
    expect(result).toMatchObject({
      strategy: "summary",
      statistics: { summary: { requests: 2, outputTokens: refused + estimateMeter.count(goodSummary) } },
    })
  })

  it("summarises in parts what is larger than the summariser's window", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 120)
    const stages: string[] = []
    const summarise = async ({ stage }: SummariserRequest): Promise<string> => {
      stages.push(stage)
      return goodSummary
    }
    const result = await compactConversation({ store, id: "c", settings: { ...settings, summaryWindowTokens: 6_000 }, summarise })
    expect(result).toMatchObject({ outcome: "compacted", strategy: "summary" })
    expect(stages.length).toBeGreaterThan(3)
    expect([new Set(stages.slice(0, -1)), stages.at(-1)]).toEqual([new Set(["part"]), "merge"])
  })

  it("asks again about the same part, with the reason", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 120)
    const asked: SummariserRequest[] = []
    const summarise = async (request: SummariserRequest): Promise<string> => {
      asked.push(request)
      return asked.length === 2 ? "" : goodSummary
    }
    await compactConversation({ store, id: "c", settings: { ...settings, summaryWindowTokens: 6_000, guard: "off" }, summarise })
    const [first, refused, again] = asked
    expect(again).toEqual({ ...refused, instructions: `${refused?.instructions}\nYour last answer was empty. Write the summary.` })
    expect(again?.material).not.toBe(first?.material)
  })

  it("leaves hidden entries hidden, and its handles count them", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { entries } = await store.load("c")
    const secret = entries.filter(({ id }) => ["a1", "r1a", "r1b"].includes(id))
    await store.append("c", [{ kind: "hide", covers: cover(secret), reason: "secret" }])
    await compactConversation({ store, id: "c", settings })
    const said = JSON.stringify((await store.load("c")).transcript.messages)
    expect(said).not.toContain("part-1.ts")
    expect(said).toContain("part-2.ts")
    for (const [, handle = "", part = ""] of said.matchAll(/(#\d+(?:\.\d+)?) read_file src\/part-(\d+)\.ts/g)) {
      expect((await recallFromStore(store, "c", { handle })).text).toContain(`src/part-${part}.ts`)
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
