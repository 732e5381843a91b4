/** Arguments nested by thousands: no reader, rule or writer fails on them, and nothing of them is lost. */
import { describe, expect, it } from "vitest"
import { chatModel, resume, run } from "../../src/agent/index.ts"
import { check, convert, decode, formats, repair, settle } from "../../src/index.ts"
import { sessionCodecs } from "../../src/registry/sessions.ts"
import { jsonText } from "../../src/model/index.ts"
import { memoryStore } from "../../src/store/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const levels = 20_000
const text = `${'{"a":'.repeat(levels)}"word"${"}".repeat(levels)}`
const value: unknown = JSON.parse(text)

const anthropic = {
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: value }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] },
  ],
}
const chat = {
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: text } }] },
    { role: "tool", tool_call_id: "a", content: "ok" },
  ],
}

describe("arguments that are nested too deeply", () => {
  it("are checked, settled, repaired and converted from objects and from texts", () => {
    for (const [from, request] of [
      ["anthropic", anthropic],
      ["openai-chat", chat],
    ] as const) {
      check(decode(from, request))
      settle(decode(from, request))
      repair(request, { from })
      for (const to of ["anthropic", "openai-chat", "openai-responses", "gemini"]) {
        expect(jsonText(convert(request, { from, to: resolveCodec(to) }).value), `${from} to ${to}`).toContain("word")
      }
    }
  })

  it("stop nobody either where they are in shapes that nobody knows", () => {
    const unknown = {
      messages: [
        { role: "user", content: [{ type: "weird", data: value }] },
        { role: "assistant", content: "x" },
      ],
    }
    for (const from of ["anthropic", "openai-chat", "bedrock-converse"]) {
      expect(() => convert(unknown, { from: resolveCodec(from), to: "openai-chat" }), from).not.toThrow()
    }
  })

  it("are read by every format, wherever they are", () => {
    const shapes = [
      value,
      [value],
      { messages: value },
      { messages: [value] },
      { messages: [{ role: "user", content: value }] },
      { input: [value] },
      { contents: [{ parts: [value] }] },
    ]
    for (const format of [...formats, ...(Object.keys(sessionCodecs) as (keyof typeof sessionCodecs)[])]) {
      for (const shape of shapes) expect(() => decode(format, shape), format).not.toThrow()
    }
  })

  it("are written as JSON that says the same", () => {
    const mixed = { a: [1, "x", null, [], {}, [[2]]], b: { c: true }, __proto__x: [{}] }
    expect(jsonText(mixed)).toBe(JSON.stringify(mixed))
    expect(jsonText(value)).toBe(text)
  })

  it("do not end a run, and its conversation can be resumed", async () => {
    const answers = [
      { role: "assistant", content: null, tool_calls: chat.messages[1]?.tool_calls },
      { role: "assistant", content: "end" },
    ]
    const fetch = (): Promise<Response> =>
      Promise.resolve(
        new Response(JSON.stringify({ choices: [{ message: answers.shift(), finish_reason: "stop" }] }), {
          headers: { "content-type": "application/json" },
        }),
      )
    const store = memoryStore()
    const tools = [{ name: "ls", run: () => "ok" }]
    const { stop } = await run({ model: chatModel({ model: "m" }), store, conversation: "c", prompt: "go", tools, surroundings: { fetch } })
    expect(stop).toBe("done")
    expect((await resume(store, "c", { format: "openai-chat" })).ready).toBe(true)
  })
})
