/** Questions beside the conversation: how many tokens a request has, and which models there are. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { user } from "ligature"
import { type FakeApi } from "ligature/testing"
import { requestOf } from "./client.ts"
import { apis, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const countPath: Readonly<Partial<Record<FakeApi, string>>> = {
  anthropic: "/v1/messages/count_tokens?beta=true",
  "openai-responses": "/v1/responses/input_tokens",
  gemini: "/v1beta/models/m:countTokens",
}
const tokensIn = (text: string): number => {
  const { input_tokens: input, totalTokens: total } = JSON.parse(text) as { readonly input_tokens?: number; readonly totalTokens?: number }
  return input ?? total ?? Number.NaN
}

const provider = async (answer: (path: string) => readonly [number, unknown]) => {
  const server = createServer((request, response) => {
    request.resume()
    const [status, body] = answer(request.url ?? "")
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe.each(Object.keys(countPath) as FakeApi[])("tokens of a request of %s", (api) => {
  const path = countPath[api] as string
  const short = requestOf(api, [user("hello world")], false)
  const long = requestOf(api, [user("hello world ".repeat(500))], false)

  it("are counted by a provider that counts", async () => {
    const gateway = await serve(upstreamTo(api, await provider((asked) => [200, { asked }])))
    const answer = await post(gateway.url + path, short)
    expect([answer.status, JSON.parse(answer.text), answer.headers["x-ligature-estimated"]]).toEqual([200, { asked: path }, undefined])
  })

  it("are estimated, and it is said so, where nobody counts", async () => {
    const without = await provider(() => [404, { error: { message: "no such path" } }])
    for (const config of [upstreamTo(api, without), upstreamTo(api === "anthropic" ? "openai-chat" : "anthropic", without)]) {
      const gateway = await serve(config)
      const [one, two] = [await post(gateway.url + path, short), await post(gateway.url + path, long)]
      expect([one.status, one.headers["x-ligature-estimated"], two.status]).toEqual([200, "input-tokens", 200])
      expect(tokensIn(one.text)).toBeGreaterThan(2)
      expect(tokensIn(two.text)).toBeGreaterThanOrEqual(1000)
      expect(tokensIn(two.text)).toBeLessThan(1500)
    }
  })

  it("are scaled to what the provider reported of the conversation", async () => {
    const upstream: FakeApi = "openai-chat"
    const reply = { id: "x", choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }
    const gateway = await serve(
      upstreamTo(upstream, await provider(() => [200, { ...reply, usage: { prompt_tokens: 1500, completion_tokens: 1 } }])),
    )
    const headers = { "x-claude-code-session-id": "s" }
    const before = tokensIn((await post(gateway.url + path, long, { headers })).text)
    await post(gateway.url + paths[api](false), long, { headers })
    const after = tokensIn((await post(gateway.url + path, long, { headers })).text)
    expect(before).toBeLessThan(1500)
    expect(after).toBeGreaterThanOrEqual(1500)
    expect(after).toBeLessThan(1600)
  })
})

describe("the models", () => {
  const lists: Readonly<Record<FakeApi, unknown>> = {
    anthropic: {
      data: [
        { type: "model", id: "big" },
        { type: "model", id: "small" },
      ],
    },
    "openai-chat": { object: "list", data: [{ id: "big" }, { id: "small" }] },
    "openai-responses": { object: "list", data: [{ id: "big" }, { id: "small" }] },
    gemini: { models: [{ name: "models/big" }, { name: "models/small" }] },
  }
  const headersOf: Readonly<Record<FakeApi, Record<string, string>>> = {
    anthropic: { "anthropic-version": "2023-06-01" },
    "openai-chat": {},
    "openai-responses": {},
    gemini: { "x-goog-api-key": "k" },
  }
  const at: Readonly<Record<FakeApi, string>> = {
    anthropic: "/v1/models",
    "openai-chat": "/v1/models",
    "openai-responses": "/v1/models",
    gemini: "/v1beta/models",
  }
  const idsIn = (text: string): readonly string[] => {
    const { data, models } = JSON.parse(text) as {
      readonly data?: readonly { id: string }[]
      readonly models?: readonly { name: string }[]
    }
    return data?.map(({ id }) => id) ?? models?.map(({ name }) => name.replace("models/", "")) ?? []
  }

  it.each(apis.flatMap((client) => apis.map((upstream) => [client, upstream] as const)))(
    "are listed for a client of %s by a provider of %s",
    async (client, upstream) => {
      const url = await provider((path) => (path.startsWith(at[upstream]) ? [200, lists[upstream]] : [404, {}]))
      const config = upstreamTo(upstream, url)
      const gateway = await serve({
        ...config,
        models: [
          { match: "mine", upstream: `fake-${upstream}` },
          { match: "gpt-*", upstream: `fake-${upstream}` },
        ],
      })
      const answer = await post(`${gateway.url}${at[client]}?limit=1000`, undefined, { method: "GET", headers: headersOf[client] })
      // Both wires of OpenAI have one list.
      const same = (client === upstream && client !== "openai-responses") || (client.startsWith("openai") && upstream === "openai-chat")
      expect([answer.status, idsIn(answer.text)]).toEqual([200, same ? ["big", "small"] : ["mine", "big", "small"]])
      if (same) return
      const one = await post(`${gateway.url}${at[client]}/mine`, undefined, { method: "GET", headers: headersOf[client] })
      const none = await post(`${gateway.url}${at[client]}/other`, undefined, { method: "GET", headers: headersOf[client] })
      expect([one.status, one.text.includes("mine"), none.status]).toEqual([200, true, 404])
    },
  )

  it("are those of the rules where the provider lists none", async () => {
    const gateway = await serve({
      ...upstreamTo("anthropic", await fake({ api: "anthropic" })),
      models: [{ match: "mine", upstream: "fake-anthropic" }],
    })
    expect(idsIn((await post(`${gateway.url}/v1/models`, undefined, { method: "GET" })).text)).toEqual(["mine"])
  })
})

describe("a client that looks whether somebody is there", () => {
  it("is answered", async () => {
    const gateway = await serve(upstreamTo("anthropic", await fake({ api: "anthropic" })))
    for (const path of ["/", "/api/hello"]) expect((await post(gateway.url + path, undefined, { method: "HEAD" })).status).toBe(200)
  })
})
