/** What a wire cannot carry is in the store: a gateway that was started again sends what it would have sent anyway. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CallBlock, type Message, result, tool, user } from "ligature"
import type { FakeApi, ScriptedReply } from "ligature/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { requestOf, say } from "./client.ts"
import { apis, fake, post, serve, upstreamTo } from "./serve.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const script = (api: FakeApi): readonly ScriptedReply[] => {
  const thinking = api === "openai-chat" ? {} : { thinking: "Let me look." }
  return [
    {
      ...thinking,
      text: "Höre",
      calls: [
        { name: "read_file", arguments: { path: "a" } },
        { name: "bash", arguments: {} },
      ],
    },
    { ...thinking, calls: [{ name: "bash", arguments: {} }] },
    { ...thinking, text: "Done." },
    { ...thinking, calls: [{ name: "bash", arguments: {} }] },
    { ...thinking, text: "Done." },
    { text: "Bye." },
  ]
}

/** Six turns; `restart`: with a new gateway for each. */
const requestsOf = async (client: FakeApi, upstream: FakeApi, stream: boolean, restart: boolean, headers: Record<string, string>) => {
  const provider = await fake({ api: upstream, script: script(upstream), bindThinking: upstream === "anthropic" })
  const store = folderForTest()
  const start = () => serve({ ...upstreamTo(upstream, provider), store })
  let gateway = await start()
  const history: Message[] = [user("list")]
  for (let turn = 0; turn < 6; turn++) {
    const { recorded, answer } = await say(gateway.url, client, requestOf(client, history, stream), stream, headers)
    expect([turn, answer.status]).toEqual([turn, 200])
    const calls = recorded.message.blocks.filter((block): block is CallBlock => block.type === "call")
    history.push(recorded.message, calls.length > 0 ? tool(...calls.map(({ id }, at) => result(id, `⟦${at}⟧`))) : user(`thanks ${turn}`))
    if (!restart) continue
    await gateway.stop()
    gateway = await start()
  }
  return provider.requests.map(({ body, verdict }) => [verdict, JSON.stringify(body)])
}

const pairs = apis.flatMap((client) => apis.filter((each) => each !== client).map((upstream) => [client, upstream] as const))

describe.each(pairs)("a client of %s and a provider of %s", (client, upstream) => {
  it.each([
    [false, {}],
    [true, {}],
    [true, { "x-session-id": "ses_1" }],
  ])("see no difference when the gateway is started again (streamed: %s, %j)", async (stream, headers) => {
    const [whole, restarted] = [
      await requestsOf(client, upstream, stream, false, headers),
      await requestsOf(client, upstream, stream, true, headers),
    ]
    expect(whole.map(([verdict]) => verdict)).toEqual(whole.map(() => ({ ok: true })))
    expect(restarted).toEqual(whole)
  })
})

describe("a chain of responses", () => {
  it.each([{}, { "thread-id": "t1" }])("goes on after a restart (%j)", async (headers) => {
    const provider = await fake({ api: "anthropic", script: script("anthropic") })
    const store = folderForTest()
    const start = () => serve({ ...upstreamTo("anthropic", provider), store })
    let gateway = await start()
    let previous: string | undefined
    const input = ["one", "two", "three"]
    const ask = async (text: string, more: object = {}) => {
      const body = {
        model: "m",
        stream: false,
        input: [{ role: "user", content: text }],
        ...(previous !== undefined && { previous_response_id: previous }),
        ...more,
      }
      return post(`${gateway.url}/v1/responses`, JSON.stringify(body), { headers })
    }
    const ids = new Set<unknown>()
    for (const text of input) {
      const answer = await ask(text)
      expect(answer.status).toBe(200)
      ids.add(answer.headers["x-ligature-conversation"])
      previous = JSON.parse(answer.text).id
      await gateway.stop()
      gateway = await start()
    }
    expect(ids.size).toBe(1)
    const texts = JSON.stringify(provider.requests.at(-1)?.body)
    for (const text of ["one", "Höre", "two", "three"]) expect(texts).toContain(text)
    // A name that was never given, and one of somebody else.
    const other = await post(`${gateway.url}/v1/responses`, JSON.stringify({ model: "m", input: "x", previous_response_id: previous }), {
      headers: { ...headers, authorization: "Bearer other" },
    })
    expect([other.status, JSON.parse(other.text).error.code]).toEqual([400, "previous_response_not_found"])
    previous = "resp_unknown"
    expect((await ask("x")).status).toBe(400)
  })
})
