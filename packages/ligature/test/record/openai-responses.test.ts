/** What Responses servers and gateways do, case by case. */
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import type { CallBlock } from "../../src/model/index.ts"
import { isExecutable, type Recorded } from "../../src/record/index.ts"
import { expectValid } from "../../src/testing/index.ts"
import { historyOf, record, recordEvents } from "./record.ts"

const event = (name: string, fields: object = {}): object => ({ type: `response.${name}`, ...fields })
const created = event("created", { response: { id: "resp_1", model: "gpt-x" } })
const completed = (response: object = {}): object => event("completed", { response: { status: "completed", ...response } })
const fc = (fields: object = {}): object => ({
  id: "fc_1",
  type: "function_call",
  status: "in_progress",
  call_id: "x",
  name: "a",
  arguments: "",
  ...fields,
})
const added = (index: number, item: object): object => event("output_item.added", { output_index: index, item })
const finished = (index: number, item: object): object => event("output_item.done", { output_index: index, item })
const args = (index: number, delta: unknown): object =>
  event("function_call_arguments.delta", { output_index: index, item_id: "fc_1", delta })

const itemsOf = ({ message }: Recorded): unknown => message.native?.["openai-responses"]
const callOf = ({ message }: Recorded): CallBlock => message.blocks.find((block) => block.type === "call") as CallBlock

const expectReadBack = (recorded: Recorded): void => {
  expect(decode("openai-responses", itemsOf(recorded)).messages[0]).toEqual(recorded.message)
}

describe("items", () => {
  it("are found by their index where item ids differ between events", () => {
    const recorded = record("openai-responses", [
      created,
      added(0, fc()),
      event("function_call_arguments.delta", { output_index: 0, item_id: "other", delta: '{"n":1}' }),
      finished(0, fc({ id: "fc_9", status: "completed", arguments: '{"n":1}' })),
      completed(),
    ])
    expect(itemsOf(recorded)).toEqual([fc({ id: "fc_9", status: "completed", arguments: '{"n":1}' })])
  })

  it("get their final arguments from the done event, even where the deltas said otherwise", () => {
    const done = event("function_call_arguments.done", { output_index: 0, arguments: '{"n":2}' })
    const recorded = record("openai-responses", [created, added(0, fc()), args(0, '{"n":1}'), done, completed()])
    expect([callOf(recorded).arguments, callOf(recorded).raw]).toEqual([{ n: 2 }, '{"n":2}'])
  })

  it("hold null deltas, which say nothing", () => {
    const recorded = record("openai-responses", [created, added(0, fc()), args(0, null), args(0, "{}"), completed()])
    expect(callOf(recorded).raw).toBe("{}")
  })

  it("are believed as the finished response says them", () => {
    const output = [fc({ status: "completed", arguments: '{"n":3}' })]
    const recorded = record("openai-responses", [created, added(0, fc()), args(0, '{"n"'), completed({ output })])
    expect(callOf(recorded).arguments).toEqual({ n: 3 })
    expect(itemsOf(recorded)).toEqual(output)
  })

  it("appear only in the finished response", () => {
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "a", annotations: [] }],
    }
    const recorded = record("openai-responses", [created, completed({ output: [message] })])
    expect(recorded.message.blocks).toEqual([{ type: "text", text: "a", native: { "openai-responses": message } }])
  })

  it("are interleaved", () => {
    const recorded = record("openai-responses", [
      created,
      added(0, fc()),
      added(1, fc({ id: "fc_2", call_id: "y", name: "b" })),
      args(1, '{"m":2}'),
      args(0, '{"n":1}'),
      completed(),
    ])
    expect(recorded.message.blocks.map((block) => (block.type === "call" ? [block.id, block.arguments] : block))).toEqual([
      ["x", { n: 1 }],
      ["y", { m: 2 }],
    ])
  })

  it("have no index in their deltas: the id finds them, then the latest one", () => {
    const piece = (fields: object): object => event("function_call_arguments.delta", fields)
    const recorded = record("openai-responses", [
      created,
      added(0, fc()),
      args(0, '{"n"'),
      args(0, ":"),
      event("output_item.added", { item: fc({ id: "fc_2", call_id: "y" }) }),
      piece({ delta: "{" }),
      piece({ item_id: "fc_1", delta: "1" }),
      args(0, "2}"),
      piece({ item_id: "fc_2", delta: "}" }),
      completed(),
    ])
    expect(recorded.message.blocks.map((block) => (block as CallBlock).raw)).toEqual(['{"n":12}', "{}"])
  })

  it("were never announced: a delta begins them", () => {
    const recorded = record("openai-responses", [event("output_text.delta", { output_index: 0, delta: "a" }), completed()])
    expect(recorded.message.blocks.map((block) => block.type === "text" && block.text)).toEqual(["a"])
  })

  it("come twice with the same sequence number: once is enough", () => {
    const numbered = [created, added(0, fc()), args(0, '{"n":'), args(0, '{"n":'), args(0, "1}"), completed()].map((each, index) => ({
      ...each,
      sequence_number: index > 2 ? index - 1 : index,
    }))
    expect(callOf(record("openai-responses", numbered)).raw).toBe('{"n":1}')
  })

  it("of free-text tools are their input", () => {
    const item = { id: "ctc_1", type: "custom_tool_call", call_id: "x", name: "patch", input: "" }
    const recorded = record("openai-responses", [
      created,
      added(0, item),
      event("custom_tool_call_input.delta", { output_index: 0, delta: "*** " }),
      event("custom_tool_call_input.done", { output_index: 0, input: "*** Begin" }),
      finished(0, { ...item, input: "*** Begin" }),
      completed(),
    ])
    expect(callOf(recorded)).toEqual({
      type: "call",
      id: "x",
      name: "patch",
      arguments: { input: "*** Begin" },
      custom: true,
      native: { "openai-responses": { ...item, input: "*** Begin" } },
    })
  })

  it("of server tools are kept, and their progress is no news", () => {
    const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } }
    const recorded = record("openai-responses", [
      created,
      added(0, { id: "ws_1", type: "web_search_call", status: "in_progress" }),
      event("web_search_call.searching", { output_index: 0, item_id: "ws_1" }),
      finished(0, search),
      completed(),
    ])
    expect(recorded.message.blocks).toEqual([
      { type: "opaque", kind: "web_search_call", text: "[web search: q]", native: { "openai-responses": search } },
    ])
    expect(recorded.problems).toEqual([])
    expectReadBack(recorded)
  })

  it("of a built-in shell are calls", () => {
    const shell = { id: "sh_1", type: "shell_call", call_id: "x", status: "completed", action: { commands: ["ls"] } }
    const recorded = record("openai-responses", [created, added(0, shell), finished(0, shell), completed()])
    expect(callOf(recorded)).toMatchObject({ id: "x", name: "shell", arguments: { commands: ["ls"] } })
    expectReadBack(recorded)
  })

  it("of several parts: the first keeps the item, refusals are text", () => {
    const content = [
      { type: "output_text", text: "a", annotations: [{ type: "url_citation", url: "u" }] },
      { type: "refusal", refusal: "no" },
    ]
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content }
    const recorded = record("openai-responses", [
      created,
      added(0, { ...item, status: "in_progress", content: [] }),
      event("content_part.added", { output_index: 0, content_index: 0, part: { type: "output_text", text: "", annotations: [] } }),
      event("output_text.delta", { output_index: 0, content_index: 0, delta: "a" }),
      event("output_text.annotation.added", { output_index: 0, content_index: 0, annotation: { type: "url_citation", url: "u" } }),
      event("content_part.added", { output_index: 0, content_index: 1, part: { type: "refusal", refusal: "" } }),
      event("refusal.delta", { output_index: 0, content_index: 1, delta: "no" }),
      completed(),
    ])
    expect(itemsOf(recorded)).toEqual([item])
    expectReadBack(recorded)
  })
})

describe("reasoning", () => {
  const reasoning = { id: "rs_1", type: "reasoning", summary: [] }

  it("has several summaries and its encrypted content at the end", () => {
    const summary = [
      { type: "summary_text", text: "one" },
      { type: "summary_text", text: "two" },
    ]
    const item = { ...reasoning, summary, encrypted_content: "ZW5j" }
    const events = [
      created,
      added(0, reasoning),
      event("reasoning_summary_text.delta", { output_index: 0, summary_index: 0, delta: "one" }),
      event("reasoning_summary_text.delta", { output_index: 0, summary_index: 1, delta: "two" }),
      finished(0, item),
      completed(),
    ]
    const recorded = record("openai-responses", events)
    expect(recorded.message.blocks).toEqual([
      { type: "thinking", text: "one\n\ntwo", signature: "ZW5j", tied: true, native: { "openai-responses": item } },
    ])
    const told = recordEvents("openai-responses", events).flatMap((each) => ("delta" in each ? [each.delta] : []))
    expect(told.join("")).toBe("one\n\ntwo")
  })

  it("of a response that was cut is known to nobody: no ids, unsigned", () => {
    const recorded = record("openai-responses", [created, added(0, reasoning), finished(0, reasoning), added(1, fc()), args(1, '{"n"')])
    expect(recorded.message.blocks).toEqual([
      { type: "thinking", text: "", tied: true, unsigned: true, native: { "openai-responses": { type: "reasoning", summary: [] } } },
      {
        type: "call",
        id: "x",
        name: "a",
        arguments: {},
        raw: '{"n"',
        fault: "unparsable",
        native: {
          "openai-responses": { type: "function_call", status: "incomplete", call_id: "x", name: "a", arguments: '{"n"' },
        },
      },
    ])
    expectValid(historyOf("openai-responses", recorded))
  })
})

describe("the end", () => {
  const events = [created, added(0, fc()), args(0, '{"n":1}')]

  it("is complete with calls", () => {
    expect(record("openai-responses", [...events, completed()])).toMatchObject({ stop: "calls", complete: true })
  })

  it("is a token limit: the last call is not executable", () => {
    const end = event("incomplete", { response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } })
    const recorded = record("openai-responses", [...events, end])
    expect([recorded.stop, recorded.said, isExecutable(callOf(recorded))]).toEqual(["length", "max_output_tokens", false])
  })

  it("is a filter, or a reason nobody knows", () => {
    const ended = (reason: string): object => event("incomplete", { response: { incomplete_details: { reason } } })
    expect(record("openai-responses", [created, ended("content_filter")]).stop).toBe("refused")
    expect(record("openai-responses", [created, ended("steered")]).stop).toBe("other")
  })

  it("is a failed response", () => {
    const failed = event("failed", { response: { status: "failed", error: { code: "server_error", message: "boom" } } })
    expect(record("openai-responses", [...events, failed])).toMatchObject({ stop: "failed", complete: false, error: { message: "boom" } })
  })

  it("is an error event", () => {
    const error = { type: "error", code: "rate_limit", message: "slow down" }
    expect(record("openai-responses", [...events, error])).toMatchObject({ stop: "failed", error: { message: "slow down" } })
  })

  it("is missing", () => {
    const recorded = record("openai-responses", events)
    expect([recorded.stop, recorded.complete, isExecutable(callOf(recorded))]).toEqual(["cut", false, false])
  })

  it("brings the usage", () => {
    const usage = {
      input_tokens: 3,
      output_tokens: 9,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 4 },
    }
    expect(record("openai-responses", [created, completed({ usage })]).usage).toEqual({
      inputTokens: 3,
      outputTokens: 9,
      cacheReadTokens: 2,
      thinkingTokens: 4,
      native: { "openai-responses": usage },
    })
  })

  it("comes after events nobody knows", () => {
    const recorded = record("openai-responses", [created, event("brand_new"), event("in_progress"), completed()])
    expect(recorded.problems.map(({ rule }) => rule)).toEqual(["unknown-event"])
  })
})
