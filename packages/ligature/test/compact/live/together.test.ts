/** Agents, hooks, compactors and people at one conversation: one summary at a time, none paid for twice. */
import { describe, expect, it } from "vitest"
import { compactor as newCompactor, estimateMeter } from "../../../src/compact/index.ts"
import { compactConversation } from "../../../src/compact/live/background.ts"
import type { CompactionEvent } from "../../../src/compact/live/stored/notes.ts"
import type { Summarise } from "../../../src/compact/live/summary/ask-model.ts"
import { summarySlot } from "../../../src/compact/live/stored/surroundings.ts"
import type { Tool } from "../../../src/agent/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { memoryStore, type Store, StoreError } from "../../../src/store/index.ts"
import { startAgent } from "../../agent/run/agent.ts"
import { goodSummariser, goodSummary, hookWith, storeTask, taskEntries } from "./long-task.ts"

const settings = { window: { tokens: 24_000, reserveTokens: 1_000 }, summary: { timeoutMs: 5_000 }, gain: { tokens: 1_000 } }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Counts how often it is asked, and by how many at once. */
const counting = (ms: number): { readonly summarise: Summarise; readonly asked: () => number; readonly most: () => number } => {
  let [asked, now, most] = [0, 0, 0]
  return {
    asked: () => asked,
    most: () => most,
    summarise: async () => {
      asked++
      most = Math.max(most, ++now)
      await pause(ms)
      now--
      return goodSummary
    },
  }
}

const ends = (events: readonly CompactionEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type !== "compaction-end") return []
    const { result } = event
    return [result.outcome === "compacted" ? result.strategy : `${result.outcome}: ${result.reason}`]
  })

/** A conversation that is due, held by an agent, and a Compactor that was told of it. */
const heldByAgent = async () => {
  const store = memoryStore()
  await storeTask(store, "c", 40)
  const { summarise, asked } = counting(0)
  const events: CompactionEvent[] = []
  const onEvent = (event: CompactionEvent): void => void events.push(event)
  const compactor = newCompactor({ store, settings, summarise, pollMs: 0, heldWaitMs: 10, onEvent })
  const lease = await store.acquire("c", { owner: "agent", durationMs: 60_000 })
  const notice = async (): Promise<void> => {
    compactor.notice("c")
    await compactor.idle()
  }
  await notice()
  return { store, lease, asked, compactor, notice, ended: () => ends(events) }
}

describe("beside an agent that holds its conversation", () => {
  it("a Compactor asks for one summary, keeps it while the agent goes on, and writes it when the agent is done", async () => {
    const { store, lease, asked, compactor, notice, ended } = await heldByAgent()
    for (let step = 40; step < 44; step++) {
      await store.append("c", taskEntries(1, step), { lease })
      await notice()
    }
    expect(asked()).toBe(1)
    expect(new Set(ended())).toEqual(new Set(["refused: held"]))

    await store.release("c", lease)
    await notice()
    expect(asked()).toBe(1)
    expect(ended().at(-1)).toMatch(/^summary/)
    const { entries } = await store.load("c")
    expect(entries.filter(({ kind }) => kind === "summary").length).toBeGreaterThan(0)
    await compactor.stop()
  })

  it("a Compactor tries again by itself: the agent may end without another word", async () => {
    const { store, lease, asked, compactor, ended } = await heldByAgent()
    await store.release("c", lease)
    await expect.poll(() => ended().at(-1), { timeout: 10_000 }).toMatch(/^summary/)
    expect(asked()).toBe(1)
    await compactor.stop()
  })

  it("a Compactor prepares anew where somebody else has compacted meanwhile", async () => {
    const { store, lease, asked, compactor, notice } = await heldByAgent()
    expect(asked()).toBe(1)
    const forced = { force: true, targetTokens: 4_000, settings: { ...settings, strategy: "digest" } } as const
    // The compactor has the summary lease now and then, to try again.
    const compactHere = async (): Promise<string> => (await compactConversation({ store, id: "c", lease, ...forced })).outcome
    await expect.poll(compactHere).toBe("compacted")
    await store.append("c", taskEntries(40, 40), { lease })
    await store.release("c", lease)
    await notice()
    expect(asked()).toBe(2)
    await compactor.stop()
  })
})

it("a Compactor that was told to let go of a conversation does not come back to it", async () => {
  const { store, lease, asked, compactor } = await heldByAgent()
  compactor.cancel("c")
  await store.release("c", lease)
  await pause(300)
  expect(asked()).toBe(1)
  expect((await store.load("c")).entries.some(({ kind }) => kind === "summary")).toBe(false)
  await compactor.stop()
})

/** What a hook appends at the hard limit, to a store that is like this one in part. */
const hookAtLimit = async (part: (store: Store) => Partial<Store>): Promise<readonly string[]> => {
  const store = memoryStore()
  await storeTask(store, "c", 60)
  const limited = new Proxy(store, {
    get: (target, name) => {
      const own = part(target)[name as keyof Store] ?? target[name as keyof Store]
      return typeof own === "function" ? own.bind(target) : own
    },
  })
  const loaded = await store.load("c")
  const events: CompactionEvent[] = []
  const summarise = counting(400).summarise
  const hook = hookWith({
    settings: { ...settings, summary: { ...settings.summary, timeoutMs: 2_000 } },
    summarise,
    onEvent: (event) => void events.push(event),
  })
  await hook(loaded, {
    conversation: settle(loaded.transcript, { tip: "open" }).conversation,
    usage: undefined,
    reason: "overflow",
    beside: {},
    store: limited,
    signal: new AbortController().signal,
    append: async (entries) => (await store.append("c", entries)).ids,
    current: () => loaded,
    lease: () => expect.fail("The hook appends through the run"),
  })
  return ends(events)
}

describe("the summary lease", () => {
  it("is not what a request that would be refused waits for", async () => {
    const locked = (): Promise<never> => Promise.reject(new Error("the database is locked"))
    expect(await hookAtLimit(() => ({ acquire: locked }))).toEqual(["digest"])
    const holder = (store: Store): Partial<Store> => ({
      acquire: async (id, request) => {
        if (request.slot === summarySlot) throw new StoreError("held", "held", { holder: "somebody" })
        return store.acquire(id, request)
      },
    })
    expect(await hookAtLimit(holder)).toEqual(["digest"])
  })

  it("lets a hook and a Compactor ask for one summary at a time", async () => {
    let part = 0
    const read: Tool = {
      name: "read",
      run: async () => {
        await pause(15)
        return "export const value = 1\n".repeat(60)
      },
    }
    const script = () => (part < 24 ? { calls: [{ name: "read", arguments: { part: part++ } }] } : { text: "Done." })
    const small = { window: { tokens: 6_000, reserveTokens: 500 }, gain: { tokens: 200 }, summary: { maxTokens: 200 } }
    const { summarise, asked, most } = counting(60)
    const agent = await startAgent("anthropic", { script: script as never, tools: [read] })
    const compactor = newCompactor({ store: agent.store, settings: small, summarise, pollMs: 5, heldWaitMs: 5 })
    compactor.start()
    const compact = hookWith({ settings: small, summarise, background: true })
    const { text } = await agent.run({ prompt: "Read all parts.", compact })
    await compactor.stop()
    expect(text).toBe("Done.")
    expect(asked()).toBeGreaterThan(0)
    expect(most()).toBe(1)
  })

  it("is taken by compactConversation too, which says who holds it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const held = await store.acquire("c", { owner: "somebody", durationMs: 60_000, slot: summarySlot })
    const events: CompactionEvent[] = []
    const options = { store, id: "c", settings, summarise: goodSummariser, onEvent: (event: CompactionEvent) => events.push(event) }
    const refused = { outcome: "refused", reason: "held", detail: "somebody is compacting it", failed: [] }
    expect(await compactConversation(options)).toEqual(refused)
    expect(ends(events)).toEqual(["refused: held"])
    await store.release("c", held)
    expect(await compactConversation(options)).toMatchObject({ outcome: "compacted" })
  })
})

it("a hook counts the system prompt and the tools of its run", async () => {
  let part = 0
  const read: Tool = {
    name: "read",
    description: "Reads a part. ".repeat(300),
    run: () => "export const value = 1\n".repeat(60),
  }
  const script = () => (part < 40 ? { calls: [{ name: "read", arguments: { part: part++ } }] } : { text: "Done." })
  const system = "You follow these rules exactly. ".repeat(400)
  const windowTokens = 14_000
  const agent = await startAgent("anthropic", { script: script as never, tools: [read] })
  const events: CompactionEvent[] = []
  const compact = hookWith({
    settings: { window: { tokens: windowTokens, reserveTokens: 1_000 }, strategy: "digest" },
    onEvent: (event) => events.push(event),
  })
  await agent.run({ prompt: "Read all parts.", system, compact })
  expect(ends(events)).toContain("digest")
  const largest = Math.max(...agent.provider.requests.map(({ body }) => estimateMeter.sizeOfTools(body).tokens))
  expect(largest).toBeLessThan(windowTokens)
})
