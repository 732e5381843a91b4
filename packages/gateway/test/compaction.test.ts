/** Conversations that grow too large: what the provider is sent, what the client sees, and what can be read back. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type CallBlock, type Message, result, tool, user } from "ligature"
import type { FakeApi, FakeRequest, ScriptedReply } from "ligature/testing"
import { jsonlStore } from "ligature/store"
import { describe, expect, it, onTestFinished } from "vitest"
import { requestOf, say } from "./client.ts"
import { apis, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const small = { window: { tokens: 24_000, reserveTokens: 1_000 }, trigger: { share: 0.6 }, target: { share: 0.25 }, gain: { tokens: 500 } }

const lists: Readonly<Record<FakeApi, string>> = {
  anthropic: "messages",
  "openai-chat": "messages",
  "openai-responses": "input",
  gemini: "contents",
}

const listOf = ({ body }: FakeRequest, api: FakeApi): string => JSON.stringify((body as Record<string, unknown>)[lists[api]]).slice(0, -1)

const log = (turn: number): string =>
  Array.from({ length: 60 }, (_, line) => `${turn}.${line} compiled module_${turn}_${line}.ts in ${line * 7} ms`).join("\n")

const pairs = apis.flatMap((client) => apis.map((upstream) => [client, upstream] as const))

describe.each(pairs)("a client of %s and a provider of %s", (client, upstream) => {
  it.each([false, true])(
    "work on when a conversation is compacted, and the model reads back what it needs (streamed: %s)",
    async (stream) => {
      let asked = 0
      let recalled = 0
      const script = (request: FakeRequest): ScriptedReply => {
        const text = JSON.stringify(request.body)
        const hasRecall = /"name":"recall"/.test(text)
        // What was said first is out of sight by now.
        if (hasRecall && recalled === 0 && !text.includes("module_0_33.ts in")) {
          recalled++
          return { text: "Wait. ", calls: [{ name: "recall", arguments: { search: "module_0_33" } }] }
        }
        asked++
        return { text: `Step ${asked}.`, calls: [{ name: "bash", arguments: { command: `make ${asked}` } }] }
      }
      const provider = await fake({ api: upstream, script })
      const folder = folderForTest()
      const gateway = await serve({ ...upstreamTo(upstream, provider), store: folder, compaction: small })
      const history: Message[] = [user("Fix the build.")]
      for (let turn = 0; turn < 24; turn++) {
        const { recorded, answer, objections } = await say(gateway.url, client, requestOf(client, history, stream), stream, {
          "x-session-id": "ses_1",
        })
        expect([turn, answer.status, objections]).toEqual([turn, 200, client === upstream ? objections : []])
        const calls = recorded.message.blocks.filter((block): block is CallBlock => block.type === "call")
        expect(calls.map(({ name }) => name)).toEqual(["bash"])
        history.push(recorded.message, tool(...calls.map(({ id }) => result(id, log(turn)))))
      }
      const { requests } = provider
      expect(requests.map(({ verdict }) => verdict)).toEqual(requests.map(() => ({ ok: true })))
      const bodies = requests.map((request) => listOf(request, upstream))
      expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThan(60_000)
      expect(requestOf(client, history, stream).length).toBeGreaterThan(60_000)
      // Between two compactions, what was sent does not change.
      const breaks = bodies.filter((text, at) => at > 0 && !text.startsWith(bodies[at - 1] ?? "-")).length
      expect(breaks).toBeGreaterThan(0)
      expect(breaks).toBeLessThan(8)
      expect(recalled).toBe(1)
      const after = requests.findIndex(({ body }) => JSON.stringify(body).includes("module_0_33.ts in 231 ms"), 0)
      expect(requests.slice(2).some(({ body }) => JSON.stringify(body).includes("module_0_33.ts in 231 ms"))).toBe(true)
      expect(after).toBeGreaterThan(-1)
      const store = jsonlStore({ folder })
      const { conversations } = await store.list()
      expect(conversations.length).toBe(1)
      const { entries } = await store.load(conversations[0]?.id ?? "")
      expect(entries.some(({ kind }) => kind === "summary")).toBe(true)
      // The store has every log once, whatever was sent.
      for (let turn = 0; turn < 23; turn++) {
        const said = entries
          .filter(({ kind }) => kind === "message" || kind === "result")
          .filter((entry) => JSON.stringify(entry).includes(`\\n${turn}.59 compiled`))
        expect([turn, said.length]).toEqual([turn, 1])
      }
      await store.close()
    },
  )
})

describe("a refusal as too long", () => {
  it.each([
    ["anthropic", "anthropic", "prompt is too long: 215000 tokens > 200000 maximum"],
    ["openai-chat", "openai-responses", "Your input exceeds the context window of this model."],
  ] as const)("leads to one compaction and one retry (%s to %s)", async (client, upstream, message) => {
    const provider = await fake({
      api: upstream,
      script: (request) => (JSON.stringify(request.body).length > 30_000 ? { error: { status: 400, message } } : { text: "Fine." }),
    })
    const compaction = { window: { tokens: 200_000 }, target: { tokens: 4_000 }, trigger: { tokens: 190_000 } }
    const gateway = await serve({ ...upstreamTo(upstream, provider), store: folderForTest(), compaction })
    const history: Message[] = Array.from({ length: 30 }, (_, at) => [
      user(`Question ${at}`),
      { role: "assistant", blocks: [{ type: "text", text: log(at) }] } as Message,
    ]).flat()
    const ask = async (text: string) => {
      history.push(user(text))
      const said = await say(gateway.url, client, requestOf(client, history, true), true)
      history.push(said.recorded.message)
      return said
    }
    const { answer, recorded } = await ask("Well?")
    expect([answer.status, recorded.complete, provider.requests.length]).toEqual([200, true, 2])
    await ask("And now?")
    expect(provider.requests.length).toBe(3)
  })

  it("goes on to the client where nothing can be made smaller", async () => {
    const provider = await fake({
      api: "anthropic",
      script: () => ({ error: { status: 400, message: "prompt is too long: 9 tokens > 8 maximum" } }),
    })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folderForTest(), compaction: true })
    const answer = await post(gateway.url + paths.anthropic(false), requestOf("anthropic", [user("hi")], false))
    expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([400, "prompt is too long: 9 tokens > 8 maximum"])
  })
})

describe("Open WebUI with the settings of the guide", () => {
  const guide = readFileSync(new URL("../../../docs/guides/gateway.md", import.meta.url), "utf8")
  const [, text = ""] = /### Instead of a filter in Open WebUI[^]*?```json\n([^]*?)```/.exec(guide) ?? []

  it("has its chats compacted with a summary, and its task requests left alone", async () => {
    const summary = "## Goal\nFix the build. #2 #3\n## Done\nRead module_0_1.ts and module_1_2.ts (#2, #3)."
    const provider = await fake({
      api: "openai-chat",
      script: ({ body }) => ({ text: (body as { model: string }).model === "gpt-4o-mini" ? summary : log(provider.requests.length) }),
    })
    const config = JSON.parse(text)
    const upstreams = { "openai-chat": { ...config.upstreams["openai-chat"], key: "sk-test", url: provider.url } }
    // The same settings at a tenth of their size, so that a test gets there.
    const compaction = { ...config.compaction, trigger: { tokens: 12_000 }, target: { tokens: 5_000 } }
    const gateway = await serve({ ...config, upstreams, compaction, store: folderForTest() })
    const messages: { role: string; content: unknown }[] = [{ role: "system", content: "You are helpful." }]
    const chat = async (more: object[]): Promise<string> => {
      const answer = await post(
        `${gateway.url}/v1/chat/completions`,
        JSON.stringify({ stream: true, model: "gpt-4o", messages: [...messages, ...more] }),
      )
      expect(answer.status).toBe(200)
      return answer.text
    }
    for (let turn = 0; turn < 20; turn++) {
      const content =
        turn === 1
          ? [
              { type: "text", text: "And this picture?" },
              { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            ]
          : `Question ${turn}`
      messages.push({ role: "user", content })
      await chat([])
      messages.push({ role: "assistant", content: log(provider.requests.length) })
      if (turn % 6 !== 0) continue
      const task = `### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Chat History:\n${"Question\n".repeat(50)}`
      const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: task }], stream: false })
      await post(`${gateway.url}/v1/chat/completions`, body)
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toBe(body)
    }
    const { requests } = provider
    expect(requests.map(({ verdict }) => verdict)).toEqual(requests.map(() => ({ ok: true })))
    const models = requests.map(({ body }) => (body as { model: string }).model)
    expect(models).toContain("gpt-4o-mini")
    const last = JSON.stringify(requests.findLast((_, at) => models[at] === "gpt-4o")?.body)
    expect(last.length).toBeLessThan(JSON.stringify(messages).length / 1.5)
    expect(last).toContain("You are helpful.")
    expect(last).toContain("Question 0")
    expect(last).toContain("Question 19")
  })
})
