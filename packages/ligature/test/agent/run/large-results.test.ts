/** Outputs that are too large are stored whole and shown shortened, alike in every request. */
import { describe, expect, it } from "vitest"
import { recall } from "../../../src/compact/index.ts"
import type { Tool } from "../../../src/agent/index.ts"
import { resultText } from "../../../src/model/index.ts"
import { memoryStore, type Store } from "../../../src/store/index.ts"
import { hookWith } from "../../compact/live/long-task.ts"
import { type Agent, apis, echo, says, startAgent } from "./agent.ts"

const lines = 60_000
const large = Array.from({ length: lines }, (_, line) => `line ${line + 1}: value_${line * 7}`).join("\n")
const dump: Tool = { name: "dump", description: "Prints everything.", run: () => large }
const dumps = { name: "dump", arguments: {} }

const bodies = ({ provider }: Agent): readonly string[] => provider.requests.map(({ body }) => JSON.stringify(body))

const stored = async (store: Store): Promise<readonly string[]> =>
  (await store.load("c")).entries.flatMap((entry) => (entry.kind === "result" ? [resultText(entry.result)] : []))

const script = [{ calls: [dumps, says("small")] }, { calls: [says("on")] }, { text: "Done." }]

describe.each(apis)("%s", (api) => {
  it("an output that is too large is shown with head and tail, and the model is told so", async () => {
    const agent = await startAgent(api, { script, tools: [dump, echo] })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    const [, second = "", third = ""] = bodies(agent)
    expect(second.length).toBeLessThan(120_000)
    expect(second).toContain("line 1: value_0")
    expect(second).toContain(`line ${lines}: value_`)
    expect(second).toMatch(/\[… lines \d+-\d+ left out: the output is too long to be shown whole\. Ask for a smaller part to see them …\]/)
    expect(second).not.toContain("recall")
    expect(second).toContain("small")
    const note = /lines \d+-\d+ left out/.exec(second)?.[0] ?? "none"
    expect(third).toContain(note)
    expect(await stored(agent.store)).toEqual([large, "small", "on"])
  })
})

describe("an output that is too large", () => {
  it("is shown the same in every later request, also of another process", async () => {
    const store = memoryStore()
    const agent = await startAgent("anthropic", { store, script: [...script, { text: "Again." }], tools: [dump, echo] })
    await agent.run({ prompt: "go" })
    await agent.run({ prompt: "and now?" })
    const messages = agent.provider.requests.map(({ body }) => (body as { messages: readonly unknown[] }).messages)
    for (const [index, earlier] of messages.entries()) {
      for (const later of messages.slice(index + 1)) expect(later.slice(0, earlier.length)).toEqual(earlier)
    }
  })

  it("can be read back where the model has a tool for it", async () => {
    const store = memoryStore()
    const tools = [dump, recall.tool(store)]
    const asks = [{ calls: [dumps] }, { calls: [{ name: "recall", arguments: { handle: "#2.1:30000-30001" } }] }, { text: "Done." }]
    const agent = await startAgent("anthropic", { store, tools, script: asks })
    await agent.run({ prompt: "go" })
    const [, second = "", third = ""] = bodies(agent)
    expect(second).toMatch(/\[… lines \d+-\d+ left out, recall #2\.1:\d+-\d+ …\]/)
    expect(second).not.toContain("line 30000: ")
    expect(third).toContain("line 30000: value_209993")
    expect((await recall.read(store, "c", { handle: "#2.1:30000-30000" })).text).toContain("line 30000: ")
  })

  it("is told to whoever listens", async () => {
    const agent = await startAgent("anthropic", { script, tools: [dump, echo] })
    await agent.run({ prompt: "go" })
    const trimmed = agent.events.flatMap((event) => (event.type === "results-trimmed" ? [event] : []))
    expect(trimmed).toEqual([{ type: "results-trimmed", iteration: 2, elided: [{ handle: "#2.1", tokens: expect.any(Number) }] }])
  })

  it("is sent whole where that is asked for", async () => {
    for (const options of [{ trimResultTokens: 0 }, { compact: () => {}, trimResultTokens: 0 }]) {
      const agent = await startAgent("anthropic", { script, tools: [dump, echo] })
      await agent.run({ prompt: "go", ...options })
      expect(bodies(agent)[1]?.length).toBeGreaterThan(large.length)
    }
  })

  it("follows the settings of a compaction, which may turn it off", async () => {
    const window = { window: { tokens: 4_000_000 } }
    const sizes = await Promise.all(
      [{ ...window }, { ...window, results: { maxTokens: 0 } }, { ...window, results: { maxTokens: 2_000 } }].map(async (settings) => {
        const agent = await startAgent("anthropic", { script, tools: [dump, echo] })
        await agent.run({ prompt: "go", compact: hookWith({ settings, model: agent.model }) })
        return bodies(agent)[1]?.length ?? 0
      }),
    )
    const [usual = 0, off = 0, small = 0] = sizes
    expect([usual < 120_000, off > large.length, small < 12_000]).toEqual([true, true, true])
  })

  it("keeps its honest note through a compaction, whether or not the model can recall", async () => {
    for (const canRecall of [false, true]) {
      const store = memoryStore()
      const tools = [dump, echo, ...(canRecall ? [recall.tool(store)] : [])]
      // Together with the output, what was said before is too much: the compaction keeps the newest exchange.
      const talk = Array.from({ length: 4 }, (_, index) => ({ calls: [says(`${index} ${"word ".repeat(2_000)}`)] }))
      const agent = await startAgent("anthropic", {
        store,
        tools,
        script: [...talk, { calls: [dumps] }, { calls: [says("on")] }, { text: "Done." }],
      })
      const settings = {
        window: { tokens: 24_000, reserveTokens: 1_000 },
        gain: { tokens: 500 },
        results: { maxTokens: 4_000 },
        strategy: "window" as const,
      }
      expect((await agent.run({ prompt: "go", compact: hookWith({ settings, model: agent.model }) })).stop).toBe("done")
      const last = bodies(agent).at(-1) ?? ""
      expect([last.includes("left out: the output is too long"), /left out, recall #\d+\.1:/.test(last)]).toEqual([!canRecall, canRecall])
      const { entries } = await agent.load()
      const compacted = entries.findIndex((entry) => entry.kind === "summary" && entry.message.role === "user")
      expect(compacted).toBeGreaterThan(entries.findIndex((entry) => entry.kind === "result" && resultText(entry.result) === large))
    }
  })

  it("may have any limit but nonsense", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "Hi." }] })
    await expect(agent.run({ prompt: "go", trimResultTokens: -1 })).rejects.toThrow("trimResultTokens")
  })
})
