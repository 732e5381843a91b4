/** What Anthropic and the gateways before it do, case by case. */
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { type CallBlock, isWire } from "../../src/model/index.ts"
import { createRecorder, isExecutable, type Recorded } from "../../src/record/index.ts"
import { expectValid } from "../../src/testing/index.ts"
import { historyOf, record, recordEvents } from "./record.ts"

const start = (index: number | undefined, block: object): object => ({
  type: "content_block_start",
  ...(index !== undefined && { index }),
  content_block: block,
})
const delta = (index: number | undefined, value: object): object => ({
  type: "content_block_delta",
  ...(index !== undefined && { index }),
  delta: value,
})
const stop = (index?: number): object => ({ type: "content_block_stop", ...(index !== undefined && { index }) })
const json = (partial_json: string): object => ({ type: "input_json_delta", partial_json })
const words = (text: string): object => ({ type: "text_delta", text })
const tool = (id: string, name = "a"): object => ({ type: "tool_use", id, name, input: {} })
const ended = (reason: string): readonly object[] => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
]
const opened = {
  type: "message_start",
  message: { id: "msg_1", model: "claude-x", usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 4 } },
}

const recordWhole = (events: readonly unknown[], reason = "tool_use"): Recorded =>
  record("anthropic", [opened, ...events, ...ended(reason)])

const said = ({ message }: Recorded): readonly unknown[] =>
  message.blocks.flatMap((block) => (block.type === "call" ? [[block.id, block.arguments, block.fault]] : []))

const contentOf = ({ message }: Recorded): unknown => {
  const wire = message.native?.["anthropic"]
  return isWire(wire) ? wire["content"] : undefined
}

/** The recorded message is what a request with its wire message is read as. */
const expectReadBack = (recorded: Recorded): void => {
  const read = decode("anthropic", { messages: [recorded.message.native?.["anthropic"]] })
  expect(read.messages[0]).toEqual(recorded.message)
}

describe("calls", () => {
  it("without arguments have no delta at all", () => {
    expect(said(recordWhole([start(0, tool("x")), stop(0)]))).toEqual([["x", {}, undefined]])
  })

  it("begin with an empty delta", () => {
    const recorded = recordWhole([start(0, tool("x")), delta(0, json("")), delta(0, json('{"n":1}')), stop(0)])
    expect(said(recorded)).toEqual([["x", { n: 1 }, undefined]])
  })

  it("come with their whole input in the start", () => {
    const recorded = recordWhole([start(0, { ...tool("x"), input: { n: 1 } }), stop(0)])
    expect(said(recorded)).toEqual([["x", { n: 1 }, undefined]])
  })

  it("are interleaved", () => {
    const recorded = recordWhole([
      start(0, tool("x")),
      start(1, tool("y")),
      delta(1, json('{"m":')),
      delta(0, json('{"n":1}')),
      delta(1, json("2}")),
      stop(1),
      stop(0),
    ])
    expect(said(recorded)).toEqual([
      ["x", { n: 1 }, undefined],
      ["y", { m: 2 }, undefined],
    ])
  })

  it("are cut in their arguments: the text is kept, the finished one stays", () => {
    const recorded = record("anthropic", [
      opened,
      start(0, tool("x")),
      delta(0, json('{"n":1}')),
      stop(0),
      start(1, tool("y")),
      delta(1, json('{"m":')),
    ])
    expect(recorded.message.blocks.map((block) => isExecutable(block as CallBlock))).toEqual([true, false])
    expect(recorded.message.blocks[1]).toMatchObject({ raw: '{"m":', fault: "unparsable", arguments: {} })
    expect(recorded.problems.map(({ rule, ids }) => [rule, ids])).toEqual([
      ["unfinished-call", ["y"]],
      ["stream-cut", []],
    ])
    expectReadBack(recorded)
  })

  it("whose text parses but whose end never came are not executable", () => {
    const recorded = record("anthropic", [opened, start(0, tool("x")), delta(0, json('{"n":1}'))])
    expect(recorded.message.blocks.map((block) => isExecutable(block as CallBlock))).toEqual([false])
  })

  it("at a token limit are not executable, although their block has a stop", () => {
    const recorded = recordWhole([start(0, tool("x")), delta(0, json('{"n":')), stop(0)], "max_tokens")
    expect([recorded.stop, recorded.complete]).toEqual(["length", true])
    expect(recorded.message.blocks.map((block) => isExecutable(block as CallBlock))).toEqual([false])
  })

  it("with broken JSON keep their text", () => {
    const recorded = recordWhole([start(0, tool("x")), delta(0, json('{"n":oops}')), stop(0)])
    expect(recorded.message.blocks[0]).toMatchObject({ raw: '{"n":oops}', fault: "unparsable" })
    expectReadBack(recorded)
  })
})

describe("indices", () => {
  it("begin at 1", () => {
    const recorded = recordWhole([start(1, { type: "text", text: "" }), delta(1, words("a")), stop(1)], "end_turn")
    expect(contentOf(recorded)).toEqual([{ type: "text", text: "a" }])
  })

  it("are missing: deltas go to the latest block", () => {
    const recorded = recordWhole([
      start(undefined, { type: "text", text: "" }),
      delta(undefined, words("a")),
      stop(),
      start(undefined, tool("x")),
      delta(undefined, json("{}")),
      stop(),
    ])
    expect(contentOf(recorded)).toEqual([
      { type: "text", text: "a" },
      { type: "tool_use", id: "x", name: "a", input: {} },
    ])
  })

  it("are used again by a later block", () => {
    const recorded = recordWhole([start(0, tool("x")), stop(0), start(0, tool("y")), delta(0, json('{"n":1}')), stop(0)])
    expect(said(recorded)).toEqual([
      ["x", {}, undefined],
      ["y", { n: 1 }, undefined],
    ])
  })

  it("of a start that is sent twice are one call", () => {
    const recorded = recordWhole([start(0, tool("x")), start(0, tool("x")), delta(0, json("{}")), stop(0)])
    expect(said(recorded)).toEqual([["x", {}, undefined]])
  })
})

describe("blocks", () => {
  it("of thinking get their signature last", () => {
    const recorded = recordWhole(
      [
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "h" }),
        delta(0, { type: "thinking_delta", thinking: "m" }),
        delta(0, { type: "signature_delta", signature: "c2ln" }),
        stop(0),
      ],
      "end_turn",
    )
    expect(recorded.message.blocks).toEqual([
      {
        type: "thinking",
        text: "hm",
        signature: "c2ln",
        native: { anthropic: { type: "thinking", thinking: "hm", signature: "c2ln" } },
      },
    ])
  })

  it("of thinking without its signature are unsigned", () => {
    const recorded = record("anthropic", [
      start(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "h" }),
    ])
    expect(recorded.message.blocks[0]).toMatchObject({ type: "thinking", text: "h", unsigned: true })
    expectReadBack(recorded)
  })

  it("of thinking with the text left out have only a signature", () => {
    const recorded = recordWhole(
      [start(0, { type: "thinking", thinking: "", signature: "" }), delta(0, { type: "signature_delta", signature: "c2ln" }), stop(0)],
      "end_turn",
    )
    expect(recorded.message.blocks[0]).toMatchObject({ type: "thinking", text: "", signature: "c2ln" })
  })

  it("of redacted thinking come whole in the start", () => {
    const recorded = recordWhole([start(0, { type: "redacted_thinking", data: "ZW5j" }), stop(0)], "end_turn")
    expect(recorded.message.blocks).toEqual([
      {
        type: "thinking",
        text: "",
        signature: "ZW5j",
        redacted: true,
        native: { anthropic: { type: "redacted_thinking", data: "ZW5j" } },
      },
    ])
  })

  it("of text keep their citations", () => {
    const recorded = recordWhole(
      [
        start(0, { type: "text", text: "", citations: [] }),
        delta(0, { type: "citations_delta", citation: { cited_text: "x" } }),
        delta(0, words("a")),
        stop(0),
      ],
      "end_turn",
    )
    expect(contentOf(recorded)).toEqual([{ type: "text", text: "a", citations: [{ cited_text: "x" }] }])
    expectReadBack(recorded)
  })

  it("of server tools are kept whole", () => {
    const recorded = recordWhole(
      [
        start(0, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }),
        delta(0, json('{"query":"x"}')),
        stop(0),
        start(1, { type: "web_search_tool_result", tool_use_id: "srv", content: [{ title: "T", url: "u" }] }),
        stop(1),
        start(2, { type: "text", text: "" }),
        delta(2, words("found")),
        stop(2),
      ],
      "end_turn",
    )
    expect(contentOf(recorded)).toEqual([
      { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "srv", content: [{ title: "T", url: "u" }] },
      { type: "text", text: "found" },
    ])
    expectReadBack(recorded)
  })

  it("of server tools that were cut are left out, and said to be", () => {
    const recorded = record("anthropic", [
      start(0, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }),
      delta(0, json('{"que')),
    ])
    expect(recorded.message.blocks).toEqual([])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["unfinished-block", "stream-cut"])
  })

  it("of a server tool whose result never came settle into something that can be sent", () => {
    const recorded = record("anthropic", [
      start(0, { type: "text", text: "let me see" }),
      stop(0),
      start(1, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } }),
      stop(1),
    ])
    expect(recorded.message.blocks).toHaveLength(2)
    expectValid(historyOf("anthropic", recorded))
  })

  it("that were never announced begin with their first delta", () => {
    expect(contentOf(recordWhole([delta(0, words("a")), delta(0, words("b"))], "end_turn"))).toEqual([{ type: "text", text: "ab" }])
  })

  it("of compaction grow by their own deltas", () => {
    const recorded = recordWhole(
      [
        start(0, { type: "compaction", content: "" }),
        delta(0, { type: "compaction_delta", content: "sum" }),
        delta(0, { type: "compaction_delta", content: "mary" }),
        stop(0),
      ],
      "compaction",
    )
    expect(contentOf(recorded)).toEqual([{ type: "compaction", content: "summary" }])
    expectReadBack(recorded)
  })
})

describe("the end", () => {
  it("pauses: the message goes back as it is", () => {
    const recorded = recordWhole([start(0, { type: "text", text: "a" }), stop(0)], "pause_turn")
    expect([recorded.stop, recorded.message.paused]).toEqual(["paused", true])
    expectReadBack(recorded)
  })

  it("is a refusal, a full window, or a reason nobody knows", () => {
    const text = [start(0, { type: "text", text: "a" }), stop(0)]
    expect(recordWhole(text, "refusal").stop).toBe("refused")
    expect(recordWhole(text, "model_context_window_exceeded").stop).toBe("length")
    expect(recordWhole(text, "brand_new")).toMatchObject({ stop: "other", said: "brand_new" })
  })

  it("is an error event after the answer began", () => {
    const recorded = record("anthropic", [
      opened,
      start(0, { type: "text", text: "" }),
      delta(0, words("a")),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ])
    expect(recorded).toMatchObject({ stop: "failed", complete: false, error: { message: "Overloaded" } })
    expect(contentOf(recorded)).toEqual([{ type: "text", text: "a" }])
  })

  it("has a stop reason but no message_stop: everything was said", () => {
    const events = [opened, start(0, tool("x")), stop(0), ended("tool_use")[0]]
    expect(record("anthropic", events)).toMatchObject({ stop: "calls", complete: true })
  })

  it("counts tokens cumulatively, over the whole stream", () => {
    const recorded = recordWhole([])
    expect(recorded.usage).toEqual({
      inputTokens: 7,
      outputTokens: 9,
      cacheReadTokens: 2,
      cacheWriteTokens: 4,
      native: {
        anthropic: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 4, output_tokens: 9 },
      },
    })
    expect([recorded.responseId, recorded.origin]).toEqual(["msg_1", { provider: "anthropic", model: "claude-x" }])
  })
})

describe("events", () => {
  it("that nobody knows, and pings, are no damage", () => {
    const recorded = recordWhole([{ type: "ping" }, { type: "brand_new", x: 1 }, delta(0, { type: "new_delta" })], "end_turn")
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["unknown-event", "unknown-event"])
    expect(recorded.complete).toBe(true)
  })

  it("tell a screen what begins, grows and ends", () => {
    const events = [start(0, { type: "text", text: "" }), delta(0, words("a")), stop(0), start(1, tool("x")), delta(1, json("{}")), stop(1)]
    expect(recordEvents("anthropic", events)).toEqual([
      { type: "text-start", block: 0 },
      { type: "text-delta", block: 0, delta: "a" },
      { type: "text-end", block: 0 },
      { type: "call-start", block: 1, id: "x", name: "a" },
      { type: "call-delta", block: 1, delta: "{}" },
      { type: "call-end", block: 1 },
    ])
  })
})

describe("calls beyond the limit", () => {
  it("are in no message, and a screen hears nothing of them", () => {
    const events = ["a", "b"].flatMap((id, index) => [
      { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "read", input: {} } },
      { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: '{"n":1}' } },
      { type: "content_block_stop", index },
    ])
    const recorder = createRecorder("anthropic", { maxCalls: 1 })
    expect(events.flatMap((event) => recorder.push(event))).toEqual([
      { type: "call-start", block: 0, id: "a", name: "read" },
      { type: "call-delta", block: 0, delta: '{"n":1}' },
      { type: "call-end", block: 0 },
    ])
    recorder.push({ type: "message_stop" })
    const { message, problems } = recorder.end()
    expect(message.blocks.length).toBe(1)
    expect(problems.map(({ rule, ids }) => ({ rule, ids }))).toEqual([{ rule: "too-many-calls", ids: ["b"] }])
  })
})
