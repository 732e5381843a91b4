/** Parts and messages of one API among those of another: read as what they mean, reported, and written as they should be. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../src/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { judges } from "../../src/testing/providers/server/apis.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image = `data:image/png;base64,${data}`

const calls: Readonly<Record<string, unknown>> = {
  tool_use: { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
  "tool-call": { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
  function_call: { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a.ts"}' },
  function: { type: "function", id: "c1", function: { name: "read", arguments: '{"path":"a.ts"}' } },
  functionCall: { functionCall: { id: "c1", name: "read", args: { path: "a.ts" } } },
  toolUse: { toolUse: { toolUseId: "c1", name: "read", input: { path: "a.ts" } } },
}

const results: Readonly<Record<string, unknown>> = {
  tool_result: { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "found it" }] },
  "tool-result": { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "found it" } },
  function_call_output: { type: "function_call_output", call_id: "c1", output: "found it" },
  functionResponse: { functionResponse: { id: "c1", name: "read", response: { output: "found it" } } },
  toolResult: { toolResult: { toolUseId: "c1", content: [{ text: "found it" }] } },
}

const outcomeOf = (format: string, value: unknown): unknown => {
  const { conversation } = convert(value, { from: resolveCodec(format), to: "openai-chat" })
  for (const item of conversation.items) {
    if (item.role !== "exchange") continue
    const [call] = item.message.blocks.filter((block) => block.type === "call")
    return { name: call?.name, arguments: call?.arguments, kind: item.outcomes[0]?.kind, said: item.outcomes[0]?.result?.content }
  }
  return undefined
}

const messagesOf = (call: unknown, result: unknown): unknown => ({
  messages: [
    { role: "user", content: [{ type: "text", text: "Read a.ts" }] },
    { role: "assistant", content: [{ type: "text", text: "I read it." }, call] },
    { role: "user", content: [result] },
    { role: "user", content: [{ type: "text", text: "Thanks" }] },
  ],
})

describe.each(["anthropic", "openai-chat"] as const)("%s messages with parts of other APIs", (format) => {
  const pairs = Object.keys(calls).flatMap((call) => Object.keys(results).map((result) => [call, result] as const))

  it.each(pairs)("reads %s answered by %s", (call, result) => {
    const read = outcomeOf(format, messagesOf(calls[call], results[result]))
    expect(read).toMatchObject({ name: "read", arguments: { path: "a.ts" }, kind: "done" })
    expect(JSON.stringify(read)).toContain("found it")
  })

  it("reports them and writes them as its provider takes them", () => {
    const value = messagesOf(calls["function_call"], results["function_call_output"])
    expect(check(decode(format, value)).map(({ rule }) => rule)).toContain("malformed-message")
    const { value: repaired } = repair(value, { from: format })
    expect(judges[format](repaired)).toEqual({ ok: true })
    expect(repair(repaired, { from: format }).value).toEqual(repaired)
  })
})

describe("media of another API", () => {
  it.each([
    ["anthropic", { type: "image_url", image_url: { url: image } }],
    ["anthropic", { type: "input_image", image_url: image }],
    ["openai-chat", { type: "image", source: { type: "base64", media_type: "image/png", data } }],
  ])("is an image in %s", (format, part) => {
    const transcript = decode(resolveCodec(format), { messages: [{ role: "user", content: [part] }] })
    expect(transcript.messages[0]?.blocks).toEqual([
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data } },
    ])
  })

  it("is written in a result as the format has it", () => {
    const value = {
      messages: [
        { role: "user", content: "Draw" },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "draw", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image_url", image_url: { url: image } }] }],
        },
      ],
    }
    const source = { type: "base64", media_type: "image/png", data }
    expect(repair(value, { from: "anthropic" }).value).toMatchObject({
      messages: [{}, {}, { content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }] }],
    })
  })
})

it("takes one call that is where a list of calls belongs", () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }
  const value = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: call },
      { role: "tool", tool_call_id: "c1", content: "a.ts" },
    ],
  }
  expect(repair(value, { from: "openai-chat" }).value).toEqual({
    messages: [value.messages[0], { role: "assistant", content: null, tool_calls: [call] }, value.messages[2]],
  })
})

it("gives a result that is inside of its call to that call, in every format", () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }
  const value = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [{ ...call, result: "a.ts" }] },
      { role: "user", content: "and?" },
    ],
  }
  const said = { role: "tool", tool_call_id: "c1", content: "a.ts" }
  const [first, , last] = value.messages
  expect(repair(value, { from: "openai-chat" }).value).toEqual({
    messages: [first, { role: "assistant", content: null, tool_calls: [call] }, said, last],
  })
  for (const to of ["anthropic", "openai-responses", "gemini"]) {
    expect(JSON.stringify(convert(value, { from: "openai-chat", to: resolveCodec(to) }).value)).toContain("a.ts")
  }
})

it("gives a result to its call also where the call has no function, once and for all", () => {
  const call = { id: "c1", type: "function", name: "ls", output: "a.ts" }
  const value = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [call] },
    ],
  }
  const once = repair(value, { from: "openai-chat" }).value
  expect(once.messages.at(-1)).toEqual({ role: "tool", tool_call_id: "c1", content: "a.ts" })
  expect(repair(once, { from: "openai-chat" }).report.entries).toEqual([])
})

it("tells results apart that are in one message, each with the id of its call", () => {
  const calls = ["c1", "c2"].map((id) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } }))
  const results = [
    { tool_call_id: "c2", content: "two" },
    { tool_call_id: "c1", content: "one" },
  ]
  const value = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", content: results },
    ],
  }
  expect(repair(value, { from: "openai-chat" }).value).toMatchObject({
    messages: [{}, {}, { tool_call_id: "c1", content: "one" }, { tool_call_id: "c2", content: "two" }],
  })
})

it("finds the messages of a framework in a file", () => {
  const messages = [
    { type: "human", content: "go" },
    { type: "ai", content: "", tool_calls: [{ id: "c1", name: "ls", args: {}, type: "tool_call" }] },
    { type: "tool", content: "a.ts", tool_call_id: "c1" },
  ]
  const { parts } = openDocument(JSON.stringify({ messages }))
  expect(parts.map(({ format }) => format)).toEqual(["openai-chat"])
  expect(outcomeOf("openai-chat", parts[0]?.value)).toMatchObject({ name: "ls", kind: "done" })
})

it("reads the calls that a framework could not parse, and writes its messages without its own fields", () => {
  const value = {
    messages: [
      { type: "human", content: "go" },
      { type: "ai", content: "", invalid_tool_calls: [{ id: "c1", name: "ls", args: '{"path":"a', type: "invalid_tool_call" }] },
      { type: "tool", content: "bad arguments", tool_call_id: "c1", status: "error" },
    ],
  }
  const { value: repaired } = repair(value, { from: "openai-chat" })
  expect(repaired).toMatchObject({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "ls" } }] },
      { role: "tool", tool_call_id: "c1" },
    ],
  })
  expect(JSON.stringify(repaired)).toMatch(/path.*bad arguments/)
  expect(judges["openai-chat"](repaired)).toEqual({ ok: true })
})

it("leaves a part that no API has with its format, and shows it as text elsewhere", () => {
  const value = { messages: [{ role: "user", content: [{ type: "hologram", beam: 1 }] }] }
  expect(repair(value, { from: "anthropic" }).value).toEqual(value)
  expect(convert(value, { from: "anthropic", to: "openai-chat" }).value).toEqual({
    messages: [{ role: "user", content: '{"type":"hologram","beam":1}' }],
  })
})
