import { describe, expect, it } from "vitest"
import { clineApi } from "../../../src/sessions/cline-api/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Block, resultText } from "../../../src/model/index.ts"
import { answer, assistant, surroundings, tag, task, text, told, use, user } from "./records.ts"

const word = (block: Block): string => {
  if (block.type === "call") {
    return `call ${block.id} ${block.name} ${JSON.stringify(block.arguments)}${block.style ?? ""}`
  }
  if (block.type === "result") return `result ${block.callId} ${resultText(block)}${block.style ?? ""}`
  if (block.type === "thinking") return `thinking ${block.text}`
  return block.type === "text" ? (block.text.startsWith("<environment") ? "env" : block.text) : block.type
}

const read = (list: readonly unknown[], options = {}): readonly (readonly string[])[] =>
  clineApi.decode(list, options).messages.map(({ role, blocks }) => [role, ...blocks.map(word)])

const opening = ["user", "<task>\nRead a.ts\n</task>", "env"]

describe("the three styles of a Cline-like history", () => {
  it("reads calls and results in text, each call with a certainty", () => {
    const list = [
      task(),
      assistant([text(`I read it.\n\n${tag("a.ts")}`)]),
      user([...told("a.ts", "1 | export {}"), surroundings]),
      assistant(`Now the other.\n${tag("b.ts")}`),
      user([...told("b.ts", "The tool execution failed with the following error:\n<error>\nno\n</error>"), surroundings]),
    ]
    expect(read(list)).toEqual([
      opening,
      ["assistant", "I read it.", 'call call_1_0 read_file {"path":"a.ts"}xml'],
      ["user", "result call_1_0 1 | export {}xml", "env"],
      ["assistant", "Now the other.", 'call call_3_0 read_file {"path":"b.ts"}xml'],
      ["user", "result call_3_0 The tool execution failed with the following error:\n<error>\nno\n</error>xml", "env"],
    ])
    const blocks = clineApi.decode(list).messages.flatMap((message) => message.blocks)
    const calls = blocks.filter((block) => block.type === "call")
    expect(calls.map(({ certainty }) => certainty !== undefined && certainty >= 0.9)).toEqual([true, true])
    expect(check(clineApi.decode(list))).toEqual([])
  })

  it("reads calls and results as blocks", () => {
    const list = [task(), assistant([text("I read it."), use("t1")]), user([answer("t1", [text("one")]), surroundings])]
    expect(read(list)).toEqual([
      opening,
      ["assistant", "I read it.", 'call t1 read_file {"path":"a.ts"}'],
      ["user", "result t1 one", "env"],
    ])
    expect(check(clineApi.decode(list))).toEqual([])
  })

  it("reads call blocks that are answered in text", () => {
    const list = [
      task(),
      assistant([use("t1"), use("t2", "read_file", { path: "b.ts" })]),
      user([...told("b.ts", "two"), ...told("a.ts", "one"), surroundings]),
    ]
    expect(read(list)).toEqual([
      opening,
      ["assistant", 'call t1 read_file {"path":"a.ts"}', 'call t2 read_file {"path":"b.ts"}'],
      ["user", "result t2 twoxml", "result t1 onexml", "env"],
    ])
  })

  it("reads an answer under another name where one call block waits for it", () => {
    const list = [
      task(),
      assistant([text("Asking."), use("t1", "use_subagents", { prompt_1: "look" })]),
      user([text("[subagents] Result:\nTotal: 1"), surroundings]),
      assistant([use("t2", "use_subagents", { prompt_1: "look" })]),
      user([text("[subagents] Result:"), text("Total: 2"), surroundings]),
    ]
    expect(read(list).slice(1)).toEqual([
      ["assistant", "Asking.", 'call t1 use_subagents {"prompt_1":"look"}'],
      ["user", "result t1 Total: 1xml", "env"],
      ["assistant", 'call t2 use_subagents {"prompt_1":"look"}'],
      ["user", "result t2 Total: 2xml", "env"],
    ])
    const two = [task(), assistant([use("t1"), use("t2")]), user([text("[subagents] Result:\nTotal: 1")])]
    expect(read(two)[2]).toEqual(["user", "[subagents] Result:\nTotal: 1"])
    expect(clineApi.encode(settle(clineApi.decode(list), {}).conversation)["messages"]).toEqual([
      list[0],
      list[1],
      { ...list[2], content: [answer("t1", "Total: 1"), surroundings] },
      list[3],
      { ...list[4], content: [answer("t2", "Total: 2"), surroundings] },
    ])
  })

  it("reads headers that show commands, patterns and questions of several lines", () => {
    const cases = [
      ["execute_command", { command: 'npx tsc 2>&1 | findstr /i "a\\|b"' }, `'npx tsc 2>&1 | findstr /i "a\\|b"'`],
      ["search_files", { regex: "from ['\"]@/lib['\"]" }, `'from ['"]@/lib['"]'`],
      ["ask_followup_question", { question: "What now?\n\n- 'a'\n- b" }, "'What now?\n\n- 'a'\n- b'"],
    ] as const
    for (const [name, input, hint] of cases) {
      const list = [task(), assistant([use("t1", name, input)]), user([text(`[${name} for ${hint}] Result:\nyes`), surroundings])]
      expect(read(list)[2]).toEqual(["user", "result t1 yesxml", "env"])
    }
  })

  it("reads a file that switched its style half-way", () => {
    const list = [
      task(),
      assistant([text(tag("a.ts"))]),
      user([...told("a.ts", "one"), surroundings]),
      assistant([use("t1", "read_file", { path: "b.ts" })]),
      user([answer("t1", "two")]),
    ]
    expect(read(list).slice(1)).toEqual([
      ["assistant", 'call call_1_0 read_file {"path":"a.ts"}xml'],
      ["user", "result call_1_0 onexml", "env"],
      ["assistant", 'call t1 read_file {"path":"b.ts"}'],
      ["user", "result t1 two"],
    ])
    expect(check(clineApi.decode(list)).map(({ rule }) => rule)).toEqual(["mixed-call-style"])
  })

  it("takes tags for words where calls are blocks and nothing answers them", () => {
    const prose = `You would write\n\n${tag("a.ts")}\n\nto read it.`
    const list = [task(), assistant([text(prose), use("t1")]), user([answer("t1"), surroundings]), assistant([text(prose)]), user("thanks")]
    expect(read(list)).toEqual([
      opening,
      ["assistant", prose, 'call t1 read_file {"path":"a.ts"}'],
      ["user", "result t1 result of t1", "env"],
      ["assistant", prose],
      ["user", "thanks"],
    ])
    expect(check(clineApi.decode(list))).toEqual([])
  })

  it("keeps an unanswered text call in the part of the file that has calls in text", () => {
    const list = [
      task(),
      assistant([text(tag("a.ts"))]),
      user([...told("a.ts", "one"), surroundings]),
      assistant([text("<attempt_completion>\n<result>All read.</result>\n</attempt_completion>")]),
      user("[TASK RESUMPTION] go on"),
      assistant([use("t1")]),
      user([answer("t1")]),
    ]
    const tools = ["read_file", "attempt_completion"]
    expect(read(list, { tools })[3]).toEqual(["assistant", 'call call_3_0 attempt_completion {"result":"All read."}xml'])
  })
})

describe("what a condense or a truncation hides", () => {
  const hiddenPair = [assistant([use("t1")], { condenseParent: "c1" }), user([answer("t1")], { condenseParent: "c1" })]
  const summary = user([text("Summary: a.ts was read.")], { isSummary: true, condenseId: "c1" })
  const rest = [assistant([text("Going on.")])]

  it("is not in the effective history, and is in the whole one", () => {
    const list = [task(), ...hiddenPair, summary, ...rest]
    expect(read(list)).toEqual([opening, ["user", "Summary: a.ts was read."], ["assistant", "Going on."]])
    expect(clineApi.decode(list).messages.map((message) => message.summary)).toEqual([undefined, true, undefined])
    expect(read(list, { view: "whole" })).toEqual([
      opening,
      ["assistant", 'call t1 read_file {"path":"a.ts"}'],
      ["user", "result t1 result of t1"],
      ["user", "Summary: a.ts was read."],
      ["assistant", "Going on."],
    ])
  })

  it("shows again when the summary is gone", () => {
    expect(read([task(), ...hiddenPair, ...rest])).toEqual(read([task(), ...hiddenPair, ...rest], { view: "whole" }))
  })

  it("stays hidden through a second summary that covers the first", () => {
    const first = { ...summary, condenseParent: "c2" }
    const second = user([text("Summary of all.")], { isSummary: true, condenseId: "c2" })
    expect(read([task(), ...hiddenPair, first, { ...rest[0], condenseParent: "c2" }, second])).toEqual([
      opening,
      ["user", "Summary of all."],
    ])
    // Without the second one, the first counts again.
    expect(read([task(), ...hiddenPair, first, ...rest])).toEqual(read([task(), ...hiddenPair, summary, ...rest]))
  })

  it("is hidden behind a truncation marker while that is there", () => {
    const marker = user("[Sliding window truncation: 2 messages hidden to reduce context]", {
      isTruncationMarker: true,
      truncationId: "w1",
    })
    const cut = [assistant([use("t1")], { truncationParent: "w1" }), user([answer("t1")], { truncationParent: "w1" })]
    expect(read([task(), marker, ...cut, ...rest])).toEqual([
      opening,
      ["user", "[Sliding window truncation: 2 messages hidden to reduce context]"],
      ["assistant", "Going on."],
    ])
    expect(read([task(), ...cut, ...rest])).toHaveLength(4)
    // An id alone does not hide: the record must be a marker.
    const { isTruncationMarker: _, ...unmarked } = marker
    expect(read([task(), unmarked, ...cut, ...rest])).toHaveLength(5)
  })

  it("leaves a result whose call is hidden to settle", () => {
    const edge = [task(), assistant([use("t1")], { condenseParent: "c1" }), summary, user([answer("t1")])]
    expect(read(edge)[2]).toEqual(["user", "result t1 result of t1"])
    expect(check(clineApi.decode(edge)).map(({ rule }) => rule)).toEqual(["orphan-result"])
    // A result in text whose call is hidden is text.
    const inText = [task(), assistant([text(tag("a.ts"))], { condenseParent: "c1" }), summary, user([...told("a.ts", "one")])]
    expect(check(clineApi.decode(inText))).toEqual([])
  })
})

describe("reasoning beside Anthropic's", () => {
  it("is read from blocks, records and fields", () => {
    const list = [
      task(),
      assistant([{ type: "reasoning", text: "plain", summary: [] }, text("one")]),
      user("a"),
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "sealed" }],
        encrypted_content: "gAAA",
        id: "rs_1",
        ts: 1,
      },
      assistant([text("two")]),
      user("b"),
      assistant([text("three")], { reasoning_content: "deep" }),
      user("c"),
      assistant([text("four")], { reasoning_details: [{ type: "reasoning.text", text: "routed", signature: "s" }] }),
      user("d"),
      assistant([{ type: "thinking", thinking: "unsigned", signature: "" }, text("five")]),
      user("e"),
      assistant([
        { type: "thinking", thinking: "signed", signature: "c2ln" },
        text("six"),
        { type: "thoughtSignature", thoughtSignature: "Q0M=" },
      ]),
    ]
    expect(read(list).filter(([role]) => role === "assistant")).toEqual([
      ["assistant", "thinking plain", "one"],
      ["assistant", "thinking sealed", "two"],
      ["assistant", "thinking deep", "three"],
      ["assistant", "thinking routed", "four"],
      ["assistant", "thinking unsigned", "five"],
      ["assistant", "thinking signed", "six", "opaque"],
    ])
    expect(check(clineApi.decode(list))).toEqual([])
  })

  it("says who made a message and how it is called", () => {
    const [, message] = clineApi.decode([
      task(),
      assistant([text("x")], { id: "m1", modelInfo: { providerId: "openrouter", modelId: "qwen" } }),
    ]).messages
    expect([message?.id, message?.origin]).toEqual(["m1", { provider: "openrouter", model: "qwen" }])
  })
})

describe("records that are no messages", () => {
  it("stay out of the conversation and are named with their place", () => {
    const list = [task(), 7, null, { ts: 1, type: "say", text: "x" }, { role: "robot", content: "x" }]
    const { messages, diagnostics } = clineApi.decode(list, { lines: [1, 2, 3, 4, 5] })
    expect(messages.map(({ line }) => line)).toEqual([1])
    expect(diagnostics?.map(({ rule, place }) => [rule, place])).toEqual(
      [2, 3, 4, 5].map((line) => ["malformed-record", { path: `[${line - 1}]`, line }]),
    )
  })

  it("are not looked for on another branch", () => {
    const { diagnostics } = clineApi.decode([task()], { branch: "nowhere" })
    expect(diagnostics?.map(({ rule }) => rule)).toEqual(["unknown-record"])
    expect(clineApi.decode([task()], { branch: clineApi.session.outline([task()]).paths[0]?.id ?? "" }).diagnostics).toBe(undefined)
  })
})
