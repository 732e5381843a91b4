/** Histories with calls as text, repaired in their format: once is enough, and text stays text. */
import { describe, expect, it } from "vitest"
import { check, convert, decode, repair } from "../../../src/convert/index.ts"
import type { Message } from "../../../src/model/index.ts"
import { resolveCodec } from "../../../src/registry/registry.ts"

const marked = "\u2060"
const publish = "Publishing.\n\n<execute_command>\n<command>npm publish</command>\n</execute_command>"

const typesIn = (messages: readonly Message[]): readonly string[] => messages.flatMap(({ blocks }) => blocks.map(({ type }) => type))

const again = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("text that a repair makes look like a call", () => {
  // The call that is written as text, with its result, shows the reader that tags are calls here.
  const history = [{ type: "function" }, { role: "assistant", content: publish }]
  const { value, report } = repair(history, { from: "xml-text" })

  it("is marked, reported, and read as the text it is", () => {
    expect(JSON.stringify(value)).toContain(`<${marked}execute_command>`)
    expect(report.entries.filter(({ rule }) => rule === "quoted-call")).toMatchObject([{ kind: "safe", place: { item: 0 } }])
    const { messages } = decode("xml-text", again(value))
    expect(messages.at(-1)?.blocks).toMatchObject([{ type: "text", text: publish }])
  })

  it("is not touched by a second repair", () => {
    const second = repair(again(value), { from: "xml-text" })
    expect(second.report.entries).toEqual([])
    expect(again(second.value)).toEqual(again(value))
  })
})

it("keeps a text that nobody understood as text in every format that reads calls in text", () => {
  const quote = '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>'
  for (const to of ["xml-text", "cline-api"]) {
    const { value } = convert([{ role: "assistant", parts: [{ content: quote }] }], { from: "ai-sdk-ui", to: resolveCodec(to) })
    const { messages } = decode(resolveCodec(to), again(value))
    expect(typesIn(messages)).not.toContain("call")
    expect(JSON.stringify(messages.map(({ blocks }) => blocks.map((block) => (block.type === "text" ? block.text : ""))))).toContain(
      "<tool_call>",
    )
  }
})

it("writes calls and texts once where the style is asked for as well", () => {
  const history = [
    { role: "user", content: "Explain <bash> and run it." },
    {
      role: "assistant",
      content: "See <bash>\n<command>x</command>\n</bash>",
      tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "a.ts" },
  ]
  for (const to of ["xml-text", "cline-api"]) {
    const { value } = convert(history, { from: "openai-chat", to: resolveCodec(to), style: "xml" })
    expect(typesIn(decode(resolveCodec(to), again(value)).messages)).toEqual(["text", "text", "call", "result"])
  }
})

it("answers the right call where an argument is empty", () => {
  const history = [
    { type: "item.started", item: { type: "command_execution", command: "" } },
    { type: "item.completed", item: { type: "command_execution", command: "a" } },
  ]
  const { value } = convert(history, { from: "codex-exec", to: "xml-text" })
  expect(repair(again(value), { from: "xml-text" }).report.entries).toEqual([])
})

it("rewrites a result where its header names another tool than its call", () => {
  const history = [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "use_subagents", input: {} }] },
    { role: "user", content: "[subagents] Result:\nnothing" },
  ]
  const { value } = convert(history, { from: "cline-api", to: "xml-text" })
  const { messages } = decode("xml-text", again(value))
  expect(messages.at(-1)?.blocks).toMatchObject([{ type: "result", name: "use_subagents", content: [{ text: "nothing" }] }])
})

describe("a healthy history with calls as text", () => {
  const call = "<read_file>\n<path>a</path>\n</read_file>"

  it("keeps a text that has a result and what the user says next", () => {
    const answer = "[read_file for 'a'] Result:\nfoo\n\n<environment_details>\nx\n</environment_details>"
    const history = [
      { role: "user", content: "go" },
      { role: "assistant", content: call },
      { role: "user", content: [{ type: "text", text: answer }] },
      { role: "assistant", content: "ok" },
    ]
    expect(repair(history, { from: "xml-text" })).toMatchObject({ value: { messages: history }, report: { entries: [] } })
  })

  it("keeps a text with a header that answers nothing in one piece", () => {
    const history = [{ role: "user", content: "This is one:\n[read_file for 'a'] Result:\nfoo" }]
    const { messages } = decode("xml-text", history)
    expect(messages[0]?.blocks).toMatchObject([{ type: "text", text: history[0]?.content }])
  })

  it("may have thinking without signature: no provider made it", () => {
    const history = [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "Yes." },
        ],
      },
    ]
    expect(repair(history, { from: "xml-text" })).toMatchObject({ value: { messages: history }, report: { entries: [] } })
  })
})

describe("a result in text whose call a repair named", () => {
  it("is rewritten, with that name", () => {
    const call = "<apply_diff>\n<path>a</path>\n<diff>\nx\n</diff>\n</apply_diff>"
    const answer = { role: "user", content: [{ type: "text", text: "[apply_diff for 'a'] Result:" }] }
    const history = [
      { role: "assistant", content: [{ type: "text", text: call }] },
      answer,
      { role: "assistant", content: [{ type: "tool_use" }] },
      answer,
    ]
    const { value } = convert(history, { from: "cline-api", to: "xml-text" })
    expect(check(decode("xml-text", again(value)))).toEqual([])
    expect(JSON.stringify(value)).toContain("[unknown_tool] Result")
  })
})
