/** What becomes of calls: each kind of failure has an outcome that says what is known, and the model is told. */
import { describe, expect, it } from "vitest"
import type { Tool } from "../../../src/agent/index.ts"
import { apis, echo, gate, says, startAgent } from "./agent.ts"

const done = { text: "Done." }
const callOf = (name: string, json?: string): { name: string; arguments: object & Record<string, unknown>; json?: string } => ({
  name,
  arguments: {},
  ...(json !== undefined && { json }),
})

const outcomes: readonly (readonly [what: string, tool: Tool, told: string])[] = [
  ["throws", { name: "t", run: () => Promise.reject(new Error("no such file")) }, "t: failed no such file"],
  [
    "throws at once",
    {
      name: "t",
      run: () => {
        throw new Error("at once")
      },
    },
    "t: failed at once",
  ],
  ["gives an error back", { name: "t", run: () => new Error("no such file") }, "t: failed no such file"],
  ["gives an object", { name: "t", run: () => ({ files: ["a"] }) }, 't: done {"files":["a"]}'],
  ["gives nothing", { name: "t", run: () => undefined }, "t: done "],
  ["gives what is no JSON", { name: "t", run: () => 7n }, "t: done 7"],
  [
    "takes too long",
    { name: "t", timeoutMs: 10, run: () => new Promise(() => {}) },
    "t: interrupted No result came within 10 ms. The call may have run in part or in full; its effect is unknown.",
  ],
  [
    "does not like its arguments",
    { name: "t", check: () => "path is missing", run: () => "ran" },
    "t: not-run The arguments of this call are not valid: path is missing. The call was not run.",
  ],
  [
    "cannot even check them",
    {
      name: "t",
      check: () => {
        throw new Error("bad schema")
      },
      run: () => "ran",
    },
    "t: not-run The arguments of this call are not valid: bad schema. The call was not run.",
  ],
]

describe.each(apis)("%s", (api) => {
  it.each(outcomes)("a tool that %s: the model is told, and goes on", async (_, tool, told) => {
    const agent = await startAgent(api, { script: [{ calls: [callOf("t"), says("x")] }, done], tools: [tool, echo] })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    expect((await agent.told()).toSorted()).toEqual(
      ["user: go", 'assistant: t({}) echo({"say":"x"})', told, "echo: done x", "assistant: Done."].sort(),
    )
  })

  it("a tool nobody has: the model is told which there are", async () => {
    const agent = await startAgent(api, { script: [{ calls: [callOf("rm"), says("x")] }, done] })
    await agent.run({ prompt: "go" })
    expect(await agent.told()).toContain('rm: not-run There is no tool named "rm". The call was not run. Tools: echo.')
  })

  it("ids that the server uses again get new ones", async () => {
    const call = { ...says("x"), id: "call_0" }
    const agent = await startAgent(api, { script: [{ calls: [call, call] }, { calls: [call] }, done] })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    const ids = (await agent.load()).entries.flatMap((entry) => (entry.kind === "result" ? [entry.result.callId] : []))
    expect(new Set(ids).size).toBe(3)
  })
})

describe.each(["anthropic", "openai-chat", "openai-responses"] as const)("%s", (api) => {
  it.each([
    ["cut", '{"say":"unfin'],
    ["no object", "[1]"],
    ["prose", "say hello"],
  ])("arguments that are %s are never executed, and the model is told", async (_, json) => {
    let ran = 0
    const tool = { name: "t", run: () => ran++ }
    const agent = await startAgent(api, { script: [{ calls: [callOf("t", json)] }, done], tools: [tool] })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    expect(ran).toBe(0)
    expect((await agent.told())[2]).toBe("t: not-run The arguments of this call are not a complete JSON object. The call was not run.")
  })
})

it("a call that the server ran itself and that looks like one of ours is not run here", async () => {
  const agent = await startAgent("openai-responses", { script: [done] })
  const item = { type: "custom_tool_call", id: "ctc_1", call_id: "xs_1", name: "x_keyword_search", input: "{}", status: "completed" }
  const events = [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [item] } },
  ]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
  const answers = [new Response(body, { headers: { "content-type": "text/event-stream" } })]
  const fetch: typeof globalThis.fetch = async (input, init) => answers.pop() ?? globalThis.fetch(input, init)
  const result = await agent.run({ prompt: "go", surroundings: { ...agent.surroundings, fetch } })
  expect([result.stop, result.text]).toEqual(["done", "Done."])
  expect((await agent.told())[2]).toContain('x_keyword_search: not-run There is no tool named "x_keyword_search".')
})

describe("parallel tools", () => {
  it("run side by side, no more than allowed, and each result is stored as it lands", async () => {
    let running = 0
    let most = 0
    const gates = [gate(), gate(), gate(), gate()]
    const tool: Tool = {
      name: "t",
      run: async ({ n }) => {
        most = Math.max(most, ++running)
        await gates[Number(n)]?.passed
        running--
        return `${String(n)}`
      },
    }
    const calls = gates.map((_, n) => ({ name: "t", arguments: { n } }))
    const agent = await startAgent("anthropic", { script: [{ calls }, done], tools: [tool] })
    const landed: string[][] = []
    const running0 = agent.run({
      prompt: "go",
      concurrency: 2,
      onEvent: (event) => {
        if (event.type === "tool-start" && event.call.arguments["n"] === 1) gates[1]?.open()
        if (event.type !== "tool-end") return
        // What is told to have landed is in the store.
        void agent.told().then((told) => landed.push(told.slice(2).map((line) => line.slice(-1))))
        gates[Number(event.call.arguments["n"]) === 1 ? 2 : Number(event.call.arguments["n"]) === 2 ? 3 : 0]?.open()
      },
    })
    expect((await running0).stop).toBe("done")
    expect(most).toBe(2)
    expect((await agent.told()).slice(2, 6)).toEqual(["t: done 1", "t: done 2", "t: done 3", "t: done 0"])
    expect(landed.map((each, index) => each.length > index)).toEqual([true, true, true, true])
  })

  it("are stored before they run", async () => {
    const seen: (readonly string[])[] = []
    const agent = await startAgent("anthropic", {
      script: [{ calls: [{ name: "t", arguments: {} }] }, done],
      tools: [{ name: "t", run: async () => void seen.push(await agent.told()) }],
    })
    await agent.run({ prompt: "go" })
    expect(seen).toEqual([["user: go", "assistant: t({})"]])
  })

  it("may be given all the time there is, and so may providers and leases", async () => {
    const forever = Number.POSITIVE_INFINITY
    const tool: Tool = { name: "t", run: () => new Promise((resolve) => setTimeout(resolve, 20, "late")) }
    const agent = await startAgent("anthropic", { script: [{ calls: [{ name: "t", arguments: {} }] }, done], tools: [tool] })
    const options = { prompt: "go", toolTimeoutMs: forever, silenceMs: forever, abortGraceMs: forever, leaseMs: 2 ** 40 }
    expect(await agent.run(options)).toMatchObject({ stop: "done", iterations: 2 })
    expect((await agent.told())[2]).toBe("t: done late")
  })

  it("get a signal that ends with their time", async () => {
    let reason: unknown
    const tool: Tool = {
      name: "t",
      timeoutMs: 5,
      run: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))),
    }
    const agent = await startAgent("anthropic", { script: [{ calls: [{ name: "t", arguments: {} }] }, done], tools: [tool] })
    await agent.run({ prompt: "go" })
    expect(String(reason)).toBe("Error: No result within 5 ms")
  })
})
