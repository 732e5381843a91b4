/** Calls and results in shapes that no provider documents, in every format: name, arguments, id and text are all read. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../../src/index.ts"
import { callsOf } from "../../../src/model/index.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const call = { path: "notes/lighthouse.md" }
const text = "the lamp turns every eleven seconds"

const calls: Readonly<Record<string, unknown>> = {
  "toolCall around a function": {
    type: "tool_call",
    toolCall: { id: "c1", function: { name: "read_file", arguments: JSON.stringify(call) } },
  },
  "tool_call with a function": { type: "tool_call", id: "c1", function: { name: "read_file", arguments: JSON.stringify(call) } },
  "tool_call with fields": { type: "tool_call", id: "c1", name: "read_file", arguments: call },
  "toolCall without type": { toolCall: { id: "c1", name: "read_file", args: call } },
  "tool_use with a function": { type: "tool_use", id: "c1", function: { name: "read_file", arguments: JSON.stringify(call) } },
  "tool-use with toolUse": { type: "tool-use", toolUse: { toolUseId: "c1", name: "read_file", input: call } },
}

const results: Readonly<Record<string, unknown>> = {
  "toolResult around a result": { type: "tool_result", toolResult: { toolCallId: "c1", result: text } },
  "tool_result with data": { type: "tool_result", tool_use_id: "c1", data: text },
  "tool_result with response": { type: "tool_result", tool_call_id: "c1", response: { output: text } },
  tool_call_response: { type: "tool_call_response", id: "c1", response: text },
  "tool-result with data": { type: "tool-result", toolCallId: "c1", toolName: "read_file", data: text },
  "toolResult without type": { toolResult: { toolCallId: "c1", result: text } },
}

const invocations: Readonly<Record<string, unknown>> = {
  "a tool invocation": {
    type: "tool-invocation",
    toolInvocation: { state: "result", toolCallId: "c1", toolName: "read_file", args: call, result: text },
  },
  "a part for the screen": { type: "tool-read_file", toolCallId: "c1", state: "output-available", input: call, output: text },
}

const words = "Read the notes"

/** A history with these parts, as each format has its messages. */
const histories: Readonly<Record<string, (...turns: readonly (readonly unknown[])[]) => unknown>> = {
  anthropic: (...turns) => ({
    messages: [
      { role: "user", content: words },
      ...turns.map((content, index) => ({ role: index % 2 === 0 ? "assistant" : "user", content })),
    ],
  }),
  "openai-chat": (...turns) => ({
    messages: [
      { role: "user", content: words },
      ...turns.map((content, index) => ({ role: index % 2 === 0 ? "assistant" : "user", content })),
    ],
  }),
  "openai-responses": (...turns) => ({ input: [{ role: "user", content: words }, ...turns.flat()] }),
  gemini: (...turns) => ({
    contents: [
      { role: "user", parts: [{ text: words }] },
      ...turns.map((parts, index) => ({ role: index % 2 === 0 ? "model" : "user", parts })),
    ],
  }),
  "bedrock-converse": (...turns) => ({
    messages: [
      { role: "user", content: [{ text: words }] },
      ...turns.map((content, index) => ({ role: index % 2 === 0 ? "assistant" : "user", content })),
    ],
  }),
  "ai-sdk-model": (...turns) => ({
    messages: [
      { role: "user", content: words },
      ...turns.map((content, index) => ({ role: index % 2 === 0 ? "assistant" : "tool", content })),
    ],
  }),
  "otel-messages": (...turns) => [
    { role: "user", parts: [{ type: "text", content: words }] },
    ...turns.map((parts, index) => ({ role: index % 2 === 0 ? "assistant" : "tool", parts })),
  ],
  "ai-sdk-ui": (...turns) => ({
    messages: [
      { id: "m1", role: "user", parts: [{ type: "text", text: words }] },
      { id: "m2", role: "assistant", parts: turns.flat() },
    ],
  }),
}

/** In Gemini, `toolCall` without a type is a tool that the server ran. */
const isOwn = (format: string, name: string): boolean =>
  (format === "gemini" && name === "toolCall without type") ||
  (format === "ai-sdk-ui" && (name === "a tool invocation" || name === "a part for the screen"))

const exchangeOf = (value: unknown, format: string): unknown => {
  const { conversation } = convert(value, { from: resolveCodec(format), to: "anthropic" })
  const exchanges = conversation.items.flatMap((item) => (item.role === "exchange" && item.outcomes.length > 0 ? [item] : []))
  return exchanges.map((exchange) => ({
    calls: callsOf(exchange).map(({ id, name, arguments: input }) => ({ id, name, input })),
    outcomes: exchange.outcomes.map(({ kind, result }) => ({ kind, said: JSON.stringify(result?.content).includes(text) })),
  }))
}

const expected = [{ calls: [{ id: "c1", name: "read_file", input: call }], outcomes: [{ kind: "done", said: true }] }]

describe.each(Object.keys(histories))("%s", (format) => {
  const write = histories[format] as (...turns: readonly (readonly unknown[])[]) => unknown
  const pairs = Object.keys(calls).flatMap((one) => Object.keys(results).map((other) => [one, other] as const))

  it.each(pairs.filter(([one]) => !isOwn(format, one)))("reads %s answered by %s", (one, other) => {
    expect(exchangeOf(write([calls[one]], [results[other]]), format)).toEqual(expected)
  })

  it.each(Object.keys(invocations))("reads %s as a call and its result", (name) => {
    const value = write([invocations[name]])
    expect(exchangeOf(value, format)).toEqual(expected)
    if (!isOwn(format, name)) expect(check(decode(resolveCodec(format), value)).map(({ rule }) => rule)).toContain("malformed-message")
  })

  it("writes them as its own, and changes nothing the second time", () => {
    const value = write([calls["toolCall around a function"]], [results["toolResult around a result"]])
    const { value: repaired } = repair(value, { from: resolveCodec(format) })
    expect(exchangeOf(repaired, format)).toEqual(expected)
    expect(repair(repaired, { from: resolveCodec(format) }).value).toEqual(repaired)
    expect(check(decode(resolveCodec(format), repaired))).toEqual([])
  })
})

it("names the fields of a foreign part that nobody understands, and keeps them in the report", () => {
  const part = { type: "tool_call", toolCall: { id: "c1", function: { name: "ls", arguments: "{}" }, remark: "only the harbour" } }
  const value = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [part] },
    ],
  }
  const [finding] = check(decode("openai-chat", value)).filter(({ rule }) => rule === "unread-field")
  expect(finding).toMatchObject({
    severity: "warning",
    place: { message: 1, block: 0 },
    what: "Fields that were not understood: toolCall.remark",
    repair: { kind: "drop" },
  })
  const { report } = repair(value, { from: "openai-chat" })
  expect(JSON.stringify(report.entries.filter(({ kind }) => kind === "drop"))).toContain("only the harbour")
})

it("keeps what was around an answer that was appended whole", () => {
  const choices = [{ message: { role: "assistant", content: "one" } }, { message: { role: "assistant", content: "the second choice" } }]
  const value = {
    messages: [
      { role: "user", content: "go" },
      { id: "chatcmpl-1", choices },
    ],
  }
  const { report } = repair(value, { from: "openai-chat" })
  expect(JSON.stringify(report)).toContain("the second choice")
})
