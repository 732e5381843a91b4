/** How streams of Chat Completions end. */
import { describe, expect, it } from "vitest"
import { isExecutable } from "../../../src/record/index.ts"
import { record } from "../record.ts"
import { chunk, calls, fn, callsOf, said } from "./chunks.ts"

describe("the end of the stream", () => {
  const call = calls(fn("a", '{"n":1}', { index: 0, id: "x" }))

  it("is stop although there are calls: what the message holds decides", () => {
    expect(record("openai-chat", [call, chunk({}, "stop"), "[DONE]"])).toMatchObject({ stop: "calls", said: "stop", complete: true })
  })

  it("is tool_calls although there are none: that is an end", () => {
    expect(record("openai-chat", [chunk({ content: "hi" }), chunk({}, "tool_calls")])).toMatchObject({ stop: "end", complete: true })
  })

  it("is length: the last call is not executable, those before it are", () => {
    const cut = record("openai-chat", [call, calls(fn("b", '{"m":2}', { index: 1, id: "y" })), chunk({}, "length")])
    expect(cut.stop).toBe("length")
    expect(callsOf(cut).map((each) => [each.id, isExecutable(each)])).toEqual([
      ["x", true],
      ["y", false],
    ])
  })

  it.each(["MAX_TOKENS", "max_output_tokens", "LENGTH"])("is length in other words: %s", (reason) => {
    const whole = chunk({ tool_calls: [fn("a", "{}", { index: 0, id: "x" })] })
    const recorded = record("openai-chat", [whole, chunk({}, reason), "[DONE]"])
    expect([recorded.stop, recorded.said, said(recorded)]).toEqual(["length", reason, [["x", "a", "{}", "unparsable"]]])
  })

  it("is length after words: nothing is wrong with the text", () => {
    const recorded = record("openai-chat", [chunk({ content: "half a sen" }), chunk({}, "length")])
    expect(recorded).toMatchObject({ stop: "length", complete: true, problems: [] })
  })

  it("is missing: finished calls stay, the last one carries a fault", () => {
    const recorded = record("openai-chat", [call, calls(fn("b", '{"m":', { index: 1, id: "y" }))])
    expect(said(recorded)).toEqual([
      ["x", "a", '{"n":1}'],
      ["y", "b", '{"m":', "unparsable"],
    ])
    expect(recorded).toMatchObject({ stop: "cut", complete: false })
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["unfinished-call", "stream-cut"])
  })

  it("is [DONE] without a finish reason", () => {
    expect(record("openai-chat", [call, "[DONE]"])).toMatchObject({ stop: "calls", complete: true })
  })

  it("is said twice, with the role in every chunk", () => {
    const recorded = record("openai-chat", [
      chunk({ role: "assistant", content: "a" }),
      chunk({ role: "assistant", content: "b" }, "stop"),
      chunk({ role: "", content: "" }, "stop"),
      "[DONE]",
    ])
    expect(recorded.message.blocks).toEqual([{ type: "text", text: "ab" }])
    expect(recorded.problems).toEqual([])
  })

  it("is a filter", () => {
    expect(record("openai-chat", [chunk({ content: "a" }, "content_filter")])).toMatchObject({ stop: "refused" })
  })

  it("is an error object in the stream: the message is kept beside it", () => {
    const recorded = record("openai-chat", [
      chunk({ content: "par" }),
      { error: { code: 502, message: "Provider returned error" }, choices: [{ index: 0, delta: {}, finish_reason: "error" }] },
    ])
    expect(recorded).toMatchObject({ stop: "failed", complete: false, error: { message: "Provider returned error" } })
    expect(recorded.message.blocks).toEqual([{ type: "text", text: "par" }])
  })

  it("is our own stop", () => {
    const recorded = record("openai-chat", [call], { cause: "abort" })
    expect(recorded).toMatchObject({ stop: "aborted", complete: false })
    expect(callsOf(recorded).some(isExecutable)).toBe(false)
  })

  it("came before the connection broke: everything is there", () => {
    expect(record("openai-chat", [call, chunk({}, "tool_calls")], { cause: "error" })).toMatchObject({ stop: "calls", complete: true })
  })
})
