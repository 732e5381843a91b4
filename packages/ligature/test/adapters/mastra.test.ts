/** The processor for Mastra, on plain objects of its shapes. */
import { describe, expect, it } from "vitest"
import { validHistory, validMessages } from "../../src/adapters/mastra/index.ts"
import { syntheticTexts } from "../../src/model/index.ts"

const message = (id: string, role: string, ...parts: readonly object[]) => ({
  id,
  role,
  createdAt: new Date(Number(id) * 1000),
  threadId: "t",
  content: { format: 2, parts },
})
const text = (words: string): object => ({ type: "text", text: words })
const invocation = (state: string, more: object = {}): object => ({
  type: "tool-invocation",
  toolInvocation: { toolCallId: "call_1", toolName: "deploy", args: { to: "production" }, state, ...more },
  providerMetadata: { some: { thing: 1 } },
})

describe("validMessages", () => {
  it("closes a call without a result and keeps all that Mastra keeps beside it", () => {
    const open = message("2", "assistant", { type: "step-start" }, text("I deploy."), invocation("call"))
    const list = [message("1", "user", text("Deploy.")), open, message("3", "user", text("Well?"))]
    const valid = validMessages(list)
    const closed = invocation("result", { result: syntheticTexts.interrupted })
    expect(valid).toEqual([
      list[0],
      { ...open, content: { format: 2, parts: [{ type: "step-start" }, text("I deploy."), closed] } },
      list[2],
    ])
    expect([valid[0] === list[0], valid[2] === list[2]]).toEqual([true, true])
    expect(open.content.parts[2]).toEqual(invocation("call"))
    expect(validMessages(valid)).toBe(valid)
  })

  it("gives a valid thread back as the very same list, failed and denied calls included", () => {
    const list = [
      message("1", "user", text("Deploy.")),
      message("2", "assistant", invocation("result", { result: { ok: true } })),
      message("3", "user", text("Again.")),
      message("4", "assistant", invocation("output-error", { toolCallId: "call_2", errorText: "no" }), text("It failed.")),
    ]
    expect(validMessages(list)).toBe(list)
  })

  it("leaves out what says nothing", () => {
    const silent = message("2", "assistant", { type: "step-start" })
    const list = [message("1", "user", text("Deploy.")), silent, message("3", "user", text("Well?"))]
    expect(validMessages(list).map(({ id }) => id)).toEqual(["1", "3"])
  })
})

describe("validHistory", () => {
  it("says nothing where nothing has to be done", () => {
    const processor = validHistory({ onRepair: () => expect.unreachable("told") })
    const messages = [message("1", "user", text("Deploy."))]
    expect(processor.processInputStep({ messages })).toBeUndefined()
    const prompt = [{ role: "user", content: [text("Deploy.")] }]
    expect(processor.processLLMRequest({ prompt, model: { provider: "openai.chat", modelId: "gpt-4o" } })).toBeUndefined()
  })

  it("makes the messages of a step valid, and the prompt for the model it goes to", () => {
    const told: string[] = []
    const processor = validHistory({ onRepair: ({ entries }) => told.push(...entries.map(({ rule }) => rule)) })
    const messages = [message("1", "user", text("Deploy.")), message("2", "assistant", invocation("call"))]
    expect(processor.processInputStep({ messages })?.messages).toHaveLength(2)
    const call = { type: "tool-call", toolCallId: "a.b:1", toolName: "deploy", input: {} }
    const result = { type: "tool-result", toolCallId: "a.b:1", toolName: "deploy", output: { type: "text", value: "ok" } }
    const prompt = [
      { role: "user", content: [text("Deploy.")] },
      { role: "assistant", content: [call] },
      { role: "tool", content: [result] },
    ]
    expect(processor.processLLMRequest({ prompt, model: { provider: "openai.chat", modelId: "m" } })).toBeUndefined()
    const sent = processor.processLLMRequest({ prompt, model: { provider: "anthropic.messages", modelId: "m" } })
    const ids = sent?.prompt.slice(1).map(({ content }) => (content[0] as { toolCallId?: string }).toolCallId)
    expect(ids?.[0]).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(ids?.[1]).toBe(ids?.[0])
    expect(told[0]).toBe("unanswered-call")
  })
})
