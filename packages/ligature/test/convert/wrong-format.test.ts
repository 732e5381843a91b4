/** A value of another format than its caller says: an error with the way out, not a valid request that says nothing. */
import { describe, expect, it } from "vitest"
import { convert, LigatureError, repair } from "../../src/index.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const anthropic = {
  messages: [
    { role: "user", content: "Which port?" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "8080" }] },
  ],
}
const contents = { contents: [{ role: "user", parts: [{ text: "Which port?" }] }] }
const qwen = [
  {
    uuid: "u1",
    parentUuid: null,
    sessionId: "s",
    type: "user",
    cwd: "/w",
    version: "1",
    message: { role: "user", parts: [{ text: "Which port?" }] },
  },
  {
    uuid: "u2",
    parentUuid: "u1",
    sessionId: "s",
    type: "assistant",
    cwd: "/w",
    version: "1",
    message: { role: "model", parts: [{ text: "8080" }] },
  },
]

const outcomeOf = (attempt: () => unknown): string => {
  try {
    attempt()
    return "no error"
  } catch (error) {
    if (!LigatureError.is(error)) throw error
    expect(error.code).toBe("wrong-format")
    return error.message
  }
}

const failure = (value: unknown, from: string): string => {
  const converted = outcomeOf(() => convert(value, { from: resolveCodec(from), to: "openai-chat" }))
  expect(outcomeOf(() => repair(value, { from: resolveCodec(from) }))).toBe(converted)
  return converted
}

it("is not what an empty history is, with or without the object around its list", () => {
  expect(outcomeOf(() => repair(repair([], { from: "swe-agent" }).value, { from: "swe-agent" }))).toBe("no error")
})

describe("a value of another format", () => {
  it.each([
    ["a list of messages as pi", anthropic.messages, "pi", "It looks like anthropic"],
    ["a request as pi", [anthropic], "pi", "It looks like anthropic"],
    ["a Gemini request as Anthropic", contents, "anthropic", "It looks like gemini"],
    ["an Anthropic request as Responses", anthropic, "openai-responses", "It looks like anthropic"],
    ["records of another agent as Claude Code", qwen, "claude-code", "It looks like qwen-code"],
    ["pairs of from and value as Chat Completions", [{ from: "human", value: "Which port?" }], "openai-chat", "It looks like sharegpt"],
    [
      "messages of a span as ShareGPT",
      { "gen_ai.input.messages": [{ role: "user", parts: [{ type: "text", content: "Which port?" }] }] },
      "sharegpt",
      "It looks like otel-messages",
    ],
    ["a Gemini request as messages of a span", contents, "otel-messages", "It looks like gemini"],
    ["a list of numbers as Gemini", [1, 2, 3], "gemini", "Name the format"],
    ["a text as Anthropic", "Which port?", "anthropic", "Name the format"],
  ])("is an error: %s", (_, value, from, wayOut) => {
    const message = failure(value, from)
    expect(message).toContain(`(${from})`)
    expect(message).toContain("no message was understood")
    expect(message).toContain(wayOut)
  })

  it.each([
    ["anthropic", { messages: [] }],
    ["anthropic", []],
    ["anthropic", { model: "m", max_tokens: 1, messages: [] }],
    ["anthropic", { messages: [{ role: "user", content: "" }] }],
    ["gemini", { contents: [] }],
    ["openai-responses", { model: "m", input: [] }],
    ["openai-responses", { model: "m", instructions: "Be brief." }],
    ["sharegpt", { conversations: [] }],
    ["otel-messages", { "gen_ai.input.messages": "[]" }],
    ["pi", []],
    ["pi", [{ type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" }]],
    ["claude-code", []],
  ])("is none where a history of %s is empty: %j", (from, value) => {
    expect(failure(value, from)).toBe("no error")
  })
})
