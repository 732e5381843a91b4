/** The loop on a good day, on every API. */
import { describe, expect, it } from "vitest"
import { run, runEvents, type Tool } from "../../../src/agent/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { syntheticTexts } from "../../../src/model/index.ts"
import { expectValid } from "../../../src/testing/index.ts"
import { apis, echo, says, startAgent } from "./agent.ts"

const script = [
  { thinking: "Hm.", text: "I look.", calls: [says("one"), says("two")] },
  { thinking: "Again.", calls: [says("three")] },
  { text: "Done 🎉" },
  { text: "You are welcome." },
]

describe.each(apis)("%s", (api) => {
  it("runs tools until the model has said what it wanted, and goes on in the next turn", async () => {
    const agent = await startAgent(api, { script, options: { system: "Be brief." } })
    const result = await agent.run({ prompt: "go" })
    const { tip, saved: _, ...rest } = result
    expect(rest).toEqual({
      stop: "done",
      conversation: "c",
      text: "Done 🎉",
      finish: "end",
      iterations: 3,
      usage: { requests: 3, inputTokens: 30, outputTokens: 60, cacheReadTokens: 0, cacheWriteTokens: 0, thinkingTokens: 0 },
      pending: [],
      recovery: expect.objectContaining({ state: "clean", append: [] }) as unknown,
    })
    expect(tip).toBe((await agent.load()).tip)
    const next = await agent.run({ prompt: "thanks" })
    expect([next.stop, next.text]).toEqual(["done", "You are welcome."])
    expect(await agent.told()).toEqual([
      "user: go",
      'assistant: thinks I look. echo({"say":"one"}) echo({"say":"two"})',
      "echo: done one",
      "echo: done two",
      'assistant: thinks echo({"say":"three"})',
      "echo: done three",
      "assistant: Done 🎉",
      "user: thanks",
      "assistant: You are welcome.",
    ])
    expect(agent.provider.requests.map(({ isStreamed }) => isStreamed)).toEqual([true, true, true, true])
    expectValid((await agent.load()).transcript, { profiles: ["anthropic", "openai-chat", "openai-responses", "gemini"] })
  })

  it("sends tools, system text and key, and stores none of them", async () => {
    const agent = await startAgent(api, { script: [{ text: "Hi." }], options: { system: "Be brief." } })
    await agent.run({ prompt: "hello" })
    const [request] = agent.provider.requests
    const body = JSON.stringify(request?.body)
    expect(body).toContain("Be brief.")
    expect(body).toContain("Says it again.")
    expect(JSON.stringify(request?.headers)).toContain("key")
    expect(JSON.stringify((await agent.load()).entries)).not.toContain("Be brief.")
  })

  it("goes on with a conversation another provider began", async () => {
    const other = apis[(apis.indexOf(api) + 1) % apis.length] ?? "anthropic"
    const store = memoryStore()
    const first = await startAgent(other, { script, store })
    await first.run({ prompt: "go" })
    const second = await startAgent(api, { script: [{ text: "Here I am." }], store })
    const result = await second.run({ prompt: "and you?" })
    expect([result.stop, result.text]).toEqual(["done", "Here I am."])
  })
})

describe("a run", () => {
  it("keeps signed thinking replayable when results land out of order", async () => {
    const slow = { name: "slow", run: () => new Promise((resolve) => setTimeout(() => resolve("late"), 30)) }
    const thought = { thinking: "Hm.", calls: [{ name: "slow", arguments: {} }, says("x")] }
    const agent = await startAgent("anthropic", { bindThinking: true, script: [thought, thought, { text: "Done." }], tools: [slow, echo] })
    const model = {
      ...agent.model,
      model: "claude-opus-5-5",
      profile: "anthropic-preserved" as const,
      request: { thinking: { type: "adaptive" } },
    }
    expect((await agent.run({ prompt: "go", model })).stop).toBe("done")
    expect(JSON.stringify(agent.provider.requests.at(-1)?.body).match(/"type":"thinking"/g)).toHaveLength(2)
  })

  it("makes the conversation it needs, and a new one when none is named", async () => {
    const agent = await startAgent("openai-chat", { script: [{ text: "a" }, { text: "b" }] })
    const store = memoryStore()
    const { conversation, tip } = await run({ model: agent.model, store, prompt: "x" })
    expect((await store.load(conversation)).tip).toBe(tip)
    expect((await run({ model: agent.model, store, prompt: "x" })).conversation).not.toBe(conversation)
  })

  it("without a prompt goes on where the conversation stands", async () => {
    const agent = await startAgent("anthropic", { script: [{ calls: [says("x")] }, { text: "Done." }] })
    expect((await agent.run({ prompt: "go", maxIterations: 1 })).stop).toBe("limit")
    expect(await agent.told()).toEqual(["user: go", 'assistant: echo({"say":"x"})', "echo: done x"])
    expect(await agent.run()).toMatchObject({ stop: "done", text: "Done.", iterations: 1 })
    // Nothing is left to say: the model is not asked.
    expect(await agent.run()).toMatchObject({ stop: "done", text: "Done.", iterations: 0 })
    expect(agent.provider.requests).toHaveLength(2)
  })

  it("that is repeated under its name says the prompt once", async () => {
    const agent = await startAgent("anthropic", { script: [{ error: { status: 400, message: "no" } }, { text: "Yes." }] })
    expect((await agent.run({ prompt: "go", operation: "job-1" })).stop).toBe("error")
    expect(await agent.run({ prompt: "go", operation: "job-1" })).toMatchObject({ stop: "done", text: "Yes." })
    expect(await agent.run({ prompt: "go", operation: "job-1" })).toMatchObject({ stop: "done", text: "Yes.", iterations: 0 })
    expect(await agent.told()).toEqual(["user: go", "assistant: Yes."])
  })

  it("takes blocks as prompt and gives blocks as results", async () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const image = { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data } } as const
    const look: Tool = { name: "look", run: (_, { content }) => content({ type: "text", text: "see" }, image) }
    const agent = await startAgent("anthropic", {
      script: [{ calls: [{ name: "look", arguments: {} }] }, { text: "Nice." }],
      tools: [look],
    })
    expect((await agent.run({ prompt: [{ type: "text", text: "what is this?" }, image] })).text).toBe("Nice.")
    expect(JSON.stringify(agent.provider.requests[1]?.body).split(data)).toHaveLength(3)
  })

  it("tells the model of a tool whose blocks are none", async () => {
    const look: Tool = { name: "look", run: (_, { content }) => content(5 as never) }
    const agent = await startAgent("anthropic", {
      script: [{ calls: [{ name: "look", arguments: {} }] }, { text: "Well." }],
      tools: [look],
    })
    expect((await agent.run({ prompt: "go" })).text).toBe("Well.")
    expect(JSON.stringify(agent.provider.requests[1]?.body)).toContain("Expected blocks of text or media, got number as number 1")
  })

  it("asks another time with what a killed process left behind", async () => {
    const agent = await startAgent("openai-chat", { script: [{ text: "Again?" }] })
    await agent.store.create({ id: "c" })
    const calls = ["a", "b"].map((id) => ({ type: "call", id, name: "echo", arguments: {} }) as const)
    await agent.store.append("c", [
      { kind: "message", message: { role: "user", blocks: [{ type: "text", text: "go" }] } },
      { kind: "message", message: { role: "assistant", blocks: calls } },
      { kind: "result", result: { type: "result", callId: "b", content: [{ type: "text", text: "kept" }] } },
    ])
    const result = await agent.run({ prompt: "hello?" })
    expect([result.text, result.recovery?.state, result.recovery?.confirm]).toEqual(["Again?", "open-calls", true])
    expect((await agent.told()).slice(2)).toEqual([
      "b: done kept",
      `echo: interrupted ${syntheticTexts.interrupted}`,
      "user: hello?",
      "assistant: Again?",
    ])
    expect(agent.events.map(({ type }) => type)).toContain("recovery-end")
  })

  it("stops when nobody confirms what was salvaged", async () => {
    const agent = await startAgent("openai-chat")
    await agent.store.create({ id: "c" })
    const call = { type: "call", id: "a", name: "echo", arguments: {} } as const
    await agent.store.append("c", [{ kind: "message", message: { role: "assistant", blocks: [call] } }])
    const result = await agent.run({ prompt: "hello?", confirm: () => false })
    expect([result.stop, result.error?.reason]).toEqual(["error", "not-confirmed"])
    expect(await agent.told()).toEqual(["assistant: echo({})"])
    const failing = await agent.run({ prompt: "hello?", confirm: () => Promise.reject(new Error("nobody there")) })
    expect([failing.stop, failing.error?.reason]).toEqual(["error", "caller-failed"])
    expect(await agent.told()).toEqual(["assistant: echo({})"])
  })
})

describe("events", () => {
  it("tell what happens, in order, and the last one is the result", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "ab", calls: [says("x")] }, { text: "Done." }] })
    const types: string[] = []
    const options = { model: agent.model, store: agent.store, conversation: "c", tools: [echo], prompt: "go" }
    for await (const event of runEvents(options)) {
      if (types.at(-1) !== event.type) types.push(event.type)
    }
    expect(types).toEqual([
      "run-start",
      "commit-end",
      "iteration-start",
      "request-start",
      "text-start",
      "text-delta",
      "text-end",
      "call-start",
      "call-delta",
      "call-end",
      "request-end",
      "commit-end",
      "tool-start",
      "commit-end",
      "tool-end",
      "iteration-end",
      "iteration-start",
      "request-start",
      "text-start",
      "text-delta",
      "text-end",
      "request-end",
      "commit-end",
      "iteration-end",
      "run-end",
    ])
  })

  it("may be left early: the run is aborted", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "a long answer", eventDelayMs: 20 }] })
    for await (const event of runEvents({ model: agent.model, store: agent.store, conversation: "c", prompt: "go" })) {
      if (event.type === "text-delta") break
    }
    expect((await agent.told())[0]).toBe("user: go")
    expect((await agent.store.acquire("c", { owner: "next", durationMs: 1000 })).owner).toBe("next")
  })

  it("of a listener that throws end the run, and what is finished stays", async () => {
    const agent = await startAgent("anthropic", { script: [{ calls: [says("x")] }] })
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === "tool-end") throw new Error("broken screen")
    }
    const result = await agent.run({ prompt: "go", onEvent })
    expect([result.stop, result.error?.reason, result.error?.message]).toEqual([
      "error",
      "caller-failed",
      "The listener of the run threw: broken screen",
    ])
    expect(await agent.told()).toEqual(["user: go", 'assistant: echo({"say":"x"})', "echo: done x"])
  })
})

describe("options that can never work", () => {
  it("are refused at once", async () => {
    const agent = await startAgent("anthropic")
    const refused = (options: Parameters<typeof agent.run>[0]): Promise<string> =>
      agent.run(options).then(
        () => "accepted",
        (error: Error) => error.message,
      )
    expect(await refused({ tools: [echo, echo] })).toContain('got "echo" twice')
    expect(await refused({ model: { ...agent.model, format: "morse" as "gemini" } })).toContain('got "morse"')
    expect(await refused({ model: { ...agent.model, profile: "gemini" } })).toContain('got "gemini" of "gemini"')
    expect(await refused({ model: { ...agent.model, url: "v1/messages" } })).toContain('got "v1/messages"')
    expect(await refused({ maxIterations: 0 })).toContain("positive maxIterations")
    expect(await refused({ conversation: "" })).toContain("not empty")
  })
})
