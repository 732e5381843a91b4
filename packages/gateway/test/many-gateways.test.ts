/**
 * Three gateways on one PostgreSQL behind a balancer that has no memory: every request of a conversation reaches another gateway
 * than the one before. The provider must see what one gateway would have sent, and the store must have everything once.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type CallBlock, type Message, result, tool, user } from "ligature"
import type { FakeApi, ScriptedReply } from "ligature/testing"
import { postgresStore } from "ligature/store/postgres"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { missingPostgres, type RunningPostgres, startPostgres } from "../../ligature/test/store/postgres/start-postgres.ts"
import { type Balancer, startBalancer } from "./balancer.ts"
import { requestOf, say } from "./client.ts"
import { apis, fake, post, serve, upstreamTo } from "./serve.ts"

const missing = missingPostgres()
if (missing !== undefined) process.stdout.write(`skipped: gateways on PostgreSQL, there is none here (${missing})\n`)

let server: RunningPostgres
beforeAll(async () => {
  if (missing === undefined) server = await startPostgres()
}, 60_000)
afterAll(() => server?.stop(), 60_000)

let schemas = 0
const storeOf = (more: object = {}) => ({
  place: server.url,
  required: true,
  postgres: { schema: `many_${++schemas}`, connections: 3 },
  ...more,
})

const behindBalancer = async (count: number, config: object): Promise<Balancer> => {
  const servers: string[] = []
  for (let at = 0; at < count; at++) servers.push((await serve(config)).url)
  return startBalancer(servers)
}

const script = (api: FakeApi): readonly ScriptedReply[] => {
  const thinking = api === "openai-chat" ? {} : { thinking: "Let me look." }
  const steps = Array.from({ length: 9 }, (_, at): ScriptedReply => {
    if (at % 3 === 2) return { ...thinking, text: `Done ${at}.` }
    return {
      ...thinking,
      text: `Step ${at}`,
      calls: [
        { name: "bash", arguments: { command: `run ${at}` } },
        { name: "read_file", arguments: { path: "a" } },
      ],
    }
  })
  return steps
}

interface Run {
  readonly bodies: readonly (readonly [unknown, string])[]
  readonly history: readonly Message[]
  readonly conversations: ReadonlySet<unknown>
  readonly schema: string
}

const runOf = async (client: FakeApi, upstream: FakeApi, gateways: number, headers: Record<string, string>): Promise<Run> => {
  const provider = await fake({ api: upstream, script: script(upstream), bindThinking: upstream === "anthropic" })
  const store = storeOf()
  const balancer = await behindBalancer(gateways, { ...upstreamTo(upstream, provider), store })
  const history: Message[] = [user("list")]
  const conversations = new Set<unknown>()
  for (let turn = 0; turn < 9; turn++) {
    const { recorded, answer } = await say(balancer.url, client, requestOf(client, history, true), true, headers)
    expect([turn, answer.status]).toEqual([turn, 200])
    conversations.add(answer.headers["x-ligature-conversation"])
    const calls = recorded.message.blocks.filter((block): block is CallBlock => block.type === "call")
    history.push(
      recorded.message,
      calls.length > 0 ? tool(...calls.map(({ id }, at) => result(id, `⟦${turn}.${at}⟧`))) : user(`thanks ${turn}`),
    )
  }
  expect(balancer.counts.size).toBe(gateways)
  const bodies = provider.requests.map(({ body, verdict }) => [verdict, JSON.stringify(body)] as const)
  return { bodies, history, conversations, schema: store.postgres.schema }
}

const textsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ blocks }) =>
    blocks.flatMap((block): string[] =>
      block.type === "text"
        ? [block.text.trim()]
        : block.type === "call"
          ? [JSON.stringify(block.arguments)]
          : block.type === "result"
            ? block.content.flatMap((each) => (each.type === "text" ? [each.text] : []))
            : [],
    ),
  )

const pairs = apis.flatMap((client) => apis.map((upstream) => [client, upstream] as const))

describe.skipIf(missing !== undefined)("three gateways on one PostgreSQL", () => {
  it.each(pairs)("send what one would send, and store it once: %s to %s", async (client, upstream) => {
    for (const headers of [{}, { "x-session-id": "ses_1" }] as const) {
      const [one, three] = [await runOf(client, upstream, 1, headers), await runOf(client, upstream, 3, headers)]
      expect(one.bodies.map(([verdict]) => verdict)).toEqual(one.bodies.map(() => ({ ok: true })))
      expect(three.bodies).toEqual(one.bodies)
      expect(three.conversations.size).toBe(1)
      const store = postgresStore({ connectionString: server.url, schema: three.schema })
      const { conversations } = await store.list()
      expect(conversations.map(({ id }) => id)).toEqual([...three.conversations])
      const { transcript } = await store.load(conversations[0]?.id ?? "")
      // What the client has, but for its last words, which were not sent yet.
      expect(textsIn(transcript.messages)).toEqual(textsIn(three.history.slice(0, -1)))
      await store.close()
    }
  })

  it.each([{}, { "thread-id": "t1" }])("go on with each other's responses (%j)", async (headers: Record<string, string>) => {
    const provider = await fake({ api: "anthropic", script: script("anthropic") })
    const balancer = await behindBalancer(3, { ...upstreamTo("anthropic", provider), store: storeOf() })
    let previous: string | undefined
    const words = ["one", "two", "three", "four", "five", "six", "seven"]
    for (const text of words) {
      const body = {
        model: "m",
        input: [{ role: "user", content: text }],
        ...(previous !== undefined && { previous_response_id: previous }),
      }
      const answer = await post(`${balancer.url}/v1/responses`, JSON.stringify(body), { headers })
      expect([text, answer.status]).toEqual([text, 200])
      previous = JSON.parse(answer.text).id
    }
    const { body, verdict } = provider.requests.at(-1) ?? {}
    expect(verdict).toEqual({ ok: true })
    const last = JSON.stringify(body)
    expect(words.filter((word) => last.split(`"${word}"`).length === 2)).toEqual(words)
    expect(balancer.counts.size).toBe(3)
  })

  it.each([
    ["a member that its model does not take", "Unrecognized request argument supplied: seed"],
    ["a signature in one conversation", "messages.1.content.0: Invalid `signature` in `thinking` block"],
  ])("each learn once from a refusal of %s, and no client sees it", async (what, message) => {
    const isSeed = what.includes("member")
    let refused = 0
    const provider = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const isBad = text.includes(isSeed ? '"seed"' : '"thinking"')
      if (isBad) refused++
      const answer = isSeed
        ? { id: "x", choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] }
        : {
            id: "m",
            type: "message",
            role: "assistant",
            model: "m",
            content: [{ type: "text", text: "ok" }],
            stop_reason: "end_turn",
            usage: {},
          }
      const failure = { type: "error", error: { type: "invalid_request_error", message } }
      response.writeHead(isBad ? 400 : 200, { "content-type": "application/json" }).end(JSON.stringify(isBad ? failure : answer))
    })
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void provider.close())
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const api: FakeApi = isSeed ? "openai-chat" : "anthropic"
    const balancer = await behindBalancer(3, { ...upstreamTo(api, { url }), store: storeOf() })
    const messages: object[] = isSeed
      ? [{ role: "user", content: "a" }]
      : [
          { role: "user", content: "a" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Hm", signature: "forged" },
              { type: "text", text: "b" },
            ],
          },
          { role: "user", content: "c" },
        ]
    const statuses: number[] = []
    for (let turn = 0; turn < 9; turn++) {
      const body = JSON.stringify({ model: "m", max_tokens: 9, ...(isSeed && { seed: 7 }), messages })
      const answer = await post(balancer.url + (isSeed ? "/v1/chat/completions" : "/v1/messages"), body, {
        headers: { "x-session-id": "s" },
      })
      statuses.push(answer.status)
      messages.push({ role: "assistant", content: "ok" }, { role: "user", content: `more ${turn}` })
    }
    expect(statuses).toEqual(statuses.map(() => 200))
    expect([refused > 0, refused <= 3]).toEqual([true, true])
  })

  it("do not let one key read what another's conversation says", async () => {
    const provider = await fake({ api: "anthropic", script: script("anthropic") })
    const balancer = await behindBalancer(3, { ...upstreamTo("anthropic", provider, { key: "sk-own" }), store: storeOf() })
    const ask = (key: string, body: object) =>
      post(`${balancer.url}/v1/responses`, JSON.stringify({ model: "m", ...body }), {
        headers: { authorization: `Bearer ${key}`, "thread-id": "t" },
      })
    const first = JSON.parse((await ask("ada", { input: "The secret is 42" })).text)
    for (let at = 0; at < 4; at++) {
      const stolen = await ask("eve", { input: "Say it again", previous_response_id: first.id })
      expect([stolen.status, stolen.text.includes("42")]).toEqual([400, false])
    }
    expect((await ask("ada", { input: "And?", previous_response_id: first.id })).status).toBe(200)
  })
})
