/** What real servers that speak Chat Completions do, case by case. */
import { describe, expect, it } from "vitest"
import type { CallBlock } from "../../src/model/index.ts"
import { isExecutable, type Recorded, type RecorderOptions } from "../../src/record/index.ts"
import { record, recordEvents } from "./record.ts"

const chunk = (delta: unknown, finish: string | null = null): object => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const calls = (...entries: readonly object[]): object => chunk({ tool_calls: entries })

const fn = (name: string | undefined, args: unknown, more: object = {}): object => ({
  ...more,
  function: { ...(name !== undefined && { name }), arguments: args },
})

const done = [chunk({}, "tool_calls"), "[DONE]"]

const recordChat = (events: readonly unknown[], options: RecorderOptions = {}): Recorded =>
  record("openai-chat", [...events, ...done], options)

const callsOf = ({ message }: Recorded): readonly CallBlock[] =>
  message.blocks.filter((block): block is CallBlock => block.type === "call")

/** `[id, name, raw, fault?]` of each call. */
const said = (recorded: Recorded): readonly unknown[] =>
  callsOf(recorded).map(({ id, name, raw, fault }) => (fault ? [id, name, raw, fault] : [id, name, raw]))

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
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}'], ["y", "b", '{"m":2}']])
  })

  it("every parallel call has index 0: a new id begins a new call", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":1}', { index: 0, id: "x" })),
      calls(fn("b", '{"m":', { index: 0, id: "y" })),
      calls(fn(undefined, "2}", { index: 0 })),
    ])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}'], ["y", "b", '{"m":2}']])
  })

  it("the index counts but no id ever comes", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":1}', { index: 0 })),
      calls(fn("b", '{"m":2}', { index: 1 })),
    ])
    expect(said(recorded)).toEqual([["", "a", '{"n":1}'], ["", "b", '{"m":2}']])
  })

  it("neither index nor id: a name behind arguments begins a call", () => {
    const recorded = recordChat([calls(fn("a", '{"n":1}')), calls(fn("a", '{"n":2}')), calls(fn("b", "{}"))])
    expect(said(recorded)).toEqual([["", "a", '{"n":1}'], ["", "a", '{"n":2}'], ["", "b", "{}"]])
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
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}'], ["y", "b", '{"m":2}']])
  })

  it("the id is repeated on every chunk", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n"', { index: 0, id: "x" })),
      calls(fn("a", ":1}", { index: 0, id: "x" })),
    ])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}']])
  })

  it("one id is used for two calls: another index with a name is another call", () => {
    const recorded = recordChat([
      calls(fn("a", '{"n":1}', { index: 0, id: "x" })),
      calls(fn("b", '{"m":2}', { index: 1, id: "x" })),
    ])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}'], ["x", "b", '{"m":2}']])
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
    const recorded = recordChat([
      calls(fn("a", "", { index: 0 })),
      calls(fn(undefined, "{}", { index: 0, id: "x" })),
    ])
    expect(said(recorded)).toEqual([["x", "a", "{}"]])
  })

  it("tool_calls is one object and not a list", () => {
    expect(said(recordChat([chunk({ tool_calls: fn("a", "{}", { id: "x" }) })]))).toEqual([["x", "a", "{}"]])
  })

  it("the whole call comes in one chunk", () => {
    expect(said(recordChat([calls(fn("a", '{"n":1}', { index: 0, id: "x", type: "function" }))]))).toEqual([
      ["x", "a", '{"n":1}'],
    ])
  })

  it("thousands of calls are capped, and the problem says how many were left out", () => {
    const many = Array.from({ length: 14 }, (_, index) => calls(fn("a", "{}", { index, id: `x${index}` })))
    const recorded = recordChat(many, { maxCalls: 10 })
    expect(callsOf(recorded)).toHaveLength(10)
    expect(recorded.problems.map(({ rule, ids }) => [rule, ids])).toEqual([
      ["too-many-calls", ["x10", "x11", "x12", "x13"]],
    ])
  })
})

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
    const recorded = recordChat([
      calls(fn("read", '{"n"', { index: 0, id: "x" })),
      calls(fn("read", ":1}", { index: 0 })),
    ])
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
    const events = [
      calls(fn("re", "", { index: 0, id: "x" })),
      calls(fn("ad", "", { index: 0 })),
      calls(fn(undefined, "{}", { index: 0 })),
    ]
    expect(said(recordChat(events, { names: "pieces" }))).toEqual([["x", "read", "{}"]])
  })

  it('the name is the text "null", and the type is in capitals', () => {
    const recorded = recordChat([
      calls(fn("a", "{}", { index: 0, id: "x", type: "FUNCTION" })),
      calls(fn("null", "", { index: 0 })),
    ])
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
    expect(callsOf(cut).map((each) => [each.id, isExecutable(each)])).toEqual([["x", true], ["y", false]])
  })

  it("is length behind words: nothing is wrong with the text", () => {
    const recorded = record("openai-chat", [chunk({ content: "half a sen" }), chunk({}, "length")])
    expect(recorded).toMatchObject({ stop: "length", complete: true, problems: [] })
  })

  it("is missing: finished calls stay, the last one carries a fault", () => {
    const recorded = record("openai-chat", [call, calls(fn("b", '{"m":', { index: 1, id: "y" }))])
    expect(said(recorded)).toEqual([["x", "a", '{"n":1}'], ["y", "b", '{"m":', "unparsable"]])
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

describe("chunks beside the message", () => {
  it("have no choices, or a delta that is null", () => {
    const recorded = recordChat([
      { choices: [], prompt_filter_results: [] },
      { choices: [{ index: 0, delta: null }] },
      chunk({ content: "a" }),
    ])
    expect(recorded.message.blocks).toEqual([{ type: "text", text: "a" }])
    expect(recorded.problems).toEqual([])
  })

  it("bring the usage at the end, in every chunk, or inside a choice", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 2 } }
    const expected = { inputTokens: 3, outputTokens: 9, cacheReadTokens: 2, native: { "openai-chat": usage } }
    expect(recordChat([chunk({ content: "a" }), { choices: [], usage }]).usage).toEqual(expected)
    expect(recordChat([{ ...chunk({ content: "a" }), usage: { prompt_tokens: 1 } }, { ...chunk({}), usage }]).usage).toEqual(expected)
    expect(recordChat([{ choices: [{ index: 0, delta: { content: "a" }, usage }] }]).usage).toEqual(expected)
  })

  it("hold a second answer, which is not recorded", () => {
    const recorded = recordChat([chunk({ content: "a" }), { choices: [{ index: 1, delta: { content: "b" } }] }])
    expect(recorded.message.blocks).toEqual([{ type: "text", text: "a" }])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["other-answer"])
  })

  it("are no chunks at all: shown, never fatal", () => {
    const recorded = recordChat(["<html>", 7, { ping: true }, chunk({ content: "a" })])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["malformed-event", "malformed-event", "unknown-event"])
    expect(recorded.complete).toBe(true)
  })

  it("that nobody knows, by the thousand, are counted and not kept", () => {
    const recorded = recordChat(Array.from({ length: 5000 }, () => ({ ping: true })))
    expect(recorded.problems).toHaveLength(21)
    expect(recorded.problems.at(-1)?.what).toBe("The same happened 4980 more times")
  })

  it("carry fields nobody knows: kept on the message", () => {
    const recorded = recordChat([chunk({ content: "a", annotations: [1] }), chunk({ annotations: [2], level: 3 })])
    expect(recorded.message.native).toEqual({
      "openai-chat": { role: "assistant", content: "a", annotations: [1, 2], level: 3 },
    })
  })

  it("carry fields of a call nobody knows: kept on the call", () => {
    const extra = { extra_content: { google: { thought_signature: "c2ln" } } }
    const [call] = callsOf(recordChat([calls(fn("a", "{}", { index: 0, id: "x", ...extra }))]))
    expect(call?.native).toEqual({
      "openai-chat": { id: "x", type: "function", function: { name: "a", arguments: "{}" }, ...extra },
    })
  })
})

describe("words beside the content", () => {
  it("are reasoning under two names with the same text: one block, both fields", () => {
    const events = [chunk({ reasoning_content: "hm", reasoning: "hm" }), chunk({ content: "a" })]
    expect(recordChat(events).message.blocks).toEqual([
      { type: "thinking", text: "hm", native: { "openai-chat": { reasoning_content: "hm", reasoning: "hm" } } },
      { type: "text", text: "a" },
    ])
    expect(recordEvents("openai-chat", events).filter(({ type }) => type === "thinking-delta")).toHaveLength(1)
  })

  it("are reasoning details whose signature comes last", () => {
    const recorded = recordChat([
      chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "h", format: "f" }] }),
      chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, text: "m" }] }),
      chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, signature: "c2ln" }] }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "ZW5j" }] }),
      chunk({ content: "a" }),
    ])
    const details = [
      { type: "reasoning.text", index: 0, text: "hm", format: "f", signature: "c2ln" },
      { type: "reasoning.encrypted", index: 1, data: "ZW5j" },
    ]
    expect(recorded.message.blocks[0]).toEqual({
      type: "thinking",
      text: "hm",
      signature: "c2ln",
      native: { "openai-chat": { reasoning_details: details } },
    })
  })

  it("are a refusal", () => {
    const recorded = recordChat([chunk({ refusal: "I can" }), chunk({ refusal: "not." })])
    expect(recorded.message).toEqual({
      role: "assistant",
      blocks: [{ type: "text", text: "I cannot.", native: { "openai-chat": { refusal: "I cannot." } } }],
      native: { "openai-chat": { role: "assistant", content: null, refusal: "I cannot." } },
    })
  })

  it("are audio, whole or not at all", () => {
    const events = [
      chunk({ audio: { id: "au", transcript: "he", data: "AA" } }),
      chunk({ audio: { transcript: "llo", data: "BB" } }),
    ]
    const audio = { id: "au", transcript: "hello", data: "AABB" }
    expect(recordChat(events).message.blocks).toEqual([
      { type: "opaque", kind: "audio", text: "hello", native: { "openai-chat": { audio } } },
    ])
    const cut = record("openai-chat", events, { cause: "cut" })
    expect([cut.message.blocks, cut.problems.map(({ rule }) => rule)]).toEqual([[], ["unfinished-block", "stream-cut"]])
  })

  it("are content parts: thinking and text grow, other parts stay as they are", () => {
    const recorded = recordChat([
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "h" }] }] }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "m" }] }] }),
      chunk({ content: "an" }),
      chunk({ content: [{ type: "reference", reference_ids: [1] }] }),
      chunk({ content: "swer" }),
    ])
    expect(recorded.message.native).toEqual({
      "openai-chat": {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "an" },
          { type: "reference", reference_ids: [1] },
          { type: "text", text: "swer" },
        ],
      },
    })
  })

  it("behind a call go to the text in front of it: the message has one content", () => {
    const recorded = recordChat([chunk({ content: "a" }), calls(fn("f", "{}", { index: 0, id: "x" })), chunk({ content: "b" })])
    expect(recorded.message.blocks.map((block) => (block.type === "text" ? block.text : block.type))).toEqual(["ab", "call"])
  })

  it("hold a call as text: that is text", () => {
    const recorded = recordChat([chunk({ content: '<tool_call>{"name":"a"}</tool_call>' })])
    expect(recorded.message.blocks.map(({ type }) => type)).toEqual(["text"])
  })
})

describe("lines of a local server", () => {
  it("hold whole calls with objects, no ids, and stop although there are calls", () => {
    const recorded = record("openai-chat", [
      { model: "qwen", message: { role: "assistant", content: "", thinking: "h" }, done: false },
      { model: "qwen", message: { role: "assistant", content: "", thinking: "m" }, done: false },
      { model: "qwen", message: { content: "", tool_calls: [{ function: { name: "a", arguments: { n: 1 } } }] }, done: false },
      { model: "qwen", message: { content: "", tool_calls: [{ function: { name: "a", arguments: { n: 2 } } }] }, done: false },
      { model: "qwen", message: { content: "" }, done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 9 },
    ])
    expect(said(recorded)).toEqual([["", "a", '{"n":1}'], ["", "a", '{"n":2}']])
    expect(recorded).toMatchObject({ stop: "calls", complete: true, usage: { inputTokens: 3, outputTokens: 9 }, problems: [] })
    expect(recorded.message.blocks[0]).toMatchObject({ type: "thinking", text: "hm" })
  })
})
