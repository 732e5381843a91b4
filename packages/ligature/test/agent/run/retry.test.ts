/** Providers that fail: what may pass is tried again, nothing of a failed attempt is kept, and refusals are explained. */
import { describe, expect, it } from "vitest"
import type { LoopEvent, Surroundings } from "../../../src/agent/index.ts"
import { delayBefore, defaultRetry, retryAfterMs } from "../../../src/agent/request/retry.ts"
import type { ScriptedReply } from "../../../src/testing/index.ts"
import { apis, says, startAgent } from "./agent.ts"

const answer: ScriptedReply = { thinking: "Hm.", text: "I look.", calls: [says("one"), says("two")] }
const failures: readonly (readonly [what: string, reply: ScriptedReply])[] = [
  ["429", { error: { status: 429, message: "Rate limit reached" } }],
  ["500", { error: { status: 500, message: "Internal error" } }],
  ["529", { error: { status: 529, message: "Overloaded" } }],
  ["a cut stream", { ...answer, cutAfterEvents: 2 }],
  ["a stream cut at once", { ...answer, cutAfterEvents: 0 }],
  ["an error inside the stream", { ...answer, streamError: { message: "Overloaded", afterEvents: 3 } }],
]

describe.each(apis)("%s", (api) => {
  it.each(failures)("after %s the request is sent again, and nothing of the failed attempt is left", async (_, failure) => {
    const agent = await startAgent(api, { script: [failure, failure, answer, failure, { text: "Done." }] })
    const result = await agent.run({ prompt: "go" })
    expect([result.stop, result.text, result.iterations, result.error]).toEqual(["done", "Done.", 2, undefined])
    expect(agent.waits).toEqual([250, 500, 250])
    expect((await agent.told()).slice(1)).toEqual([
      'assistant: thinks I look. echo({"say":"one"}) echo({"say":"two"})',
      "echo: done one",
      "echo: done two",
      "assistant: Done.",
    ])
    const [first, second, third] = agent.provider.requests.map(({ body }) => body)
    expect([second, third]).toEqual([first, first])
  })

  it("gives up after as many attempts as it may make, and says why", async () => {
    const agent = await startAgent(api, { script: () => ({ error: { status: 503, message: "down for today" } }) })
    const result = await agent.run({ prompt: "go", retry: { attempts: 3 } })
    expect([result.stop, result.error?.reason, result.error?.code, result.error?.status]).toEqual([
      "error",
      "unavailable",
      "provider-failed",
      503,
    ])
    expect(result.error?.message).toMatch(/^No answer after 3 attempts: The provider answered 503: .*down for today/)
    expect([agent.provider.requests.length, await agent.told()]).toEqual([3, ["user: go"]])
  })

  it("does not repeat what the provider refuses, and names the stored entry that is at fault", async () => {
    const texts = {
      anthropic: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9",
      "openai-chat": "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      "openai-responses": "No tool output found for function call call_9.",
      gemini:
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    }
    const message = texts[api].replace(/toolu_9|call_9/, "ID")
    const agent = await startAgent(api, {
      script: ({ body }) => {
        const id = /"(?:tool_use_id|call_id)":"([^"]+)"/.exec(JSON.stringify(body))?.[1]
        if (!JSON.stringify(body).includes('"one"')) return answer
        return { error: { status: 400, message: message.replace("ID", id ?? "") } }
      },
    })
    const result = await agent.run({ prompt: "go" })
    expect([result.stop, result.error?.reason, result.error?.status, agent.waits]).toEqual(["error", "rejected", 400, []])
    expect(result.error?.classification?.rule.id).toMatch(new RegExp(`^${api.split("-")[0]}`))
    expect(agent.provider.requests).toHaveLength(2)
    const { entries } = await agent.load()
    if (api === "anthropic" || api === "openai-responses") {
      expect(entries.find(({ id }) => id === result.error?.entry)).toMatchObject({ kind: "message", message: { role: "assistant" } })
      expect(result.error?.message).toContain(`in the stored entry ${result.error?.entry ?? "?"}`)
    }
    expect((await agent.told()).slice(2)).toEqual(["echo: done one", "echo: done two"])
  })
})

describe("waiting", () => {
  it("is as long as the server says", async () => {
    const busy = (headers: Readonly<Record<string, string>>): ScriptedReply => ({ error: { status: 429, message: "slow down", headers } })
    const date = new Date(1_700_000_005_000).toUTCString()
    const agent = await startAgent("anthropic", {
      script: [busy({ "retry-after": "7" }), busy({ "retry-after-ms": "1500" }), busy({ "retry-after": date }), { text: "ok" }],
    })
    await agent.run({ prompt: "go", surroundings: { ...agent.surroundings, now: () => 1_700_000_000_000 } })
    expect(agent.waits).toEqual([7000, 1500, 5000])
  })

  it("is given up when the server asks for more than anybody would wait", async () => {
    const agent = await startAgent("anthropic", {
      script: [{ error: { status: 429, message: "later", headers: { "retry-after": "3600" } } }],
    })
    const result = await agent.run({ prompt: "go" })
    expect([result.error?.reason, agent.waits]).toEqual(["unavailable", []])
    expect(result.error?.message).toContain("it asks to wait 3600000 ms")
  })

  it("is not tried where waiting cures nothing", async () => {
    const poor = { error: { status: 429, message: "You exceeded your current quota (insufficient_quota)" } }
    const agent = await startAgent("openai-chat", { script: [poor] })
    expect((await agent.run({ prompt: "go" })).error?.reason).toBe("rejected")
    const told = await startAgent("openai-chat", {
      script: [{ error: { status: 500, message: "no", headers: { "x-should-retry": "false" } } }],
    })
    expect((await told.run({ prompt: "go" })).error?.reason).toBe("rejected")
  })

  it("has a budget for the whole run", async () => {
    let count = 0
    const agent = await startAgent("anthropic", {
      script: () => (count++ % 2 === 0 ? { error: { status: 500, message: "hiccup" } } : { calls: [says(String(count))] }),
    })
    const result = await agent.run({ prompt: "go", retry: { budget: 3 } })
    expect([result.error?.reason, agent.waits.length, result.iterations]).toEqual(["unavailable", 3, 4])
  })

  it("grows and is spread by chance", () => {
    const failure = { kind: "http", message: "", retryable: true } as const
    const waits = (random: number): readonly unknown[] =>
      [1, 2, 3, 4, 5, 20].map((attempt) => delayBefore(failure, attempt, 0, { ...defaultRetry, attempts: 99 }, () => random))
    expect(waits(0)).toEqual([250, 500, 1000, 2000, 4000, 15000])
    expect(waits(1)).toEqual([500, 1000, 2000, 4000, 8000, 30000])
  })

  it("grows too where the server names a time that is no wait", () => {
    const waits = (retryAfter: number): readonly unknown[] =>
      [1, 2, 3].map((attempt) => {
        const failure = { kind: "http", message: "", retryable: true, retryAfterMs: retryAfter } as const
        return delayBefore(failure, attempt, 0, defaultRetry, () => 1)
      })
    expect(waits(0)).toEqual([500, 1000, 2000])
    expect(waits(7)).toEqual([7, 7, 7])
    const over = new Headers({ "retry-after": new Date(1_000).toUTCString() })
    expect(waits(retryAfterMs(over, "", 60_000) ?? -1)).toEqual([500, 1000, 2000])
  })

  it("is read from wherever providers say it", () => {
    const google = JSON.stringify({ error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }] } })
    expect(retryAfterMs(new Headers(), google, 0)).toBe(17_000)
    expect(retryAfterMs(new Headers({ "retry-after": "soon" }), "", 0)).toBe(undefined)
    expect(retryAfterMs(new Headers(), "<html>", 0)).toBe(undefined)
  })
})

describe("a provider", () => {
  it("that cannot be reached is tried again", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "There." }] })
    let tries = 0
    const fetch: typeof globalThis.fetch = (input, init) =>
      tries++ < 2 ? Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })) : globalThis.fetch(input, init)
    const result = await agent.run({ prompt: "go", surroundings: { ...agent.surroundings, fetch } })
    expect([result.text, agent.waits.length]).toEqual(["There.", 2])
    const gone = await agent.run({ prompt: "go", model: { ...agent.model, url: "http://127.0.0.1:1/v1/messages" }, retry: { attempts: 2 } })
    expect([gone.error?.reason, gone.error?.status]).toEqual(["unavailable", undefined])
  })

  it("is not blamed for headers that cannot be sent", async () => {
    const agent = await startAgent("anthropic")
    for (const headers of [{ "x-api-key": "…" }, () => Promise.reject(new Error("no key"))]) {
      const result = await agent.run({ prompt: "go", model: { ...agent.model, headers } })
      expect([result.error?.reason, agent.waits, agent.provider.requests]).toEqual(["caller-failed", [], []])
    }
  })

  it.each(apis)("that is none is named by what it said: %s", async (api) => {
    const agent = await startAgent(api)
    const answered = async (body: string, type: string): Promise<string | undefined> => {
      const fetch = async (): Promise<Response> => new Response(body, { headers: { "content-type": type } })
      const result = await agent.run({ prompt: "go", retry: { attempts: 2 }, surroundings: { ...agent.surroundings, fetch } })
      expect(result.error?.reason).toBe("unavailable")
      return result.error?.message
    }
    const none = "No answer after 2 attempts: The provider answered 200 with what is no answer of a model"
    expect(await answered("<html>Sign in</html>", "text/html")).toBe(`${none} (text/html): <html>Sign in</html>`)
    expect(await answered('{"ok":true}', "application/json")).toBe(`${none} (application/json): {"ok":true}`)
    expect(await answered(": keep-alive\n\n", "text/event-stream")).toContain("The stream ended after 0 events")
  })

  it("that falls silent is given up and tried again", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "never said", eventDelayMs: 60_000 }, { text: "There." }] })
    const events: LoopEvent[] = []
    const result = await agent.run({ prompt: "go", silenceMs: 1_000, onEvent: (event) => events.push(event) })
    expect(result.text).toBe("There.")
    expect(events.flatMap((event) => (event.type === "retry-start" ? [event.failure.kind] : []))).toEqual(["silence"])
  })

  it.each(apis)("that answers in one piece is understood: %s", async (api) => {
    const agent = await startAgent(api, { script: [{ text: "Whole.", calls: [says("x")] }, { text: "Done." }] })
    const url = agent.model.url.replace("streamGenerateContent?alt=sse", "generateContent")
    const request = api === "gemini" ? {} : { stream: false, ...(api === "openai-chat" && { stream_options: undefined }) }
    const model = { ...agent.model, url, request }
    expect(await agent.run({ prompt: "go", model })).toMatchObject({ stop: "done", text: "Done.", iterations: 2 })
    expect(agent.provider.requests.map(({ isStreamed }) => isStreamed)).toEqual([false, false])
  })

  it.each(apis)("whose stream goes under the name of JSON is understood: %s", async (api) => {
    const agent = await startAgent(api, { script: [{ text: "One.", calls: [says("x")] }, { text: "Done." }] })
    const fetch: Surroundings["fetch"] = async (input, init) => {
      const { body, status } = await globalThis.fetch(input, init)
      return new Response(body, { status, headers: { "content-type": "application/json" } })
    }
    const surroundings = { ...agent.surroundings, fetch }
    expect(await agent.run({ prompt: "go", surroundings })).toMatchObject({ stop: "done", text: "Done.", iterations: 2 })
    expect(agent.waits).toEqual([])
  })

  it("that cannot be asked, because a header is none, is not asked again", async () => {
    const agent = await startAgent("openai-chat")
    const result = await agent.run({ prompt: "go", model: { ...agent.model, headers: { "x-key": "…" } } })
    expect([result.stop, result.error?.reason, agent.waits]).toEqual(["error", "caller-failed", []])
    expect(result.error?.message).toContain("ByteString")
  })

  it("whose answer is empty ends the run with an error", async () => {
    const agent = await startAgent("openai-chat")
    const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`
    const fetch = async (): Promise<Response> => new Response(chunk, { headers: { "content-type": "text/event-stream" } })
    const result = await agent.run({ prompt: "go", surroundings: { fetch } })
    expect([result.stop, result.finish, result.text, await agent.told()]).toEqual(["error", "end", "", ["user: go"]])
    expect(result.error).toMatchObject({ reason: "empty-answer", code: "no-answer", conversation: "c" })
  })

  it("that refuses or pauses is not answered with tools, or asked to go on", async () => {
    const agent = await startAgent("anthropic", { script: [{ text: "Done." }] })
    const event = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
    const stream = (stop_reason: string, ...blocks: readonly object[]): Response =>
      new Response(
        [
          event({ type: "message_start", message: { id: "m", role: "assistant", content: [], model: "claude", usage: {} } } as {
            type: string
          }),
          ...blocks.flatMap((content_block, index) => [
            event({ type: "content_block_start", index, content_block } as { type: string }),
            event({ type: "content_block_stop", index } as { type: string }),
          ]),
          event({ type: "message_delta", delta: { stop_reason }, usage: {} } as { type: string }),
          event({ type: "message_stop" }),
        ].join(""),
        { headers: { "content-type": "text/event-stream" } },
      )
    const use = { type: "tool_use", id: "toolu_1", name: "echo", input: { say: "x" } }
    const refused = await agent.run({
      prompt: "go",
      surroundings: { fetch: async () => stream("refusal", { type: "text", text: "No." }, use) },
    })
    expect([refused.stop, refused.finish, refused.text]).toEqual(["done", "refused", "No."])
    expect((await agent.told()).at(-1)).toContain("echo: not-run")
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } }
    let asked = 0
    const fetch: typeof globalThis.fetch = async (input, init) =>
      asked++ === 0 ? stream("pause_turn", search) : globalThis.fetch(input, init)
    const paused = await agent.run({ prompt: "again", surroundings: { fetch } })
    expect([paused.stop, paused.text, paused.iterations]).toEqual(["done", "Done.", 2])
  })
})
