/** Names and arguments of calls, as real servers that speak Chat Completions send them. */
import { describe, expect, it } from "vitest"
import { isExecutable } from "../../../src/record/index.ts"
import { record, recordEvents } from "../record.ts"
import { chunk, calls, fn, recordChat, callsOf, said } from "./chunks.ts"

describe("names", () => {
  it("the name comes after the arguments", () => {
    const events = [calls(fn(undefined, '{"n"', { index: 0, id: "x" })), calls(fn("a", ":1}", { index: 0 }))]
    expect(said(recordChat(events))).toEqual([["x", "a", '{"n":1}']])
    expect(recordEvents("openai-chat", events)).toEqual([
      { type: "call-start", block: 0, id: "x", name: "a" },
      { type: "call-delta", block: 0, delta: '{"n"' },
      { type: "call-delta", block: 0, delta: ":1}" },
    ])
  })

  it("the name is repeated in each chunk", () => {
    const recorded = recordChat([calls(fn("read", '{"n"', { index: 0, id: "x" })), calls(fn("read", ":1}", { index: 0 }))])
    expect(said(recorded)).toEqual([["x", "read", '{"n":1}']])
  })

  it("the name grows from chunk to chunk", () => {
    const recorded = recordChat([
      calls(fn("re", "", { index: 0, id: "x" })),
      calls(fn("read_file", "", { index: 0 })),
      calls(fn(undefined, "{}", { index: 0 })),
    ])
    expect(said(recorded)).toEqual([["x", "read_file", "{}"]])
  })

  it("the name comes in pieces, where the server is known to do that", () => {
    const events = [calls(fn("re", "", { index: 0, id: "x" })), calls(fn("ad", "", { index: 0 })), calls(fn(undefined, "{}", { index: 0 }))]
    expect(said(recordChat(events, { names: "pieces" }))).toEqual([["x", "read", "{}"]])
  })

  it('the name is the text "null", and the type is in capitals', () => {
    const recorded = recordChat([calls(fn("a", "{}", { index: 0, id: "x", type: "FUNCTION" })), calls(fn("null", "", { index: 0 }))])
    expect(callsOf(recorded)).toEqual([
      {
        type: "call",
        id: "x",
        name: "a",
        arguments: {},
        raw: "{}",
        native: { "openai-chat": { id: "x", type: "function", function: { name: "a", arguments: "{}" } } },
      },
    ])
  })

  it("no name ever comes: the call is kept and not executable", () => {
    const recorded = recordChat([calls(fn(undefined, "{}", { index: 0, id: "x" }))])
    expect(callsOf(recorded).map(isExecutable)).toEqual([false])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["invalid-arguments"])
  })
})

describe("arguments", () => {
  it("are an object and not a text", () => {
    const [call] = callsOf(recordChat([calls(fn("a", { n: 1 }, { index: 0, id: "x" }))]))
    expect([call?.arguments, call?.raw, call?.fault]).toEqual([{ n: 1 }, '{"n":1}', undefined])
  })

  it("are an empty text: that means no arguments, and the call may be executed", () => {
    const [call] = callsOf(recordChat([calls(fn("a", "", { index: 0, id: "x" }))]))
    expect([call?.arguments, call?.fault, call && isExecutable(call)]).toEqual([{}, "empty", true])
  })

  it("hold null deltas, which say nothing", () => {
    const recorded = recordChat([
      calls(fn("a", null, { index: 0, id: "x" })),
      calls(fn(undefined, "{}", { index: 0 })),
      calls(fn(undefined, null, { index: 0 })),
    ])
    expect(said(recorded)).toEqual([["x", "a", "{}"]])
  })

  it("are encoded twice: the object inside is read", () => {
    const [call] = callsOf(recordChat([calls(fn("a", JSON.stringify('{"n":1}'), { index: 0, id: "x" }))]))
    expect([call?.arguments, call?.fault, call && isExecutable(call)]).toEqual([{ n: 1 }, "encoded", true])
  })

  it("are broken although the server says tool_calls: a length stop in disguise", () => {
    const recorded = recordChat([calls(fn("a", '{"n":', { index: 0, id: "x" }))])
    expect(said(recorded)).toEqual([["x", "a", '{"n":', "unparsable"]])
    expect(callsOf(recorded).some(isExecutable)).toBe(false)
    expect([recorded.complete, recorded.stop]).toEqual([true, "calls"])
  })

  it("with __proto__ in them reach no prototype", () => {
    const [call] = callsOf(recordChat([calls(fn("a", '{"__proto__":{"polluted":1}}', { index: 0, id: "x" }))]))
    expect(Object.getPrototypeOf(call?.arguments)).toBe(Object.prototype)
    expect(Object.hasOwn(call?.arguments ?? {}, "__proto__")).toBe(true)
    expect("polluted" in {}).toBe(false)
  })

  it("that parse are not the end: `{}` may be a place holder", () => {
    const recorded = record("openai-chat", [calls(fn("a", "{}", { index: 0, id: "x" }))], { cause: "cut" })
    expect(said(recorded)).toEqual([["x", "a", "{}", "unparsable"]])
  })

  it("of a free-text tool are its input", () => {
    const recorded = recordChat([
      calls({ index: 0, id: "x", type: "custom", custom: { name: "patch", input: "*** " } }),
      calls({ index: 0, custom: { input: "Begin" } }),
    ])
    expect(callsOf(recorded)).toEqual([
      {
        type: "call",
        id: "x",
        name: "patch",
        arguments: { input: "*** Begin" },
        raw: "*** Begin",
        custom: true,
        native: { "openai-chat": { id: "x", type: "custom", custom: { name: "patch", input: "*** Begin" } } },
      },
    ])
  })

  it("of the function_call of old make a call without id", () => {
    const recorded = recordChat([
      chunk({ function_call: { name: "a", arguments: '{"n"' } }),
      chunk({ function_call: { arguments: ":1}" } }),
    ])
    expect(said(recorded)).toEqual([["", "a", '{"n":1}']])
    expect(recorded.message.native).toEqual({
      "openai-chat": { role: "assistant", content: null, function_call: { name: "a", arguments: '{"n":1}' } },
    })
  })
})
