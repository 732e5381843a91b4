/**
 * OpenAI Agents SDK: a session in a folder. The process dies after the model asked for a tool and before its result was
 * saved. The SDK's own session lets the model forget that it asked; this one says what became of the call, and a limit
 * never parts a result from its call.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, type Session, tool } from "@openai/agents"
import { type AdapterOptions, ligatureSession } from "ligature/adapters/openai-agents"
import { jsonlStore } from "ligature/store"
import { startFakeProvider } from "ligature/testing"
import OpenAI from "openai"
import { z } from "zod"

const call = { calls: [{ name: "weather", arguments: { city: "Bern" } }] }
const provider = await startFakeProvider({
  api: "openai-responses",
  script: [{ text: "What is it about?" }, call, { text: "Sunny in Bern." }],
})
const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${provider.url}/v1`, maxRetries: 0 })
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true })
const weather = tool({
  name: "weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: sunny`,
})
const agent = new Agent({ name: "Guide", instructions: "Be brief.", model: "gpt-4o", tools: [weather] })
type Items = readonly { type?: string | undefined; role?: string }[]
const kinds = (items: Items): string => items.map(({ type, role }) => role ?? type).join(", ")
const sent = (nth: number): string => kinds((provider.requests[nth]?.body as { input: Items } | undefined)?.input ?? [])

const left: AgentInputItem[] = [
  { role: "user", content: "How is the weather in Bern?" },
  { type: "function_call", callId: "call_1", name: "weather", status: "completed", arguments: '{"city":"Bern"}' },
]
await runner.run(agent, "Well?", { session: new MemorySession({ initialItems: left }) })
console.log(`without: ${sent(0)}`)

const folder = await mkdtemp(join(tmpdir(), "ligature-"))
const open = (options?: AdapterOptions): Session =>
  ligatureSession<AgentInputItem>({ store: jsonlStore({ folder }), sessionId: "chat-7", ...options })
await open().addItems(left)

const session = open()
await open({ onRepair: ({ entries }) => console.log(`repaired: ${entries[0]?.what}`) }).getItems()
const { finalOutput } = await runner.run(agent, "Well?", { session })
console.log(`with: ${sent(1)}`)
console.log(`answer: ${finalOutput}`)
const all = await session.getItems()
console.log(`saved: ${kinds(all)}`)
console.log(`limit 5 without: ${kinds(await new MemorySession({ initialItems: all }).getItems(5))}`)
console.log(`limit 5 with: ${kinds(await session.getItems(5))}`)
await session.clearSession()
console.log(`cleared: ${(await open().getItems()).length} items`)
await provider.close()
await rm(folder, { recursive: true })
