import { describe, expect, it } from "vitest"
import { gemini } from "../../../src/formats/gemini/index.ts"
import { check } from "../../../src/rules/judge/check.ts"
import { settle } from "../../../src/rules/judge/settle.ts"
import { type Item, type Wire } from "../../../src/model/index.ts"
import { byHand } from "../../by-hand.ts"

const again = (body: unknown, options = {}) => gemini.encode(settle(gemini.decode(body)).conversation, options)

const healthy = {
  model: "gemini-3-pro",
  system_instruction: { role: "system", parts: [{ text: "Be brief." }], note: 1 },
  contents: [
    { parts: [{ text: "hi", extra: true }], seen: 1 },
    {
      parts: [
        { text: "Hm.", thought: true, thoughtSignature: "A" },
        { functionCall: { name: "ls", args: { b: 1, a: 2 }, id: "c1" }, thoughtSignature: "B" },
        { function_call: { args: {}, name: "pwd" } },
        { functionCall: { name: "now" } },
      ],
      role: "model",
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "ls", response: { z: [1, { y: null }], a: "b" }, scheduling: "SILENT" } },
        { function_response: { name: "pwd", response: { result: "/" } } },
        {
          functionResponse: {
            name: "now",
            response: { output: "noon" },
            parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }],
          },
        },
        { text: "go on" },
      ],
    },
    {
      role: "model",
      parts: [
        { executableCode: { language: "PYTHON", code: "1" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { toolCall: { id: "t", toolType: "X", args: {} } },
        { toolResponse: { id: "t", toolType: "X", response: {} } },
        { text: "Done.", thoughtSignature: "C" },
        { text: "", thoughtSignature: "D" },
      ],
    },
    { role: "user", parts: [{ functionless: true }, { fileData: { mimeType: "video/mp4", fileUri: "gs://b/v.mp4" } }] },
  ],
  generationConfig: { temperature: 0 },
  tools: [{ functionDeclarations: [] }],
}

describe("gemini round trip", () => {
  it("gives a healthy request back deep-equal, byte for byte, and each content as the very same object", () => {
    expect(check(gemini.decode(healthy))).toEqual([])
    const written = again(healthy)
    expect(JSON.stringify(written)).toBe(JSON.stringify(healthy))
    const contents = written["contents"] as readonly unknown[]
    healthy.contents.forEach((content, index) => expect(contents[index]).toBe(content))
    expect(written["system_instruction"]).toBe(healthy.system_instruction)
  })

  it("gives a request of the SDK back deep-equal", () => {
    for (const systemInstruction of ["S", { text: "S" }, [{ text: "S" }], { parts: [{ text: "S" }] }]) {
      const body = { model: "m", contents: [{ role: "user", parts: [{ text: "x" }] }], config: { systemInstruction } }
      expect(check(gemini.decode(body))).toEqual([])
      expect(JSON.stringify(again(body))).toBe(JSON.stringify(body))
    }
  })

  it("keeps responses and the user's words apart where they stood apart", () => {
    const contents = [
      { role: "user", parts: [{ text: "a" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "x" } } }] },
      { role: "user", parts: [{ text: "b" }] },
    ]
    expect(again(contents)).toEqual({ contents })
  })

  it("gathers responses that were sent one by one", () => {
    const response = (id: string) => ({ functionResponse: { id, name: "f", response: { output: id } } })
    const calls = { role: "model", parts: ["a", "b"].map((id) => ({ functionCall: { id, name: "f", args: {} } })) }
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      calls,
      { role: "function", parts: [response("b")] },
      { role: "function", parts: [response("a")] },
    ]
    expect(again(contents)).toEqual({
      contents: [contents[0], calls, { role: "user", parts: [response("a"), response("b")] }],
    })
  })

  it("writes what the API rejects as the API wants it", () => {
    const body = {
      systemInstruction: "S",
      contents: [
        "hi",
        { role: "assistant", parts: [{ text: "let me see", functionCall: { name: "f", args: {} } }] },
        { role: "function", parts: [{ functionResponse: { name: "f", response: "plain" } }] },
        { role: "model", parts: "done" },
        7,
      ],
    }
    expect(again(body)).toEqual({
      systemInstruction: { parts: [{ text: "S" }] },
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [{ text: "let me see" }, { functionCall: { name: "f", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "plain" } } }] },
        { role: "model", parts: [{ text: "done" }] },
        { role: "user", parts: [{ text: "7" }] },
      ],
    })
    expect(check(gemini.decode(body)).length).toBeGreaterThan(0)
    expect(again(again(body))).toEqual(again(body))
  })

  it("patches only what differs, unknown fields staying", () => {
    const { conversation } = settle(gemini.decode(healthy))
    const items = conversation.items.map((item): Item => {
      if (item.role !== "exchange" || item.outcomes.length === 0) return item
      const blocks = item.message.blocks.map((block) => (block.type === "call" ? { ...block, name: "renamed" } : block))
      const outcomes = item.outcomes.map((outcome, index) =>
        outcome.result && index === 0
          ? { ...outcome, result: { ...outcome.result, content: [{ type: "text" as const, text: "short" }] } }
          : outcome,
      )
      return { ...item, message: { ...item.message, blocks }, outcomes }
    })
    const contents = gemini.encode(byHand({ ...conversation, items }))["contents"] as readonly Wire[]
    const { parts } = healthy.contents[1] as { readonly parts: readonly unknown[] }
    expect(contents[1]).toEqual({
      role: "model",
      parts: [
        parts[0],
        { functionCall: { name: "renamed", args: { b: 1, a: 2 }, id: "c1" }, thoughtSignature: "B" },
        { function_call: { args: {}, name: "renamed" } },
        { functionCall: { name: "renamed" } },
      ],
    })
    const answers = contents[2]?.["parts"] as readonly Wire[] | undefined
    expect(answers?.map((part) => Object.values(part)[0])).toEqual([
      { id: "c1", name: "renamed", response: { output: "short" }, scheduling: "SILENT" },
      { name: "renamed", response: { result: "/" } },
      {
        name: "renamed",
        response: { output: "noon" },
        parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }],
      },
      "go on",
    ])
  })

  it("leaves out unknown fields when asked, and nothing else", () => {
    const body = {
      contents: [
        { role: "user", at: 1, parts: [{ text: "a", seen: true }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: { x: 1 }, took: 3 }, thoughtSignature: "s" }] },
        {
          role: "user",
          parts: [{ function_response: { name: "f", response: { any: 1 }, will_continue: false, took: 3 } }],
        },
      ],
      sessionId: "s",
      generationConfig: {},
    }
    expect(again(body, { extras: "strip" })).toEqual({
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: { x: 1 } }, thoughtSignature: "s" }] },
        { role: "user", parts: [{ function_response: { name: "f", response: { any: 1 }, will_continue: false } }] },
      ],
      generationConfig: {},
    })
  })

  it("takes system text that left the conversation out of the request", () => {
    const { conversation } = settle(gemini.decode(healthy))
    const items = conversation.items.filter(({ role }) => role !== "system")
    expect("system_instruction" in gemini.encode(byHand({ ...conversation, items }))).toBe(false)
  })
})
