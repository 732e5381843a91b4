/** Pictures that a compaction took out of sight, before the model again. */
import { expect, it } from "vitest"
import { recall } from "../../../src/compact/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { apis, startAgent } from "../../agent/run/agent.ts"

const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image = {
  type: "media",
  kind: "image",
  mediaType: "image/png",
  source: { type: "base64", data },
  native: { anthropic: { type: "image", source: { type: "base64", media_type: "image/png", data }, cache_control: { type: "ephemeral" } } },
} as const

const script = [{ calls: [{ name: "recall", arguments: { handle: "#1" } }] }, { text: "A cat." }]
const prompt = [{ type: "text", text: "What is this?" }, image] as const

it("is a block of the tool's result where results carry images", async () => {
  const store = memoryStore()
  const agent = await startAgent("anthropic", { store, script, tools: [recall.tool(store)] })
  expect((await agent.run({ prompt })).text).toBe("A cat.")
  const { messages } = agent.provider.requests[1]!.body as { readonly messages: readonly { readonly content: unknown }[] }
  expect(messages.at(-1)?.content).toMatchObject([
    {
      type: "tool_result",
      content: [
        { type: "text", text: "[#1 user, lines 1-2 of 2]\nWhat is this?\n[image: image/png, 72 bytes]" },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ],
    },
  ])
  // A mark that asks for caching counts against a limit, and was meant for where the image stood.
  expect(JSON.stringify(messages.at(-1))).not.toContain("cache_control")
})

it.each(apis)("reaches a model of %s twice: where it stood, and recalled", async (api) => {
  const store = memoryStore()
  const agent = await startAgent(api, { store, script, tools: [recall.tool(store)] })
  expect((await agent.run({ prompt })).text).toBe("A cat.")
  expect(JSON.stringify(agent.provider.requests[1]?.body).split(data)).toHaveLength(3)
})
