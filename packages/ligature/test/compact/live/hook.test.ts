/** An agent that runs into its window again and again, over a strict fake provider: no request is ever refused. */
import { describe, expect, it } from "vitest"
import { compactor as newCompactor, estimateMeter, recall } from "../../../src/compact/index.ts"
import { settle } from "../../../src/rules/index.ts"
import type { HookOptions } from "../../../src/compact/live/hook.ts"
import type { CompactionEvent } from "../../../src/compact/live/stored/notes.ts"
import type { Tool } from "../../../src/agent/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import type { FakeRequest } from "../../../src/testing/index.ts"
import { apis, startAgent } from "../../agent/run/agent.ts"
import { failures, goodSummariser, goodSummary, hookWith, storeTask } from "./long-task.ts"

const settings = { window: { tokens: 6_000, reserveTokens: 500 }, summary: { timeoutMs: 30, maxTokens: 200 }, gain: { tokens: 200 } }

const read: Tool = {
  name: "read",
  description: "Reads a part.",
  run: (given) => Array.from({ length: 40 }, (_, at) => `part ${String(given["part"])} line ${at}: value_${at * 3}`).join("\n"),
}

/** Reads one part after the other, then answers. */
const reader = (parts: number, more: object = {}): ((request: FakeRequest) => object) => {
  let part = 0
  return () =>
    part < parts
      ? {
          calls: [{ name: "read", arguments: { part: part++ } }],
          ...more,
        }
      : { text: "All read." }
}

const compactions = (events: readonly CompactionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "compaction-end" && event.result.outcome === "compacted" ? [event.result.strategy] : []))

const wide = { window: { tokens: 40_000, reserveTokens: 500 }, gain: { tokens: 200 } }
const [overTheTrigger, overTheLimit] = [33_000, 38_000]

/** Requests of an agent with a hook in the background: what is appended before one that has this many tokens. */
const requestsTo = async (options: HookOptions): Promise<(inputTokens: number) => Promise<readonly string[]>> => {
  const store = memoryStore()
  await storeTask(store, "c", 30)
  const compact = hookWith({ ...options, background: true })
  return async (inputTokens) => {
    const loaded = await store.load("c")
    const kinds: string[] = []
    await compact(loaded, {
      conversation: settle(loaded.transcript, { tip: "open" }).conversation,
      usage: { inputTokens },
      reason: "between",
      beside: {},
      store,
      signal: new AbortController().signal,
      append: async (entries) => {
        kinds.push(...entries.map(({ kind }) => kind))
        return (await store.append("c", entries)).ids
      },
      current: () => loaded,
      lease: () => {
        throw new Error("The hook appends through the run")
      },
    })
    // What was begun without a model comes to its end.
    await new Promise((resolve) => setTimeout(resolve, 0))
    return kinds
  }
}

describe.each(apis)("%s", (api) => {
  it("goes on through several compactions", async () => {
    const events: CompactionEvent[] = []
    const agent = await startAgent(api, { script: reader(30) as never, tools: [read] })
    const compact = hookWith({
      settings,
      summarise: goodSummariser,
      model: agent.model,
      onEvent: (event) => events.push(event),
    })
    const result = await agent.run({ prompt: "Read all parts.", compact })
    expect([result.stop, result.text]).toEqual(["done", "All read."])
    expect(compactions(events).length).toBeGreaterThan(1)
    expect(new Set(compactions(events))).toEqual(new Set(["summary"]))
    const sizes = agent.provider.requests.map(({ body }) => JSON.stringify(body).length)
    expect(Math.max(...sizes)).toBeLessThan(6_000 * 5)
    expect((await agent.load()).entries.filter(({ kind }) => kind === "result")).toHaveLength(30)
  })
})

describe("the hook", () => {
  it("refuses settings that can never work when it is made", () => {
    expect(() => hookWith({ settings: { window: { tokens: -5 } } })).toThrow("window.tokens")
    expect(() => hookWith({ settings: { windowToken: 6000 } as never })).toThrow("Unknown setting windowToken")
    expect(() => newCompactor({ store: memoryStore(), settings: { window: { tokens: -1 } } })).toThrow("window.tokens")
    for (const wrong of [{ pollMs: -1 }, { leaseMs: -5 }, { heldWaitMs: Number.NaN }]) {
      expect(() => newCompactor({ store: memoryStore(), ...wrong })).toThrow(Object.keys(wrong)[0])
    }
  })

  it("compacts whatever a listener does with its events", async () => {
    const agent = await startAgent("anthropic", { script: reader(20) as never, tools: [read] })
    const onEvent = (): never => {
      throw new Error("a listener that throws")
    }
    expect((await agent.run({ prompt: "Read all parts.", compact: hookWith({ settings, onEvent }) })).stop).toBe("done")
    expect((await agent.load()).entries.some(({ kind }) => kind === "summary")).toBe(true)
  })

  it("shortens new results before any request holds them, and the store keeps them whole", async () => {
    const events: CompactionEvent[] = []
    const large: Tool = {
      name: "read",
      description: "Reads a part.",
      run: (given) => Array.from({ length: 400 }, (_, at) => `part ${String(given["part"])} line ${at}: value_${at * 3}`).join("\n"),
    }
    const store = memoryStore()
    const agent = await startAgent("anthropic", { script: reader(20) as never, tools: [large, recall.tool(store)], store })
    const compact = hookWith({
      settings: { ...settings, strategy: "digest", results: { maxTokens: 300 } },
      model: agent.model,
      onEvent: (event) => events.push(event),
    })
    const result = await agent.run({ prompt: "Read all parts.", compact })
    expect([result.stop, result.text]).toEqual(["done", "All read."])
    for (const { body } of agent.provider.requests) {
      const text = JSON.stringify(body)
      expect(text).not.toContain("line 200: ")
      expect(text.length).toBeLessThan(6_000 * 5)
    }
    const [first] = agent.provider.requests.slice(1)
    expect(JSON.stringify(first?.body)).toMatch(/lines \d+-\d+ left out, recall #2\.1:\d+-\d+/)
    expect(compactions(events).length).toBeGreaterThan(0)
    const trims = events.flatMap((event) => (event.type === "results-trimmed" ? event.elided : []))
    expect(trims).toHaveLength(20)
    expect(trims[0]).toMatchObject({ handle: "#2.1" })
    const { entries } = await agent.load()
    const whole = entries.filter((entry) => entry.kind === "result" && JSON.stringify(entry.result).includes("line 200: "))
    expect(whole).toHaveLength(20)
  })

  it.each(Object.entries(failures))("keeps the agent going when the summariser fails: %s", async (_, { summarise }) => {
    const events: CompactionEvent[] = []
    const agent = await startAgent("anthropic", { script: reader(20) as never, tools: [read] })
    const compact = hookWith({ settings, summarise, onEvent: (event) => events.push(event) })
    const result = await agent.run({ prompt: "Read all parts.", compact })
    expect([result.stop, result.text]).toEqual(["done", "All read."])
    expect(compactions(events).length).toBeGreaterThan(0)
    expect(compactions(events)).not.toContain("summary")
  })

  it.each(["summary", "mask"] as const)(
    "strips thinking that its provider binds to what was compacted by %s, and what is thought later stays",
    async (strategy) => {
      const events: CompactionEvent[] = []
      const agent = await startAgent("anthropic", { script: reader(24, { thinking: "hm" }) as never, tools: [read], bindThinking: true })
      const model = { ...agent.model, profile: "anthropic-preserved" as const }
      const compact = hookWith({
        settings: { ...settings, strategy },
        summarise: goodSummariser,
        model,
        onEvent: (event) => events.push(event),
      })
      const result = await agent.run({ prompt: "Read all parts.", compact, model })
      expect([result.stop, result.text]).toEqual(["done", "All read."])
      expect(compactions(events).length).toBeGreaterThan(1)
    },
  )

  it("strips what was thought while a compaction was prepared in the background", async () => {
    const agent = await startAgent("anthropic", { script: reader(24, { thinking: "hm" }) as never, tools: [read], bindThinking: true })
    const events: CompactionEvent[] = []
    const model = { ...agent.model, profile: "anthropic-preserved" as const }
    let whileThinking = 0
    const summarise = async (): Promise<string> => {
      const before = agent.provider.requests.length
      for (let tries = 0; tries < 200 && agent.provider.requests.length < before + 2; tries++)
        await new Promise((resolve) => setTimeout(resolve, 2))
      whileThinking += agent.provider.requests.length - before
      return goodSummary
    }
    const compact = hookWith({
      settings: {
        ...settings,
        summary: { ...settings.summary, timeoutMs: 5_000 },
        trigger: { share: 0.5 },
        gain: { ...settings.gain, requests: 1_000 },
      },
      summarise,
      model,
      background: true,
      onEvent: (event) => events.push(event),
    })
    const result = await agent.run({ prompt: "Read all parts.", compact, model })
    expect([result.stop, result.text]).toEqual(["done", "All read."])
    expect(compactions(events)).toContain("summary")
    expect(whileThinking).toBeGreaterThan(0)
  })

  it("looks again at the limit after what was prepared in the background: too much may have been said since", async () => {
    const sizes: number[] = []
    let release: (() => void) | undefined
    const summarise = (): Promise<string> => new Promise((resolve) => (release = () => resolve(goodSummary)))
    const growing: Tool = {
      name: "read",
      description: "Reads a part.",
      run: (given) => {
        const go = release
        if (go === undefined) return read.run(given, {} as never)
        release = undefined
        setTimeout(go, 5)
        return Array.from({ length: 700 }, (_, at) => `large line ${at}: value_${at * 3}`).join("\n")
      },
    }
    const agent = await startAgent("anthropic", { script: reader(24) as never, tools: [growing] })
    const hook = hookWith({
      settings: { ...settings, summary: { ...settings.summary, timeoutMs: 250 } },
      summarise,
      model: agent.model,
      background: true,
    })
    const compact: typeof hook = async (loaded, context) => {
      await hook(loaded, context)
      const { items } = settle(context.current().transcript, { tip: "open" }).conversation
      sizes.push(items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0))
    }
    expect((await agent.run({ prompt: "Read all parts.", compact })).stop).toBe("done")
    expect(Math.max(...sizes)).toBeLessThan(5_500)
  })

  it("lets the agent go on while it prepares in the background", async () => {
    const events: CompactionEvent[] = []
    let asked = 0
    const requestsWhileThinking: number[] = []
    const agent = await startAgent("anthropic", { script: reader(30) as never, tools: [read] })
    const summarise = async (): Promise<string> => {
      asked++
      const before = agent.provider.requests.length
      // Long enough for the agent to ask again.
      for (let tries = 0; tries < 100 && agent.provider.requests.length < before + 1; tries++)
        await new Promise((resolve) => setTimeout(resolve, 2))
      requestsWhileThinking.push(agent.provider.requests.length - before)
      return goodSummary
    }
    const compact = hookWith({
      settings: { ...settings, summary: { ...settings.summary, timeoutMs: 5_000 }, trigger: { share: 0.6 } },
      summarise,
      background: true,
      onEvent: (event) => events.push(event),
    })
    const result = await agent.run({ prompt: "Read all parts.", compact })
    expect([result.stop, result.text]).toEqual(["done", "All read."])
    expect(compactions(events).length).toBeGreaterThan(0)
    expect(asked).toBeGreaterThan(0)
    expect(Math.max(...requestsWhileThinking)).toBeGreaterThan(0)
  })

  it("lets no earlier verdict of the background decide about a view that has grown over the limit since", async () => {
    const request = await requestsTo({ settings: { ...wide, strategy: "digest" } })
    expect(await request(10_000)).toEqual([])
    expect(await request(overTheLimit)).toContain("summary")
  })

  it("begins to prepare at the request that is over the trigger, whatever it found before", async () => {
    const request = await requestsTo({ settings: { ...wide, strategy: "digest" } })
    expect(await request(10_000)).toEqual([])
    expect(await request(overTheTrigger)).toEqual([])
    expect(await request(overTheTrigger)).toContain("summary")
  })

  it("compacts at the limit, though what was prepared before came to nothing", async () => {
    const patient = { ...wide, summary: { onFailure: "wait", attempts: 1 } } as const
    const request = await requestsTo({ settings: patient, summarise: async () => "" })
    expect(await request(overTheTrigger)).toEqual([])
    expect(await request(overTheLimit)).toEqual(expect.arrayContaining(["note", "summary"]))
  })

  it("compacts below what the provider refused as too long", async () => {
    const long = { error: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" } }
    const parts = Array.from({ length: 4 }, (_, part) => ({ calls: [{ name: "read", arguments: { part } }] }))
    const agent = await startAgent("anthropic", { script: [...parts, long, { text: "Short." }] as never, tools: [read] })
    const events: CompactionEvent[] = []
    const compact = hookWith({ settings: { window: { tokens: 200_000 } }, onEvent: (event) => events.push(event) })
    expect(await agent.run({ prompt: "Read all parts.", compact })).toMatchObject({ stop: "done", text: "Short." })
    expect(compactions(events)).toHaveLength(1)
  })

  it("lets the agent recall what was taken out of its sight", async () => {
    const store = memoryStore()
    let step = 0
    const script = (): object => {
      if (step++ < 20) return { calls: [{ name: "read", arguments: { part: step - 1 } }] }
      return step === 21 ? { calls: [{ name: "recall", arguments: { search: "part 2 line 39" } }] } : { text: "Found." }
    }
    const agent = await startAgent("openai-chat", { script: script as never, tools: [read, recall.tool(store)], store })
    const result = await agent.run({ prompt: "Read all parts.", compact: hookWith({ settings, summarise: goodSummariser }) })
    expect(result.text).toBe("Found.")
    expect(JSON.stringify(agent.provider.requests.at(-1)?.body)).toContain("#4.1:40  part 2 line 39: value_117")
  })
})
