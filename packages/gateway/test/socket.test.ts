/** The Responses wire over a WebSocket, by a client that does what Codex does. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { apis, fake, post, serve, upstreamTo } from "./serve.ts"

type Json = Readonly<Record<string, any>>

const beta = { "openai-beta": "responses_websockets=2026-02-06" }

/** A connection whose frames are read one after the other; undefined when it closed. */
const connect = async (url: string, headers: Readonly<Record<string, string>> = beta) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, { headers })
  onTestFinished(() => socket.terminate())
  const frames: Json[] = []
  let closed: number | undefined
  let wake: (() => void) | undefined
  socket.on("message", (bytes: Buffer) => {
    frames.push(JSON.parse(bytes.toString()) as Json)
    wake?.()
  })
  socket.on("close", (code) => {
    closed = code
    wake?.()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve)
    socket.once("error", reject)
  })
  const next = async (): Promise<Json | undefined> => {
    while (frames.length === 0 && closed === undefined) await new Promise<void>((resolve) => (wake = resolve))
    return frames.shift()
  }
  const until = async (...types: readonly string[]): Promise<readonly Json[]> => {
    const seen: Json[] = []
    for (let frame = await next(); frame; frame = await next()) {
      seen.push(frame)
      if (types.includes(frame["type"])) break
    }
    return seen
  }
  const create = async (more: object): Promise<readonly Json[]> => {
    socket.send(JSON.stringify({ type: "response.create", model: "gpt-5", stream: true, store: false, tools, ...more }))
    return until("response.completed", "response.incomplete", "response.failed", "error")
  }
  return { socket, create, next, until, closed: () => closed }
}

const tools = [{ type: "function", name: "shell", parameters: { type: "object", properties: { command: { type: "string" } } } }]
const base = [{ type: "message", role: "developer", content: [{ type: "input_text", text: "You are an agent." }] }]
const prompt = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] })
const script = [{ calls: [{ name: "shell", arguments: { command: "ls" } }] }, { text: "Two files." }, { text: "Again." }]

describe.each(apis)("over a WebSocket, with a provider of %s, a client", (api) => {
  it("prepares, sends only what is new, and the provider gets everything", async () => {
    const provider = await fake({ api, script })
    const gateway = await serve(upstreamTo(api, provider))
    const client = await connect(gateway.url, { ...beta, "thread-id": "t-1" })
    const warm = await client.create({ generate: false, input: base })
    expect(warm.map(({ type }) => type)).toEqual(["response.created", "response.completed"])
    expect([warm[1]?.["response"].output, provider.requests.length]).toEqual([[], 0])
    const first = await client.create({ previous_response_id: warm[1]?.["response"].id, input: [prompt("list")] })
    const call = first.find(({ type, item }) => type === "response.output_item.done" && item.type === "function_call")?.["item"]
    expect(JSON.parse(call.arguments)).toEqual({ command: "ls" })
    const output = { type: "function_call_output", call_id: call.call_id, output: "a\nb" }
    const second = await client.create({ previous_response_id: first.at(-1)?.["response"].id, input: [output] })
    expect(second.at(-1)).toMatchObject({ type: "response.completed" })
    const third = await client.create({ previous_response_id: second.at(-1)?.["response"].id, input: [prompt("again")] })
    expect(third.at(-1)).toMatchObject({ type: "response.completed" })
    expect(provider.requests.map(({ verdict }) => verdict)).toEqual([{ ok: true }, { ok: true }, { ok: true }])
    const last = JSON.stringify(provider.requests[2]?.body)
    for (const said of ["You are an agent.", "list", "a\\nb", "Two files.", "again"]) expect(last).toContain(said)
    expect([last.includes("previous_response_id"), last.includes("response.create"), last.includes('"generate"')]).toEqual([
      false,
      false,
      false,
    ])
    expect(
      provider.requests.every(({ headers }) => headers["sec-websocket-key"] === undefined && headers["openai-beta"] === undefined),
    ).toBe(true)
    expect(new Set(gateway.records.map(({ conversation }) => conversation)).size).toBe(1)
  })
})

describe("over a WebSocket, a provider of the same wire", () => {
  it("gets requests of which each begins with the bytes of the one before", async () => {
    const bodies: string[] = []
    let count = 0
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      bodies.push(Buffer.concat(chunks).toString())
      const id = `resp_${count++}`
      const item = {
        type: "message",

        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "é\u2028", annotations: [] }],
      }
      const events = [
        { type: "response.created", response: { id } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id, output: [item] } },
      ]
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(""))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const gateway = await serve(upstreamTo("openai-responses", { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
    const client = await connect(gateway.url)
    let previous: string | undefined
    for (let turn = 0; turn < 4; turn++) {
      const frames = await client.create({
        ...(previous !== undefined && { previous_response_id: previous }),
        input: [prompt(`turn ${turn}`)],
      })
      previous = frames.at(-1)?.["response"].id
    }
    const inputs = bodies.map((body) => JSON.stringify((JSON.parse(body) as Json)["input"]).slice(0, -1))
    for (const [at, input] of inputs.entries()) if (at > 0) expect(input.startsWith(inputs[at - 1] as string)).toBe(true)
    expect(gateway.records.map(({ look }) => look)).toEqual(["whole", "grown", "grown", "grown"])
    server.closeAllConnections()
  })
})

describe("over a WebSocket, the gateway", () => {
  it("says what it does not know in the words on which clients send everything", async () => {
    const gateway = await serve(upstreamTo("openai-responses", await fake({ api: "openai-responses", script })))
    const client = await connect(gateway.url)
    expect(await client.create({ previous_response_id: "resp_gone", input: [prompt("hi")] })).toEqual([
      { type: "error", status: 400, error: expect.objectContaining({ code: "previous_response_not_found" }) },
    ])
    const other = await connect(gateway.url)
    const [, done] = await other.create({ generate: false, input: base })
    // What a connection knows, no other one can go on from.
    expect((await client.create({ previous_response_id: done?.["response"].id, input: [] }))[0]).toMatchObject({ status: 400 })
    client.socket.send("no json")
    expect(await client.next()).toMatchObject({ type: "error", status: 400 })
    client.socket.send('{"type":"response.other"}')
    expect(await client.next()).toMatchObject({ type: "error", status: 400 })
    expect((await client.create({ input: [prompt("hi")] })).at(-1)).toMatchObject({ type: "response.completed" })
  })

  it("tells refusals of the provider with their status and when to ask again", async () => {
    const limited = { error: { status: 429, message: "Rate limit reached", headers: { "retry-after": "2" } } }
    const gateway = await serve(upstreamTo("openai-responses", await fake({ api: "openai-responses", script: [limited, { text: "ok" }] })))
    const client = await connect(gateway.url)
    expect(await client.create({ input: [prompt("hi")] })).toEqual([
      { type: "error", status: 429, error: expect.objectContaining({ message: "Rate limit reached" }), headers: { "retry-after": "2" } },
    ])
    expect((await client.create({ input: [prompt("hi")] })).at(-1)).toMatchObject({ type: "response.completed" })
  })

  it.each(apis)("breaks the connection when the stream of a provider of %s broke", async (api) => {
    const provider = await fake({ api, script: [{ text: "one two three", cutAfterEvents: 2 }] })
    const gateway = await serve(upstreamTo(api, provider))
    const client = await connect(gateway.url)
    const frames = await client.create({ input: [prompt("hi")] })
    expect(frames.some(({ type }) => type === "response.completed")).toBe(false)
    while (client.closed() === undefined) await client.next()
    expect(client.closed()).toBe(1006)
  })

  it("gives up the request of a client that went away", async () => {
    const provider = await fake({ api: "openai-responses", script: [{ text: "one two three four", eventDelayMs: 200 }] })
    const gateway = await serve(upstreamTo("openai-responses", provider))
    const client = await connect(gateway.url)
    client.socket.send(JSON.stringify({ type: "response.create", model: "m", input: [prompt("hi")] }))
    await client.next()
    client.socket.terminate()
    await expect.poll(() => gateway.records.map(({ ended }) => ended)).toEqual(["client-left"])
  })

  it("answers one request after the other, pings with pongs, and closes what asks too much", async () => {
    const gateway = await serve({
      ...upstreamTo("openai-responses", await fake({ api: "openai-responses", script: [] })),
      limits: { bodyBytes: 4000 },
    })
    const client = await connect(gateway.url)
    const frame = JSON.stringify({ type: "response.create", model: "m", input: [prompt("hi")] })
    for (let at = 0; at < 3; at++) client.socket.send(frame)
    for (let at = 0; at < 3; at++)
      expect((await client.until("response.completed")).filter(({ type }) => type === "response.created").length).toBe(1)
    const ponged = new Promise((resolve) => client.socket.once("pong", resolve))
    client.socket.ping()
    await ponged
    client.socket.send("x".repeat(5000))
    while (client.closed() === undefined) await client.next()
    expect(client.closed()).toBe(1009)
  })

  it("lets nobody in whom it would not answer, and finishes answers when it stops", async () => {
    const { hashedKey } = await import("../src/index.ts")
    const provider = await fake({ api: "openai-responses", script: [{ text: "one two three", eventDelayMs: 30 }] })
    const gateway = await serve({ ...upstreamTo("openai-responses", provider, { key: "k" }), keys: [hashedKey("secret")] })
    await expect(connect(gateway.url)).rejects.toThrow("401")
    await expect(connect(gateway.url, { authorization: "Bearer secret", origin: "http://evil.example" })).rejects.toThrow("403")
    const client = await connect(gateway.url, { authorization: "Bearer secret" })
    const idle = await connect(gateway.url, { authorization: "Bearer secret" })
    client.socket.send(JSON.stringify({ type: "response.create", model: "m", input: [prompt("hi")] }))
    const first = await client.next()
    const stopped = gateway.stop()
    const rest = await client.until("response.completed")
    expect([first?.["type"], rest.at(-1)?.["type"]]).toEqual(["response.created", "response.completed"])
    await stopped
    while (client.closed() === undefined) await client.next()
    while (idle.closed() === undefined) await idle.next()
    expect([client.closed(), idle.closed()]).toEqual([1001, 1001])
  })

  it("declines with the one status on which clients go on without, where it is switched off, or elsewhere", async () => {
    const config = upstreamTo("openai-responses", await fake({ api: "openai-responses", script }))
    await expect(connect((await serve({ ...config, websocket: false })).url)).rejects.toThrow("426")
    const { url } = await serve(config)
    const other = new WebSocket(`${url.replace("http", "ws")}/v1/chat/completions`)
    await expect(new Promise((_, reject) => other.once("error", reject))).rejects.toThrow("426")
    expect((await post(`${url}//`, "{}")).status).toBe(404)
  })
})
