/** Conversations in the store: what is written, when, and once. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CallBlock, Message } from "ligature"
import { assistant, result, tool, user } from "ligature"
import { type FakeApi } from "ligature/testing"
import { type Entry, jsonlStore, type Loaded } from "ligature/store"
import { describe, expect, it, onTestFinished } from "vitest"
import { plain, requestOf, say } from "./client.ts"
import { apis, fake, paths, post, serve, upstreamTo } from "./serve.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const stored = async (folder: string): Promise<readonly Loaded[]> => {
  const store = jsonlStore({ folder })
  const { conversations } = await store.list()
  const all = await Promise.all(conversations.map(({ id }) => store.load(id)))
  await store.close()
  return all
}

const said = ({ entries }: { readonly entries: readonly Entry[] }): readonly unknown[] =>
  entries.flatMap((entry) => {
    if (entry.kind === "message") return [[entry.message.role, ...plain(entry.message.blocks)]]
    return entry.kind === "result" ? [["tool", { type: "result" }]] : []
  })

const pairs = apis.flatMap((client) => apis.map((upstream) => [client, upstream] as const))

describe.each(pairs)("a client of %s and a provider of %s", (client, upstream) => {
  it.each([false, true])("leave every message in the store once (streamed: %s)", async (stream) => {
    const script = [
      {
        text: "Look.",
        calls: [
          { name: "read_file", arguments: { path: "a" } },
          { name: "bash", arguments: {} },
        ],
      },
      { text: "Two files." },
      { text: "Welcome." },
    ]
    const provider = await fake({ api: upstream, script })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo(upstream, provider), store: folder })
    const history: Message[] = [user("list")]
    const ids = new Set<unknown>()
    for (let turn = 0; turn < 3; turn++) {
      const { recorded, answer } = await say(gateway.url, client, requestOf(client, history, stream), stream)
      expect(answer.status).toBe(200)
      ids.add(answer.headers["x-ligature-conversation"])
      const calls = recorded.message.blocks.filter((block): block is CallBlock => block.type === "call")
      history.push(recorded.message, calls.length > 0 ? tool(...calls.map(({ id }, at) => result(id, `⟦${at}⟧`))) : user(`thanks ${turn}`))
    }
    const all = await stored(folder)
    expect(all.length).toBe(1)
    expect([...ids]).toEqual([all[0]?.id])
    const texts = said(all[0] as Loaded)
    const answers = texts.filter(([role]: any) => role === "assistant")
    expect(answers).toEqual([
      ["assistant", { text: "Look." }, { name: "read_file", arguments: { path: "a" } }, { name: "bash", arguments: {} }],
      ["assistant", { text: "Two files." }],
      ["assistant", { text: "Welcome." }],
    ])
    expect(all[0]?.title).toBe("list")
    expect(JSON.stringify(all[0]?.entries).split("⟦1⟧").length).toBe(2)
    expect(all[0]?.entries.filter(({ kind }) => kind === "tip" || kind === "hide")).toEqual([])
  })
})

describe("the store", () => {
  it("keeps no content twice, and no credentials", async () => {
    const provider = await fake({ api: "anthropic" })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const history: Message[] = []
    let sent = 0
    for (let turn = 0; turn < 30; turn++) {
      const text = `question ${turn} ${"x".repeat(1000)}`
      sent += text.length
      history.push(user(text))
      const { recorded } = await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true, {
        "x-api-key": "sk-ant-secret",
      })
      sent += JSON.stringify(recorded.message.blocks).length
      history.push(recorded.message)
    }
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
    expect(texts.length).toBe(1)
    expect(texts[0]).not.toContain("sk-ant-secret")
    // What is around a message: ids, times, sums, the note of an answer.
    expect(texts[0]?.length).toBeLessThan(sent + 30 * 700)
    expect(gateway.records.slice(1).every(({ look }) => look === "grown")).toBe(true)
  })

  it("has the question before the provider does, and the answer before the client has its end", async () => {
    const folder = folderForTest()
    const written = (): string =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("")
    const looks: unknown[] = []
    for (const api of apis) {
      const script = (): { text: string; eventDelayMs: number } => {
        looks.push([api, "asked", written().includes(`${api} hi`), written().includes(`${api} there`)])
        return { text: `${api} there`, eventDelayMs: 2 }
      }
      const provider = await fake({ api, script })
      const gateway = await serve({ ...upstreamTo(api, provider), store: folder })
      for (const client of [api, apis[(apis.indexOf(api) + 1) % 4] as FakeApi]) {
        const onChunk = (chunk: string): void => {
          const marks = ["message_stop", "[DONE]", "response.completed", "finishReason"]
          if (marks.some((mark) => chunk.includes(mark))) looks.push([api, "ended", written().includes(`${api} there`)])
        }
        const body = requestOf(client, [user(`${api} hi`)], true)
        const { headers } = await post(gateway.url + paths[client](true), body, { onChunk })
        const store = jsonlStore({ folder })
        await store.remove(String(headers["x-ligature-conversation"]))
        await store.close()
      }
    }
    const expected = apis.flatMap((api) =>
      [0, 1].flatMap(() => [
        [api, "asked", true, false],
        [api, "ended", true],
      ]),
    )
    expect(looks).toEqual(expected)
  })

  it("keeps what was said of an answer that broke, and what its client goes on with", async () => {
    const script = [
      {
        text: "Look.",
        calls: [
          { name: "read_file", arguments: { path: "a" } },
          { name: "bash", arguments: { command: "long".repeat(50) } },
        ],
        cutAfterEvents: 18,
      },
      { text: "Done." },
    ]
    const provider = await fake({ api: "anthropic", script })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const one = await say(gateway.url, "anthropic", requestOf("anthropic", [user("list")], true), true)
    expect(one.answer.broken).toBe(true)
    const finished = one.recorded.message.blocks.filter((block): block is CallBlock => block.type === "call" && block.fault === undefined)
    expect(finished.map(({ name }) => name)).toEqual(["read_file"])
    const history = [user("list"), assistant("Look.", ...finished), tool(result(finished[0]?.id ?? "", "r"))]
    await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true)
    const [conversation] = await stored(folder)
    expect(said(conversation as Loaded).filter(([role]: any) => role === "assistant")).toEqual([
      ["assistant", { text: "Look." }, { name: "read_file", arguments: { path: "a" } }],
      ["assistant", { text: "Done." }],
    ])
  })

  it("keeps a turn that was taken back as a branch, and a dropped beginning out of sight", async () => {
    const provider = await fake({ api: "openai-chat", script: ["a1", "a2", "a2b", "a3", "a4"].map((text) => ({ text })) })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("openai-chat", provider), store: folder })
    const headers = { "x-session-id": "ses_1" }
    const ask = (...messages: Message[]): Promise<unknown> =>
      say(gateway.url, "openai-chat", requestOf("openai-chat", messages, false), false, headers)
    const [u1, a1, u2, a2b, u3, a3, u4] = [
      user("u1"),
      assistant("a1"),
      user("u2"),
      assistant("a2b"),
      user("u3"),
      assistant("a3"),
      user("u4"),
    ]
    await ask(u1)
    await ask(u1, a1, u2)
    await ask(u1, a1, u2)
    await ask(u1, a1, u2, a2b, u3)
    await ask(u2, a2b, u3, a3, u4)
    const [conversation] = await stored(folder)
    const store = jsonlStore({ folder })
    expect((await store.branches(conversation?.id ?? "")).length).toBe(2)
    await store.close()
    const texts = ({ messages }: Loaded["transcript"]): readonly unknown[] => messages.flatMap(({ blocks }) => plain(blocks))
    expect(texts((conversation as Loaded).transcript)).toEqual(["u2", "a2b", "u3", "a3", "u4", "a4"].map((text) => ({ text })))
    expect(said(conversation as Loaded).length).toBe(8)
  })

  it("has a conversation for each sub-agent, which names its parent", async () => {
    const provider = await fake({ api: "anthropic" })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const headers = { "x-claude-code-session-id": "s1" }
    const main = await say(gateway.url, "anthropic", requestOf("anthropic", [user("main")], false), false, headers)
    await say(gateway.url, "anthropic", requestOf("anthropic", [user("sub")], false), false, { ...headers, "x-claude-code-agent-id": "a1" })
    // Another key's session of the same name.
    await say(gateway.url, "anthropic", requestOf("anthropic", [user("other")], false), false, { ...headers, "x-api-key": "other" })
    const all = await stored(folder)
    const id = main.answer.headers["x-ligature-conversation"]
    expect(all.map(({ title, parent }) => [title, parent?.conversation]).toSorted()).toEqual([
      ["main", undefined],
      ["other", undefined],
      ["sub", id],
    ])
  })

  it("begins again with a conversation that was removed, and removes what is old", async () => {
    const provider = await fake({ api: "anthropic" })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: folder })
    const history: Message[] = [user("one")]
    const { recorded, answer } = await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true)
    const store = jsonlStore({ folder, now: () => Date.now() - 7_200_000 })
    await store.create({ id: "old" })
    await store.remove(String(answer.headers["x-ligature-conversation"]))
    await store.close()
    history.push(recorded.message, user("two"))
    await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true)
    await serve({ ...upstreamTo("anthropic", provider), store: { place: folder, keep: "1h" } })
    await expect.poll(async () => (await stored(folder)).length).toBe(1)
    expect((await stored(folder)).map(said)).toEqual([
      [
        ["user", { text: "one" }],
        ["assistant", { text: "All right." }],
        ["user", { text: "two" }],
        ["assistant", { text: "All right." }],
      ],
    ])
  })

  it("replaces what shall not be stored", async () => {
    const provider = await fake({ api: "anthropic", script: [{ text: "key-123 noted" }, { text: "yes" }] })
    const folder = folderForTest()
    const gateway = await serve({ ...upstreamTo("anthropic", provider), store: { place: folder, redact: ["key-\\d+"] } })
    const history: Message[] = [user("my key-999")]
    const { recorded } = await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true)
    history.push(recorded.message, user("ok?"))
    await say(gateway.url, "anthropic", requestOf("anthropic", history, true), true)
    expect(JSON.stringify(provider.requests[1]?.body)).toContain("key-999")
    const [conversation] = await stored(folder)
    expect(JSON.stringify(conversation)).not.toMatch(/key-\d/)
    expect(said(conversation as Loaded)).toEqual([
      ["user", { text: "my [redacted]" }],
      ["assistant", { text: "[redacted] noted" }],
      ["user", { text: "ok?" }],
      ["assistant", { text: "yes" }],
    ])
  })
})
