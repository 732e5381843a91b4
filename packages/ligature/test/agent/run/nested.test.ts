/** A tool that runs an agent of its own: both conversations can be found from each other. */
import { describe, expect, it } from "vitest"
import { run, type Tool } from "../../../src/agent/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { startAgent } from "./agent.ts"

describe("a run inside a tool", () => {
  it("is kept with the conversation and the call that started it", async () => {
    const store = memoryStore()
    const inner = await startAgent("anthropic", { store, script: [{ text: "Nothing here." }] })
    let child = ""
    const scout: Tool = {
      name: "scout",
      run: async (_, context) => {
        const result = await run({ model: inner.model, store, parent: context, prompt: "Look.", signal: context.signal })
        child = result.conversation
        return result.text
      },
    }
    const call = { name: "scout", arguments: {}, id: "call_1" }
    const outer = await startAgent("openai-chat", { store, tools: [scout], script: [{ calls: [call] }, { text: "Done." }] })
    expect((await outer.run({ prompt: "go" })).stop).toBe("done")
    const { entries } = await store.load("c")
    const calls = entries.flatMap((entry) =>
      entry.kind === "message" ? entry.message.blocks.flatMap((block) => (block.type === "call" ? [block.id] : [])) : [],
    )
    expect((await store.load(child)).parent).toEqual({ conversation: "c", call: calls[0] })
    expect((await store.list({ parent: "c" })).conversations.map(({ id }) => id)).toEqual([child])
  })

  it("takes a link in words, and leaves the parent of a conversation that exists as it is", async () => {
    const store = memoryStore()
    const agent = await startAgent("anthropic", { store, script: [{ text: "One." }, { text: "Two." }] })
    await agent.run({ conversation: "new", prompt: "go", parent: { conversation: "main" } })
    expect((await store.load("new")).parent).toEqual({ conversation: "main" })
    await agent.run({ conversation: "new", prompt: "on", parent: { conversation: "other" } })
    expect((await store.load("new")).parent).toEqual({ conversation: "main" })
  })
})
