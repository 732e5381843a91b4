/** Requests that stay in their wire: what reaches the provider, and what comes back. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { apis, eventsIn, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const bodies = {
  anthropic:
    '{"model":"claude-opus-4-6", "top_k":  5,"messages":[{"role":"user","content":[{"type":"text","text":"h\\u00e9 \\ud83c\\udf89"}]}],"max_tokens": 100,"metadata":{"user_id":"u"}}',
  "openai-chat": '{"temperature":0.10,"messages":[{"role":"user","content":"hi"}],"model":"gpt-4o"}',
  "openai-responses": '{"model":"gpt-4.1","input":[{"role":"user","content":"hi"}],"prompt_cache_key":"k"}',
  gemini: '{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"temperature":1.0}}',
} as const

/** A provider that is a function; keeps the bytes it was sent. */
const raw = async (answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void) => {
  const seen: { readonly headers: readonly string[]; readonly url: string; readonly body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    seen.push({ headers: request.rawHeaders, url: request.url ?? "", body })
    answer(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const ok = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end("{}")

describe.each(apis)("a client and a provider of %s", (api) => {
  it("exchange the very bytes, not streamed", async () => {
    const provider = await raw(ok)
    const gateway = await serve(upstreamTo(api, provider))
    const answer = await post(gateway.url + paths[api](false), bodies[api])
    expect(provider.seen.map(({ body }) => body.toString())).toEqual([bodies[api]])
    expect([answer.status, answer.text]).toEqual([200, "{}"])
    expect(gateway.records[0]).toMatchObject({ look: "whole", changes: [], ended: "complete" })
  })

  it("exchange the very bytes of a stream", async () => {
    const script = [{ text: "héllo 🎉 world", calls: [{ name: "ls", arguments: { path: "." } }] }]
    const direct = await fake({ api, script })
    const provider = await fake({ api, script })
    const gateway = await serve(upstreamTo(api, provider))
    const body = JSON.stringify({ ...JSON.parse(bodies[api]), ...(api !== "gemini" && { stream: true }) })
    const expected = await post(direct.url + paths[api](true), body)
    const answer = await post(gateway.url + paths[api](true), body)
    expect(answer.text).toBe(expected.text)
    expect(eventsIn(answer.text).length).toBeGreaterThan(2)
    expect(answer.headers["content-type"]).toBe(expected.headers["content-type"])
  })

  it("are reset together when the stream breaks", async () => {
    const provider = await fake({ api, script: [{ text: "one two three", cutAfterEvents: 2 }] })
    const gateway = await serve(upstreamTo(api, provider))
    const body = JSON.stringify({ ...JSON.parse(bodies[api]), ...(api !== "gemini" && { stream: true }) })
    const answer = await post(gateway.url + paths[api](true), body)
    // Clients of Gemini end for good when they are reset, and ask again after an error.
    expect(answer).toMatchObject({ status: 200, broken: api !== "gemini" })
    if (api === "gemini") expect(eventsIn(answer.text).at(-1)).toMatchObject({ error: { code: 502 } })
    expect(gateway.records[0]?.ended).toBe("upstream-broke")
  })
})

describe("headers", () => {
  it("go on in order, case and number, but for those of one connection", async () => {
    const provider = await raw(ok)
    const gateway = await serve(upstreamTo("anthropic", provider))
    await post(`${gateway.url}/v1/messages?beta=true&x=%2F`, bodies.anthropic, {
      headers: {
        "Anthropic-Beta": "a,b",
        "anthropic-version": "2023-06-01",
        "X-Api-Key": "sk-own",
        Connection: "keep-alive, X-Hop",
        "X-Hop": "1",
        TE: "trailers",
        "x-ligature-secret": "1",
        "X-Odd_Case": "é",
      },
    })
    const [{ headers, url } = { headers: [], url: "" }] = provider.seen
    expect(url).toBe("/v1/messages?beta=true&x=%2F")
    const text = headers.join("|")
    expect(text).toContain("Anthropic-Beta|a,b|anthropic-version|2023-06-01|X-Api-Key|sk-own")
    for (const gone of ["X-Hop", "TE|", "x-ligature"]) expect(text).not.toContain(gone)
  })

  it("of the answer go on, encoded bodies as they are", async () => {
    const packed = gzipSync('{"ok":true}')
    const provider = await raw((_, response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "Content-Encoding": "gzip",
        "x-codex-turn-state": "t",
        "anthropic-ratelimit-x": ["1", "2"],
        "keep-alive": "timeout=9",
      })
      response.end(packed)
    })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const answer = await post(`${gateway.url}/v1/messages`, bodies.anthropic)
    expect(answer.headers).toMatchObject({ "content-encoding": "gzip", "x-codex-turn-state": "t", "anthropic-ratelimit-x": "1, 2" })
    expect(answer.headers["keep-alive"]).not.toBe("timeout=9")
    expect(answer.headers["x-ligature-conversation"]).toMatch(/^[0-9a-f]{24}$/)
  })

  it("carry the upstream's key in place of the client's", async () => {
    const provider = await raw(ok)
    const gateway = await serve(upstreamTo("anthropic", provider, { key: "sk-upstream", headers: { "x-more": "1" } }))
    await post(`${gateway.url}/v1/messages`, bodies.anthropic, { headers: { authorization: "Bearer sk-client", "x-api-key": "sk-client" } })
    const text = provider.seen[0]?.headers.join("|") ?? ""
    expect(text).toContain("x-api-key|sk-upstream|x-more|1")
    expect(text).not.toContain("sk-client")
  })
})

describe("questions beside a conversation", () => {
  it("go to the provider of their wire: models, and numbers of tokens", async () => {
    const [claude, chat] = [await raw(ok), await raw(ok)]
    const gateway = await serve({
      upstreams: { claude: { wire: "anthropic", url: claude.url }, chat: { wire: "openai-chat", url: `${chat.url}/v1` } },
    })
    const get = (path: string, headers = {}) => post(gateway.url + path, undefined, { method: "GET", headers })
    const statuses = [
      (await get("/v1/models?limit=1000", { "anthropic-version": "2023-06-01", "x-api-key": "sk" })).status,
      (await get("/v1/models/m")).status,
      (await post(`${gateway.url}/v1/messages/count_tokens?beta=true`, bodies.anthropic)).status,
    ]
    expect(statuses).toEqual([200, 200, 200])
    expect(claude.seen.map(({ url, body }) => [url, body.toString()])).toEqual([
      ["/v1/models?limit=1000", ""],
      ["/v1/messages/count_tokens?beta=true", bodies.anthropic],
    ])
    expect(chat.seen.map(({ url }) => url)).toEqual(["/v1/models/m"])
  })
})

describe("failures", () => {
  it("of a provider pass as they are", async () => {
    const provider = await fake({
      api: "anthropic",
      script: [{ error: { status: 529, message: "Overloaded", headers: { "retry-after": "7" } } }],
    })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const answer = await post(`${gateway.url}/v1/messages`, bodies.anthropic)
    expect([answer.status, answer.headers["retry-after"], JSON.parse(answer.text).error.message]).toEqual([529, "7", "Overloaded"])
  })

  it.each(apis)("to reach a provider of %s are errors of that wire, and never 4xx", async (api) => {
    const gateway = await serve(upstreamTo(api, { url: "http://127.0.0.1:9" }))
    const answer = await post(gateway.url + paths[api](false), bodies[api])
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.text).error.message).toContain("cannot be reached (ECONNREFUSED)")
  })

  it("by silence end after the idle time", async () => {
    const provider = await raw(() => undefined)
    const gateway = await serve({ ...upstreamTo("anthropic", provider), limits: { idleMs: 50 } })
    expect((await post(`${gateway.url}/v1/messages`, bodies.anthropic)).status).toBe(504)
  })

  it("in the middle of a stream break the connection", async () => {
    const provider = await raw((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("event: ping\n\n")
    })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), limits: { idleMs: 600 } })
    expect(await post(`${gateway.url}/v1/messages`, bodies.anthropic)).toMatchObject({ status: 200, broken: true })
  })

  it("do not follow redirects", async () => {
    const provider = await raw((_, response) => void response.writeHead(307, { location: "http://127.0.0.1:9/" }).end())
    const gateway = await serve(upstreamTo("anthropic", provider))
    expect((await post(`${gateway.url}/v1/messages`, bodies.anthropic)).status).toBe(502)
  })
})

describe("a client that leaves", () => {
  it("ends the request upstream", async () => {
    let left: () => void = () => undefined
    const gone = new Promise<void>((resolve) => (left = resolve))
    const provider = await raw((_, response) => {
      response.once("close", left)
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write("event: ping\n\n")
    })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const controller = new AbortController()
    await fetch(`${gateway.url}/v1/messages`, { method: "POST", body: bodies.anthropic, signal: controller.signal }).then((answer) =>
      answer.body?.getReader().read(),
    )
    controller.abort()
    await gone
    await expect.poll(() => gateway.records[0]?.ended).toBe("client-left")
  })

  it("before the answer begins ends the request upstream too", async () => {
    let [left, came]: (() => void)[] = []
    const gone = new Promise<void>((resolve) => (left = resolve))
    const asked = new Promise<void>((resolve) => (came = resolve))
    const provider = await raw((_, response) => {
      response.once("close", () => left?.())
      came?.()
    })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const controller = new AbortController()
    const answer = fetch(`${gateway.url}/v1/messages`, { method: "POST", body: bodies.anthropic, signal: controller.signal }).catch(
      () => undefined,
    )
    await asked
    controller.abort()
    await Promise.all([gone, answer])
  })
})

it("slows the provider down when the client reads slowly", async () => {
  let written = 0
  const provider = await raw((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const piece = `: ${"x".repeat(65_000)}\n\n`
    const more = (): void => {
      while (written < 200 << 20) {
        written += piece.length
        if (!response.write(piece)) return void response.once("drain", more)
      }
      response.end()
    }
    more()
  })
  const gateway = await serve(upstreamTo("anthropic", provider))
  const controller = new AbortController()
  const answer = await fetch(`${gateway.url}/v1/messages`, { method: "POST", body: bodies.anthropic, signal: controller.signal })
  await answer.body?.getReader().read()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(written).toBeLessThan(40 << 20)
  controller.abort()
})
