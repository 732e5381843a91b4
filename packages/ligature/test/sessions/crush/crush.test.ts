import { describe, expect, it } from "vitest"
import { crush } from "../../../src/sessions/crush/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { LigatureError, type Wire } from "../../../src/model/index.ts"
import { expectValidEverywhere } from "../tau-bench/corpus-files.ts"
import { describeNeverThrows, gist } from "../tau-bench/own-writer.ts"

const part = (type: string, data: Wire): Wire => ({ type, data })
const finish = part("finish", { reason: "end_turn", time: 1 })
const row = (id: string, role: string, parts: unknown, more: Wire = {}): Wire => ({ id, session_id: "s", role, parts, model: "m", ...more })
const call = (id: string, input: string, finished = true): Wire => part("tool_call", { id, name: "view", input, type: "", finished })
const result = (id: string, content: string, more: Wire = {}): Wire =>
  part("tool_result", { tool_call_id: id, name: "view", content, metadata: "", is_error: false, ...more })
const session = (messages: readonly unknown[], more: Wire = {}): Wire => ({
  session: { id: "s", title: "T", message_count: 2, ...more },
  messages,
})

describe("Crush sessions", () => {
  it("are read part by part", () => {
    const picture = part("binary", { Path: "a.png", MIMEType: "image/png", Data: "AAAA" })
    const thought = part("reasoning", { thinking: "hm", signature: "c2ln" })
    const words = part("text", { text: "look" })
    const rows = [
      row("1", "user", [words, picture, finish]),
      row("2", "assistant", [thought, words, call("a", '{"path":"x"}'), call("b", "{}"), finish], { provider: "anthropic" }),
      row("3", "tool", [result("a", "seen"), result("b", "Permission denied", { is_error: true })]),
    ]
    const value = session(rows)
    expect(crush.decode(value)).toEqual({
      format: "crush",
      messages: [
        {
          role: "user",
          blocks: [
            { type: "text", text: "look", native: { crush: words } },
            {
              type: "media",
              kind: "image",
              mediaType: "image/png",
              name: "a.png",
              source: {
                type: "base64",
                data: "AAAA",
              },
              native: { crush: picture },
            },
          ],
          id: "1",
          native: { crush: rows[0] },
        },
        {
          role: "assistant",
          blocks: [
            { type: "thinking", text: "hm", signature: "c2ln", native: { crush: thought } },
            { type: "text", text: "look", native: { crush: words } },
            {
              type: "call",
              id: "a",
              name: "view",
              arguments: { path: "x" },
              raw: '{"path":"x"}',
              native: { crush: call("a", '{"path":"x"}') },
            },
            { type: "call", id: "b", name: "view", arguments: {}, raw: "{}", native: { crush: call("b", "{}") } },
          ],
          id: "2",
          origin: { provider: "anthropic", model: "m" },
          native: { crush: rows[1] },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "a",
              name: "view",
              content: [{ type: "text", text: "seen" }],
              native: { crush: result("a", "seen") },
            },
            {
              type: "result",
              callId: "b",
              name: "view",
              content: [{ type: "text", text: "Permission denied" }],
              error: true,
              denied: true,
              native: { crush: result("b", "Permission denied", { is_error: true }) },
            },
          ],
          id: "3",
          native: { crush: rows[2] },
        },
      ],
      origin: { provider: "anthropic", model: "m" },
      native: { crush: expect.objectContaining({ value }) },
    })
    expectValidEverywhere(crush.decode(value), "crush")
  })

  it("report a message that the crash cut off, and never execute its call", () => {
    const value = session([
      row("1", "user", [part("text", { text: "go" }), finish]),
      row("2", "assistant", [part("text", { text: "I write" }), call("a", '{"path":"x', false)]),
    ])
    const { diagnostics, messages } = crush.decode(value)
    expect(diagnostics?.map(({ rule, severity, place, ids }) => [rule, severity, place.message, ids])).toEqual([
      ["stream-cut", "warning", 1, ["a"]],
    ])
    expect(messages[1]?.blocks[1]).toMatchObject({ type: "call", raw: '{"path":"x', fault: "unparsable" })
    expectValidEverywhere(crush.decode(value), "cut")
  })

  it("report an assistant row that was never finished or is empty", () => {
    const found = crush.decode(
      session([row("1", "assistant", []), row("2", "assistant", [part("text", { text: "x" })]), row("3", "assistant", [finish])]),
    )
    expect(found.diagnostics?.map(({ what }) => what)).toEqual(["Message 1 was never finished", "Message 2 was never finished"])
    expect(settle(found).conversation.items.length).toBe(1)
  })

  it("begin at their summary where the agent's view is asked for", () => {
    const text = (words: string): readonly Wire[] => [part("text", { text: words }), finish]
    const rows = [
      row("1", "user", text("old")),
      row("2", "assistant", text("older")),
      row("3", "assistant", text("in short")),
      row("4", "user", text("new")),
    ]
    const value = session(rows, { summary_message_id: "3" })
    expect(gist(crush.decode(value).messages)).toEqual([{ user: "old" }, { assistant: "older" }, { user: "in short" }, { user: "new" }])
    expect(gist(crush.decode(value, { view: "effective" }).messages)).toEqual([{ user: "in short" }, { user: "new" }])
    expect(crush.decode(value).messages.map(({ summary }) => summary)).toEqual([undefined, undefined, true, undefined])
    expect(crush.session.outline(value)).toEqual({
      id: "s",
      title: "T",
      model: "m",
      paths: [{ id: "s", kind: "active", title: "old", messages: 4, first: 0 }],
      compactions: [{ record: 2, kind: "summary" }],
    })
  })

  it("tell calls with one id apart by where they are", () => {
    const value = session([
      row("1", "user", [part("text", { text: "go" })]),
      row("2", "assistant", [call("tool_0", "{}"), finish]),
      row("3", "tool", [result("tool_0", "one")]),
      row("4", "assistant", [call("tool_0", "{}"), finish]),
      row("5", "tool", [result("tool_0", "two")]),
    ])
    const { conversation } = settle(crush.decode(value))
    const outcomes = conversation.items.flatMap((item) => (item.role === "exchange" ? item.outcomes : []))
    expect(outcomes.map(({ result: one }) => one?.content)).toEqual([[{ type: "text", text: "one" }], [{ type: "text", text: "two" }]])
  })

  it("cannot be written", () => {
    const { conversation } = settle(crush.decode(session([])))
    expect(() => crush.encode(conversation)).toThrow(LigatureError)
  })

  it("are recognised as the value of a database's rows", () => {
    expect(
      crush.session.recognise({
        syntax: "value",
        records: [session([row("1", "user", [])])],
      })?.certainty,
    ).toBe("certain")
    for (const root of [null, [], { messages: [] }, { session: {}, messages: [] }, { session: {}, messages: [{ role: "user" }] }]) {
      expect(crush.session.recognise({ syntax: "value", records: [root] })).toBeUndefined()
    }
  })
})

describeNeverThrows(crush, ["messages"])
