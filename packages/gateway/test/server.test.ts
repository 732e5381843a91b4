/** Who may ask, how much, and how the gateway stops; and what its configuration may say. */
import { request } from "node:http"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { ConfigError, type GatewayTracer, hashedKey, readConfig } from "../src/index.ts"
import { fake, post, serve, upstreamTo } from "./serve.ts"

const body = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}'

const anthropic = async (config: object = {}, script: Parameters<typeof fake>[0]["script"] = []) => {
  const provider = await fake({ api: "anthropic", script })
  return { provider, gateway: await serve({ ...upstreamTo("anthropic", provider), ...config }) }
}

describe("keys", () => {
  it("of the gateway are needed where there are some, and go no further", async () => {
    const { provider, gateway } = await anthropic({ keys: [hashedKey("secret")] })
    const ask = (headers: Record<string, string>) => post(`${gateway.url}/v1/messages`, body, { headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ "x-api-key": "wrong" })).status).toBe(401)
    expect((await ask({ authorization: "Bearer secret" })).status).toBe(200)
    expect((await ask({ "x-api-key": "secret" })).status).toBe(200)
    expect(provider.requests.map(({ headers }) => [headers["authorization"], headers["x-api-key"]])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect((await post(`${gateway.url}/metrics`, undefined, { method: "GET" })).status).toBe(401)
  })
})

describe("pages in a browser", () => {
  it("may not ask under a name that was pointed here, or from an origin nobody allowed", async () => {
    const { provider, gateway } = await anthropic({ hosts: ["gateway.example"], origins: ["https://app.example"] })
    const ask = (headers: Record<string, string>) => post(`${gateway.url}/v1/messages`, body, { headers })
    const statuses: number[] = []
    for (const headers of [
      { host: "evil.example" },
      { origin: "https://evil.example" },
      { host: "gateway.example:80" },
      { origin: "https://app.example" },
      { host: "localhost:1" },
    ]) {
      statuses.push((await ask(headers as Record<string, string>)).status)
    }
    expect(statuses).toEqual([403, 403, 200, 200, 200])
    expect(provider.requests.length).toBe(3)
  })
})

describe("limits", () => {
  it("on the body hold for announced, streamed and packed bodies", async () => {
    const { provider, gateway } = await anthropic({ limits: { bodyBytes: 1000 } })
    const long = body.replace("hi", "x".repeat(2000))
    const url = `${gateway.url}/v1/messages`
    expect((await post(url, long)).status).toBe(413)
    expect((await post(url, gzipSync(long), { headers: { "content-encoding": "gzip" } })).status).toBe(413)
    const streamed = await new Promise<number>((resolve, reject) => {
      const sent = request(
        url,
        { method: "POST", headers: { "content-type": "application/json", "transfer-encoding": "chunked" } },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        },
      )
      sent.once("error", reject)
      sent.write(long.slice(0, 900))
      sent.write(long.slice(900))
    })
    expect(streamed).toBe(413)
    expect(provider.requests.length).toBe(0)
  })

  it("on requests at the same time ask clients to come again", async () => {
    const { gateway } = await anthropic({ limits: { concurrent: 1 } }, [{ text: "a", delayMs: 200 }])
    const first = post(`${gateway.url}/v1/messages`, body)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const second = await post(`${gateway.url}/v1/messages`, body)
    expect([second.status, second.headers["retry-after"], (await first).status]).toEqual([429, "1", 200])
    expect((await post(`${gateway.url}/v1/messages`, body)).status).toBe(200)
  })
})

describe("bodies", () => {
  it("that are packed reach the provider unpacked; what cannot be unpacked is refused", async () => {
    const { provider, gateway } = await anthropic()
    const url = `${gateway.url}/v1/messages`
    expect((await post(url, gzipSync(body), { headers: { "content-encoding": "gzip" } })).status).toBe(200)
    expect(provider.requests[0]?.headers["content-encoding"]).toBeUndefined()
    expect((await post(url, body, { headers: { "content-encoding": "gzip" } })).status).toBe(400)
    expect((await post(url, body, { headers: { "content-encoding": "x-other" } })).status).toBe(415)
  })

  it("that are no JSON, or no history, go to their provider, which knows what to say", async () => {
    const { provider, gateway } = await anthropic()
    for (const each of ["{", "[]", "null", '{"messages":"x"}', '{"messages":[1]}', ""]) {
      expect((await post(`${gateway.url}/v1/messages`, each)).status).toBe(400)
    }
    expect(provider.requests.length).toBe(6)
  })
})

describe("questions about the gateway", () => {
  it("are answered", async () => {
    const { gateway } = await anthropic()
    const ask = (path: string) => post(gateway.url + path, undefined, { method: "GET" })
    expect([(await ask("/healthz")).text, (await ask("/readyz")).text]).toEqual(["ok\n", "ready\n"])
    await post(`${gateway.url}/v1/messages`, body)
    const metrics = (await ask("/metrics")).text
    expect(metrics).toContain('ligature_requests_total{wire="anthropic",upstream="fake-anthropic",status="200"} 1')
    expect(metrics).toContain("# TYPE ligature_active gauge\nligature_active 0")
    expect((await ask("/other")).status).toBe(404)
    expect(JSON.parse((await post(`${gateway.url}/v1/messages/other`, body)).text)).toMatchObject({
      type: "error",
      error: { type: "not_found_error" },
    })
  })

  it("for a WebSocket are declined at once", async () => {
    const { gateway } = await anthropic({ websocket: false })
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(gateway.port, "127.0.0.1", () =>
        socket.write(
          "GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n",
        ),
      )
      socket.once("data", (data) => {
        resolve(data.toString())
        socket.destroy()
      })
      socket.once("error", reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 426 /)
  })
})

describe("stopping", () => {
  it("lets running answers end", async () => {
    const { gateway } = await anthropic({}, [{ text: "one two three", eventDelayMs: 40 }])
    let first: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (first = resolve))
    const running = post(`${gateway.url}/v1/messages`, body.replace("{", '{"stream":true,'), { onChunk: () => first() })
    await begun
    const stopped = gateway.stop()
    await expect(post(`${gateway.url}/v1/messages`, body)).rejects.toThrow()
    const answer = await running
    await stopped
    expect([answer.broken, answer.text.includes("message_stop")]).toEqual([false, true])
  })

  it("breaks those that do not end in time", async () => {
    const { gateway } = await anthropic({ limits: { graceMs: 50 } }, [{ text: "one two three", eventDelayMs: 1000 }])
    let first: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (first = resolve))
    const running = post(`${gateway.url}/v1/messages`, body.replace("{", '{"stream":true,'), { onChunk: () => first() })
    await begun
    await gateway.stop()
    expect((await running).broken).toBe(true)
  })
})

describe("memory", () => {
  it("holds as much as it may, and forgets the oldest", async () => {
    const { gateway } = await anthropic({ limits: { memoryBytes: 3000 } })
    for (let at = 0; at < 20; at++) await post(`${gateway.url}/v1/messages`, body.replace("hi", `${at} ${"x".repeat(900)}`))
    const metrics = (await post(`${gateway.url}/metrics`, undefined, { method: "GET" })).text
    expect(Number(/ligature_remembered_bytes (\d+)/.exec(metrics)?.[1])).toBeLessThanOrEqual(3000)
    expect(/ligature_conversations (\d+)/.exec(metrics)?.[1]).toBe("3")
  })
})

describe("a configuration", () => {
  const problemsOf = (value: unknown, env = {}): readonly string[] => {
    try {
      readConfig(value, env)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  it("needs an upstream, and knows the usual ones by name", () => {
    expect(problemsOf({})).toEqual(["upstreams: expected an object with at least one upstream, got undefined"])
    const { upstreams, host, port } = readConfig({ upstreams: { anthropic: {}, deepseek: { key: "$KEY" } } }, { KEY: "sk" })
    expect([host, port]).toEqual(["127.0.0.1", 4141])
    expect(upstreams.map(({ name, wire, url, profile, key }) => [name, wire, url.href, profile, key])).toEqual([
      ["anthropic", "anthropic", "https://api.anthropic.com/", "anthropic", undefined],
      ["deepseek", "openai-chat", "https://api.deepseek.com/v1", "deepseek", "sk"],
    ])
  })

  it("names everything that is wrong with it, and shows no key", () => {
    const problems = problemsOf({
      port: "x",
      upstreem: 1,
      keys: ["plain-secret"],
      limits: { idleMs: 0, other: 1 },
      upstreams: {
        mine: { url: "ftp://x", wire: "openai-chat" },
        other: { wire: "soap" },
        third: { wire: "gemini", url: "http://x", profile: "anthropic", key: "$NONE" },
      },
      models: [{ match: "a*", upstream: "nobody" }],
    })
    expect(problems.map((each) => each.split(":")[0])).toEqual([
      "upstreem",
      "upstreams.mine.url",
      "upstreams.other.wire",
      "upstreams.third.profile",
      "models[0].upstream",
      "port",
      "keys",
      "limits.other",
      "limits.idleMs",
    ])
    expect(problems.join()).not.toContain("plain-secret")
  })

  it("shows no credentials of addresses and headers", () => {
    for (const url of [
      "http://u:secret@host/v1",
      "http://:secret@host",
      "http://u:secret@[bad",
      "https://secret@h",
      "u:secret@h?key=secret",
    ]) {
      const problems = problemsOf({ upstreams: { mine: { wire: "gemini", url } } })
      expect(problems).toHaveLength(1)
      expect(problems[0]).not.toContain("secret")
    }
    const headers = { authorization: ["secret"] }
    expect(problemsOf({ upstreams: { mine: { wire: "gemini", url: "http://h", headers } } })).toEqual([
      "upstreams.mine.headers: expected an object of texts",
    ])
  })

  it("refuses policies that do not exist, and lists those that do", () => {
    const upstreams = { anthropic: {} }
    expect(problemsOf({ upstreams, policies: { orphanResult: "dorp" } })[0]).toMatch(
      /^policies: Unknown value "dorp" .* reattach, demote, drop$/,
    )
    expect(problemsOf({ upstreams, policies: { orphan: "drop" } })[0]).toMatch(/^policies: Unknown policy "orphan"/)
    expect(problemsOf({ upstreams, policies: "drop" })[0]).toMatch(/^policies: Expected policies as an object/)
    expect(problemsOf({ upstreams, policies: { orphanResult: "drop" } })).toEqual([])
  })

  it("refuses an address that others can reach without a key", () => {
    const upstreams = { anthropic: {} }
    expect(problemsOf({ upstreams, host: "0.0.0.0" })[0]).toContain("at least one key is needed")
    expect(problemsOf({ upstreams, host: "0.0.0.0", keys: [hashedKey("k")] })).toEqual([])
    expect(problemsOf({ upstreams, host: "::1" })).toEqual([])
  })
})

describe("models", () => {
  it("decide where a request goes, and may be asked for under another name", async () => {
    const chat = await fake({ api: "openai-chat" })
    const claude = await fake({ api: "anthropic" })
    const gateway = await serve({
      upstreams: { claude: { wire: "anthropic", url: claude.url }, chat: { wire: "openai-chat", url: `${chat.url}/v1` } },
      models: [
        { match: "gpt-*", upstream: "chat" },
        { match: "fast", upstream: "claude", model: "claude-haiku-4-5" },
      ],
    })
    const ask = (model: string) => post(`${gateway.url}/v1/messages`, body.replace('"m"', JSON.stringify(model)))
    await ask("gpt-4o")
    await ask("fast")
    await ask("claude-opus-4-6")
    expect(chat.requests.map(({ body: sent, path }) => [(sent as { model: string }).model, path])).toEqual([
      ["gpt-4o", "/v1/chat/completions"],
    ])
    expect(claude.requests.map(({ body: sent }) => (sent as { model: string }).model)).toEqual(["claude-haiku-4-5", "claude-opus-4-6"])
  })
})

describe("a tracer", () => {
  it("gets a span for every request, with numbers and names, and may fail", async () => {
    const spans: unknown[] = []
    let fails = false
    const tracer: GatewayTracer = {
      startSpan: (name, { kind, startTime, attributes }) => {
        if (fails) throw new Error("no exporter")
        const span: Record<string, unknown> = { name, kind, attributes }
        spans.push(span)
        return {
          setStatus: (status) => (span["status"] = status),
          end: (time) => (span["took"] = time - startTime >= 0),
        }
      },
    }
    const provider = await fake({
      api: "openai-chat",
      script: [{ text: "words of a model" }, { error: { status: 429, message: "Slow down" } }],
    })
    const gateway = await serve(upstreamTo("openai-chat", provider), { tracer })
    const claude = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"words of a user"}]}'
    for (fails of [false, false, true]) await post(`${gateway.url}/v1/messages`, claude, { headers: { "x-api-key": "sk-secret" } })
    expect(spans).toMatchObject([
      {
        name: "chat m",
        kind: 2,
        took: true,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "fake-openai-chat",
          "gen_ai.request.model": "m",
          "gen_ai.usage.output_tokens": expect.any(Number),
          "http.response.status_code": 200,
          "ligature.look": "converted",
        },
      },
      { attributes: { "error.type": "429" }, status: { code: 2 } },
    ])
    expect(JSON.stringify(spans)).not.toMatch(/words of|sk-secret/)
  })
})
