/**
 * Fifteen edge cases that published agents get wrong, and that are right here.
 *
 * | case | where it goes wrong elsewhere | here |
 * |---|---|---|
 * | E1, E2, E9, E14 | cuts | this file |
 * | E3, E4, E5, E15 | histories, ids, conversion | this file |
 * | E6, E8 | branches, resume | this file |
 * | E7 | a torn last line | this file for message lists; session files and stores: their own tests |
 * | E10, E11 | budgets, compaction of the pending request, pruning | the tests of `compact/` |
 * | E12, E13 | recording a stream | what it leaves in a file: this file; the recorder: the tests of `record/` |
 */
import { describe, expect, it } from "vitest"
import {
  activePath,
  alignHeadEnd,
  alignTailStart,
  atomicGroups,
  filterMessages,
  skipOrphanResults,
  truncateByFraction,
} from "../../src/messages/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { callsOf, check, convert, decode, settle } from "../../src/index.ts"
import { syntheticTexts } from "../../src/model/index.ts"
import { answer, anthropicVerdict, assistant, says, toChat, use, user } from "./wire.ts"

const rulesOf = (messages: readonly unknown[]): readonly string[] => check(decode("anthropic", messages)).map(({ rule }) => rule)

describe("cuts", () => {
  const history = [
    user(says("task")), // 0
    assistant(use("t1")), // 1
    user(answer("t1", "one")), // 2
    user(says("one more thing")), // 3
    assistant(use("t2")), // 4
    user(answer("t2", "two")), // 5
    assistant(use("t3")), // 6
    user(answer("t3", "three")), // 7
    assistant(says("done")), // 8
  ]

  it("E1: truncation by half with two user messages in a row leaves no result without its call", () => {
    const half = Math.floor((history.length - 1) * 0.5)
    expect(rulesOf([history[0], ...history.slice(half + 1)])).toContain("orphan-result")
    const { messages, removedIndices, count } = truncateByFraction(history, 0.5)
    expect(removedIndices).toEqual([1, 2, 3])
    expect(count).toEqual({ before: 9, after: 6 })
    expect(rulesOf(messages)).toEqual([])
    expect(anthropicVerdict(messages)).toBe("")
    expect(toChat(messages).verdict).toEqual({ ok: true })
  })

  it("E2: a user message with a result and text is no safe cut", () => {
    const mixed = [
      user(says("go")),
      assistant(use("a")),
      user(answer("a", "x"), says("and hurry")),
      assistant(says("ok")),
      user(says("thanks")),
    ]
    expect(atomicGroups(mixed)).toEqual([[0], [1, 2, 3], [4]])
    expect(alignTailStart(mixed, 2)).toBe(1)
  })

  it("E9: the kept head does not end between a call and its result", () => {
    const [first, calls, result, ...rest] = history
    expect(alignHeadEnd(history, 2)).toBe(3)
    expect(alignHeadEnd(history, 2, { toward: "drop" })).toBe(1)
    const summary = assistant(says("Summary of what was left out."))
    const sent = [
      ...history.slice(0, alignHeadEnd(history, 2)),
      summary,
      ...history.slice(alignTailStart(history, 5, { protectedPrefix: 3 })),
    ]
    expect(sent).toEqual([first, calls, result, summary, ...rest.slice(1)])
    expect(rulesOf(sent)).toEqual([])
  })

  it("E13: the last ten messages do not begin with a run of results", () => {
    const ids = ["a", "b", "c"]
    const chat = [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
      },
      ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: `result ${id}` })),
      ...Array.from({ length: 8 }, (_, index) => ({ role: index % 2 === 0 ? "assistant" : "user", content: `words ${index}` })),
    ]
    const raw = chat.length - 10
    expect(check(decode("openai-chat", chat.slice(raw))).filter(({ rule }) => rule === "orphan-result")).toHaveLength(2)
    expect(alignTailStart(chat, raw)).toBe(1)
    expect(skipOrphanResults(chat.slice(raw))).toEqual(chat.slice(5))
  })

  it("E14: messages an earlier summary has hidden neither count nor go", () => {
    const hidden = history.slice(0, 6).map((message) => ({ ...message, condenseParent: "s1" }))
    const summary = { ...user(says("Summary")), isSummary: true, condenseId: "s1" }
    const visible = [
      summary,
      assistant(use("t3")),
      user(answer("t3", "three")),
      user(says("next")),
      assistant(says("done")),
      user(says("more")),
    ]
    const list: readonly object[] = [...hidden, ...visible]
    const truncation = truncateByFraction(list, 0.75, { visible: (message) => !("condenseParent" in message) })
    expect(truncation.removedIndices).toEqual([7, 8])
    expect(truncation.count).toEqual({ before: 6, after: 4 })
    expect(truncation.messages).toEqual([...hidden, summary, ...visible.slice(3)])
  })
})

describe("histories and conversion", () => {
  it("E3: a ghost result does not shift the results of its neighbours", () => {
    const messages = [
      user(says("go")),
      assistant(use("A"), use("B")),
      user(answer("ghost", "ghost text"), answer("A", "text of A"), answer("B", "text of B")),
    ]
    const { value, verdict } = toChat(messages)
    expect(verdict).toEqual({ ok: true })
    expect((value["messages"] as readonly unknown[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "A", content: "text of A" },
      { role: "tool", tool_call_id: "B", content: "text of B" },
      { role: "user", content: "[Result of a call that is no longer in the history (ghost)]\nghost text" },
    ])
    expect(skipOrphanResults(messages)).toEqual([messages[0], messages[1], user(answer("A", "text of A"), answer("B", "text of B"))])
  })

  it("E4: images and errors of results survive the way to OpenAI, and what is lost is said", () => {
    const image = {
      type: "image",
      source: {
        type: "base64",
        media_type: "image/png",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      },
    }
    const messages = [
      user(says("go")),
      assistant(use("A"), says("and"), use("B")),
      user(answer("A", [says("screenshot"), image]), answer("B", "no such file", { is_error: true })),
    ]
    const { value, verdict, report } = toChat(messages)
    expect(verdict).toEqual({ ok: true })
    expect((value["messages"] as readonly unknown[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "A", content: "screenshot\n[image attached below]" },
      { role: "tool", tool_call_id: "B", content: "[tool error] no such file" },
      {
        role: "user",
        content: [
          { type: "text", text: "[image from the result of read_file (A)]" },
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ])
    expect(report.losses.map(({ feature }) => feature).sort()).toEqual(["block-order", "result-error", "result-image"])
  })

  it("E5: moving a task keeps failed calls failed, interrupted ones interrupted, and keeps thinking", () => {
    const thinking = { type: "thinking", thinking: "careful", signature: "c2lnbmF0dXJl" }
    const messages = [
      user(says("clean up")),
      assistant(use("a", "bash", { command: "ls" })),
      user(answer("a", "permission denied", { is_error: true })),
      assistant(thinking, use("b", "bash", { command: "rm -rf build" })),
    ]
    const { conversation } = settle(decode("anthropic", messages))
    const outcomes = conversation.items.flatMap((item) => (item.role === "exchange" ? item.outcomes.map(({ kind }) => kind) : []))
    expect(outcomes).toEqual(["failed", "interrupted"])
    const { value } = convert(messages, { from: "anthropic", to: "anthropic" })
    expect(value).toEqual({
      messages: [...messages, user(answer("b", syntheticTexts.interrupted, { is_error: true }))],
    })
  })

  it("E5: moving a task turns calls that were written as XML text into calls", () => {
    const messages = [
      { role: "user", content: "read it" },
      { role: "assistant", content: "Let me look.\n<read_file>\n<path>a.ts</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'a.ts'] Result:\nconst a = 1" },
    ]
    const { value, conversation } = convert(messages, { from: "xml-text", to: "openai-chat", tools: ["read_file"] })
    const exchanges = conversation.items.filter((item) => item.role === "exchange")
    expect(exchanges.flatMap(({ outcomes }) => outcomes.map(({ kind }) => kind))).toEqual(["done"])
    const id = exchanges.flatMap(callsOf)[0]?.id
    const call = { name: "read_file", arguments: '{"path":"a.ts"}' }
    expect((value["messages"] as readonly unknown[]).slice(1)).toEqual([
      { role: "assistant", content: "Let me look.", tool_calls: [{ id, type: "function", function: call }] },
      { role: "tool", tool_call_id: id, content: "const a = 1" },
    ])
  })

  it("E7: a torn last line costs at most that line, and is reported", () => {
    const whole = [{ role: "user", content: "go" }, assistant(use("a")), user(answer("a", "x"))]
    const torn = '{"role":"assistant","content":[{"type":"te'
    const { parts, problems } = openDocument([...whole.map((message) => JSON.stringify(message)), torn].join("\n"))
    expect(parts.map(({ value }) => (value as readonly unknown[]).slice(0, 3))).toEqual([whole])
    expect(problems.map(({ kind, line }) => [kind, line])).toEqual([["torn-last-line", 4]])
  })

  it("E12: a call that a retried stream left twice is made once", () => {
    const step = assistant(says("Let me look."), use("a", "read_file", { path: "a.ts" }))
    const messages = [user(says("go")), step, step, user(answer("a", "x"))]
    const { value, verdict, report } = toChat(messages)
    expect(verdict).toEqual({ ok: true })
    const said = value["messages"] as readonly Record<string, unknown>[]
    const calls = said.flatMap(({ tool_calls: list }) => list ?? [])
    expect(calls).toHaveLength(1)
    expect(report.entries.map(({ rule }) => rule)).toContain("duplicate-call")
  })
})

describe("E15: results are matched by position, not by a global map of ids", () => {
  const round = (text: string) => [assistant(use("call_0", "bash", { command: text })), user(answer("call_0", `output of ${text}`))]

  it("gives each use of a reused id its own result", () => {
    const messages = [user(says("go")), ...round("first"), user(says("again")), ...round("second")]
    const { value, verdict } = toChat(messages)
    expect(verdict).toEqual({ ok: true })
    const list = value["messages"] as readonly Record<string, unknown>[]
    const ids = list.flatMap(({ tool_calls: calls }) => (calls as { readonly id: string }[] | undefined)?.map(({ id }) => id) ?? [])
    expect(new Set(ids).size).toBe(2)
    expect(list.filter(({ role }) => role === "tool")).toEqual([
      { role: "tool", tool_call_id: ids[0], content: "output of first" },
      { role: "tool", tool_call_id: ids[1], content: "output of second" },
    ])
  })

  it("finds an orphan whose id an earlier, answered call used", () => {
    const messages = [user(says("go")), ...round("first"), user(says("again")), user(answer("call_0", "whose?"))]
    expect(skipOrphanResults(messages)).toEqual(messages.slice(0, 4))
    expect(rulesOf(messages)).toContain("duplicate-result")
    expect(toChat(messages).verdict).toEqual({ ok: true })
  })

  it("brings a displaced result back to its call, however far it went", () => {
    const between = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? user(says(`u${index}`)) : assistant(says(`a${index}`))))
    const messages = [user(says("go")), assistant(use("toolu_01ABCDEFGHIJ")), ...between, user(answer("toolu_01ABCDEFGHIJ", "late"))]
    const { value, verdict } = toChat(messages)
    expect(verdict).toEqual({ ok: true })
    expect((value["messages"] as readonly unknown[])[2]).toEqual({
      role: "tool",
      tool_call_id: "toolu_01ABCDEFGHIJ",
      content: "late",
    })
    expect(atomicGroups(messages)).toEqual([[0], messages.map((_, index) => index).slice(1)])
  })

  it("gives a result with an empty id to the call with one, and by position where there are more such results than calls", () => {
    const history = (...ids: readonly string[]) => [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: ["a", ""].map((id) => ({ id, type: "function", function: { name: id || "b", arguments: "{}" } })),
      },
      ...ids.map((id, at) => ({ role: "tool", tool_call_id: id, content: `result ${at}` })),
    ]
    const answersOf = (messages: readonly object[]): unknown => {
      const { value } = convert(messages, { from: "openai-chat", to: "anthropic" })
      const [, , answers] = value["messages"] as readonly { readonly content: readonly { readonly content: string }[] }[]
      return answers?.content.map(({ content }) => (content.startsWith("result") ? content : "none"))
    }
    expect(answersOf(history(""))).toEqual(["none", "result 0"])
    expect(answersOf(history("", "a"))).toEqual(["result 1", "result 0"])
    expect(answersOf(history("", ""))).toEqual(["result 0", "result 1"])
  })

  it("puts results before the text of their message", () => {
    const messages = [user(says("go")), assistant(use("a"), use("b")), user(says("stop"), answer("a", "x"))]
    const { value } = convert(messages, { from: "anthropic", to: "anthropic" })
    const [, , answers] = value["messages"] as readonly { readonly content: readonly { readonly type: string }[] }[]
    expect(answers?.content.map(({ type }) => type)).toEqual(["tool_result", "tool_result", "text"])
    expect(anthropicVerdict(value["messages"] as readonly unknown[])).toBe("")
  })
})

describe("branches and resume", () => {
  const entry = (uuid: string, parentUuid: string | null, message: object) => ({
    type: "message",
    uuid,
    parentUuid,
    ...message,
  })
  const answered = (id: string) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, result: `result of ${id}` }],
  })

  it("E6: an abandoned branch is not part of the conversation", () => {
    const entries = [
      entry("1", null, user(says("go"))),
      entry("2", "1", assistant(says("the wrong way"))),
      entry("3", "1", assistant(says("the right way"))),
      entry("4", "3", user(says("yes"))),
    ]
    expect(activePath(entries)).toEqual({ path: [entries[0], entries[2], entries[3]], problems: [] })
  })

  it("E8: dropping a message with an unanswered call leaves no result of its other calls", () => {
    const entries = [entry("1", null, user(says("go"))), entry("2", "1", assistant(use("t1"), use("t2"))), entry("3", "2", answered("t1"))]
    expect(filterMessages(entries)).toEqual([entries[0]])
  })

  it("E8: a cancel that wrote one message per call, all with one parent, keeps all results", () => {
    const entries = [
      entry("1", null, user(says("go"))),
      entry("2", "1", assistant(use("t1"), use("t2"))),
      entry("3", "2", answered("t1")),
      entry("4", "2", answered("t2")),
      entry("5", "4", user(says("go on"))),
    ]
    expect(filterMessages(entries)).toEqual(entries)
  })

  it("E8: sessions that keep results in user messages keep their calls", () => {
    const entries = [
      entry("1", null, user(says("go"))),
      entry("2", "1", assistant(use("t1"))),
      entry("3", "2", user({ type: "tool_result", id: "t1", name: "read_file", result: "x" })),
      entry("4", "3", assistant(says("done"))),
    ]
    expect(filterMessages(entries)).toEqual(entries)
  })

  it("E8: a cycle of parents ends, and is reported", () => {
    const entries = [entry("1", "2", user(says("go"))), entry("2", "1", assistant(says("done")))]
    const said: string[] = []
    expect(filterMessages(entries, { debug: (what) => said.push(what) })).toEqual(entries)
    expect(said).toEqual(["[filterMessages] The parent 2 of entry 1 is one of its descendants"])
  })

  it("E8: a session that still runs keeps its open calls, so that a cancel can find them", () => {
    const entries = [entry("1", null, user(says("go"))), entry("2", "1", assistant(use("t1"), use("t2"))), entry("3", "2", answered("t1"))]
    expect(filterMessages(entries, { pending: "keep" })).toEqual(entries)
  })

  it("E15: resume tells the unanswered use of a reused id from the answered one", () => {
    const entries = [
      entry("1", null, user(says("go"))),
      entry("2", "1", assistant(use("call_0"))),
      entry("3", "2", answered("call_0")),
      entry("4", "3", user(says("again"))),
      entry("5", "4", assistant(use("call_0"))),
    ]
    expect(filterMessages(entries)).toEqual(entries.slice(0, 4))
  })
})
