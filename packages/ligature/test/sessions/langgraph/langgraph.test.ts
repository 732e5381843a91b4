import { describe, expect, it } from "vitest"
import { langgraph } from "../../../src/sessions/langgraph/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { LigatureError, type Wire } from "../../../src/model/index.ts"
import { expectValidEverywhere } from "../tau-bench/corpus-files.ts"
import { describeNeverThrows, gist } from "../tau-bench/own-writer.ts"

const human = (id: string, content: unknown): Wire => ({ type: "human", id, content, additional_kwargs: {} })
const ai = (id: string, content: unknown, calls: readonly Wire[] = [], more: Wire = {}): Wire => ({
  type: "ai",
  id,
  content,
  tool_calls: calls,
  invalid_tool_calls: [],
  additional_kwargs: {},
  ...more,
})
const call = (id: string): Wire => ({ id, name: "search", args: { q: 1 }, type: "tool_call" })
const tool = (id: string, callId: string, content: string, status = "success"): Wire => ({
  type: "tool",
  id,
  content,
  name: "search",
  tool_call_id: callId,
  status,
  artifact: null,
})
const thread = (messages: readonly unknown[], more: Wire = {}): Wire => ({
  thread: "t",
  checkpoint: "c",
  messages,
  ...more,
})

describe("LangGraph threads", () => {
  it("are read message by message", () => {
    const made = ai("2", "I search", [call("a")], { response_metadata: { model_name: "gpt-x" } })
    const answer = tool("3", "a", "boom", "error")
    const value = thread([{ type: "system", content: "Be kind" }, human("1", "hi"), made, answer])
    expect(langgraph.decode(value)).toEqual({
      format: "langgraph",
      messages: [
        {
          role: "system",
          blocks: [{ type: "text", text: "Be kind" }],
          native: { langgraph: { type: "system", content: "Be kind" } },
        },
        { role: "user", blocks: [{ type: "text", text: "hi" }], id: "1", native: { langgraph: human("1", "hi") } },
        {
          role: "assistant",
          blocks: [
            { type: "text", text: "I search" },
            { type: "call", id: "a", name: "search", arguments: { q: 1 }, native: { langgraph: call("a") } },
          ],
          id: "2",
          origin: { model: "gpt-x" },
          native: { langgraph: made },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "a",
              name: "search",
              content: [{ type: "text", text: "boom" }],
              error: true,
              native: { langgraph: answer },
            },
          ],
          id: "3",
          native: { langgraph: answer },
        },
      ],
      origin: { model: "gpt-x" },
      native: { langgraph: expect.objectContaining({ value }) },
    })
    expectValidEverywhere(langgraph.decode(value), "langgraph")
  })

  it("do not say a call twice that is among the parts as well, and keep calls that would not parse", () => {
    const parts = [
      { type: "text", text: "x" },
      { type: "tool_use", id: "a", name: "search", input: { q: 1 } },
    ]
    const invalid = { id: "b", name: "search", args: '{"q":', error: "cut" }
    expect(gist(langgraph.decode(thread([ai("1", parts, [call("a")], { invalid_tool_calls: [invalid] })])).messages)).toEqual([
      { assistant: "x" },
      { call: "a", name: "search", arguments: { q: 1 } },
      { call: "b", name: "search", arguments: {} },
    ])
    const raw = { tool_calls: [{ id: "c", type: "function", function: { name: "search", arguments: '{"q":2}' } }] }
    expect(gist(langgraph.decode(thread([ai("1", "", [], { additional_kwargs: raw })])).messages)).toEqual([
      { call: "c", name: "search", arguments: { q: 2 } },
    ])
    expect(gist(langgraph.decode(thread([ai("1", parts)])).messages)).toEqual([
      { assistant: "x" },
      { call: "a", name: "search", arguments: { q: 1 } },
    ])
  })

  it("take in what was written after the checkpoint, as the reducer does", () => {
    const value = thread([human("1", "one"), human("2", "two"), human("3", "three")], {
      pending: [human("2", "two, edited"), { type: "remove", id: "1", content: "" }, ai("4", "", [call("a")])],
    })
    expect(gist(langgraph.decode(value).messages)).toEqual([
      { user: "two, edited" },
      { user: "three" },
      { call: "a", name: "search", arguments: { q: 1 } },
    ])
    const cleared = thread([human("1", "one")], { pending: [{ type: "remove", id: "__remove_all__" }, human("9", "anew")] })
    expect(gist(langgraph.decode(cleared).messages)).toEqual([{ user: "anew" }])
  })

  it("hold calls that wait for a person as pending", () => {
    const value = thread([human("1", "go"), ai("2", "", [call("a"), call("b")]), tool("3", "a", "done")], { interrupted: true })
    const { blocks = [] } = langgraph.decode(value).messages[1] ?? {}
    const calls = blocks.map((block) => (block.type === "call" ? [block.id, block.pending] : []))
    expect(calls).toEqual([
      ["a", undefined],
      ["b", "approval"],
    ])
  })

  it("are unwrapped where LangChain wrote them as constructors", () => {
    const wrapped = {
      lc: 1,
      type: "constructor",
      id: ["langchain", "schema", "messages", "AIMessageChunk"],
      kwargs: { content: "hi", id: "1" },
    }
    expect(gist(langgraph.decode(thread([wrapped, { role: "user", content: "plain" }])).messages)).toEqual([
      { assistant: "hi" },
      { user: "plain" },
    ])
  })

  it("report what is no message and keep it as text", () => {
    const { diagnostics, messages } = langgraph.decode(thread([7, { type: "strange", content: "x" }]))
    expect(diagnostics?.map(({ rule, place }) => [rule, place.path])).toEqual([
      ["malformed-message", "messages[0]"],
      ["malformed-message", "messages[1]"],
    ])
    expect(messages.length).toBe(2)
  })

  it("cannot be written", () => {
    expect(() => langgraph.encode(settle(langgraph.decode(thread([]))).conversation)).toThrow(LigatureError)
  })

  it("have an outline, subgraphs as subagents", () => {
    expect(langgraph.session.outline(thread([human("1", "hello there")], { namespace: "sub:1" }))).toEqual({
      id: "t",
      title: "hello there",
      paths: [{ id: "c", kind: "active", title: "hello there", messages: 1, first: 0 }],
      compactions: [],
      subagent: { session: "t" },
    })
  })
})

describeNeverThrows(langgraph, ["messages", "pending"])
