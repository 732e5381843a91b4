/**
 * One fake provider per test, healthy requests for each API, and a reader of server-sent events.
 */
import { afterEach } from "vitest"
import { type FakeApi, type FakeProvider, type FakeProviderOptions, startFakeProvider } from "../../../src/testing/providers/index.ts"

let running: FakeProvider | undefined

export function closeAfterEach(): void {
  afterEach(async () => {
    await running?.close()
    running = undefined
  })
}

export async function start(options: FakeProviderOptions): Promise<FakeProvider> {
  running = await startFakeProvider(options)
  return running
}

export const paths: Readonly<Record<FakeApi, string>> = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:generateContent",
}

export const healthy: Readonly<Record<FakeApi, Readonly<Record<string, unknown>>>> = {
  anthropic: { model: "claude-opus-4-6", max_tokens: 10, messages: [{ role: "user", content: "hi" }] },
  "openai-chat": { model: "gpt-5", messages: [{ role: "user", content: "hi" }] },
  "openai-responses": { model: "gpt-5", input: "hi" },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
}

export const streamed = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"
export const apis = Object.keys(paths) as readonly FakeApi[]

export function post(provider: FakeProvider, path: string, body: unknown): Promise<Response> {
  return fetch(provider.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

interface Received {
  readonly names: readonly string[]
  readonly values: readonly unknown[]
}

export async function events(response: Response): Promise<Received> {
  const blocks = (await response.text()).split(/\r?\n\r?\n/).filter((block) => block !== "")
  const field = (block: string, name: string): string | undefined =>
    block
      .split(/\r?\n/)
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  return {
    names: blocks.map((block) => field(block, "event") ?? ""),
    values: blocks.map((block) => {
      const text = field(block, "data") ?? ""
      return text === "[DONE]" ? text : (JSON.parse(text) as unknown)
    }),
  }
}

export const calling = {
  thinking: "I should look",
  text: "Looking.",
  calls: [
    { name: "ls", arguments: { path: "." } },
    { name: "pwd", arguments: {} },
  ],
} as const
