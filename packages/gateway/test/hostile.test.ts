/** Upstreams and clients that mean harm, or behave as if: one request ends, the gateway goes on and its memory stays. */
import { readdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { apis, fake, paths, post, serve, upstreamTo } from "./serve.ts"

/** An upstream on bare TCP: gets the socket when a request has begun to arrive. */
const bare = async (answer: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const chat = '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}'
const claude = '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}'
const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"

/** Sends until the other side has enough. */
const flood = (socket: Socket, first: string, piece: string): void => {
  socket.write(first)
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) {
      /* as much as the socket takes */
    }
    if (!socket.destroyed) socket.once("drain", more)
  }
  more()
}

describe("an upstream", () => {
  it("whose headers never end is a bad gateway", async () => {
    const gateway = await serve(
      upstreamTo("openai-chat", await bare((socket) => flood(socket, "HTTP/1.1 200 OK\r\n", `x-a: ${"a".repeat(1000)}\r\n`))),
    )
    const answer = await post(`${gateway.url}/v1/chat/completions`, chat)
    expect([answer.status, answer.text.includes("HPE_HEADER_OVERFLOW")]).toEqual([502, true])
  })

  it("that sends an event without an end is given up when it has to be understood", async () => {
    const upstream = await bare((socket) => flood(socket, `${head}\r\ndata: {"x":"`, "a".repeat(1 << 20)))
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    const before = process.memoryUsage().rss
    expect((await post(`${gateway.url}/v1/messages`, claude)).broken).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(700 << 20)
  })

  it("that sends without an end is as slow as its client, and no memory is needed for it", async () => {
    const upstream = await bare((socket) =>
      flood(socket, `${head}\r\n`, `data: {"choices":[{"index":0,"delta":{"content":"${"a".repeat(4000)}"}}]}\n\n`),
    )
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const gateway = await serve(upstreamTo("openai-chat", upstream))
      const socket = connect(gateway.port, "127.0.0.1")
      const body = path === "/v1/messages" ? claude : chat
      socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      await new Promise((resolve) => socket.once("data", resolve))
      // The client reads no more.
      socket.pause()
      await new Promise((resolve) => setTimeout(resolve, 100))
      const before = process.memoryUsage().rss
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20)
      socket.destroy()
      await expect.poll(() => gateway.records.map(({ ended }) => ended)).toEqual(["client-left"])
    }
  })

  it("that lasts longer than the total time is cut, however busy it is", async () => {
    const upstream = await bare((socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
      const timer = setInterval(() => socket.write("8\r\n: ping\n\n\r\n"), 20)
      socket.once("close", () => clearInterval(timer))
    })
    const gateway = await serve({ ...upstreamTo("openai-chat", upstream), limits: { totalMs: 300 } })
    expect((await post(`${gateway.url}/v1/chat/completions`, chat)).broken).toBe(true)
    expect((await post(`${gateway.url}/v1/messages`, claude)).broken).toBe(true)
  })

  it("that says what is no HTTP, packs what is no gzip, or is a bomb, breaks one answer", async () => {
    const { gzipSync } = await import("node:zlib")
    const bomb = gzipSync(Buffer.alloc(80 << 20, "a"))
    const ways: readonly ((socket: Socket) => void)[] = [
      (socket) => socket.end("220 smtp ready\r\n"),
      (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`),
      (socket) => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
        )
        socket.end(bomb)
      },
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"),
    ]
    let at = 0
    const gateway = await serve(upstreamTo("openai-chat", await bare((socket) => (ways[at++] as (typeof ways)[number])(socket))))
    const whole = claude.replace('"stream":true,', "")
    for (const _ of ways) expect((await post(`${gateway.url}/v1/messages`, whole)).status).toBe(502)
  })
})

const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    let seen = ""
    socket.on("data", (bytes) => (seen += bytes.toString()))
    socket.on("error", () => {})
    socket.once("close", () => resolve(seen))
    setTimeout(() => socket.destroy(), 1500).unref()
  })

describe("a client", () => {
  it("with headers without an end, with two lengths, or with what is no HTTP is declined", async () => {
    const gateway = await serve(upstreamTo("openai-chat", await fake({ api: "openai-chat" })))
    const request = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    expect(await raw(gateway.port, `${request}x-a: ${"a".repeat(100_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
    expect(await raw(gateway.port, `${request}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    )
    expect(await raw(gateway.port, "hello\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /)
    for (const target of ["//", "//evil.example/v1/models", "/%", "/v1/models/%", "http://", "*", "/v1/messages?%"])
      expect(
        await raw(gateway.port, `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`),
      ).toMatch(/^HTTP\/1\.1 4/)
  })

  it("of another key finds nothing of a conversation, though it knows every name of it", async () => {
    const script = [{ text: "one", thinking: "secret thought" }, { text: "two" }, { text: "three" }]
    const provider = await fake({ api: "anthropic", script })
    const gateway = await serve(upstreamTo("anthropic", provider, { key: "k" }))
    const ask = (key: string, previous?: string) =>
      post(
        `${gateway.url}/v1/responses`,
        JSON.stringify({ model: "m", input: "hi", ...(previous !== undefined && { previous_response_id: previous }) }),
        {
          headers: { authorization: `Bearer ${key}`, "thread-id": "t" },
        },
      )
    const first = await ask("alice")
    const { id } = JSON.parse(first.text) as { readonly id: string }
    const [theirs, own] = [await ask("mallory", id), await ask("alice", id)]
    expect([theirs.status, JSON.parse(theirs.text).error.code, own.status]).toEqual([400, "previous_response_not_found", 200])
    const ids = [first, theirs, own].map(({ headers }) => headers["x-ligature-conversation"])
    expect([ids[0] === ids[2], ids[0] === ids[1]]).toEqual([true, false])
  })

  it("leads to no other place of the provider by the name of a model", async () => {
    const provider = await fake({ api: "gemini" })
    const gateway = await serve(upstreamTo("gemini", provider))
    const contents = '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}'
    for (const model of ["..%2f..%2ffiles", "%2e%2e%2ffiles", "..%252f..%252ffiles", "a%5C..%5Cb", "..", "."]) {
      const answer = await post(`${gateway.url}/v1beta/models/${model}:generateContent`, contents)
      expect([model, answer.status]).toEqual([model, 404])
    }
    await post(
      `${gateway.url}/v1/messages`,
      JSON.stringify({ model: "../../files", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }),
    )
    await post(`${gateway.url}/v1beta/models/google%2Fgemini-2.5-pro:generateContent`, contents)
    expect(provider.requests.map(({ path }) => path)).toEqual([
      "/v1beta/models/______files:generateContent",
      "/v1beta/models/google%2Fgemini-2.5-pro:generateContent",
    ])
  })

  it("finds its credentials nowhere: not in the store, the log or the metrics", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ligature-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const provider = await fake({ api: "anthropic", script: [{ text: "ok" }, { error: { status: 401, message: "invalid x-api-key" } }] })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const headers = { "x-api-key": "sk-secret-one", authorization: "Bearer sk-secret-two", cookie: "sk-secret-three" }
    for (let at = 0; at < 2; at++) await post(`${gateway.url}/v1/messages?key=sk-secret-four`, claude, { headers })
    const metrics = await post(`${gateway.url}/metrics`, undefined, { method: "GET" })
    await gateway.stop()
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    const stored = files.map((each) => readFileSync(join(each.parentPath, each.name), "utf8")).join("")
    expect(stored).toContain("hi")
    expect(stored + JSON.stringify(gateway.records) + metrics.text).not.toContain("sk-secret")
  })

  it.each(apis)("of %s that says half a request and then nothing is not waited for", async (api) => {
    const gateway = await serve({ ...upstreamTo(api, await fake({ api })), limits: { headersMs: 100, requestMs: 300 } })
    const begun = Date.now()
    const half = await raw(gateway.port, `POST ${paths[api](false)} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{"mes`)
    expect([half === "" || half.startsWith("HTTP/1.1 408"), Date.now() - begun < 1400]).toEqual([true, true])
  })
})
