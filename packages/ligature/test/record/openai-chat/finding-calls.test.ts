/** Which call a piece belongs to, as real servers that speak Chat Completions mix them. */
import { describe, expect, it } from "vitest"
import { chunk, calls, fn, recordChat, callsOf, said } from "./chunks.ts"

describe("finding the call a piece belongs to", () => {
  it("the id is only in the first chunk", () => {
    const recorded = recordChat([
      calls(fn("a", "", { index: 0, id: "x", type: "function" })),
      calls(fn(undefined, '{"n":', { index: 0 })),
      calls(fn(undefined, "1}", { index: 0 })),
    ])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}']])
  })

  it("the index is missing: pieces go by id, then to the latest call", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":', { id: "x" })),
      calls(fn(undefined, "1}")),
      calls(fn("b", '{"m":', { id: "y" })),
      calls(fn(undefined, "2}", { id: "y" })),
    ])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["y", "b", '{"m":2}'],
    ])
  })

  it("every parallel call has index 0: a new id begins a new call", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":1}', { index: 0, id: "x" })),
      calls(fn("b", '{"m":', { index: 0, id: "y" })),
      calls(fn(undefined, "2}", { index: 0 })),
    ])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["y", "b", '{"m":2}'],
    ])
  })

  it("the index counts but no id ever comes", () => {
    const recorded = recordChat([calls(fn("a", '{"n":1}', { index: 0 })), calls(fn("b", '{"m":2}', { index: 1 }))])
    expect(said(recorded)).toEqual([
      ["", "a", '{"n":1}'],
      ["", "b", '{"m":2}'],
    ])
  })

  it("neither index nor id: a name after arguments begins a call", () => {
    const recorded = recordChat([calls(fn("a", '{"n":1}')), calls(fn("a", '{"n":2}')), calls(fn("b", "{}"))])
    expect(said(recorded)).toEqual([
      ["", "a", '{"n":1}'],
      ["", "a", '{"n":2}'],
      ["", "b", "{}"],
    ])
  })

  it("the first index is not 0", () => {
    expect(said(recordChat([calls(fn("a", "{}", { index: 1, id: "x" }))]))).toEqual([["x", "a", "{}"]])
  })

  it("parallel calls are interleaved", () => {
    const recorded = recordChat([
      calls(fn("a", "", { index: 0, id: "x" }), fn("b", "", { index: 1, id: "y" })),
      calls(fn(undefined, '{"m":', { index: 1 })),
      calls(fn(undefined, '{"n":', { index: 0 })),
      calls(fn(undefined, "2}", { index: 1 }), fn(undefined, "1}", { index: 0 })),
    ])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["y", "b", '{"m":2}'],
    ])
  })

  it("the id is repeated on every chunk", () => {
    const recorded = recordChat([calls(fn("a", '{"n"', { index: 0, id: "x" })), calls(fn("a", ":1}", { index: 0, id: "x" }))])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}']])
  })

  it("one id is used for two calls: another index with a name is another call", () => {
    const recorded = recordChat([calls(fn("a", '{"n":1}', { index: 0, id: "x" })), calls(fn("b", '{"m":2}', { index: 1, id: "x" }))])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["x", "b", '{"m":2}'],
    ])
  })

  it("the id of a continuation is an empty text or null", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n"', { index: 0, id: "x" })),
      calls(fn(undefined, ":1", { index: 0, id: "" })),
      calls(fn(undefined, "}", { index: 0, id: null })),
    ])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}']])
  })

  it("the id comes after the call began", () => {
    const recorded = recordChat([calls(fn("a", "", { index: 0 })), calls(fn(undefined, "{}", { index: 0, id: "x" }))])
    expect(said(recorded)).toEqual([["x", "a", "{}"]])
  })

  it("tool_calls is one object and not a list", () => {
    expect(said(recordChat([chunk({ tool_calls: fn("a", "{}", { id: "x" }) })]))).toEqual([["x", "a", "{}"]])
  })

  it("the index is a text", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":', { index: "0", id: "x" }), fn("b", '{"m":', { index: "1", id: "y" })),
      calls(fn(undefined, "1}", { index: "0" }), fn(undefined, "2}", { index: "1" })),
    ])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["y", "b", '{"m":2}'],
    ])
  })

  it("a chunk with a whole call comes twice: that is one call", () => {
    const whole = calls(fn("a", '{"n":1}', { index: 0, id: "x" }))
    expect(said(recordChat([whole, whole]))).toEqual([["x", "a", '{"n":1}']])
  })

  it("a piece that looks like the one before it is more of the same call", () => {
    const piece = (text: string): object => calls(fn("a", text, { index: 0, id: "x" }))
    expect(said(recordChat([piece('{"n":'), piece("1"), piece("1"), piece("}")]))).toEqual([["x", "a", '{"n":11}']])
  })

  it("the whole call comes in one chunk", () => {
    expect(said(recordChat([calls(fn("a", '{"n":1}', { index: 0, id: "x", type: "function" }))]))).toEqual([["x", "a", '{"n":1}']])
  })

  it("thousands of calls are capped, and the problem says how many were left out", () => {
    const many = Array.from({ length: 14 }, (_, index) => calls(fn("a", "{}", { index, id: `x${index}` })))
    const recorded = recordChat(many, { maxCalls: 10 })
    expect(callsOf(recorded)).toHaveLength(10)
    expect(recorded.problems.map(({ rule, ids }) => [rule, ids])).toEqual([["too-many-calls", ["x10", "x11", "x12", "x13"]]])
  })
})
