/** What must not compile: names and options that are misspelt. The type checker reads the marks, the test runs the rest. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, encode, repair, settle } from "../src/index.ts"
import { importFrom, type Model, run } from "../src/agent/index.ts"
import { createRecorder, createStreamWriter } from "../src/record/index.ts"
import { codecs } from "../src/registry/registry.ts"
import { sessionCodecs } from "../src/registry/sessions.ts"
import { memoryStore } from "../src/store/index.ts"

const request = { messages: [{ role: "user", content: "hello" }] }

describe("names", () => {
  it("of formats and profiles are checked by the compiler, and at run time with the nearest one named", () => {
    // @ts-expect-error a misspelt format
    expect(() => decode("antropic", request)).toThrow('Unknown format "antropic". Did you mean anthropic?')
    // @ts-expect-error a misspelt target
    expect(() => convert(request, { from: "anthropic", to: "openai-caht" })).toThrow("Did you mean openai-chat?")
    // @ts-expect-error a misspelt profile
    expect(() => check(decode("anthropic", request), { profile: "antropic" })).toThrow(
      'Unknown profile "antropic". Did you mean anthropic?',
    )
    // @ts-expect-error a misspelt profile to encode for
    expect(() => encode(settle(decode("anthropic", request)).conversation, "mistrall")).toThrow("Did you mean mistral?")
  })

  it("of options and their values are checked by the compiler, and at run time with the nearest one named", () => {
    // @ts-expect-error a misspelt option
    expect(() => settle(decode("anthropic", request), { tipp: "open" })).toThrow('Unknown option "tipp". Did you mean tip?')
    // @ts-expect-error a misspelt value
    expect(() => settle(decode("anthropic", request), { tip: "opened" })).toThrow('Unknown value "opened" of tip. Values: open, closed')
    // @ts-expect-error a misspelt option of convert
    expect(() => convert(request, { from: "anthropic", to: "anthropic", extra: "keep" })).toThrow("Did you mean extras?")
  })

  it("of streams, imports and models are checked by the compiler, too", async () => {
    // @ts-expect-error a format without streams
    expect(() => createRecorder("sharegpt")).toThrow("Expected a format whose streams can be recorded (anthropic, ")
    // @ts-expect-error a format whose streams cannot be written
    expect(() => createStreamWriter("ai-sdk-model")).toThrow("Expected a format whose streams can be written (anthropic, ")
    // @ts-expect-error a misspelt format
    expect(() => importFrom(request, { format: "antropic" })).toThrow("Did you mean anthropic?")
    // @ts-expect-error a format in which no model answers
    const model: Model = { format: "sharegpt", model: "m", url: "http://127.0.0.1/" }
    await expect(run({ model, store: memoryStore(), conversation: "c", prompt: "hi" })).rejects.toThrow('got "sharegpt"')
  })

  it("are those of the codecs in the tables", () => {
    for (const [name, codec] of [...Object.entries(codecs), ...Object.entries(sessionCodecs)]) expect(codec.format).toBe(name)
  })
})

describe("results", () => {
  it("have the list of their format without a cast", () => {
    const { messages } = convert(request, { from: "anthropic", to: "openai-chat" }).value
    const { contents } = convert(request, { from: codecs.anthropic, to: "gemini" }).value
    const { input } = encode(settle(decode("anthropic", request)).conversation, "openai-responses").value
    expect([messages.length, contents.length, input.length]).toEqual([1, 1, 1])
    expect(repair(request, { from: "anthropic" }).value.messages).toEqual(request.messages)
  })
})
