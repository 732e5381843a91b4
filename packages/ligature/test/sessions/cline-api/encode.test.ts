import { describe, expect, it } from "vitest"
import { clineApi } from "../../../src/sessions/cline-api/index.ts"
import { settle, type SettleOptions } from "../../../src/rules/index.ts"
import {
  assistant as spoken,
  call,
  result,
  syntheticTexts,
  system,
  thinking,
  tool as answers,
  transcript,
  user as asked,
} from "../../../src/model/index.ts"
import { answer, assistant, type Fields, surroundings, tag, task, text, told, use, user } from "./records.ts"

const repaired = (list: readonly unknown[], options: SettleOptions & { readonly view?: "whole" } = {}): readonly Fields[] => {
  const { view, ...policies } = options
  const { conversation } = settle(clineApi.decode(list, view ? { view } : {}), policies)
  return clineApi.encode(conversation)["messages"] as readonly Fields[]
}

const healthy: readonly (readonly Fields[])[] = [
  [
    task(),
    assistant([text(`I read it.\n\n${tag("a.ts")}`)], { id: "m1", metrics: { tokens: 3 } }),
    user([...told("a.ts", "1 | export {}"), { ...surroundings, cache_control: { type: "ephemeral" } }]),
    assistant(`Now the other.\n${tag("b.ts")}\n`),
    user(`[read_file for 'b.ts'] Result:\n2 | export {}\n\n<environment_details>\nb\n</environment_details>`),
    assistant("Done."),
  ],
  [
    task(),
    assistant([{ type: "reasoning", text: "hm", summary: [] }, text("Both."), use("t1"), use("t2")], { reasoning_details: [{ x: 1 }] }),
    user([answer("t1", [text("one")]), { ...answer("t2"), is_error: true }, surroundings]),
    { type: "reasoning", summary: [], encrypted_content: "gAAA", id: "rs_1", ts: 5 },
    assistant([text("Done.")], { modelInfo: { providerId: "x", modelId: "y" } }),
    user("thanks"),
    assistant([text("!")], { reasoning_content: "deep" }),
  ],
]

describe("writing a history back", () => {
  it("gives the very same records for a healthy one, whatever its style", () => {
    for (const list of healthy) expect(repaired(list)).toBe(list)
  })

  it("gives equal records for a conversation that went through JSON", () => {
    for (const list of healthy) {
      const { conversation } = settle(clineApi.decode(list))
      const copy = JSON.parse(JSON.stringify(conversation)) as typeof conversation
      expect(clineApi.encode(copy)["messages"]).toEqual(list)
    }
  })

  it("keeps hidden messages, tags and records that are no messages in both views", () => {
    const hidden = [assistant([use("t1")], { condenseParent: "c1" }), user([answer("t1")], { condenseParent: "c1" })]
    const list = [task(), ...hidden, 7, user([text("Summary.")], { isSummary: true, condenseId: "c1" }), assistant("Going on.")]
    expect(repaired(list)).toBe(list)
    expect(repaired(list, { view: "whole" })).toBe(list)
    const broken = [...list, user("  ")]
    expect(repaired(broken)).toEqual(list)
  })

  it("puts an invented result before the user's next words, as a block", () => {
    const list = [task(), assistant([use("t1"), use("t2")]), user([answer("t1"), surroundings], { extra: 1 })]
    const written = repaired(list)
    const invented = { type: "tool_result", tool_use_id: "t2", content: syntheticTexts.interrupted, is_error: true }
    expect(written).toEqual([list[0], list[1], { ...list[2], content: [answer("t1"), invented, surroundings] }])
    expect(written[1]).toBe(list[1])
    expect(repaired(written)).toBe(written)
    const unanswered = [task(), assistant([use("t1")]), user([text("stop")])]
    expect(repaired(unanswered)[2]).toEqual({
      ...unanswered[2],
      content: [{ ...invented, tool_use_id: "t1" }, text("stop")],
    })
  })

  it("adds a message at the end for a call nobody answered, a moment younger", () => {
    const list = [task(), assistant([use("t1")], { ts: 1_759_500_009_000 })]
    expect(repaired(list)[2]).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: syntheticTexts.interrupted, is_error: true }],
      ts: 1_759_500_009_001,
    })
  })

  it("keeps text as text: a repaired file with calls in text has no blocks", () => {
    const list = [
      task(),
      assistant([text(tag("a.ts"))]),
      user([...told("a.ts", "one"), surroundings]),
      assistant([text(tag("b.ts"))]),
      user([text("stop")]),
    ]
    const written = repaired(list)
    expect(written.slice(0, 4).every((record, index) => record === list[index])).toBe(true)
    expect(written[4]).toEqual({
      ...list[4],
      content: [text(expect.stringContaining("[read_file for 'b.ts'] Result") as string), text("stop")],
    })
    expect(JSON.stringify(written)).not.toContain("tool_result")
    const again = settle(clineApi.decode(written))
    expect(again.report.entries).toEqual([])
    expect(repaired(written)).toBe(written)
  })

  it("writes one style where a file mixed two", () => {
    const list = [
      task(),
      assistant([text(`First.\n\n${tag("a.ts")}`)]),
      user([...told("a.ts", "one"), surroundings]),
      assistant([use("t1", "read_file", { path: "b.ts" })]),
      user([...told("b.ts", "two"), surroundings]),
    ]
    expect(repaired(list)).toEqual([
      list[0],
      {
        ...list[1],
        content: [text("First."), { type: "tool_use", id: "call_1_0", name: "read_file", input: { path: "a.ts" } }],
      },
      { ...list[2], content: [answer("call_1_0", "one"), surroundings] },
      list[3],
      { ...list[4], content: [answer("t1", "two"), surroundings] },
    ])
  })

  it("leaves out a dropped message with its reasoning, and no other", () => {
    const list = [task(), { type: "reasoning", summary: [], encrypted_content: "g", ts: 3 }, assistant([use("t1")]), user("stop")]
    expect(repaired(list, { policies: { unansweredCall: "drop-message" } })).toEqual([list[0], list[3]])
  })

  it("brings results that were split over two messages to the front, and keeps both", () => {
    const list = [task(), assistant([use("t1"), use("t2")]), user([answer("t1"), text("a")]), user([answer("t2"), text("b")])]
    expect(repaired(list)).toEqual([
      list[0],
      list[1],
      { ...list[2], content: [answer("t1"), answer("t2"), text("a")] },
      { ...list[3], content: [text("b")] },
    ])
  })
})

describe("writing another agent's conversation", () => {
  const { conversation } = settle(
    transcript(
      system("Be careful."),
      asked("read it"),
      spoken(thinking("hm"), "Reading.", { ...call("t1", "read_file", { path: "a.ts" }), style: "xml" }),
      answers(result("t1", "no such file", { error: true })),
      asked("try again"),
      { ...asked("Summary: nothing was read."), summary: true },
      spoken("No."),
    ),
  )

  it("writes calls and results as blocks and stamps each message", () => {
    const messages = clineApi.encode(conversation, { session: { id: "x", startedAt: "2026-01-02T03:04:05.000Z" } })["messages"]
    const ts = 1_767_323_045_000
    expect(messages).toEqual([
      { role: "user", content: [text("[System message]"), text("Be careful.")], ts, ligature: { role: "system" } },
      { role: "user", content: [text("read it")], ts: ts + 1000 },
      {
        role: "assistant",
        content: [text("Reading."), { type: "tool_use", id: "t1", name: "read_file", input: { path: "a.ts" } }],
        reasoning_content: "hm",
        ts: ts + 2000,
      },
      {
        role: "user",
        content: [{ ...answer("t1", "no such file"), is_error: true }, text("try again")],
        ts: ts + 3000,
      },
      {
        role: "user",
        content: [text("Summary: nothing was read.")],
        ts: ts + 4000,
        isSummary: true,
        condenseId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
      { role: "assistant", content: [text("No.")], ts: ts + 5000 },
    ])
    expect(clineApi.session.recognise({ syntax: "value", records: [messages] })?.certainty).toBe("certain")
    expect(clineApi.session.place?.(messages)).toMatchObject({
      path: `<globalStorage>/rooveterinaryinc.roo-cline/tasks/${ts}/api_conversation_history.json`,
      note: expect.stringContaining("task index") as string,
    })
  })

  it("gives a summary a record of its own, also right after results", () => {
    const summed = settle(
      transcript(asked("a"), spoken(call("t1", "ls")), answers(result("t1", "x")), { ...asked("Summary."), summary: true }, asked("b")),
    )
    const messages = clineApi.encode(summed.conversation)["messages"] as readonly Fields[]
    expect(messages.map(({ content, isSummary }) => [content, isSummary])).toEqual([
      [[text("a")], undefined],
      [[{ type: "tool_use", id: "t1", name: "ls", input: {} }], undefined],
      [[answer("t1", "x")], undefined],
      [[text("Summary.")], true],
      [[text("b")], undefined],
    ])
  })

  it("has times of 13 digits also where nobody says when it began", () => {
    const messages = clineApi.encode(conversation)["messages"] as readonly Fields[]
    expect(messages.every(({ ts }) => String(ts).length === 13)).toBe(true)
  })
})

describe("records of other shapes", () => {
  const twice = (list: readonly unknown[]): readonly (readonly Fields[])[] => {
    const once = repaired(list)
    return [once, repaired(once)]
  }

  it("have the calls of another API in their content, and only there", () => {
    const calls = [{ id: "c1", function: { name: "ls", arguments: "{}" } }]
    const [once, again] = twice([{ role: "assistant", tool_calls: calls, ts: 1 }])
    expect(once?.[0]).toEqual({ role: "assistant", ts: 1, content: [{ type: "tool_use", id: "c1", name: "ls", input: {} }] })
    expect(again).toEqual(once)
  })

  it("have the label of a system message once, and no other text in its place", () => {
    const record = { role: "user", content: [text("Be kind."), text("")], ligature: { role: "system" } }
    const [once, again] = twice([record])
    expect(once).toEqual([{ ...record, content: [text("Be kind.")] }])
    expect(again).toEqual(once)
  })

  it("have no thinking in a message of the user", () => {
    const [message] = clineApi.decode([user([{ type: "reasoning", text: "hm" }])]).messages
    expect(message?.blocks.map(({ type }) => type)).toEqual(["opaque"])
  })
})
