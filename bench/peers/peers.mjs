/**
 * Question: what do other libraries take for what they do to a history, beside ours on the same one in the same
 * process? All work on values in memory, no JSON text. A task whose next size would take more than a minute, by its own
 * growth so far, is left out, and the result says so.
 *
 * node --expose-gc bench/peers/peers.mjs DIST SIZES   prints one JSON line per task and size.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { generateHistory } from "../generate.mjs"
import { fastest } from "../measure.mjs"
import { renderers } from "../render.mjs"
import { langchainMessages, modelMessages, uiMessages } from "./render-peers.mjs"

const [dist, sizes] = process.argv.slice(2)
const major = Number(process.versions.node.split(".")[0])
const patience = 60_000

const { check, decode, encode, settle } = await import(pathToFileURL(resolve(dist, "index.js")).href)
const { trimMessages } = await import("@langchain/core/messages")

const cheapCount = (messages) => {
  let characters = 0
  for (const { content } of messages) characters += content.length
  return Math.ceil(characters / 4)
}

/** Each gives, for a history, the function to time: what it prepares is not counted. */
const tasks = {
  "ligature: decode, check, settle": (history) => {
    const request = renderers.anthropic(history)
    return () => {
      const transcript = decode("anthropic", request)
      check(transcript)
      return settle(transcript)
    }
  },
  "ligature: decode, settle, encode for openai-chat": (history) => {
    const request = renderers.anthropic(history)
    return () => encode(settle(decode("anthropic", request)).conversation, "openai-chat")
  },
  "langchain: trimMessages, cheap counter, keep 50 %": (history) => {
    const messages = langchainMessages(history)
    const maxTokens = Math.floor(cheapCount(messages) / 2)
    return () => trimMessages(messages, { maxTokens, strategy: "last", tokenCounter: cheapCount })
  },
}

if (major >= 22) {
  const { convertToModelMessages, pruneMessages } = await import("ai")
  const { MessageList } = await import("@mastra/core/agent/message-list")
  const filled = (messages) => new MessageList({ threadId: "bench" }).add(messages, "memory")
  tasks["ai sdk: convertToModelMessages"] = (history) => {
    const messages = uiMessages(history)
    return () => convertToModelMessages(messages)
  }
  tasks["ai sdk: pruneMessages"] = (history) => {
    const messages = modelMessages(history)
    return () => pruneMessages({ messages, reasoning: "all", toolCalls: "before-last-10-messages" })
  }
  tasks["mastra: MessageList.add, all at once"] = (history) => {
    const messages = modelMessages(history)
    return () => filled(messages)
  }
  tasks["mastra: MessageList get.all.aiV5.model()"] = (history) => {
    const list = filled(modelMessages(history))
    return () => list.get.all.aiV5.model()
  }
}

/** Filling a MessageList is what its reading has to wait for, so both stop together. */
const waitsFor = { "mastra: MessageList get.all.aiV5.model()": "mastra: MessageList.add, all at once" }

/** Small enough that twenty runs of the slowest task take a moment. */
const little = generateHistory(300)

const known = new Map()

/** What this task would take at `size`, from its last two sizes. */
const expected = (task, size) => {
  const points = known.get(task) ?? []
  const [before, last] = [points.at(-2), points.at(-1)]
  if (!last) return 0
  const exponent = before ? Math.max(1, Math.log(last.time / before.time) / Math.log(last.size / before.size)) : 1
  return last.time * (size / last.size) ** exponent
}

for (const size of sizes.split(",").map(Number)) {
  const history = generateHistory(size)
  for (const task in tasks) {
    const estimate = Math.max(expected(task, size), task in waitsFor ? expected(waitsFor[task], size) : 0)
    if (estimate > patience) {
      console.log(JSON.stringify({ task, size, skipped: true, expected: estimate }))
      continue
    }
    const run = tasks[task](history)
    const rounds = estimate > 2000 ? 1 : size <= 100 ? 100 : size <= 1000 ? 20 : 4
    const { time } = await fastest({ time: { run, warm: tasks[task](little) } }, { size, rounds })
    known.set(task, [...(known.get(task) ?? []), { size, time }])
    console.log(JSON.stringify({ task, size, time }))
  }
}
// Some of these libraries keep timers or sockets open.
process.exit(0)
