/** A run cannot fail unseen: it resolves with an answer or a state that was asked for, and rejects otherwise. */
import { describe, expect, it } from "vitest"
import { LoopError, run, runEvents } from "../../../src/agent/index.ts"
import { echo, says, startAgent } from "./agent.ts"

const failureOf = (running: Promise<unknown>): Promise<LoopError> =>
  running.then(
    () => expect.unreachable("it resolved"),
    (error: unknown) => error as LoopError,
  )

describe("a run that got no answer", () => {
  it("rejects with what was recorded and saved", async () => {
    const agent = await startAgent("anthropic", {
      script: [{ text: "First.", calls: [says("x")] }, { error: { status: 400, message: "no" } }],
    })
    const { model, store } = agent
    const error = await failureOf(run({ model, store, conversation: "c", prompt: "go", tools: [echo] }))
    expect(error).toBeInstanceOf(LoopError)
    expect(error).toMatchObject({ name: "LoopError", reason: "rejected", code: "provider-failed", conversation: "c", status: 400 })
    const { tip, entries } = await agent.load()
    expect(error.partial).toMatchObject({ text: "First.", iterations: 2, tip, saved: entries.map(({ id }) => id) })
    expect(Object.keys(error)).not.toContain("partial")
  })

  it("rejects when it is aborted, with the reason of the signal", async () => {
    const { model, store } = await startAgent("anthropic")
    const error = await failureOf(run({ model, store, prompt: "go", signal: AbortSignal.abort("enough") }))
    expect(error).toMatchObject({ reason: "aborted", code: "aborted", cause: "enough", partial: { saved: [], tip: undefined } })
  })

  it("throws at the end of its events", async () => {
    const { model, store } = await startAgent("anthropic", { script: [{ error: { status: 400, message: "no" } }] })
    const types: string[] = []
    const reading = async (): Promise<void> => {
      for await (const { type } of runEvents({ model, store, prompt: "go" })) types.push(type)
    }
    expect(await failureOf(reading())).toMatchObject({ reason: "rejected" })
    expect(types.at(-1)).toBe("run-error")
  })
})

describe("a limit", () => {
  const endless = Array.from({ length: 60 }, () => ({ calls: [says("x")] }))

  it("that the caller set is a result", async () => {
    const { model, store } = await startAgent("anthropic", { script: endless })
    expect((await run({ model, store, prompt: "go", tools: [echo], maxIterations: 2 })).stop).toBe("limit")
  })

  it("that nobody asked for is an error", async () => {
    const { model, store } = await startAgent("anthropic", { script: endless })
    const error = await failureOf(run({ model, store, prompt: "go", tools: [echo] }))
    expect(error).toMatchObject({ reason: "limit", code: "no-answer", partial: { iterations: 50 } })
  })
})

describe("an answer without any content", () => {
  const event = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
  const empty = (reason: string): Response =>
    new Response(
      [
        event({ type: "message_start", message: { id: "m", role: "assistant", content: [], model: "claude" } } as { type: string }),
        event({ type: "message_delta", delta: { stop_reason: reason } } as { type: string }),
        event({ type: "message_stop" }),
      ].join(""),
      { headers: { "content-type": "text/event-stream" } },
    )
  /** The first answers come from the provider, then one is empty, the rest come from the provider again. */
  const emptyAt = (number: number, reason: string): typeof fetch => {
    let requests = 0
    return (input, init) => (++requests === number ? Promise.resolve(empty(reason)) : globalThis.fetch(input, init))
  }

  it("after tool results is how a model ends its turn: done, with an empty text", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "I look.", calls: [says("x")] }, { text: "Welcome." }] })
    const ended = await agent.run({ prompt: "go", surroundings: { fetch: emptyAt(2, "end_turn") } })
    expect(ended).toMatchObject({ stop: "done", text: "", finish: "end", iterations: 2 })
    // Nothing is left to ask, also for a later run without a prompt.
    expect(await agent.run()).toMatchObject({ stop: "done", text: "", iterations: 0 })
    expect(await agent.run({ prompt: "Thanks." })).toMatchObject({ stop: "done", text: "Welcome." })
  })

  it("rejects as the first answer to a user, and the next run asks again", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "Here." }] })
    const ended = await agent.run({ prompt: "go", surroundings: { fetch: emptyAt(1, "end_turn") } })
    expect(ended.error).toMatchObject({ reason: "empty-answer" })
    expect(await agent.run()).toMatchObject({ stop: "done", text: "Here." })
  })

  it("rejects when the model did not end its turn", async () => {
    const agent = await startAgent("anthropic", { script: [{ calls: [says("x")] }] })
    const ended = await agent.run({ prompt: "go", surroundings: { fetch: emptyAt(2, "max_tokens") } })
    expect(ended.error).toMatchObject({ reason: "empty-answer", partial: { finish: "length" } })
  })
})
