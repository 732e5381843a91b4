/** Refusals of providers: healed by one stricter request where that can be, remembered, and passed on else. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { paths, post, serve, upstreamTo } from "./serve.ts"

type Body = Readonly<Record<string, unknown>>

/** A provider that refuses what a function objects to; keeps the bodies. */
const provider = async (refuse: (body: Body, text: string) => object | string | undefined) => {
  const bodies: Body[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body = JSON.parse(text) as Body
    bodies.push(body)
    const refusal = refuse(body, text)
    const answer =
      refusal === undefined
        ? '{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}'
        : typeof refusal === "string"
          ? JSON.stringify({ error: { message: refusal } })
          : JSON.stringify(refusal)
    response.writeHead(refusal === undefined ? 200 : 400, { "content-type": "application/json", "x-request-id": "r" }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const chat = (more: object = {}): string =>
  JSON.stringify({
    model: "m",
    messages: [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ],
    ...more,
  })

describe("a refusal", () => {
  it("of a member of the body is healed, and right at the first try the next time, for this model", async () => {
    const upstream = await provider(({ seed, model }) =>
      seed === undefined || model === "free" ? undefined : "Unrecognized request argument supplied: seed",
    )
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    const ask = (more: object) => post(`${gateway.url}/v1/chat/completions`, chat(more))
    const one = await ask({ seed: 7 })
    expect([one.status, one.headers["x-ligature-healed"], one.headers["x-ligature-left-out"]]).toEqual([200, "request-member", "seed"])
    expect((await ask({ seed: 8 })).status).toBe(200)
    expect((await ask({ seed: 9, model: "free" })).status).toBe(200)
    expect(upstream.bodies.map(({ seed }) => seed)).toEqual([7, undefined, undefined, 9])
    expect(gateway.records.map(({ healed }) => healed)).toEqual(["request-member", undefined, undefined])
  })

  it("that names another member is healed by it", async () => {
    const upstream = await provider(({ max_tokens: limit }) =>
      limit === undefined
        ? undefined
        : "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    )
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    expect((await post(`${gateway.url}/v1/chat/completions`, chat({ max_tokens: 5 }))).status).toBe(200)
    expect(
      (await post(`${gateway.url}/v1/messages`, '{"model":"m","max_tokens":6,"messages":[{"role":"user","content":"hi"}]}')).status,
    ).toBe(200)
    expect(upstream.bodies.map(({ max_tokens: old, max_completion_tokens: now }) => [old, now])).toEqual([
      [5, undefined],
      [undefined, 5],
      [undefined, 6],
    ])
  })

  it("of the history is healed by a stricter profile", async () => {
    const upstream = await provider(({ messages }) => {
      const roles = (messages as { role: string }[]).map(({ role }) => role)
      return roles.some((role, at) => role === roles[at + 1])
        ? "Conversation roles must alternate user/assistant/user/assistant/..."
        : undefined
    })
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    const answer = await post(`${gateway.url}/v1/chat/completions`, chat())
    expect(answer.status).toBe(200)
    expect(answer.headers["x-ligature-healed"]).toMatch(/alternat/)
    expect((await post(`${gateway.url}/v1/chat/completions`, chat({ temperature: 0 }))).status).toBe(200)
    expect(upstream.bodies.length).toBe(3)
  })

  it("of thinking is healed for its conversation alone", async () => {
    const upstream = await provider((_, text) =>
      text.includes("forged")
        ? {
            type: "error",
            error: { type: "invalid_request_error", message: "messages.1.content.0: Invalid `signature` in `thinking` block" },
          }
        : undefined,
    )
    const gateway = await serve(upstreamTo("anthropic", upstream))
    const ask = (session: string, signature: string) =>
      post(
        `${gateway.url}/v1/messages`,
        JSON.stringify({
          model: "m",
          max_tokens: 9,
          messages: [
            { role: "user", content: "hi" },
            {
              role: "assistant",
              content: [
                { type: "thinking", thinking: "t", signature },
                { type: "text", text: "ok" },
              ],
            },
            { role: "user", content: "and?" },
          ],
        }),
        { headers: { "x-claude-code-session-id": session } },
      )
    expect([(await ask("a", "forged")).status, (await ask("a", "forged")).status, (await ask("b", "sound")).status]).toEqual([
      200, 200, 200,
    ])
    expect(upstream.bodies.map((body) => JSON.stringify(body).includes('"thinking"'))).toEqual([true, false, false, true])
  })

  it("that a second request does not heal passes as it was", async () => {
    const upstream = await provider(() => "Unrecognized request argument supplied: seed")
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    const answer = await post(`${gateway.url}/v1/chat/completions`, chat({ seed: 1 }))
    expect([answer.status, answer.headers["x-request-id"], JSON.parse(answer.text).error.message]).toEqual([
      400,
      "r",
      "Unrecognized request argument supplied: seed",
    ])
    expect(upstream.bodies.length).toBe(2)
  })

  it("that nobody understands, or that names what cannot be left out, is not tried again", async () => {
    for (const text of ["Something odd", "Unknown parameter: 'messages'", "Unrecognized request argument supplied: absent"]) {
      const upstream = await provider(() => text)
      const gateway = await serve(upstreamTo("openai-chat", upstream))
      expect((await post(gateway.url + paths["openai-chat"](false), chat())).status).toBe(400)
      expect(upstream.bodies.length).toBe(1)
    }
  })

  it("for now, again and again, says when to ask again, unless the provider does", async () => {
    let headers: Record<string, string> = {}
    const server = createServer((request, response) => {
      request.resume()
      response
        .writeHead(529, { "content-type": "application/json", ...headers })
        .end('{"type":"error","error":{"type":"overloaded_error"}}')
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const port = (server.address() as AddressInfo).port
    const gateway = await serve(upstreamTo("anthropic", { url: `http://127.0.0.1:${port}` }))
    const body = '{"model":"m","max_tokens":6,"messages":[{"role":"user","content":"hi"}]}'
    const waits: unknown[] = []
    for (let at = 0; at < 10; at++) waits.push((await post(`${gateway.url}/v1/messages`, body)).headers["retry-after"])
    headers = { "retry-after": "7" }
    waits.push((await post(`${gateway.url}/v1/messages`, body)).headers["retry-after"])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const gone = await post(`${gateway.url}/v1/messages`, body)
    expect([waits, gone.status, gone.headers["retry-after"]]).toEqual([
      [undefined, undefined, "2", "4", "8", "16", "30", "30", "30", "30", "7"],
      502,
      "30",
    ])
  })

  it("that the context is too long is said in the words on which each client compacts", async () => {
    const upstream = await provider(() => ({
      error: { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" },
    }))
    const gateway = await serve(upstreamTo("openai-chat", upstream))
    const anthropic = await post(`${gateway.url}/v1/messages`, '{"model":"m","max_tokens":6,"messages":[{"role":"user","content":"hi"}]}')
    expect([anthropic.status, JSON.parse(anthropic.text).error.message]).toEqual([
      400,
      "prompt is too long: This model's maximum context length is 8192 tokens.",
    ])
    const responses = await post(`${gateway.url}/v1/responses`, '{"model":"m","input":"hi"}')
    expect(JSON.parse(responses.text).error.code).toBe("context_length_exceeded")
  })
})
