/**
 * Prompt caches of providers count bytes: in every direction, each request begins with the bytes of the one before it, whatever
 * the history, and although clients move their cache marks and count in their headers.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Message, user } from "ligature"
import { Choices, type FakeApi, generateHistory } from "ligature/testing"
import { sliceBody } from "../src/conversation/slices.ts"
import { requestOf } from "./client.ts"
import { apis, paths, post, serve, upstreamTo } from "./serve.ts"

/** Keeps the very bytes it is sent. */
const provider = async () => {
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(Buffer.concat(chunks))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}

const lists: Readonly<Record<FakeApi, string>> = {
  anthropic: "messages",
  "openai-chat": "messages",
  "openai-responses": "input",
  gemini: "contents",
}

/** The requests that led to a history: each ends where its client waits for the model. */
const requestsIn = (messages: readonly Message[]): readonly (readonly Message[])[] =>
  messages.flatMap((message, at) => (message.role === "assistant" && at > 0 ? [messages.slice(0, at)] : []))

/** A mark on the newest message of the user, and a header that counts, as Claude Code has them. */
const asClaudeCode = (body: string, count: number): string => {
  const value = JSON.parse(body) as { messages: { role: string; content: unknown }[] }
  const last = value.messages.at(-1)
  const blocks = typeof last?.content === "string" ? [{ type: "text", text: last.content }] : ((last?.content ?? []) as object[])
  const marked = blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block))
  const messages = [...value.messages.slice(0, -1), { ...last, content: marked }]
  const system = [
    { type: "text", text: `x-anthropic-billing-header: cc_version=2.1.9; cc_entrypoint=cli; cch=${count};` },
    { type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } },
  ]
  return JSON.stringify({ ...value, messages, system })
}

/** What a cache can hold of a body: everything up to the end of the last element of its list, without marks. */
const cacheable = (body: Buffer, api: FakeApi): string => {
  const list = sliceBody(body, lists[api])?.list
  if (!list) throw new Error(`No list in ${body.toString("utf8").slice(0, 200)}`)
  return body.toString("utf8", list.start, list.end - 1).replaceAll(',"cache_control":{"type":"ephemeral"}', "")
}

/** All that is beside the list: the prompt, the tools, the settings. */
const beside = (body: Buffer, api: FakeApi): string => {
  const list = sliceBody(body, lists[api])?.list
  return list ? body.toString("utf8", 0, list.start) + body.toString("utf8", list.end) : ""
}

describe.each(apis)("a client of %s", (client) => {
  it.each(apis)("changes no bytes before the tip of a provider of %s", async (upstream) => {
    const { url, bodies } = await provider()
    const gateway = await serve(upstreamTo(upstream, { url }, { key: "test" }))
    let seen = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        bodies.length = 0
        const { messages } = generateHistory(Choices.fromSeed(seed, 300))
        const requests = requestsIn([user(`${seed}`), ...messages]).slice(0, 8)
        for (const [at, history] of requests.entries()) {
          const plain = requestOf(client, history, false)
          const body = client === "anthropic" ? asClaudeCode(plain, at) : plain
          await post(gateway.url + paths[client](false), body, { headers: { "x-session-id": String(seed) } })
        }
        expect(bodies.length).toBe(requests.length)
        for (let at = 1; at < bodies.length; at++) {
          const [before, after] = [bodies[at - 1] as Buffer, bodies[at] as Buffer]
          expect(cacheable(after, upstream).startsWith(cacheable(before, upstream))).toBe(true)
          expect(beside(after, upstream)).toBe(beside(before, upstream))
          seen++
        }
      }),
      { numRuns: 12 },
    )
    expect(seen).toBeGreaterThan(10)
  })
})
