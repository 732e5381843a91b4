/** What a summariser is told, when it is asked and paid for, and what becomes of one that fails. */
import { describe, expect, it } from "vitest"
import { digest, type Strategy, window } from "../../../src/compact/index.ts"
import { refusedPlan } from "../../../src/compact/plan/make-plan.ts"
import { estimateMeter } from "../../../src/compact/meter/meter.ts"
import type { SummariserRequest } from "../../../src/compact/summary/request.ts"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { recall } from "../../../src/compact/live/recall.ts"
import type { Summarise } from "../../../src/compact/live/summary/ask-model.ts"
import { assistant, call, type Message, user } from "../../../src/model/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { expectValid } from "../../../src/testing/index.ts"
import { failures, goodSummariser, goodSummary, storeTask, taskEntries, taskSettings as settings, viewTokens } from "./long-task.ts"

/** A good summariser, and what it was asked, as far as `heard` keeps it. */
const listening = (heard: (request: SummariserRequest) => string | undefined): { asked: string[]; summarise: Summarise } => {
  const asked: string[] = []
  const summarise: Summarise = async (request) => {
    const words = heard(request)
    if (words !== undefined) asked.push(words)
    return goodSummary
  }
  return { asked, summarise }
}

describe("compactConversation", () => {
  it("compacts again when the conversation has grown, beginning where the last summary ended", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { asked, summarise } = listening(({ material, instructions }) => `${instructions}\n${material}`)
    for (const from of [40, 80, 120]) {
      const result = await compactConversation({ store, id: "c", settings, summarise })
      expect(result).toMatchObject({ outcome: "compacted", strategy: "summary" })
      const loaded = await store.load("c")
      expectValid(loaded.transcript, { profiles: ["anthropic"], tip: "open" })
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

  it("tells no summariser again what the last summary has told, also where it stayed in view", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { asked, summarise } = listening(({ material }) => material)
    for (const from of [40, 80, 120]) {
      expect(await compactConversation({ store, id: "c", settings, summarise })).toMatchObject({ strategy: "summary" })
      await store.append("c", taskEntries(40, from))
    }
    /** Handles of what each was told to summarise, and up to where the summary before is said to go. */
    const fed = asked.map((material) => {
      const happened = material.slice(material.indexOf("What happened"))
      return new Set([...happened.matchAll(/^#(\d+)/gm)].map(([, handle]) => Number(handle)))
    })
    const [, second = new Set<number>(), third = new Set<number>()] = fed
    expect(Math.min(fed[0]?.size ?? 0, second.size, third.size)).toBeGreaterThan(10)
    const saidUpTo = asked.map((material) => Number(/everything up to #(\d+)/.exec(material)?.[1]))
    expect(Math.min(...second)).toBeGreaterThan(saidUpTo[1] as number)
    expect(Math.min(...third)).toBeGreaterThan(saidUpTo[2] as number)
    expect([...second].filter((handle) => fed[0]?.has(handle))).toEqual([])
    expect([...third].filter((handle) => second.has(handle))).toEqual([])
  })

  it("tells the summariser what stayed verbatim beside the last summary, once it goes out of sight", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 3)
    const { asked, summarise } = listening(({ material }) => material)
    /** What it is to summarise, without what it is shown of the messages that stay in view. */
    const happened = (material: string | undefined): string | undefined => material?.slice(material.indexOf("What happened"))
    const wish = "Write the words magenta rule into every commit message from now on."
    const roomy = { ...settings, summary: { ...settings.summary, maxTokens: 300 } }
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
    const { asked, summarise } = listening(({ material }) => material)
    let plans = 0
    // Keeps its fourth item until the summary takes the room.
    const sparing: Strategy = {
      name: "sparing",
      plan: (conversation, limit, context) => {
        const isFirst = plans++ === 0
        return digest().plan(conversation, limit, { ...context, isNamed: (_, index) => isFirst && index === 3 })
      },
    }
    const options = {
      store,
      id: "c",
      settings: { ...settings, keep: { last: 0 } },
      summarise,
      strategies: [sparing],
      force: true,
      targetTokens: 5_000,
    }
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    const isIn = (material: string | undefined, step: number): boolean => material?.includes(`src/part-${step}.ts`) === true
    expect([isIn(asked[0], 2), isIn(asked[0], 1), (await store.load("c")).sources.includes("a2")]).toEqual([false, true, false])
    await store.append("c", taskEntries(8, 12))
    expect(await compactConversation(options)).toMatchObject({ strategy: "summary" })
    expect([isIn(asked[1], 2), isIn(asked[1], 1)]).toEqual([true, false])
  })

  it("tells the summariser later what there was no room for in its window", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 200)
    const { asked, summarise } = listening(({ material, stage }) => (stage === "merge" ? undefined : material))
    const options = {
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, windowTokens: 4_000 } },
      summarise,
      force: true,
      targetTokens: 6_000,
    }
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

  it.each(Object.entries(failures))("goes on with a valid view when the summariser fails: %s", async (_, { summarise, reason }) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const result = await compactConversation({ store, id: "c", settings, summarise })
    expect(result).toMatchObject({ outcome: "compacted", failed: [{ strategy: "summary", reason }] })
    const loaded = await store.load("c")
    expectValid(loaded.transcript, { profiles: ["anthropic", "openai-chat", "gemini"], tip: "open" })
    expect(await viewTokens(store, "c")).toBeLessThan(0.42 * 23_000)
    const said = JSON.stringify(loaded.transcript.messages)
    expect(said).not.toContain("IGNORE ALL PREVIOUS")
    expect(said).not.toContain("poem about trees")
    expect(said).not.toContain("503 overloaded")
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
        (
          await compactConversation({
            store,
            id: "c",
            settings: { ...settings, summary: { ...settings.summary, maxFailures: 2, attempts: 1 } },
            summarise,
          })
        ).outcome,
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
    const options = {
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, maxFailures: 1 } },
      summarise,
      strategies: [tight],
    }
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

  it("pays for no summary where any would gain too little", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.window.reserveTokens
    const greedy = { ...settings, window: { ...settings.window, tokens: windowTokens }, gain: { ...settings.gain, share: 0.9 } }
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

  it("pays for no summary that would pay back later than requests are expected, and goes on with the digest", async () => {
    const { asked, summarise } = listening(({ stage }) => stage)
    const compactWith = async (expectedRequests?: number) => {
      const store = memoryStore()
      await storeTask(store, "c", 40)
      const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.window.reserveTokens
      const given = {
        ...settings,
        window: { ...settings.window, tokens: windowTokens },
        ...(expectedRequests !== undefined && { gain: { ...settings.gain, requests: expectedRequests } }),
      }
      return compactConversation({ store, id: "c", settings: given, summarise })
    }
    // Without a summariser, the way from trigger to target pays after about twelve requests.
    const failed = [{ strategy: "summary", reason: "does-not-pay", detail: expect.stringContaining("Not asked") }]
    expect(await compactWith(20)).toMatchObject({
      outcome: "compacted",
      strategy: "digest",
      failed,
      statistics: { summary: { requests: 0 } },
    })
    expect(asked).toEqual([])
    const usual = await compactWith()
    expect(usual).toMatchObject({ outcome: "compacted", strategy: "summary", failed: [] })
    expect(usual.outcome === "compacted" && usual.statistics.cost.requests).toBeGreaterThan(20)
    expect(usual.outcome === "compacted" && usual.statistics.cost.requests).toBeLessThan(50)
  })

  it("asks whatever it costs at the hard limit", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const options = { store, id: "c", settings: { ...settings, gain: { ...settings.gain, requests: 0 } }, summarise: goodSummariser }
    expect(await compactConversation(options)).toMatchObject({ outcome: "compacted", strategy: "summary" })
  })

  it.each([
    ["a poem", async () => "Sure! Here is a poem about trees.", "uncited"],
    ["a copy of the record", async ({ material }: SummariserRequest) => material.split("\n").slice(1, 40).join("\n"), "echo"],
  ])("takes %s for no summary, brief as it may be", async (_, summarise, reason) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const brief = { ...settings, summary: { ...settings.summary, style: "brief" } } as const
    const result = await compactConversation({ store, id: "c", settings: brief, summarise })
    expect(result).toMatchObject({ outcome: "compacted", strategy: "digest", failed: [{ strategy: "summary", reason }] })
    const said = async () => "The agent read the parts and ran their tests (#2-#9); the flaky test is not found yet."
    const other = memoryStore()
    await storeTask(other, "c", 40)
    expect(await compactConversation({ store: other, id: "c", settings: brief, summarise: said })).toMatchObject({ strategy: "summary" })
  })

  it("asks for a summary where only the longest would gain too little, and there is no more to show beside it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.window.reserveTokens
    const greedy = { ...settings, window: { ...settings.window, tokens: windowTokens }, gain: { ...settings.gain, share: 0.92 } }
    const { name, plan } = window()
    const frugal: Strategy = { name, plan: (conversation, limit, context) => plan(conversation, { ...limit, tokens: 1_600 }, context) }
    expect(await compactConversation({ store, id: "c", settings: greedy, strategies: [frugal], summarise: goodSummariser })).toMatchObject({
      outcome: "compacted",
      strategy: "summary",
    })
  })

  it("waits for a better summariser until the hard limit when it is told to", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.window.reserveTokens
    const patient = {
      ...settings,
      summary: { ...settings.summary, onFailure: "wait" },
      window: { ...settings.window, tokens: windowTokens },
    } as const
    const summarise = async (): Promise<string> => ""
    const result = await compactConversation({ store, id: "c", settings: patient, summarise })
    expect(result).toMatchObject({ outcome: "refused", reason: "nothing-fits", failed: [{ strategy: "summary", reason: "empty" }] })
    await store.append("c", taskEntries(10, 40))
    expect(await compactConversation({ store, id: "c", settings: patient, summarise })).toMatchObject({ outcome: "compacted" })
  })

  it("counts the failures of a summariser it waits for, and asks no more until the hard limit", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const windowTokens = Math.round((await viewTokens(store, "c")) / 0.85) + settings.window.reserveTokens
    const patient = {
      ...settings,
      summary: { ...settings.summary, onFailure: "wait", maxFailures: 2, attempts: 1 },
      window: { ...settings.window, tokens: windowTokens },
    } as const
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

  it("lists the names that neither summary nor evidence kept, with handles that lead to them", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const strategies = [window()]
    await compactConversation({ store, id: "c", settings, summarise: goodSummariser, strategies })
    const said = JSON.stringify((await store.load("c")).transcript.messages)
    const [, name = "", handle = ""] = /found by a scan:\\n.*?(src\/part-\d+\.ts) \((#[\d.]+)\)/.exec(said) ?? []
    expect(name).toMatch(/^src\/part-/)
    expect((await recall.read(store, "c", { handle })).text).toContain(name)
  })

  it("asks once more for lost names when it is told to", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const complaints: boolean[] = []
    const summarise = async ({ instructions }: SummariserRequest): Promise<string> => {
      complaints.push(instructions.includes("left out these names"))
      return goodSummary
    }
    await compactConversation({
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, names: "retry" } },
      summarise,
      strategies: [window()],
    })
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
    const retrying = { ...settings, summary: { ...settings.summary, names: "retry", attempts: 1 } } as const
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
    const result = await compactConversation({
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, names: "off" } },
      summarise,
    })
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
    const result = await compactConversation({
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, windowTokens: 6_000 } },
      summarise,
    })
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
    await compactConversation({
      store,
      id: "c",
      settings: { ...settings, summary: { ...settings.summary, windowTokens: 6_000, names: "off" } },
      summarise,
    })
    const [first, refused, again] = asked
    expect(again).toEqual({ ...refused, instructions: `${refused?.instructions}\nYour last answer was empty. Write the summary.` })
    expect(again?.material).not.toBe(first?.material)
  })
})
