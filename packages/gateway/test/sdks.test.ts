/**
 * The SDKs that people use, each with its own way of keeping a history, through the gateway to a provider of every API. The
 * gateway is killed in the middle of every fifth answer and started again; the program asks again, as any program does.
 * In the end the store has every answer and every result once, in order.
 *
 *   LIGATURE_TURNS=50 npx vitest run packages/gateway/test/sdks.test.ts
 *
 * They are those of examples/adapters, which `npm test` installs; without them this says that it skips.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { settle } from "ligature"
import { jsonlStore } from "ligature/store"
import type { FakeApi, ScriptedReply } from "ligature/testing"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { bundle, startChild } from "./processes.ts"
import { apis, fake, upstreamTo } from "./serve.ts"

const turns = Number(process.env["LIGATURE_TURNS"] ?? 6)
const modules = join(import.meta.dirname, "../../../examples/adapters/node_modules")

interface Call {
  readonly id: string
  readonly name: string
}

/** One conversation of a program: asks with all there is, and takes results of what was called. */
interface Session {
  /** The calls of the answer, which is in the history now. */
  ask(): Promise<readonly Call[]>
  give(results: readonly (Call & { readonly text: string })[]): void
}

type Wire = Record<string, unknown>
interface Sdk {
  readonly name: string
  readonly package: string
  /** The file that a program imports. */
  readonly entry: string
  readonly open: (module: Record<string, new (options: object) => never>, url: string) => Session
}

const parameters = { type: "object", properties: { command: { type: "string" } } }
const question = "Say hello with many commands."

const sdks: readonly Sdk[] = [
  {
    name: "openai, Chat Completions",
    package: "openai",
    entry: "openai/index.mjs",
    open: ({ OpenAI }, url) => {
      const client: any = new (OpenAI as new (options: object) => never)({ baseURL: `${url}/v1`, apiKey: "test", maxRetries: 0 })
      const messages: Wire[] = [{ role: "user", content: question }]
      const tools = [{ type: "function", function: { name: "bash", parameters } }]
      return {
        ask: async () => {
          const stream = client.chat.completions.stream({ model: "gpt-5", messages, tools })
          const message = await stream.finalMessage()
          messages.push(message)
          return (message.tool_calls ?? []).map((each: any) => ({ id: each.id, name: each.function.name }))
        },
        give: (results) => messages.push(...results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }))),
      }
    },
  },
  {
    name: "openai, Responses",
    package: "openai",
    entry: "openai/index.mjs",
    open: ({ OpenAI }, url) => {
      const client: any = new (OpenAI as new (options: object) => never)({ baseURL: `${url}/v1`, apiKey: "test", maxRetries: 0 })
      const input: Wire[] = [{ role: "user", content: question }]
      const tools = [{ type: "function", name: "bash", parameters, strict: false }]
      return {
        ask: async () => {
          const response = await client.responses.stream({ model: "gpt-5", input, tools, store: false }).finalResponse()
          input.push(...response.output)
          return response.output.flatMap((each: any) => (each.type === "function_call" ? [{ id: each.call_id, name: each.name }] : []))
        },
        give: (results) => input.push(...results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }))),
      }
    },
  },
  {
    name: "@anthropic-ai/sdk",
    package: "@anthropic-ai/sdk",
    entry: "@anthropic-ai/sdk/index.mjs",
    open: ({ Anthropic }, url) => {
      const client: any = new (Anthropic as new (options: object) => never)({ baseURL: url, apiKey: "test", maxRetries: 0 })
      const messages: Wire[] = [{ role: "user", content: question }]
      const tools = [{ name: "bash", input_schema: parameters }]
      return {
        ask: async () => {
          const message = await client.messages.stream({ model: "claude-test", max_tokens: 1000, messages, tools }).finalMessage()
          messages.push({ role: "assistant", content: message.content })
          return message.content.flatMap((each: any) => (each.type === "tool_use" ? [{ id: each.id, name: each.name }] : []))
        },
        give: (results) =>
          messages.push({
            role: "user",
            content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
          }),
      }
    },
  },
  {
    name: "@google/genai",
    package: "@google/genai",
    entry: "@google/genai/dist/node/index.mjs",
    open: ({ GoogleGenAI }, url) => {
      const client: any = new (GoogleGenAI as new (options: object) => never)({ apiKey: "test", httpOptions: { baseUrl: url } })
      const contents: Wire[] = [{ role: "user", parts: [{ text: question }] }]
      const tools = [{ functionDeclarations: [{ name: "bash", parametersJsonSchema: parameters }] }]
      return {
        ask: async () => {
          const parts: any[] = []
          let finished: unknown
          for await (const chunk of await client.models.generateContentStream({ model: "gemini-2.5-pro", contents, config: { tools } })) {
            parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
            finished ??= chunk.candidates?.[0]?.finishReason
          }
          if (finished === undefined) throw new Error("The answer has no end")
          contents.push({ role: "model", parts })
          return parts.flatMap(({ functionCall }) => (functionCall ? [{ id: functionCall.id ?? "", name: functionCall.name }] : []))
        },
        give: (results) =>
          contents.push({
            role: "user",
            parts: results.map(({ id, name, text }) => ({
              functionResponse: { ...(id !== "" && { id }), name, response: { output: text } },
            })),
          }),
      }
    },
  },
]

let file = ""
beforeAll(async () => {
  file = await bundle()
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** What the active path of the only conversation says. */
const marksIn = async (folder: string): Promise<{ readonly marks: readonly string[]; readonly repairs: number }> => {
  const store = jsonlStore({ folder })
  const { conversations } = await store.list()
  expect(conversations.length).toBe(1)
  const { transcript } = await store.load(conversations[0]?.id ?? "")
  await store.close()
  const marks = transcript.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === "text") return block.text.match(/answer-\d+/g) ?? []
      return block.type === "result" ? (JSON.stringify(block.content).match(/done-\d+/g) ?? []) : []
    }),
  )
  return { marks, repairs: settle(transcript, { tip: "open" }).report.entries.length }
}

const pairs = sdks.flatMap((sdk) => apis.map((upstream) => [sdk.name, upstream, sdk] as const))

describe("an SDK", () => {
  it.each(pairs)(
    "%s works through a long session to %s while the gateway is killed",
    async (_, upstream: FakeApi, sdk) => {
      const entry = join(modules, sdk.entry)
      if (!existsSync(entry)) return void console.warn(`Skipped: ${sdk.package} is not installed`)
      let answered = 0
      const killed = new Set<number>()
      const script = (): ScriptedReply => {
        const turn = answered + 1
        const calls = turn < turns ? { calls: [{ name: "bash", arguments: { command: `run-${turn}` } }] } : {}
        const isFifth = turn % 5 === 0 && !killed.has(turn)
        return { text: `answer-${turn} and more words of it`, eventDelayMs: isFifth ? 10 : 0, ...calls }
      }
      const provider = await fake({ api: upstream, script })
      const folder = mkdtempSync(join(tmpdir(), "gateway-sdk-"))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const port = await freePort()
      const start = () => startChild(file, { ...upstreamTo(upstream, provider, { key: "test" }), port, store: folder })
      let gateway = await start()
      const session = sdk.open((await import(pathToFileURL(entry).href)) as never, gateway.url)
      const expected: string[] = []
      while (answered < turns) {
        const turn = answered + 1
        const isFifth = turn % 5 === 0 && !killed.has(turn)
        const asked = session.ask().then(
          (calls) => calls,
          (error: unknown) => error as Error,
        )
        if (isFifth) {
          const before = provider.requests.length
          await expect.poll(() => provider.requests.length, { interval: 2 }).toBeGreaterThan(before - 1)
          await new Promise((resolve) => setTimeout(resolve, 15))
          killed.add(turn)
          await gateway.kill()
          gateway = await start()
        }
        const calls = await asked
        if (calls instanceof Error) {
          expect([turn, killed.has(turn), String(calls)]).toEqual([turn, true, String(calls)])
          continue
        }
        answered = turn
        expected.push(`answer-${turn}`)
        if (calls.length === 0) break
        session.give(calls.map((each) => ({ ...each, text: `done-${turn}` })))
        expected.push(`done-${turn}`)
      }
      await gateway.kill()
      expect(answered).toBe(turns)
      expect(provider.requests.filter(({ verdict }) => verdict?.ok === false)).toEqual([])
      expect(await marksIn(folder)).toEqual({ marks: expected, repairs: 0 })
    },
    120_000,
  )
})
