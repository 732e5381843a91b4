/** Every client wire to every upstream wire: turns with tools, streamed and not, healthy and damaged. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { CallBlock, Message } from "ligature"
import { assistant, call, result, thinking, tool, user } from "ligature"
import { type FakeApi } from "ligature/testing"
import { isBroken, plain, requestOf, say } from "./client.ts"
import { apis, eventsIn, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const pairs = apis.flatMap((client) => apis.filter((each) => each !== client).map((upstream) => [client, upstream] as const))
const streams = [false, true]

const hasThinking = (api: FakeApi): boolean => api !== "openai-chat"

describe.each(pairs)("a client of %s and a provider of %s", (client, upstream) => {
  it.each(streams)("work through turns with parallel calls (streamed: %s)", async (stream) => {
    const script = [
      {
        ...(hasThinking(upstream) && { thinking: "Let me look." }),
        text: "Höre 🎉",
        calls: [
          { name: "read_file", arguments: { path: 'a\n"b"' } },
          { name: "bash", arguments: {} },
        ],
      },
      { text: "Two files." },
    ]
    const provider = await fake({ api: upstream, script })
    const gateway = await serve(upstreamTo(upstream, provider))
    const history: Message[] = [user("list")]
    const one = await say(gateway.url, client, requestOf(client, history, stream), stream)
    expect([one.answer.status, one.objections]).toEqual([200, []])
    expect(one.recorded).toMatchObject({ complete: true, stop: "calls" })
    expect(one.recorded.usage?.outputTokens).toBeGreaterThan(0)
    const said = plain(one.blocks).filter((each) => !Object.hasOwn(each as object, "thinking"))
    expect(said).toEqual([{ text: "Höre 🎉" }, { name: "read_file", arguments: { path: 'a\n"b"' } }, { name: "bash", arguments: {} }])
    const calls = one.blocks.filter((block): block is CallBlock => block.type === "call")
    history.push(one.recorded.message, tool(...calls.map(({ id }, at) => result(id, `⟦${at}⟧`))))
    const two = await say(gateway.url, client, requestOf(client, history, stream), stream)
    expect([two.answer.status, two.objections, plain(two.blocks), two.recorded.stop]).toEqual([200, [], [{ text: "Two files." }], "end"])
    history.push(two.recorded.message, user("thanks"))
    const three = await say(gateway.url, client, requestOf(client, history, stream), stream)
    expect(three.answer.status).toBe(200)
    expect(provider.requests.map(({ verdict, isStreamed }) => [verdict, isStreamed])).toEqual(
      provider.requests.map(() => [{ ok: true }, stream]),
    )
    // What is before the tip is written alike in every request.
    const texts = provider.requests.map(({ body }) =>
      JSON.stringify(
        (body as Record<string, unknown>)[
          { anthropic: "messages", "openai-chat": "messages", "openai-responses": "input", gemini: "contents" }[upstream]
        ],
      ).slice(0, -1),
    )
    expect(texts[2]?.startsWith(texts[1] ?? "-")).toBe(true)
    expect(gateway.records.map(({ ended, look }) => [ended, look])).toEqual(gateway.records.map(() => ["complete", "converted"]))
  })

  it("say a limit and an error alike", async () => {
    const provider = await fake({
      api: upstream,
      script: [{ error: { status: 429, message: "Slow down", headers: { "retry-after": "9" } } }],
    })
    const gateway = await serve(upstreamTo(upstream, provider))
    const answer = await post(gateway.url + paths[client](false), requestOf(client, [user("hi")], false))
    expect([answer.status, answer.headers["retry-after"], JSON.parse(answer.text).error.message]).toEqual([429, "9", "Slow down"])
  })

  it("end a stream that carried an error with an error, and one that broke by breaking it", async () => {
    const script = [
      { text: "one two three", streamError: { message: "Overloaded", afterEvents: 3 } },
      { text: "one two three", cutAfterEvents: 2 },
    ]
    const provider = await fake({ api: upstream, script })
    const gateway = await serve(upstreamTo(upstream, provider))
    const failed = await say(gateway.url, client, requestOf(client, [user("hi")], true), true)
    expect([failed.answer.broken, failed.recorded.complete, failed.recorded.error?.message]).toEqual([false, false, "Overloaded"])
    const cut = await say(gateway.url, client, requestOf(client, [user("hi")], true), true)
    expect([isBroken(client, cut), cut.recorded.complete]).toEqual([true, false])
    expect(gateway.records.map(({ ended }) => ended)).toEqual(["upstream-broke", "upstream-broke"])
  })
})

interface Damaged {
  readonly name: string
  readonly format: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expect: { readonly keeps: readonly string[] }
}

const folder = new URL("../../ligature/fixtures/damaged/", import.meta.url)
const damaged: readonly Damaged[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Damaged)

const textsIn = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "object" && value !== null ? Object.values(value).map(textsIn).join("\n") : ""

describe.each(pairs)("damaged histories of %s for a provider of %s", (client, upstream) => {
  it("are accepted, and nothing is lost", async () => {
    const provider = await fake({ api: upstream })
    const gateway = await serve(upstreamTo(upstream, provider))
    const histories = damaged.filter(({ format }) => format === client)
    expect(histories.length).toBeGreaterThan(10)
    const wrong: unknown[] = []
    for (const {
      name,
      input,
      expect: { keeps },
    } of histories) {
      const model = upstream === "anthropic" ? "claude-opus-4-6" : "gpt-4o"
      const answer = await post(gateway.url + paths[client](false), JSON.stringify({ model, ...input }))
      const request = provider.requests.at(-1)
      const texts = textsIn(request?.body)
      const lost = keeps.filter((text) => !texts.includes(text) && !texts.includes(JSON.stringify(text).slice(1, -1)))
      if (answer.status !== 200 || request?.verdict?.ok !== true || lost.length > 0)
        wrong.push([name, answer.status, request?.verdict, lost])
    }
    expect(wrong).toEqual([])
  })
})

describe("what a wire cannot carry", () => {
  it("is put back before the next request: encrypted reasoning, signatures", async () => {
    for (const upstream of ["openai-responses", "anthropic", "gemini"] as const) {
      for (const client of apis.filter((each) => each !== upstream)) {
        const script = [{ thinking: "Let me look.", calls: [{ name: "bash", arguments: { a: 1 } }] }, { text: "Done." }]
        const provider = await fake({ api: upstream, script })
        const gateway = await serve({
          ...upstreamTo(upstream, provider),
          models: [{ match: "*", upstream: `fake-${upstream}`, model: "gpt-5" }],
        })
        const one = await say(gateway.url, client, requestOf(client, [user("list")], true), true)
        const [made] = one.blocks.filter((block): block is CallBlock => block.type === "call")
        // A client that keeps nothing but the call.
        const next = requestOf(
          client,
          [user("list"), assistant(call(made?.id ?? "", "bash", { a: 1 })), tool(result(made?.id ?? "", "ok"))],
          true,
        )
        await say(gateway.url, client, next, true)
        const sent = JSON.stringify(provider.requests[1]?.body)
        expect([upstream, client, provider.requests[1]?.verdict]).toEqual([upstream, client, { ok: true }])
        const mark = { "openai-responses": '"encrypted_content":', anthropic: '"signature"', gemini: "thoughtSignature" }[upstream]
        expect([upstream, client, sent.includes(mark), sent.includes("skip_thought_signature_validator")]).toEqual([
          upstream,
          client,
          true,
          false,
        ])
      }
    }
  })

  it("is not sent to a provider it is not from", async () => {
    const provider = await fake({ api: "openai-chat" })
    const gateway = await serve(upstreamTo("openai-chat", provider))
    await say(
      gateway.url,
      "anthropic",
      requestOf("anthropic", [user("a"), assistant(thinking("secret", "sig"), "b"), user("c")], false),
      false,
    )
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain("secret")
  })
})

describe("chains of responses", () => {
  it("are expanded for a provider of another wire", async () => {
    const provider = await fake({ api: "anthropic", script: [{ calls: [{ name: "bash", arguments: {} }] }, { text: "ok" }] })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const ask = (body: object) =>
      post(`${gateway.url}/v1/responses`, JSON.stringify({ model: "m", tools: [{ type: "function", name: "bash" }], ...body }))
    const one = JSON.parse((await ask({ input: "list" })).text)
    const [item] = one.output
    const two = await ask({
      previous_response_id: one.id,
      input: [{ type: "function_call_output", call_id: item.call_id, output: "a.txt" }],
    })
    expect(two.status).toBe(200)
    expect(provider.requests[1]?.verdict).toEqual({ ok: true })
    expect((provider.requests[1]?.body as { messages?: unknown[] } | undefined)?.messages?.length).toBe(3)
  })

  it("that are not known are refused in the words on which clients send everything again", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const answer = await post(`${gateway.url}/v1/responses`, '{"model":"m","previous_response_id":"resp_x","input":"hi"}')
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, "previous_response_not_found"])
  })

  it("belong to the key that began them", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const one = await post(`${gateway.url}/v1/responses`, '{"model":"m","input":"hi"}', { headers: { authorization: "Bearer a" } })
    const body = JSON.stringify({ model: "m", previous_response_id: JSON.parse(one.text).id, input: "and?" })
    const other = await post(`${gateway.url}/v1/responses`, body, { headers: { authorization: "Bearer b" } })
    expect(other.status).toBe(400)
  })
})

describe("tools of one wire", () => {
  it("that take free text are functions elsewhere, and the client's own again in the answer", async () => {
    for (const stream of streams) {
      const provider = await fake({
        api: "anthropic",
        script: [{ calls: [{ name: "apply_patch", arguments: { input: '*** Begin\n"x"' } }] }],
      })
      const gateway = await serve(upstreamTo("anthropic", provider))
      const body = { model: "m", stream, input: "patch", tools: [{ type: "custom", name: "apply_patch", description: "d" }] }
      const said = await say(gateway.url, "openai-responses", JSON.stringify(body), stream)
      expect(said.objections).toEqual([])
      expect(said.blocks).toMatchObject([{ type: "call", custom: true, name: "apply_patch", arguments: { input: '*** Begin\n"x"' } }])
    }
  })

  it("with names another wire does not take get their own names back", async () => {
    for (const stream of streams) {
      const long = `mcp__${"server".repeat(12)}__tool`
      const seen: string[] = []
      const provider = await fake({
        api: "openai-chat",
        script: ({ body }) => {
          const [declared] = (body as { tools: { function: { name: string } }[] }).tools
          seen.push(declared?.function.name ?? "")
          return { calls: [{ name: declared?.function.name ?? "", arguments: {} }] }
        },
      })
      const gateway = await serve(upstreamTo("openai-chat", provider))
      const said = await say(
        gateway.url,
        "anthropic",
        JSON.stringify({
          model: "m",
          max_tokens: 9,
          stream,
          messages: [{ role: "user", content: "x" }],
          tools: [{ name: long, input_schema: { type: "object" } }],
        }),
        stream,
      )
      expect(said.blocks).toMatchObject([{ name: long }])
      expect(seen[0]?.length).toBeLessThanOrEqual(64)
    }
  })
})

it("leaves out what only the client's own provider reads, and says so", async () => {
  const provider = await fake({ api: "openai-chat" })
  const gateway = await serve(upstreamTo("openai-chat", provider))
  const body = {
    model: "m",
    max_tokens: 99,
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=1;" },
      { type: "text", text: "Be brief." },
    ],
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "web_search_20250305", name: "web_search" }],
    context_management: { edits: [] },
  }
  const answer = await post(`${gateway.url}/v1/messages`, JSON.stringify(body))
  expect(answer.headers["x-ligature-left-out"]).toBe("context_management, tools: web_search_20250305")
  expect(provider.requests[0]?.body).toEqual({
    model: "m",
    stream: false,
    max_tokens: 99,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ],
  })
})

it("streams a list of JSON to Gemini clients that ask for one", async () => {
  const provider = await fake({ api: "anthropic", script: [{ text: "one two three" }] })
  const gateway = await serve(upstreamTo("anthropic", provider))
  const answer = await post(
    `${gateway.url}/v1beta/models/m:streamGenerateContent`,
    '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
  )
  const list = JSON.parse(answer.text) as unknown[]
  expect(list.length).toBeGreaterThan(1)
  expect(eventsIn(answer.text)).toEqual([])
})

it("asks for no thinking while calls are answered of an answer that began without, and asks again in the next turn", async () => {
  const script = [{ calls: [{ name: "bash", arguments: {} }] }, { text: "Done." }, { text: "And more." }]
  const provider = await fake({ api: "anthropic", script })
  const gateway = await serve(upstreamTo("anthropic", provider))
  const history: Message[] = [user("list")]
  const ask = async () => {
    const body = requestOf("openai-chat", history, true, { model: "claude-sonnet-4-5", reasoning_effort: "high" })
    const said = await say(gateway.url, "openai-chat", body, true)
    history.push(said.recorded.message)
    return said
  }
  const first = await ask()
  const calls = first.blocks.filter((block): block is CallBlock => block.type === "call")
  history.push(tool(...calls.map(({ id }) => result(id, "x"))))
  await ask()
  history.push(user("more"))
  await ask()
  expect(provider.requests.map(({ verdict, body }) => [verdict, Object.hasOwn(body as object, "thinking")])).toEqual([
    [{ ok: true }, true],
    [{ ok: true }, false],
    [{ ok: true }, true],
  ])
})
