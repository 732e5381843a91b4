/** Whole scenarios from existing agents, one after the other, as their authors would run them. */
import { describe, expect, it } from "vitest"
import {
  alignTailStart,
  dropUnansweredCalls,
  filterMessages,
  skipOrphanResults,
  toolStyle,
  truncateByFraction,
} from "../../src/messages/index.ts"
import { check, convert, decode, encode, settle } from "../../src/index.ts"
import { answer, assistant, says, toChat, use, user } from "./wire.ts"

describe("compression of native tool calls", () => {
  it("scenario 1: a whole pair is converted as it is", () => {
    const messages = [assistant(use("tool_1", "read_file", { path: "package.json" })), user(answer("tool_1", "{}"))]
    const { value, report } = convert(messages, { from: "anthropic", to: "openai-chat" })
    expect(value).toEqual({
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "tool_1", type: "function", function: { name: "read_file", arguments: '{"path":"package.json"}' } }],
        },
        { role: "tool", tool_call_id: "tool_1", content: "{}" },
      ],
    })
    expect(report.entries).toEqual([])
  })

  it("scenario 2: a result that a compression has orphaned is skipped, with a warning", () => {
    const messages = [{ role: "user", content: "Previous conversation..." }, user(answer("tool_1", "…"))]
    const warnings: string[] = []
    const left = skipOrphanResults(messages, { warn: (what) => warnings.push(what) })
    expect(convert(left, { from: "anthropic", to: "openai-chat" }).value).toEqual({ messages: [messages[0]] })
    expect(warnings).toEqual(["Skipping orphan result tool_1 in message 1 (no call before it)"])
    const dropped = convert(messages, { from: "anthropic", to: "openai-chat", policies: { orphanResult: "drop" } })
    expect(dropped.value).toEqual({ messages: [messages[0]] })
    expect(dropped.report.entries.map(({ rule, kind, ids }) => [rule, kind, ids])).toEqual([["orphan-result", "drop", ["tool_1"]]])
  })

  it("scenario 3: truncation at a pair keeps the pair whole", () => {
    const messages = [
      { role: "user", content: "System" },
      { role: "user", content: "请读取文件" },
      assistant(use("tool_1")),
      user(answer("tool_1", "内容")),
      { role: "user", content: "继续工作" },
      { role: "assistant", content: "好的" },
    ]
    const { messages: left, removedIndices } = truncateByFraction(messages, 0.5)
    expect(removedIndices).toEqual([1])
    expect(left).toEqual([messages[0], ...messages.slice(2)])
    expect(toChat(left).verdict).toEqual({ ok: true })
  })
})

describe("one style of calls in one conversation", () => {
  const history = [
    user(says("read it")),
    assistant(says("Let me look."), use("a", "read_file", { path: "a.ts" })),
    user(answer("a", "const a = 1")),
    assistant(says("It holds a constant.")),
  ]
  const resume = (provider: string, userSetting?: "xml" | "json") => {
    const { conversation } = settle(decode("anthropic", history))
    return encode(conversation, "openai-chat", { style: toolStyle({ provider, userSetting }) }).value
  }
  const text = JSON.stringify

  it("decides by provider, setting and model, in this order", () => {
    expect([
      toolStyle({ provider: "lmstudio", userSetting: "json", model: "claude-haiku-4.5" }),
      toolStyle({ provider: "openai", userSetting: "json" }),
      toolStyle({ provider: "openai", userSetting: "xml", model: "claude-haiku-4.5" }),
      toolStyle({ provider: "openrouter", model: "anthropic/claude-haiku-4.5" }),
      toolStyle({ provider: "openai", model: "gpt-5" }),
    ]).toEqual(["xml", "json", "xml", "json", "xml"])
  })

  it("scenario 1: a provider without structured calls gets the whole history as XML text", () => {
    expect(resume("lmstudio")).toEqual({
      messages: [
        { role: "user", content: "read it" },
        { role: "assistant", content: "Let me look.\n\n<read_file>\n<path>a.ts</path>\n</read_file>" },
        { role: "user", content: "[read_file for 'a.ts'] Result:\nconst a = 1" },
        { role: "assistant", content: "It holds a constant." },
      ],
    })
  })

  it("scenario 2: a provider with structured calls gets them all as calls", () => {
    expect(resume("openai", "json")).toEqual({
      messages: [
        { role: "user", content: "read it" },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "a", type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } }],
        },
        { role: "tool", tool_call_id: "a", content: "const a = 1" },
        { role: "assistant", content: "It holds a constant." },
      ],
    })
  })

  it("scenario 3: a history that mixes both styles comes out in one, either way", () => {
    const old = [
      { role: "assistant", content: "<read_file>\n<path>b.ts</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'b.ts'] Result:\nconst b = 2" },
    ]
    const mixed = decode("xml-text", [user(says("read both")), ...old, ...history.slice(1)], { tools: ["read_file"] })
    expect(check(mixed).map(({ rule }) => rule)).toContain("mixed-call-style")
    const { conversation } = settle(mixed)
    const json = text(encode(conversation, "openai-chat", { style: "json" }).value)
    const xml = text(encode(conversation, "openai-chat", { style: "xml" }).value)
    expect([json.split('"tool_calls"').length - 1, json.split("<read_file>").length - 1]).toEqual([2, 0])
    expect([xml.split('"tool_calls"').length - 1, xml.split("<read_file>").length - 1]).toEqual([0, 2])
  })
})

describe("atomic groups", () => {
  it("a tail that begins inside a tool sequence is moved to its assistant message", () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "search", arguments: "{}" } })
    const messages = [
      { role: "system", content: "You help." },
      { role: "user", content: "find it" },
      { role: "assistant", content: "", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "assistant", content: "found" },
      { role: "user", content: "thanks" },
    ]
    const starts = messages.map((_, raw) => alignTailStart(messages, raw, { protectedPrefix: 1 }))
    expect(starts).toEqual([1, 1, 2, 2, 2, 2, 6])
  })
})

describe("clean-up on resume", () => {
  it("no messages", () => expect(dropUnansweredCalls([])).toEqual([]))

  it("no calls", () => {
    const messages = [user(says("hi")), assistant(says("hello"))]
    expect(dropUnansweredCalls(messages)).toBe(messages)
  })

  it("every call has its result", () => {
    const messages = [user(says("hi")), assistant(use("a")), user(answer("a", "x"))]
    expect(dropUnansweredCalls(messages)).toBe(messages)
  })

  it("several calls, of which one is unanswered: the whole message goes", () => {
    const messages = [user(says("hi")), assistant(use("a"), use("b"), use("c")), user(answer("a", "x"), answer("c", "z"))]
    expect(dropUnansweredCalls(messages)).toEqual([messages[0]])
  })

  it("text beside an unanswered call goes with it", () => {
    const messages = [user(says("hi")), assistant(says("Let me look."), use("a"))]
    expect(dropUnansweredCalls(messages)).toEqual([messages[0]])
  })

  it("settle does the same when told to drop messages", () => {
    const messages = [user(says("hi")), assistant(says("Let me look."), use("a"), use("b")), user(answer("a", "x"))]
    const { conversation } = settle(decode("anthropic", messages), { policies: { unansweredCall: "drop-message" } })
    expect(encode(conversation, "anthropic").value).toEqual({ messages: dropUnansweredCalls(messages) })
  })

  it("the data flow of a session that crashed while a tool ran", () => {
    const entries = [
      { uuid: "1", parentUuid: null, role: "user", content: "read file.ts" },
      { uuid: "2", parentUuid: "1", role: "assistant", content: [{ type: "tool_use", id: "toolu_001", name: "read" }] },
      { uuid: "3", parentUuid: "2", role: "tool", content: [{ type: "tool-result", toolCallId: "toolu_001" }] },
      {
        uuid: "4",
        parentUuid: "3",
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_002", name: "write" }],
      },
    ]
    const said: string[] = []
    expect(filterMessages(entries, { debug: (what) => said.push(what) })).toEqual(entries.slice(0, 3))
    expect(said).toEqual(["[filterMessages] Leaving out assistant message 3: 1 unanswered call(s): toolu_002 (entry 4)"])
  })
})
