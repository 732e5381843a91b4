import { describe, expect, it } from "vitest"
import { atomicGroups } from "../../src/messages/index.ts"
import { assistant, call, type Message, result, tool, user } from "../../src/model/index.ts"
import { shapes, splitResults } from "./wire-shapes.ts"

interface Case {
  readonly title: string
  readonly messages: readonly Message[]
  readonly groups: readonly number[][]
}

const cases: readonly Case[] = [
  { title: "gives no groups for no messages", messages: [], groups: [] },
  {
    title: "leaves messages without calls alone",
    messages: [user("a"), assistant("b"), assistant("c"), user("d")],
    groups: [[0], [1], [2], [3]],
  },
  {
    title: "groups a call, its result and the reply directly after",
    messages: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), assistant("done"), assistant("more"), user("ok")],
    groups: [[0], [1, 2, 3], [4], [5]],
  },
  {
    title: "groups parallel calls with results in several messages",
    messages: [assistant(call("a", "ls"), call("b", "cat")), tool(result("a", "x")), tool(result("b", "y")), user("ok")],
    groups: [[0, 1, 2], [3]],
  },
  {
    title: "begins a group at the next call, not at the reply of the last",
    messages: [assistant(call("a", "ls")), tool(result("a", "x")), assistant("and", call("b", "cat")), tool(result("b", "y"))],
    groups: [
      [0, 1],
      [2, 3],
    ],
  },
  {
    title: "takes what is between a call and its result into the group",
    messages: [user("go"), assistant(call("a", "ls")), user("hurry"), tool(result("a", "x")), assistant("done"), user("ok")],
    groups: [[0], [1, 2, 3, 4], [5]],
  },
  {
    title: "joins groups that overlap",
    messages: [assistant(call("a", "ls")), assistant(call("b", "cat")), tool(result("a", "x")), tool(result("b", "y"))],
    groups: [[0, 1, 2, 3]],
  },
  {
    title: "keeps reused ids apart",
    messages: [
      assistant(call("call_0", "ls")),
      tool(result("call_0", "x")),
      user("again"),
      assistant(call("call_0", "ls")),
      tool(result("call_0", "y")),
      assistant("done"),
    ],
    groups: [[0, 1], [2], [3, 4, 5]],
  },
  {
    title: "leaves an orphan alone",
    messages: [user("a"), tool(result("ghost", "x")), assistant("b")],
    groups: [[0], [1], [2]],
  },
  {
    title: "takes a second result directly after the first into the group",
    messages: [assistant(call("a", "ls")), tool(result("a", "x")), tool(result("a", "x")), assistant("done")],
    groups: [[0, 1, 2, 3]],
  },
  {
    title: "does not stretch a group to a second result far after",
    messages: [assistant(call("a", "ls")), tool(result("a", "x")), user("next"), assistant("ok"), tool(result("a", "x"))],
    groups: [[0, 1], [2], [3], [4]],
  },
  {
    title: "makes a running call at the tip a group of its own",
    messages: [user("go"), assistant(call("a", "ls"))],
    groups: [[0], [1]],
  },
  {
    title: "groups a result that was written before its call",
    messages: [user("go"), tool(result("a", "x")), assistant(call("a", "ls")), user("ok")],
    groups: [[0], [1, 2], [3]],
  },
]

describe.each(shapes)("atomicGroups on $name messages", ({ name, write }) => {
  it.each(cases)("$title", ({ messages, groups }) => {
    const split = name === "openai-chat" ? splitResults(messages) : messages
    expect(split).toHaveLength(messages.length)
    expect(atomicGroups(write(messages))).toEqual(groups)
  })
})

describe("atomicGroups", () => {
  it("groups a user message that holds results and text", () => {
    const messages = [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "x" },
          { type: "text", text: "now stop" },
        ],
      },
      { role: "assistant", content: "Stopped." },
      { role: "user", content: "thanks" },
    ]
    expect(atomicGroups(messages)).toEqual([[0, 1, 2], [3]])
  })

  it("keeps the items of one Responses turn together, reasoning included", () => {
    const items = [
      { role: "user", content: "go" },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "cat", arguments: "{}" },
      { type: "function_call_output", call_id: "b", output: "y" },
      { type: "function_call_output", call_id: "a", output: "x" },
      { type: "reasoning", id: "rs_2", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
      { role: "user", content: "thanks" },
      { type: "reasoning", id: "rs_3", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "welcome" }] },
    ]
    expect(atomicGroups(items)).toEqual([[0], [1, 2, 3, 4, 5, 6, 7], [8], [9, 10]])
  })

  it("matches calls without ids by name and position", () => {
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [{ functionCall: { name: "ls", args: {} } }, { functionCall: { name: "cat", args: {} } }],
      },
      { role: "user", parts: [{ functionResponse: { name: "cat", response: { output: "y" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "x" } } }] },
      { role: "model", parts: [{ text: "done" }] },
    ]
    expect(atomicGroups(contents)).toEqual([[0], [1, 2, 3, 4]])
  })

  it("reads the old function style", () => {
    const messages = [
      { role: "assistant", content: null, function_call: { name: "ls", arguments: "{}" } },
      { role: "function", name: "ls", content: "x" },
      { role: "user", content: "ok" },
    ]
    expect(atomicGroups(messages)).toEqual([[0, 1], [2]])
  })

  it("keeps both halves of a tool the provider ran together, and gives neither to anybody else", () => {
    const messages = [
      { role: "assistant", content: [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }] },
      { role: "assistant", content: [{ type: "web_search_tool_result", tool_use_id: "s", content: [] }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "p", toolName: "web", input: {}, providerExecuted: true }],
      },
      { role: "assistant", content: [{ type: "tool-result", toolCallId: "p", toolName: "web", output: "x" }] },
      { role: "user", content: "ok" },
    ]
    expect(atomicGroups(messages)).toEqual([[0, 1], [2, 3], [4]])
  })

  it("reads messages that session entries are wrapped around", () => {
    const entries = [
      { type: "user", uuid: "1", message: { role: "user", content: "go" } },
      {
        type: "assistant",
        uuid: "2",
        message: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
      },
      {
        type: "user",
        uuid: "3",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
      },
    ]
    expect(atomicGroups(entries)).toEqual([[0], [1, 2]])
  })

  it("takes anything as a message and never throws", () => {
    const junk = [null, 7, "hi", [], {}, { role: "assistant" }, { role: 3 }, { role: "tool" }, { content: [null, 3, {}] }]
    expect(atomicGroups(junk)).toEqual(junk.map((_, index) => [index]))
  })
})
