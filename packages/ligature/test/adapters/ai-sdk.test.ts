/** The adapter of the Vercel AI SDK, on plain objects of its shapes. */
import { describe, expect, it } from "vitest"
import { storedMessages, validMessages, validMiddleware, validPrepareStep, validPrompt } from "../../src/adapters/ai-sdk/index.ts"
import { providerProfile } from "../../src/adapters/ai-sdk/valid-messages.ts"
import { type Report, syntheticTexts } from "../../src/model/index.ts"
import { png } from "../rules/media/files.ts"
import { memoryStore } from "../../src/store/index.ts"

const asked = { role: "user", content: [{ type: "text", text: "Run the tests." }] }
const call = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "call_1", toolName: "bash", input: { command: "npm test" } }],
}
const answered = (value: string) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "call_1", toolName: "bash", output: { type: "text", value } }],
})
const interrupted = {
  role: "tool",
  content: [
    {
      type: "tool-result",
      toolCallId: "call_1",
      toolName: "bash",
      output: { type: "error-text", value: syntheticTexts.interrupted },
    },
  ],
}

describe("validMessages", () => {
  it("closes an unanswered call honestly and keeps every other message as the same object", () => {
    const next = { role: "user", content: "Well?" }
    const reports: Report[] = []
    const valid = validMessages([asked, call, next], { onRepair: (report) => reports.push(report) })
    expect(valid).toEqual([asked, call, interrupted, next])
    expect([valid[0] === asked, valid[1] === call, valid[3] === next]).toEqual([true, true, true])
    expect(reports.map(({ entries }) => entries.map(({ rule }) => rule))).toEqual([["unanswered-call"]])
  })

  it("says a file of a result whose call is gone as a file of the user", () => {
    const output = { type: "content", value: [{ type: "media", data: "aGk=", mediaType: "image/png" }] }
    const lost = { role: "tool", content: [{ type: "tool-result", toolCallId: "gone", toolName: "look", output }] }
    const valid = validMessages<{ role: string; content: unknown }>([asked, lost])
    expect(valid.map(({ role }) => role)).toEqual(["user", "user"])
    expect(valid[1]?.content).toContainEqual({ type: "file", mediaType: "image/png", data: "aGk=" })
  })

  it("replaces images that the provider rejects with notes, and leaves others alone", () => {
    const file = (data: string) => ({ type: "file", mediaType: "image/png", data })
    const shown = (data: string) => ({ role: "user", content: [{ type: "text", text: "See?" }, file(data)] })
    const output = (data: string) => ({ type: "content", value: [{ type: "media", data, mediaType: "image/png" }] })
    const looked = (data: string) => ({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "call_1", toolName: "bash", output: output(data) }],
    })
    const large = png(10, 10, 4_000_000)
    const healthy = [shown(png()), call, looked(png())]
    expect(validMessages(healthy, { profile: "anthropic" })).toBe(healthy)
    const valid = JSON.stringify(validMessages([shown(large), call, looked(large)], { profile: "anthropic" }))
    expect(valid.match(/not sent: it has more than 5,242,880 bytes as base64/g)).toHaveLength(2)
    expect(valid.length).toBeLessThan(2000)
    // Ollama takes images beside the text, which is for the SDK to write.
    expect(validMessages(healthy, { profile: "ollama" })).toBe(healthy)
  })

  it("leaves a tool the provider ran alone", () => {
    const served = {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "srv_1", toolName: "web_search", input: { query: "x" }, providerExecuted: true },
        { type: "tool-result", toolCallId: "srv_1", toolName: "web_search", output: { type: "json", value: [1] } },
        { type: "text", text: "Found." },
      ],
    }
    const list = [asked, served]
    expect(validMessages(list, { profile: "anthropic" })).toBe(list)
  })
})

describe("validPrompt", () => {
  it("writes content as parts, as models want it", () => {
    const lost = answered("42 passed")
    expect(validPrompt([asked, lost])).toEqual([
      asked,
      { role: "user", content: [{ type: "text", text: expect.stringContaining("42 passed") }] },
    ])
  })

  it("leaves an empty prompt empty", () => {
    const prompt: { role: string }[] = []
    expect(validPrompt(prompt, { profile: "gemini" })).toBe(prompt)
  })
})

describe("validMiddleware", () => {
  it("hands on the very same parameters where the prompt is valid", async () => {
    const params = { prompt: [asked, call, answered("42 passed")], temperature: 0 }
    expect(await validMiddleware().transformParams({ params })).toBe(params)
  })

  it("meets the demands of the provider the model names", async () => {
    const params = { prompt: [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }, asked], topK: 1 }
    const forModel = async (provider: string): Promise<readonly string[]> => {
      const { prompt } = await validMiddleware().transformParams({ params, model: { provider, modelId: "m" } })
      return prompt.map(({ role }) => role)
    }
    expect(await forModel("openai.chat")).toEqual(["assistant", "user"])
    expect(await forModel("anthropic.messages")).toEqual(["user", "assistant", "user"])
    expect(await forModel("of-my-own")).toEqual(["assistant", "user"])
  })
})

describe("validPrepareStep", () => {
  it("gives the step a valid list", () => {
    expect(validPrepareStep()({ messages: [asked, call] })).toEqual({ messages: [asked, call, interrupted] })
    const list = [asked, call, answered("42 passed")]
    expect(validPrepareStep()({ messages: list, model: "openai/gpt-5" }).messages).toBe(list)
  })
})

describe("providerProfile", () => {
  it("knows provider packages by their names", () => {
    const asking = (provider: string, model?: string): string | undefined => providerProfile(provider, model)
    expect([
      asking("openai.chat"),
      asking("openai.responses"),
      asking("google.vertex.anthropic.messages"),
      asking("google.generative-ai"),
      asking("amazon-bedrock", "us.anthropic.claude-opus-4-6"),
      asking("amazon-bedrock", "amazon.nova-pro"),
      asking("somebody.else"),
    ]).toEqual(["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-claude", "bedrock", undefined])
  })
})

describe("storedMessages", () => {
  it("writes what is said and reads it back valid after a crash", async () => {
    const home = new Map<string, unknown>()
    const open = () => storedMessages({ store: memoryStore({ home }), conversation: "chat" })
    expect(await open().load()).toEqual([])
    await open().append([asked, call])
    expect(await open().load()).toEqual([asked, call, interrupted])
    await open().append([answered("42 passed")])
    expect(await open().load()).toEqual([asked, call, answered("42 passed")])
  })

  it("writes an append once that is repeated under its operation, and nothing for no messages", async () => {
    const store = memoryStore()
    const history = storedMessages({ store, conversation: "chat" })
    await history.append([])
    await history.append([asked], { operation: "one" })
    await history.append([asked], { operation: "one" })
    expect((await store.load("chat")).entries).toHaveLength(1)
  })
})
