/**
 * Damaged histories through the adapters and then through the real SDKs, up to the request they would send, which a strict
 * judge looks at. Run by sdk-examples.test.ts on a Node that strips types; prints one JSON line.
 *
 *   node real-sdks.mjs HISTORIES
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { validHistory } from "../../src/adapters/mastra/index.ts"
import { validMessages as validSdkMessages, validMiddleware } from "../../src/adapters/ai-sdk/index.ts"
import { validMessages as validLangChain } from "../../src/adapters/langchain/index.ts"
import { ligatureSession, validItems } from "../../src/adapters/openai-agents/index.ts"
import { memoryStore } from "../../src/store/index.ts"
import { Choices, damageHistory, generateHistory, judges } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { toAgentItems, toLangChain, toMastra, toPrompt } from "./render.ts"

const require = createRequire(new URL("../../../../examples/adapters/package.json", import.meta.url))
const sdk = (name) => import(pathToFileURL(require.resolve(name)).href)
const { createOpenAI } = await sdk("@ai-sdk/openai")
const { generateText, wrapLanguageModel } = await sdk("ai")
const agents = await sdk("@openai/agents")
const { default: OpenAI } = await sdk("openai")
const langchain = await sdk("@langchain/core/messages")
const { ChatOpenAI } = await sdk("@langchain/openai")
const mastra = await sdk("@mastra/core/agent")

/** What an SDK would have sent. The answer is an error, which every SDK hands on. */
let sent
const capture = async (_, init) => {
  sent = JSON.parse(init.body)
  return Response.json({ error: { message: "captured" } }, { status: 418 })
}
const baseURL = "http://127.0.0.1:9/v1"
globalThis.fetch = capture

const access = { apiKey: "none", baseURL, fetch: capture }
const chat = createOpenAI(access).chat("gpt-4o")
const wrapped = wrapLanguageModel({ model: chat, middleware: validMiddleware() })
const configuration = { baseURL, fetch: capture }
const model = new ChatOpenAI({ apiKey: "none", model: "gpt-4o", maxRetries: 0, configuration })
const openAIClient = new OpenAI({ ...access, maxRetries: 0 })
const runner = new agents.Runner({ modelProvider: new agents.OpenAIProvider({ openAIClient }), tracingDisabled: true })
const agent = new agents.Agent({ name: "Guide", model: "gpt-4o" })
const guide = new mastra.Agent({
  id: "guide",
  name: "Guide",
  instructions: "",
  model: chat,
  maxRetries: 0,
  inputProcessors: [validHistory()],
})
const question = { type: "message", role: "user", content: "Go on." }
const parts = [{ type: "text", text: "Go on." }]
const next = { id: "next", role: "user", createdAt: new Date(1e9), content: { format: 2, parts } }

const ways = {
  "AI SDK, messages": async (history) =>
    generateText({
      model: chat,
      messages: validSdkMessages(toPrompt(history), { profile: "openai-chat" }),
      allowSystemInMessages: true,
      maxRetries: 0,
    }),
  "AI SDK, prompt": async (history) => wrapped.doGenerate({ prompt: toPrompt(history) }),
  LangChain: async (history) => {
    const coerce = langchain.coerceMessageLikeToMessage
    await model.invoke(validLangChain(toLangChain(history).map(coerce), { profile: "openai-chat", coerce }))
  },
  "Agents SDK, items": async (history) => runner.run(agent, validItems(toAgentItems(history))),
  "Agents SDK, session": async (history) => {
    const session = ligatureSession({ store: memoryStore(), sessionId: "s" })
    await session.addItems(toAgentItems(history))
    await runner.run(agent, [question], { session, sessionInputCallback: (before, now) => [...before, ...now] })
  },
  // Mastra takes system text as instructions only.
  Mastra: async (history) => guide.generate([...toMastra(history.filter(({ role }) => role !== "system")), next]),
}

const outcome = {}
const seeds = Array.from({ length: Number(process.argv[2] ?? 50) }, (_, index) => index + 1)
for (const [way, send] of Object.entries(ways)) {
  const found = { requests: 0, wrong: [] }
  for (const seed of seeds) {
    const choices = new Choices(numbersFromSeed(seed, 400))
    const history = damageHistory(generateHistory(choices).messages, choices).messages
    sent = undefined
    const error = await send(history).then(
      () => undefined,
      (thrown) => String(thrown).slice(0, 300),
    )
    if (sent === undefined) {
      found.wrong.push({ seed, error })
      continue
    }
    found.requests++
    const verdict = judges["input" in sent ? "openai-responses" : "openai-chat"](sent)
    if (!verdict.ok) found.wrong.push({ seed, message: verdict.message })
  }
  outcome[way] = found
}
console.log(JSON.stringify(outcome))
