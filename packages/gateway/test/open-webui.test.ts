/**
 * Requests as Open WebUI sends them: whole chats every time, with and without native tools, pictures and files, regenerated and
 * edited turns, and its own questions about a chat (title, tags, follow-ups), with the chat's name in a header or without any.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jsonlStore } from "ligature/store"
import type { FakeRequest } from "ligature/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { fake, post, serve } from "./serve.ts"

type Spoken = { readonly role: string; readonly content?: unknown; readonly tool_calls?: readonly object[]; readonly tool_call_id?: string }

const tasks = {
  title: "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Chat History:\n<chat_history>\n",
  tags: "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with 1-3 more specific subtopic tags.\n<chat_history>\n",
  followUps:
    "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next in this conversation\n<chat_history>\n",
}

const page = (turn: number): string =>
  Array.from({ length: 40 }, (_, line) => `${turn}.${line} The linker looked for library_${turn}_${line} and found nothing.`).join("\n")

const summary = "## Goal\nFix the build. #2 #3\n## Done\nRead library_0_1 and library_1_2 (#2, #3)."

const tools = [
  { type: "function", function: { name: "search_web", parameters: { type: "object", properties: { query: { type: "string" } } } } },
]

/** Open WebUI in front of a gateway with the settings of a compression filter, as small as a test needs them. */
const open = async (more: { readonly compaction?: object; readonly slowSummaryMs?: number } = {}) => {
  const provider = await fake({
    api: "openai-chat",
    script: ({ body }: FakeRequest) =>
      (body as { readonly model: string }).model === "small"
        ? { text: summary, delayMs: more.slowSummaryMs ?? 0 }
        : { text: `Answer ${provider.requests.length}.` },
  })
  const folder = mkdtempSync(join(tmpdir(), "open-webui-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const gateway = await serve({
    upstreams: { "openai-chat": { url: provider.url, key: "sk-own" } },
    store: folder,
    compaction: {
      window: { tokens: 64_000 },
      trigger: { tokens: 12_000 },
      target: { tokens: 5_000 },
      gain: { tokens: 500 },
      keep: { first: 1, last: 4 },
      results: { maxTokens: 300 },
      summary: { upstream: "openai-chat", model: "small", maxTokens: 500 },
      ...more.compaction,
    },
  })
  /** As `aiohttp` writes JSON. */
  const send = async (messages: readonly Spoken[], fields: object, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ ...fields, messages }).replaceAll('":', '": ')
    const answer = await post(`${gateway.url}/v1/chat/completions`, body, {
      headers: { authorization: "Bearer sk-connection", ...headers },
    })
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)])
    return { body, answer, conversation: String(answer.headers["x-ligature-conversation"]) }
  }
  const chat = (messages: readonly Spoken[], headers?: Record<string, string>, fields: object = {}) =>
    send(messages, { stream: true, model: "gpt-4o", stream_options: { include_usage: true }, ...fields }, headers)
  const task = (which: keyof typeof tasks, messages: readonly Spoken[], headers?: Record<string, string>) => {
    const said = messages.slice(-6).map(({ role, content }) => `${role.toUpperCase()}: ${String(content)}`)
    const content = `${tasks[which]}${said.join("\n")}\n</chat_history>`
    return send([{ role: "user", content }], { model: "gpt-4o", stream: false, max_completion_tokens: 1000 }, headers)
  }
  const sent = () => provider.requests.filter(({ body }) => (body as { readonly model: string }).model === "gpt-4o")
  const lastSent = (): string => JSON.stringify(sent().at(-1)?.body)
  const stored = async () => {
    const store = jsonlStore({ folder })
    const { conversations } = await store.list({ limit: 100 })
    await store.close()
    return conversations
  }
  return { gateway, provider, folder, chat, task, lastSent, sent, stored }
}

const names = { "x-openwebui-user-id": "u-1", "x-openwebui-chat-id": "chat-1" }

describe.each([
  ["names its chats", names],
  ["says nothing of its chats", {}],
])("an Open WebUI that %s", (_, headers: Record<string, string>) => {
  it("has long chats compacted for the provider, with the first and the last turns kept, and its own questions left alone", async () => {
    const { provider, chat, task, lastSent, stored } = await open()
    const messages: Spoken[] = [{ role: "system", content: "You are helpful." }]
    const chats = new Set<string>()
    const asides: string[] = []
    for (let turn = 0; turn < 22; turn++) {
      const file = `### Task:\nRespond to the user query using the provided context.\n<context>\n<source id="1" name="build.log">${page(turn)}</source>\n</context>\nQuestion ${turn}`
      const picture = [
        { type: "text", text: `Question ${turn}` },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ]
      // A file is with the newest question only, as its search found it.
      const content = turn === 3 ? picture : `Question ${turn}`
      const { conversation } = await chat([...messages, { role: "user", content: turn % 5 === 4 ? file : content }], headers)
      chats.add(conversation)
      messages.push({ role: "user", content }, { role: "assistant", content: page(turn) })
      if (turn !== 0 && turn !== 20) continue
      for (const which of ["title", "tags", "followUps"] as const) {
        const { body, conversation: own } = await task(which, messages, headers)
        expect(JSON.parse(lastSent())).toEqual(JSON.parse(body))
        asides.push(own)
      }
    }
    expect(provider.requests.map(({ verdict }) => verdict)).toEqual(provider.requests.map(() => ({ ok: true })))
    const last = lastSent()
    await chat([...messages, { role: "user", content: "And now?" }], headers)
    expect(last.length).toBeLessThan(JSON.stringify(messages).length / 2)
    const final = lastSent()
    for (const text of ["You are helpful.", "Question 0", "library_21_39", "And now?"]) expect(final).toContain(text)
    expect(provider.requests.some(({ body }) => (body as { readonly model: string }).model === "small")).toBe(true)
    // The questions about the chat are no turns of it.
    expect(asides.filter((id) => chats.has(id))).toEqual([])
    if (headers["x-openwebui-chat-id"] === undefined) return
    expect(chats.size).toBe(1)
    const [id] = chats
    const parents = (await stored()).filter((each) => each.id !== id).map(({ parent }) => parent?.conversation)
    expect(parents.length).toBe(6)
    expect(new Set(parents)).toEqual(new Set([id]))
  })

  it("may use native tools: a call and its result stay together, and long results are shortened", async () => {
    const { provider, chat, lastSent } = await open()
    const messages: Spoken[] = [{ role: "user", content: "Look for the libraries" }]
    for (let turn = 0; turn < 26; turn++) {
      await chat(messages, headers, { tools })
      const id = `call_${turn}`
      const call = { id, type: "function", function: { name: "search_web", arguments: JSON.stringify({ query: `library ${turn}` }) } }
      messages.push({ role: "assistant", content: "", tool_calls: [call] }, { role: "tool", tool_call_id: id, content: page(turn) })
    }
    const verdicts = provider.requests.map(({ verdict }) => verdict)
    expect(verdicts).toEqual(verdicts.map(() => ({ ok: true })))
    const final = lastSent()
    expect(final.length).toBeLessThan(JSON.stringify(messages).length / 2)
    expect(final).toContain("library_24_0 ")
    // Shortened to its beginning and its end.
    const [shortened] = JSON.parse(final).messages.filter(
      ({ role, content }: Spoken) => role === "tool" && String(content).includes("library_2_"),
    )
    if (shortened !== undefined) expect(String(shortened.content).length).toBeLessThan(page(2).length / 2)
  })

  it("may regenerate an answer, edit a question and go back: every branch is kept, and nothing is lost on the way", async () => {
    const { chat, lastSent, folder } = await open()
    const start: Spoken[] = [{ role: "user", content: "One" }]
    const { conversation } = await chat(start, headers)
    await chat(start, headers)
    const other: Spoken[] = [...start, { role: "assistant", content: "Answer 2." }]
    await chat([...other, { role: "user", content: "Two" }], headers)
    await chat([...other, { role: "user", content: "Two, but better" }], headers)
    expect(JSON.parse(lastSent()).messages).toEqual([...other, { role: "user", content: "Two, but better" }])
    const store = jsonlStore({ folder })
    const branches = await store.branches(conversation)
    expect(branches.length).toBeGreaterThan(1)
    const { transcript } = await store.load(conversation)
    expect(JSON.stringify(transcript.messages)).toContain("Two, but better")
    await store.close()
  })
})

describe("the lock of a chat", () => {
  it("lets one summary be made, however many windows ask at the same time", async () => {
    const messages: Spoken[] = []
    for (let turn = 0; turn < 20; turn++)
      messages.push({ role: "user", content: `Question ${turn}` }, { role: "assistant", content: page(turn) })
    messages.push({ role: "user", content: "And now?" })
    const summariesWith = async (windows: number): Promise<number> => {
      const { provider, chat } = await open({ slowSummaryMs: 300 })
      await Promise.all(Array.from({ length: windows }, () => chat(messages, names)))
      const verdicts = provider.requests.map(({ verdict }) => verdict)
      expect(verdicts).toEqual(verdicts.map(() => ({ ok: true })))
      return provider.requests.filter(({ body }) => (body as { readonly model: string }).model === "small").length
    }
    const alone = await summariesWith(1)
    expect(alone).toBeGreaterThan(0)
    expect(await summariesWith(4)).toBe(alone)
  })
})
