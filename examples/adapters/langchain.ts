/**
 * LangChain and LangGraph: the state of a thread in a checkpointer holds a call without a result, as a killed process
 * leaves it. The middleware makes valid what the model gets; trimming keeps exchanges whole and the state valid.
 */
import { AIMessage, coerceMessageLikeToMessage, HumanMessage, ToolMessage } from "@langchain/core/messages"
import { MemorySaver, messagesStateReducer } from "@langchain/langgraph"
import { ChatOpenAI } from "@langchain/openai"
import { createAgent, createMiddleware, tool } from "langchain"
import { stateUpdate, trimMessages, validMessages, validModelCall } from "ligature/adapters/langchain"
import { startFakeProvider } from "ligature/testing"
import { z } from "zod"

const calls = [{ name: "weather", arguments: { city: "Bern" } }]
const provider = await startFakeProvider({
  api: "openai-chat",
  script: [{ text: "Shall I look again?" }, { calls }, { text: "Sunny." }],
})
const configuration = { baseURL: `${provider.url}/v1` }
const model = new ChatOpenAI({ apiKey: "none", model: "gpt-4o", maxRetries: 0, configuration })
const schema = z.object({ city: z.string() })
const weather = tool(async ({ city }: { city: string }) => `${city}: sunny`, { name: "weather", schema })

const left = [
  new HumanMessage("How is the weather in Bern?"),
  new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "weather", args: { city: "Bern" } }] }),
  new HumanMessage("Are you still there?"),
]
await model.invoke(left).catch((error: unknown) => console.log(`without: ${String(error).slice(0, 90)}`))

// A model takes the list as it is; with `coerce` the added messages are LangChain's own.
const valid = validMessages(left, { coerce: coerceMessageLikeToMessage })
console.log(`valid: ${valid.map((message) => message.type).join(", ")}; really: ${ToolMessage.isInstance(valid[2])}`)
console.log(`model: ${(await model.invoke(validMessages(left))).text}`)

const validCall = validModelCall({ onRepair: ({ entries }) => console.log(`repaired: ${entries[0]?.rule}`) })
const middleware = [createMiddleware(validCall)]
const agent = createAgent({ model, tools: [weather], checkpointer: new MemorySaver(), middleware })
const thread = { configurable: { thread_id: "chat-7" } }
await agent.graph.updateState(thread, { messages: left })
const { messages } = await agent.invoke({ messages: [new HumanMessage("Look.")] }, thread)
console.log(`agent: ${messages.map((message) => message.type).join(", ")}`)

const { update } = trimMessages(messages, { maxMessages: 4, coerce: coerceMessageLikeToMessage })
await agent.graph.updateState(thread, { messages: update })
const state = (await agent.graph.getState(thread)).values as { messages: typeof messages }
console.log(`trimmed: ${state.messages.map((message) => message.type).join(", ")}`)

const repaired = messagesStateReducer(messages, stateUpdate(validMessages(messages)) as never)
console.log(`repaired state: ${repaired.map((message) => message.type).join(", ")}`)
await provider.close()
