/** Aborting at every phase: what is finished stays, what is open gets a truthful outcome, and the next turn works. */
import { describe, expect, it } from "vitest"
import type { LoopEvent, RunOptions, Tool } from "../../../src/agent/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { syntheticTexts } from "../../../src/model/index.ts"
import { apis, echo, gate, says, startAgent } from "./agent.ts"

const script = [
  { thinking: "Hm.", text: "I look at it.", calls: [says("one"), says("two")], eventDelayMs: 1 },
  { text: "Done." },
  { text: "Hello." },
]

/** Counts the events of a whole run, so that another one can be aborted at each of them. */
const eventsOf = async (api: (typeof apis)[number], options: Partial<RunOptions> = {}): Promise<readonly LoopEvent["type"][]> => {
  const agent = await startAgent(api, { script })
  await agent.run({ prompt: "go", ...options })
  return agent.events.map(({ type }) => type)
}

describe.each(apis)("%s", (api) => {
  it("may be aborted at every event", { timeout: 120_000 }, async () => {
    const types = await eventsOf(api)
    expect(types.length).toBeGreaterThan(18)
    for (let at = 0; at < types.length - 1; at++) {
      const agent = await startAgent(api, { script })
      const controller = new AbortController()
      let count = 0
      const onEvent = (): void => {
        if (count++ === at) controller.abort()
      }
      const result = await agent.run({ prompt: "go", signal: controller.signal, onEvent })
      const what = `${at} (${types[at] ?? ""})`
      expect([result.stop, result.error?.reason], what).toEqual(result.stop === "done" ? ["done", undefined] : ["aborted", "aborted"])
      // Aborted after the last word, a run has nothing left to stop.
      if (result.stop === "done") expect(types[at], what).toBe("iteration-end")
      if (at === 0) continue
      const { entries, transcript } = await agent.load()
      // Every call is answered in the store: nothing is left to repair.
      expect(
        settle(transcript).report.entries.filter(({ kind }) => kind === "synthetic"),
        what,
      ).toEqual([])
      expect(new Set(entries.map(({ id }) => id)).size, what).toBe(entries.length)
      const next = await agent.run({ prompt: "hello?" })
      expect([next.stop, next.recovery?.openCalls], what).toEqual(["done", []])
    }
  })
})

describe("an abort", () => {
  it("before the start writes nothing", async () => {
    const agent = await startAgent("anthropic", { script })
    await agent.store.create({ id: "c" })
    expect(await agent.run({ prompt: "go", signal: AbortSignal.abort() })).toMatchObject({ stop: "aborted", tip: undefined })
    expect([await agent.told(), agent.provider.requests]).toEqual([[], []])
  })

  it("in the middle of an answer keeps the words that came, and calls that came are not run", async () => {
    const agent = await startAgent("anthropic", {
      script: [{ text: "One two three.", calls: [says("x")], eventDelayMs: 5 }, { text: "Ok." }],
    })
    const controller = new AbortController()
    const onEvent = ({ type }: LoopEvent): void => {
      if (type === "call-delta") controller.abort()
    }
    expect(await agent.run({ prompt: "go", signal: controller.signal, onEvent })).toMatchObject({ stop: "aborted", text: "One two three." })
    const [user, said, result, ...rest] = await agent.told()
    expect([user, said?.startsWith("assistant: One two three. echo("), result, rest]).toEqual([
      "user: go",
      true,
      `echo: not-run ${syntheticTexts["not-run"]}`,
      [],
    ])
    expect((await agent.run({ prompt: "and now?" })).text).toBe("Ok.")
  })

  it("before the first word leaves only the prompt", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "late", delayMs: 5_000 }, { text: "Ok." }] })
    const controller = new AbortController()
    const running = agent.run({ prompt: "go", signal: controller.signal })
    while (agent.provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    controller.abort()
    expect((await running).stop).toBe("aborted")
    expect(await agent.told()).toEqual(["user: go"])
    expect((await agent.run()).text).toBe("Ok.")
  })

  it("while tools run keeps what is finished, names what was started, and starts nothing more", async () => {
    const started = gate()
    const controller = new AbortController()
    const tools: readonly Tool[] = [
      echo,
      { name: "deaf", run: () => (started.open(), new Promise(() => {})) },
      {
        name: "polite",
        run: (_, { signal }) => new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      },
      { name: "quick", run: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("just finished"))) },
      { name: "late", run: () => "never" },
    ]
    const calls = [says("x"), ...["polite", "quick", "deaf", "late"].map((name) => ({ name, arguments: {} }))]
    const agent = await startAgent("anthropic", { script: [{ calls }, { text: "Ok." }], tools })
    const running = agent.run({ prompt: "go", signal: controller.signal, concurrency: 3, abortGraceMs: 20 })
    await started.passed
    controller.abort()
    expect((await running).stop).toBe("aborted")
    expect((await agent.told()).slice(2).toSorted()).toEqual([
      `deaf: interrupted ${syntheticTexts.interrupted}`,
      "echo: done x",
      `late: not-run ${syntheticTexts["not-run"]}`,
      `polite: interrupted ${syntheticTexts.interrupted}`,
      "quick: done just finished",
    ])
    expect((await agent.run({ prompt: "hello?" })).text).toBe("Ok.")
  })

  it("while it waits to try again ends the wait", async () => {
    const agent = await startAgent("anthropic", { script: [{ error: { status: 529, message: "Overloaded" } }] })
    const controller = new AbortController()
    const onEvent = ({ type }: LoopEvent): void => {
      if (type === "retry-start") setTimeout(() => controller.abort(), 5)
    }
    // The wait alone would outlast the test.
    const retry = { baseMs: 600_000, maxMs: 600_000 }
    const result = await agent.run({ prompt: "go", signal: controller.signal, onEvent, retry, surroundings: {} })
    expect(result.stop).toBe("aborted")
    expect(await agent.told()).toEqual(["user: go"])
  })

  it("reaches a compaction", async () => {
    const agent = await startAgent("anthropic", { script })
    const controller = new AbortController()
    const result = await agent.run({
      prompt: "go",
      signal: controller.signal,
      compact: (_, { signal }) => {
        controller.abort()
        expect(signal.aborted).toBe(true)
      },
    })
    expect([result.stop, agent.provider.requests.length]).toEqual(["aborted", 0])
  })
})
