/** The spans of a run: names, attributes, parents, and that tracing never changes what a run does. */
import { AsyncLocalStorage } from "node:async_hooks"
import { describe, expect, it } from "vitest"
import type { SpanAttributes, TelemetryOptions, TelemetrySpan } from "../../../src/agent/index.ts"
import { echo, says, startAgent } from "./agent.ts"

interface Told {
  readonly name: string
  readonly kind: number | undefined
  readonly parent: string | undefined
  readonly attributes: Record<string, unknown>
  readonly exceptions: unknown[]
  status?: unknown
  ended: number
}

/** Records spans; contexts are the names of spans, carried as those of OpenTelemetry are. */
const recording = (content?: boolean) => {
  const spans: Told[] = []
  const active = new AsyncLocalStorage<unknown>()
  const named = new Map<TelemetrySpan, string>()
  const telemetry: TelemetryOptions = {
    ...(content !== undefined && { content }),
    tracer: {
      startSpan: (name, options = {}, context) => {
        const { kind, attributes = {} } = options
        const told: Told = { name, kind, parent: context as string | undefined, attributes: { ...attributes }, exceptions: [], ended: 0 }
        spans.push(told)
        const span: TelemetrySpan = {
          setAttributes: (more: SpanAttributes) => Object.assign(told.attributes, more),
          recordException: (exception) => told.exceptions.push(exception),
          setStatus: (status) => (told.status = status),
          end: () => told.ended++,
        }
        named.set(span, name)
        return span
      },
    },
    context: { active: () => active.getStore(), with: (context, work) => active.run(context, work) },
    trace: { setSpan: (_, span) => named.get(span) },
  }
  return { spans, telemetry, active }
}

const script = [{ text: "I look.", calls: [says("secret-argument")] }, { text: "secret-answer" }]

describe("a traced run", () => {
  it("has a span for the run, each request, each tool and each compaction", async () => {
    const { spans, telemetry } = recording()
    const agent = await startAgent("anthropic", { script })
    const ended = await agent.run({ prompt: "secret-question", telemetry, compact: async () => {} })
    expect(ended.stop).toBe("done")
    expect(spans.map(({ name, parent, kind }) => [name, parent, kind])).toEqual([
      ["invoke_agent", undefined, 0],
      ["compact", "invoke_agent", 0],
      ["chat claude-opus-4-6", "invoke_agent", 2],
      ["execute_tool echo", "invoke_agent", 0],
      ["compact", "invoke_agent", 0],
      ["chat claude-opus-4-6", "invoke_agent", 2],
    ])
    expect(spans.every((span) => span.ended === 1 && span.status === undefined)).toBe(true)
    const common = { "gen_ai.conversation.id": "c", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-opus-4-6" }
    const { inputTokens, outputTokens } = ended.usage
    expect(spans[0]?.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.response.finish_reasons": ["end"],
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
    })
    expect(spans[2]?.attributes).toEqual({
      ...common,
      "gen_ai.operation.name": "chat",
      "server.address": "127.0.0.1",
      "gen_ai.response.model": "claude-opus-4-6",
      "gen_ai.response.id": expect.any(String),
      "gen_ai.response.finish_reasons": ["tool_use"],
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
    })
    expect(spans[3]?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.conversation.id": "c",
      "gen_ai.tool.name": "echo",
      "gen_ai.tool.call.id": expect.any(String),
      "gen_ai.tool.type": "function",
    })
    expect(JSON.stringify(spans)).not.toContain("secret")
  })

  it("has messages, arguments and results in its spans only when asked to", async () => {
    const { spans, telemetry } = recording(true)
    await (await startAgent("openai-chat", { script })).run({ prompt: "secret-question", telemetry })
    const [, first, tool, second] = spans.map(({ attributes }) => attributes)
    expect(first?.["gen_ai.input.messages"]).toContain("secret-question")
    expect(first?.["gen_ai.output.messages"]).toContain("secret-argument")
    expect(tool).toMatchObject({ "gen_ai.tool.call.arguments": '{"say":"secret-argument"}', "gen_ai.tool.call.result": "secret-argument" })
    expect(second?.["gen_ai.output.messages"]).toBe(
      '[{"role":"assistant","parts":[{"type":"text","content":"secret-answer"}],"finish_reason":"stop"}]',
    )
  })

  it("runs tools and requests in the context of their spans", async () => {
    const { telemetry, active } = recording()
    const seen: unknown[] = []
    const tool = { ...echo, run: async () => (await Promise.resolve(), seen.push(active.getStore()), "x") }
    const agent = await startAgent("anthropic", { script, tools: [tool] })
    const fetch: typeof globalThis.fetch = (input, init) => (seen.push(active.getStore()), globalThis.fetch(input, init))
    await active.run("outside", () => agent.run({ prompt: "go", telemetry, surroundings: { fetch } }))
    expect(seen).toEqual(["chat claude-opus-4-6", "execute_tool echo", "chat claude-opus-4-6"])
  })

  it("says what failed, without quoting it", async () => {
    const { spans, telemetry } = recording()
    const tools = [
      {
        ...echo,
        run: () => {
          throw new Error("secret-failure")
        },
      },
    ]
    const failing = [script[0] ?? {}, { error: { status: 400, message: "secret-refusal" } }]
    const agent = await startAgent("anthropic", { script: failing, tools })
    expect((await agent.run({ prompt: "go", telemetry })).error?.reason).toBe("rejected")
    expect(spans.map(({ attributes, status }) => [attributes["error.type"], status])).toEqual([
      ["rejected", { code: 2 }],
      [undefined, undefined],
      ["failed", { code: 2 }],
      ["400", { code: 2 }],
    ])
    expect(spans[0]?.exceptions).toEqual([{ name: "rejected", code: "rejected" }])
    expect(spans.every((span) => span.ended === 1)).toBe(true)
    expect(JSON.stringify(spans)).not.toContain("secret")
  })

  it("ends every span when it is aborted in the middle of a tool", async () => {
    const { spans, telemetry } = recording()
    const stop = new AbortController()
    const tools = [{ ...echo, run: () => (stop.abort(), new Promise(() => {})) }]
    const agent = await startAgent("anthropic", { script, tools })
    expect((await agent.run({ prompt: "go", telemetry, signal: stop.signal, abortGraceMs: 1 })).stop).toBe("aborted")
    expect(spans.map(({ name, ended, attributes }) => [name, ended, attributes["error.type"]])).toEqual([
      ["invoke_agent", 1, "aborted"],
      ["chat claude-opus-4-6", 1, undefined],
      ["execute_tool echo", 1, "interrupted"],
    ])
  })

  const fail = (): never => {
    throw new Error("no tracing today")
  }
  const broken: TelemetrySpan = { setAttributes: fail, recordException: fail, setStatus: fail, end: fail }
  it.each<[string, TelemetryOptions]>([
    ["cannot start spans", { tracer: { startSpan: fail } }],
    ["has spans that throw", { tracer: { startSpan: () => broken }, content: true }],
    ["has no spans", { tracer: { startSpan: () => undefined as unknown as TelemetrySpan } }],
    ["has contexts that throw", { tracer: { startSpan: () => broken }, context: { active: fail, with: fail }, trace: { setSpan: fail } }],
    [
      "runs nothing in its contexts",
      { tracer: { startSpan: () => broken }, context: { active: () => 1, with: () => 2 }, trace: { setSpan: () => 3 } },
    ],
  ])("does the same when its tracer %s", async (_, telemetry) => {
    const agent = await startAgent("gemini", { script })
    expect(await agent.run({ prompt: "go", telemetry })).toMatchObject({ stop: "done", text: "secret-answer", iterations: 2 })
    expect((await agent.told())[2]).toBe("echo: done secret-argument")
  })
})
