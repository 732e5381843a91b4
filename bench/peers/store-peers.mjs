/**
 * Question: what does it cost others to keep a conversation that grows by one message at a time, beside our jsonl store in
 * the same process? Everybody gets the same messages of one kilobyte, one by one. Whoever takes longer than its time ends
 * early, and the result says where.
 *
 *   node bench/peers/store-peers.mjs DIST [messages] [seconds each]      prints one line of JSON per way
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [dist, count = "20000", seconds = "20"] = process.argv.slice(2)
const [major] = process.versions.node.split(".").map(Number)
const { jsonlStore } = await import(pathToFileURL(resolve(dist, "store/index.js")).href)

const words = "Read the file, found the cause, changed one line; 改了一行. ".repeat(17)
const textOf = (index) => `${index} ${words}`
const roleOf = (index) => (index % 2 === 0 ? "user" : "assistant")

/** Each way: open in a folder, then one function that keeps the next message. */
const ways = {
  "ligature jsonl": async (folder) => {
    const store = jsonlStore({ folder, durability: "none" })
    await store.create({ id: "long" })
    let tip = null
    return {
      append: async (index) => {
        const message = { role: roleOf(index), blocks: [{ type: "text", text: textOf(index) }] }
        tip = (await store.append("long", [{ kind: "message", message }], { expectedTip: tip })).tip
      },
      close: () => store.close(),
    }
  },
  "whole file rewritten": async (folder) => {
    const messages = []
    return {
      append: async (index) => {
        messages.push({ role: roleOf(index), content: textOf(index) })
        writeFileSync(join(folder, "session.json"), JSON.stringify(messages))
      },
      close: async () => {},
    }
  },
  "openai-agents MemorySession": async () => {
    const { MemorySession } = await import("@openai/agents-core")
    const session = new MemorySession()
    return {
      append: (index) => session.addItems([{ type: "message", role: roleOf(index), content: textOf(index) }]),
      close: async () => {},
    }
  },
  "LangGraph SqliteSaver": async (folder) => {
    const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite")
    const { AIMessage, HumanMessage } = await import("@langchain/core/messages")
    const { emptyCheckpoint, uuid6 } = await import("@langchain/langgraph-checkpoint")
    const saver = SqliteSaver.fromConnString(join(folder, "checkpoints.db"))
    let config = { configurable: { thread_id: "long", checkpoint_ns: "" } }
    let messages = []
    return {
      append: async (index) => {
        messages = [...messages, new (index % 2 === 0 ? HumanMessage : AIMessage)(textOf(index))]
        const checkpoint = {
          ...emptyCheckpoint(),
          id: uuid6(index),
          channel_values: { messages },
          channel_versions: { messages: index + 1 },
        }
        config = await saver.put(config, checkpoint, { source: "loop", step: index, parents: {} }, { messages: index + 1 })
      },
      close: async () => saver.db.close(),
    }
  },
}

const bytesIn = (folder) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
/** The lower quartile: what other programs do to us lies above it. */
const typical = (times) => times.toSorted((left, right) => left - right)[times.length >> 2] ?? 0
const round = (value) => Number(value.toPrecision(3))

for (const [way, open] of Object.entries(ways)) {
  if (way === "LangGraph SqliteSaver" && major < 22) continue
  const folder = mkdtempSync(join(tmpdir(), "ligature-bench-peers-"))
  try {
    const { append, close } = await open(folder)
    const times = []
    let content = 0
    const start = performance.now()
    for (let index = 0; index < Number(count) && performance.now() - start < Number(seconds) * 1e3; index++) {
      content += Buffer.byteLength(JSON.stringify({ role: roleOf(index), content: textOf(index) }))
      const from = performance.now()
      await append(index)
      times.push((performance.now() - from) * 1e3)
    }
    await close()
    const stretch = Math.min(1_000, times.length >> 2)
    const bytes = bytesIn(folder)
    const row = {
      way,
      messages: times.length,
      complete: times.length === Number(count),
      firstMicroseconds: round(typical(times.slice(0, stretch))),
      lastMicroseconds: round(typical(times.slice(-stretch))),
      ...(bytes > 0 && { megabytes: round(bytes / 1e6), bytesToContent: round(bytes / content) }),
    }
    process.stdout.write(`${JSON.stringify(row)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
