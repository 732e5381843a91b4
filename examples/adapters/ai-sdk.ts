/**
 * Vercel AI SDK: a history from a store, left by a process that died while a tool was running. It is read back valid;
 * the middleware keeps valid whatever reaches the model, and `prepareStep` messages that came from elsewhere.
 */
import { createOpenAI } from "@ai-sdk/openai"
import { generateText, isStepCount, type ModelMessage, streamText, tool, wrapLanguageModel } from "ai"
import { type AdapterOptions, storedMessages, validMiddleware, validPrepareStep } from "ligature/adapters/ai-sdk"
import { memoryStore } from "ligature/store"
import { startFakeProvider } from "ligature/testing"
import { z } from "zod"

const calls = [{ name: "bash", arguments: { command: "npm test" } }]
const provider = await startFakeProvider({
  api: "openai-chat",
  script: [{ text: "I was interrupted." }, { calls }, { text: "All 42 pass." }, { text: "Any time." }],
})
const options: AdapterOptions = {
  onRepair: ({ entries }) => console.log(`repaired: ${entries.map(({ rule }) => rule).join(", ")}`),
}
const openai = createOpenAI({ apiKey: "none", baseURL: `${provider.url}/v1` })
const model = wrapLanguageModel({ model: openai.chat("gpt-4o"), middleware: validMiddleware(options) })
const bash = tool({
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => `${command}: 42 passed`,
})

const left: ModelMessage[] = [
  { role: "user", content: "Run the tests." },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "call_1", toolName: "bash", input: { command: "npm test" } }],
  },
]
const question: ModelMessage = { role: "user", content: "Well?" }

// The SDK itself throws at an unanswered call, before any middleware: `prepareStep` comes earlier.
const messages = [...left, question]
await generateText({ model, messages }).catch((error: unknown) => console.log(`without: ${String(error)}`))
const prepared = await generateText({ model, messages, prepareStep: validPrepareStep(options) })
console.log(`prepared: ${prepared.text}`)

const history = storedMessages({ store: memoryStore(), conversation: "chat-7", ...options })
await history.append(left)
const { text, responseMessages } = await generateText({
  model,
  tools: { bash },
  messages: [...(await history.load<ModelMessage>()), question],
  stopWhen: isStepCount(5),
})
await history.append([question, ...responseMessages])
console.log(`answer: ${text}`)

const thanks: ModelMessage = { role: "user", content: "Thanks." }
const streamed = streamText({ model, messages: [...(await history.load<ModelMessage>()), thanks] })
console.log(`streamed: ${await streamed.text}`)
console.log(`stored: ${(await history.load()).map(({ role }) => role).join(", ")}`)
console.log(`refused by the provider: ${provider.requests.filter(({ verdict }) => verdict?.ok === false).length}`)
await provider.close()
