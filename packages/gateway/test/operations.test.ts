/** What whoever runs gateways relies on: whether they are ready, what they count, and that what was deleted is gone. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { fake, post, serve, upstreamTo } from "./serve.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "operations-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const body = (text: string, stream = false): string =>
  JSON.stringify({ model: "m", max_tokens: 9, stream, messages: [{ role: "user", content: text }] })

const get = (url: string, headers: Record<string, string> = {}, method = "GET") => post(url, undefined, { method, headers })

describe("/readyz", () => {
  it("says so while the store cannot be reached, and nothing of where it is", async () => {
    const provider = await fake({ api: "anthropic" })
    const errors: unknown[] = []
    const gateway = await serve(
      { ...upstreamTo("anthropic", provider), store: "postgres://somebody:password@127.0.0.1:1/nowhere" },
      { onError: (error) => errors.push(error) },
    )
    const [ready, healthy] = [await get(`${gateway.url}/readyz`), await get(`${gateway.url}/healthz`)]
    expect([ready.status, healthy.status, healthy.text]).toEqual([503, 200, "ok\n"])
    expect(ready.text).toMatch(/^the store (?:does not answer|cannot be reached)\n$/)
    // Whoever asks goes on all the same, unless the settings say otherwise.
    expect((await post(`${gateway.url}/v1/messages`, body("Hi"))).status).toBe(200)
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    const begun = errors.length
    // What cannot be reached is not asked for with every request: these are told of the same failure.
    for (let at = 0; at < 20; at++) expect((await post(`${gateway.url}/v1/messages`, body(`Hi ${at}`))).status).toBe(200)
    await expect.poll(() => errors.length).toBe(begun + 20)
    expect(new Set(errors).size).toBeLessThan(10)
    expect(errors.map(String).join()).not.toContain("password")
  })

  it("says yes with a store that was never used", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folderForTest() })
    expect([(await get(`${gateway.url}/readyz`)).text, (await get(`${gateway.url}/readyz`)).status]).toEqual(["ready\n", 200])
  })
})

describe("/metrics", () => {
  it.each([false, true])("count tokens as providers say, caches included, and the time that was added (streamed: %s)", async (stream) => {
    const usage = { input_tokens: 100, cache_read_input_tokens: 900, cache_creation_input_tokens: 0, output_tokens: 7 }
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage,
    }
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    ]
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" })
      response.end(
        stream ? events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") : JSON.stringify(message),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const gateway = await serve({ ...upstreamTo("anthropic", { url }), store: folderForTest() })
    await post(`${gateway.url}/v1/messages`, body("Hi", stream))
    const { text } = await get(`${gateway.url}/metrics`)
    expect(text).toContain('ligature_tokens_total{upstream="fake-anthropic",kind="input"} 1000')
    expect(text).toContain('ligature_tokens_total{upstream="fake-anthropic",kind="cache_read"} 900')
    expect(text).toContain('ligature_tokens_total{upstream="fake-anthropic",kind="output"} 7')
    expect(text).toContain("# TYPE ligature_added_seconds histogram")
    expect(text).toMatch(
      /ligature_added_seconds_bucket\{le="10"\} 1\nligature_added_seconds_bucket\{le="\+Inf"\} 1\nligature_added_seconds_sum 0\.\d+\nligature_added_seconds_count 1/,
    )
    // Every line is one that Prometheus reads.
    for (const line of text.trim().split("\n"))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"\n]*",?)*\})? [\d.e+-]+)$/)
  })
})

describe("a conversation that is deleted", () => {
  it("is gone: from the store, from memory, from what is shown", async () => {
    const provider = await fake({ api: "anthropic", script: [{ text: "It has no linker." }] })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const all = { authorization: `Bearer ${gateway.secret}` }
    const { headers } = await post(`${gateway.url}/v1/messages`, body("Why does the build fail?"))
    const address = `${gateway.url}/-/conversations/${String(headers["x-ligature-conversation"])}`
    expect((await get(address, {}, "DELETE")).status).toBe(401)
    expect((await get(`${gateway.url}/-/live`, all, "DELETE")).status).toBe(405)
    expect((await get(address, all, "DELETE")).status).toBe(204)
    expect([(await get(address, all)).status, (await get(address, all, "DELETE")).status]).toEqual([404, 404])
    const left = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), "latin1"))
    expect(left.join("")).not.toMatch(/build fail|linker/)
    expect((await get(`${gateway.url}/metrics`)).text).toContain("ligature_conversations 1")
    await post(`${gateway.url}/v1/messages`, body("Another one"))
    expect((await get(`${gateway.url}/metrics`)).text).toContain("ligature_conversations 1")
  })
})
