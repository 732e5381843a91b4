/** What comes beside the words of a message: chunks, reasoning, refusals, lines of local servers. */
import { describe, expect, it } from "vitest"
import { record, recordEvents } from "../record.ts"
import { chunk, calls, fn, recordChat, callsOf, said } from "./chunks.ts"

describe("chunks beside the message", () => {
  it("have an empty role, or none: it is the assistant who speaks", () => {
    const recorded = record("openai-chat", [chunk({ role: "", content: "a" }), chunk({ role: null, content: "b" }), chunk({}, "stop")])
    expect([recorded.message.role, recorded.message.blocks.length, recorded.complete]).toEqual(["assistant", 1, true])
  })

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
    expect(
      recordChat([
        { ...chunk({ content: "a" }), usage: { prompt_tokens: 1 } },
        { ...chunk({}), usage },
      ]).usage,
    ).toEqual(expected)
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
    const events = [chunk({ audio: { id: "au", transcript: "he", data: "AA" } }), chunk({ audio: { transcript: "llo", data: "BB" } })]
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

  it("after a call go to the text before it: the message has one content", () => {
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
    expect(said(recorded)).toEqual([
      ["", "a", '{"n":1}'],
      ["", "a", '{"n":2}'],
    ])
    expect(recorded).toMatchObject({ stop: "calls", complete: true, usage: { inputTokens: 3, outputTokens: 9 }, problems: [] })
    expect(recorded.message.blocks[0]).toMatchObject({ type: "thinking", text: "hm" })
  })
})
