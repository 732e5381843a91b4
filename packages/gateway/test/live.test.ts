/** What a page about the gateway is told: exchanges as they happen, and who may see which. */
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { hashedKey, type LiveBegin, type LiveEnd } from "../src/index.ts"
import { eventsIn, fake, post, serve, upstreamTo } from "./serve.ts"

interface Watched {
  readonly status: number
  readonly text: () => string
  /** Resolves with the values of so many events of that name. */
  readonly until: <Value>(name: string, count: number) => Promise<readonly Value[]>
  readonly pause: () => void
  readonly ended: Promise<void>
}

const valuesOf = (text: string, name: string): readonly unknown[] =>
  text.split("\n\n").flatMap((frame) => (frame.startsWith(`event: ${name}\n`) ? eventsIn(frame) : []))

const watch = (url: string, key?: string): Promise<Watched> =>
  new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const sent = request(`${url}/-/live`, { headers }, (answer) => {
      let text = ""
      answer.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
      answer.on("error", () => undefined)
      const ended = new Promise<void>((over) => answer.once("close", () => over()))
      const until = async <Value>(name: string, count: number): Promise<readonly Value[]> => {
        for (let tries = 0; valuesOf(text, name).length < count; tries++) {
          if (tries > 500) throw new Error(`Expected ${count} ${name}, got: ${text}`)
          await new Promise((over) => setTimeout(over, 10))
        }
        return valuesOf(text, name) as readonly Value[]
      }
      resolve({ status: answer.statusCode ?? 0, text: () => text, until, pause: () => void answer.pause(), ended })
    })
    sent.once("error", reject)
    sent.end()
    onTestFinished(() => void sent.destroy())
  })

const messagesBody = (messages: readonly object[]): string => JSON.stringify({ model: "claude-x", max_tokens: 9, messages })
const question = messagesBody([{ role: "user", content: "Why does the build fail?" }])

const anthropic = async (config: object = {}, script: Parameters<typeof fake>[0]["script"] = []) => {
  const provider = await fake({ api: "anthropic", script })
  return { provider, gateway: await serve({ ...upstreamTo("anthropic", provider), ...config }) }
}

const get = (url: string, key?: string, more: Record<string, string> = {}) =>
  post(url, undefined, { method: "GET", headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...more } })

describe("the live feed", () => {
  it("tells of an exchange when it begins and when it ends, without credentials", async () => {
    const { gateway } = await anthropic({}, [{ text: "It has no linker." }])
    const watched = await watch(gateway.url, gateway.secret)
    await post(`${gateway.url}/v1/messages`, question, { headers: { "x-api-key": "sk-client-secret" } })
    const [begin] = await watched.until<LiveBegin>("begin", 1)
    const [end] = await watched.until<LiveEnd>("end", 1)
    expect(valuesOf(watched.text(), "hello")).toEqual([{ version: 1, sees: "all" }])
    expect(begin).toEqual({
      id: expect.any(String),
      time: expect.any(Number),
      conversation: expect.stringMatching(/^[0-9a-f]{24}$/),
      wire: "anthropic",
      upstream: "fake-anthropic",
      model: "claude-x",
      bytes: question.length,
      question: { role: "user", text: "Why does the build fail?" },
    })
    expect(end).toEqual({ ...begin, status: 200, ended: "complete", look: "whole", ms: expect.any(Number), repaired: [] })
    expect(watched.text()).not.toContain("sk-client-secret")
  })

  it("names what was repaired, with rule and place, and keeps it for those who come later", async () => {
    const { gateway } = await anthropic()
    const damaged = messagesBody([
      { role: "user", content: "Build it" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "make" } }] },
      { role: "user", content: "And?" },
    ])
    expect((await post(`${gateway.url}/v1/messages`, damaged)).headers["x-ligature-repaired"]).toBe("unanswered-call")
    const [end] = await (await watch(gateway.url, gateway.secret)).until<LiveEnd>("end", 1)
    expect(end?.repaired).toMatchObject([{ rule: "unanswered-call", kind: "synthetic", place: { message: 1 }, ids: ["toolu_1"] }])
    expect(end?.repaired[0]?.replacement).toBeDefined()
  })

  it("shows the refusal that was healed with its text, and one that was not", async () => {
    const server = createServer(async (asked, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of asked) chunks.push(chunk as Buffer)
      const { seed, user } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly seed?: unknown; readonly user?: unknown }
      const message =
        seed !== undefined ? "Unrecognized request argument supplied: seed" : user === "poor" ? "Your credit balance is too low" : ""
      response.writeHead(message === "" ? 200 : 400, { "content-type": "application/json" })
      response.end(
        message === ""
          ? '{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}'
          : JSON.stringify({ error: { message } }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const gateway = await serve(upstreamTo("openai-chat", { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
    const watched = await watch(gateway.url, gateway.secret)
    const ask = (more: object) =>
      post(`${gateway.url}/v1/chat/completions`, JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }], ...more }))
    expect((await ask({ seed: 7 })).status).toBe(200)
    expect((await ask({ user: "poor" })).status).toBe(400)
    const [healed, passed] = await watched.until<LiveEnd>("end", 2)
    expect([healed?.status, healed?.refusal]).toEqual([
      200,
      { status: 400, text: '{"error":{"message":"Unrecognized request argument supplied: seed"}}', healed: ["request-member"] },
    ])
    expect([passed?.status, passed?.refusal]).toEqual([
      400,
      { status: 400, text: '{"error":{"message":"Your credit balance is too low"}}' },
    ])
    // What a log has of it has no content.
    expect(JSON.stringify(gateway.records)).not.toContain("credit")
  })

  it("is nobody's without the secret, and only a key's own with a key", async () => {
    const keys = [hashedKey("ada-key"), hashedKey("bob-key")]
    const { gateway } = await anthropic({ keys, operators: [hashedKey("root-key")] })
    expect((await get(`${gateway.url}/-/live`)).status).toBe(401)
    expect((await get(`${gateway.url}/-/live`, "wrong")).status).toBe(401)
    const [ada, root] = [await watch(gateway.url, "ada-key"), await watch(gateway.url, "root-key")]
    await post(`${gateway.url}/v1/messages`, question, { headers: { "x-api-key": "bob-key" } })
    await post(`${gateway.url}/v1/messages`, question, { headers: { "x-api-key": "ada-key" } })
    const all = await root.until<LiveEnd>("end", 2)
    const own = await ada.until<LiveEnd>("end", 1)
    expect(own).toEqual([all[1]])
    expect(valuesOf(ada.text(), "hello")).toEqual([{ version: 1, sees: "own" }])
    expect((await get(`${gateway.url}/-/conversations`, "ada-key")).status).toBe(403)
  })

  it("is for no page of another origin, and under no other name", async () => {
    const { gateway } = await anthropic()
    const ask = (more: Record<string, string>) => get(`${gateway.url}/-/conversations`, gateway.secret, more)
    expect((await ask({ origin: "https://evil.example" })).status).toBe(403)
    expect((await ask({ host: "evil.example" })).status).toBe(403)
    // Its own page: what follows is that this gateway keeps no conversations.
    expect((await ask({ origin: gateway.url })).status).toBe(404)
  })

  it("hides what the store hides", async () => {
    const folder = mkdtempSync(join(tmpdir(), "live-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { gateway } = await anthropic({ store: { place: folder, redact: ["tok_\\w+"] } })
    const watched = await watch(gateway.url, gateway.secret)
    await post(`${gateway.url}/v1/messages`, messagesBody([{ role: "user", content: "Use tok_12345" }]))
    const [end] = await watched.until<LiveEnd>("end", 1)
    expect(end?.question?.text).toBe("Use [redacted]")
    expect(watched.text()).not.toContain("tok_12345")
  })

  it("holds up nobody and grows no further for a watcher that does not read", async () => {
    const { gateway } = await anthropic()
    const watched = await watch(gateway.url, gateway.secret)
    watched.pause()
    const long = messagesBody([
      { role: "user", content: "Build it" },
      ...Array.from({ length: 60 }, (_, at) => ({
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${at}`, name: "bash", input: { command: "x".repeat(3_000) } }],
      })),
    ])
    for (let at = 0; at < 30; at++) expect((await post(`${gateway.url}/v1/messages`, long)).status).toBe(200)
    const other = await watch(gateway.url, gateway.secret)
    const ends = await other.until<LiveEnd>("end", 30)
    expect(ends.length).toBe(30)
    expect(Math.max(...ends.map((end) => JSON.stringify(end).length))).toBeLessThan(65_536)
    expect(ends[0]?.repaired.length).toBeGreaterThan(20)
  })

  it("ends with the gateway", async () => {
    const { gateway } = await anthropic()
    const watched = await watch(gateway.url, gateway.secret)
    await gateway.stop()
    await watched.ended
  })
})

describe("stored conversations", () => {
  it("are listed, and read with everything that was said", async () => {
    const folder = mkdtempSync(join(tmpdir(), "live-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { gateway } = await anthropic({ store: folder }, [{ text: "It has no linker." }])
    const { headers } = await post(`${gateway.url}/v1/messages`, question)
    const id = String(headers["x-ligature-conversation"])
    const listed = JSON.parse((await get(`${gateway.url}/-/conversations`, gateway.secret)).text) as { conversations: object[] }
    expect(listed.conversations).toMatchObject([{ id, title: "Why does the build fail?" }])
    const read = JSON.parse((await get(`${gateway.url}/-/conversations/${id}`, gateway.secret)).text) as Record<string, unknown>
    expect(read).toMatchObject({
      id,
      transcript: {
        messages: [
          { role: "user", blocks: [{ type: "text", text: "Why does the build fail?" }] },
          { role: "assistant", blocks: [{ type: "text", text: "It has no linker." }] },
        ],
      },
      sources: [expect.any(String), expect.any(String)],
      beside: [{ kind: "note", name: "iteration" }],
    })
    expect((await get(`${gateway.url}/-/conversations/none`, gateway.secret)).status).toBe(404)
    expect((await get(`${gateway.url}/-/conversations?limit=0`, gateway.secret)).status).toBe(400)
    expect((await get(`${gateway.url}/-/conversations`)).status).toBe(401)
  })
})
