/** Damaged histories that stay in their wire: repaired for their provider; everything else keeps its bytes. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type FakeApi } from "ligature/testing"
import { apis, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const folder = new URL("../../ligature/fixtures/damaged/", import.meta.url)

interface Damaged {
  readonly name: string
  readonly format: string
  readonly input: Readonly<Record<string, unknown>>
  readonly tip: "open" | "closed"
  readonly expect: { readonly diagnoses: readonly string[]; readonly keeps: readonly string[] }
}

const damaged: readonly Damaged[] = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Damaged)

const beside: Readonly<Record<FakeApi, object>> = {
  anthropic: { model: "claude-opus-4-6", max_tokens: 1000, tools: [{ name: "bash", input_schema: { type: "object" } }] },
  "openai-chat": { model: "gpt-4o" },
  "openai-responses": { model: "gpt-4.1" },
  gemini: {},
}

const calls = '{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"bash","input":{"command":"ls"}}]}'
const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}'
const body = (messages: readonly string[], rest = ""): string =>
  `{"model":"claude-opus-4-6","messages": [${messages.join(", ")}],"system":[{"type":"text","text":"Be  brief."}],"max_tokens":1e3${rest}}`
const first = '{"role":"user", "content":"li\\u0073t"}'
const next = '{"role":"user","content":"and now?"}'

describe.each(apis)("a damaged history for a provider of %s", (api) => {
  it.each(damaged.filter(({ format }) => format === api).map((each) => [each.name, each] as const))(
    "is accepted: %s",
    async (_, { input }) => {
      const provider = await fake({ api })
      const gateway = await serve(upstreamTo(api, provider))
      const answer = await post(gateway.url + paths[api](false), JSON.stringify({ ...beside[api], ...input }))
      const [request] = provider.requests
      expect(request?.verdict).toEqual({ ok: true })
      expect(answer.status).toBe(200)
    },
  )
})

describe("a repaired body", () => {
  it("keeps the bytes of every message that stays, and of everything beside them", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const answer = await post(`${gateway.url}/v1/messages`, body([first, calls, next], ',"temperature":0.50'))
    expect(answer.headers["x-ligature-repaired"]).toBe("unanswered-call")
    expect(gateway.records[0]?.changes.map(({ rule, ids }) => [rule, ids])).toEqual([["unanswered-call", ["toolu_1"]]])
    expect(answer.status).toBe(200)
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent).toContain("interrupted")
  })

  it.each(apis)("has what the policies chose, for a provider of %s", async (api) => {
    const policies = { unansweredCall: "drop-call" } as const
    const provider = await fake({ api })
    const gateway = await serve({ ...upstreamTo(api, provider), policies })
    const answer = await post(`${gateway.url}/v1/messages`, body([first, calls, next]))
    expect(answer.status).toBe(200)
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent).not.toContain("interrupted")
    expect(sent).not.toContain("toolu_1")
  })

  it("is not repaired where that is switched off", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), repair: false })
    expect((await post(`${gateway.url}/v1/messages`, body([first, calls, next]))).status).toBe(400)
  })
})

describe("a conversation that grows", () => {
  it("is looked at as a whole once, then only its new end", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const send = (messages: readonly string[], rest?: string): Promise<{ status: number }> =>
      post(`${gateway.url}/v1/messages`, body(messages, rest))
    await send([first])
    await send([first, calls, result])
    await send([first, calls, result], ',"temperature":1')
    await send([first, calls, result, '{"role":"assistant","content":"one file"}', next])
    expect(gateway.records.map(({ look }) => look)).toEqual(["whole", "grown", "grown", "grown"])
    expect(new Set(gateway.records.map(({ conversation }) => conversation)).size).toBe(1)
    expect(provider.requests.every(({ verdict }) => verdict?.ok === true)).toBe(true)
  })

  it("is repaired when its new end is damaged, and found valid again when the client repairs it", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const send = (messages: readonly string[]) => post(`${gateway.url}/v1/messages`, body(messages))
    await send([first, calls, result])
    const damagedAnswer = await send([first, calls, result, calls, next])
    expect(damagedAnswer.headers["x-ligature-repaired"]).toContain("duplicate-call")
    await send([first, calls, result, next])
    expect(gateway.records.map(({ look, changes }) => [look, changes.length > 0])).toEqual([
      ["whole", false],
      ["whole", true],
      ["whole", false],
    ])
    expect(provider.requests.every(({ verdict }) => verdict?.ok === true)).toBe(true)
  })

  it("is looked at as a whole when its prompt or its model changes", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    await post(`${gateway.url}/v1/messages`, body([first]))
    await post(`${gateway.url}/v1/messages`, body([first, calls, result]).replace("Be  brief.", "Be long."))
    expect(gateway.records.map(({ look }) => look)).toEqual(["whole", "whole"])
  })
})

describe("conversations", () => {
  it("are told apart by the client's own names, and by keys", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const send = (headers: Record<string, string>) => post(`${gateway.url}/v1/messages`, body([first]), { headers })
    const session = { "x-claude-code-session-id": "s1" }
    await send(session)
    await send({ ...session, "x-claude-code-agent-id": "a1" })
    await send({ ...session, authorization: "Bearer other" })
    await send(session)
    const ids = gateway.records.map(({ conversation }) => conversation)
    expect(new Set(ids.slice(0, 3)).size).toBe(3)
    expect(ids[3]).toBe(ids[0])
  })

  it("without a name are told apart by what they say", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const other = first.replace("li\\u0073t", "something else entirely")
    for (const messages of [[first], [other], [first, calls, result], [other, calls, result]])
      await post(`${gateway.url}/v1/messages`, body(messages))
    const [one, two, three, four] = gateway.records.map(({ conversation }) => conversation)
    expect([three, four]).toEqual([one, two])
    expect(one).not.toBe(two)
  })

  it("that begin alike are two where their clients name two prompt caches", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const send = (messages: readonly string[], session: string) =>
      post(`${gateway.url}/v1/messages`, body(messages, `,"metadata":{"user_id":"user_session_${session}"}`))
    for (const messages of [[first], [first, calls, result]]) for (const session of ["a", "b"]) await send(messages, session)
    const [one, two, three, four] = gateway.records.map(({ conversation }) => conversation)
    expect(one).not.toBe(two)
    expect([three, four]).toEqual([one, two])
  })

  it("are told apart from questions for a title that come under their name, before them and between", async () => {
    const provider = await fake({ api: "anthropic" })
    const gateway = await serve(upstreamTo("anthropic", provider))
    const tools = ',"tools":[{"name":"bash","input_schema":{"type":"object"}}]'
    const send = (messages: readonly string[], rest: string) =>
      post(`${gateway.url}/v1/messages`, body(messages, rest), { headers: { "x-claude-code-session-id": "s1" } })
    const title = (prompt: string) => [`{"role":"user","content":"<session>${prompt}</session>"}`]
    const schema = ',"tools":[],"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}'
    await send(title("list"), schema)
    await send([first], tools)
    await send([first, calls, result], tools)
    await send(title("and now?"), "")
    await send([first, calls, result, '{"role":"assistant","content":"one file"}', next], tools)
    const [before, main, grown, between, last] = gateway.records.map(({ conversation }) => conversation)
    expect([grown, last]).toEqual([main, main])
    expect(new Set([before, main, between]).size).toBe(3)
    expect(gateway.records.map(({ look }) => look)).toEqual(["whole", "whole", "grown", "whole", "grown"])
  })
})
