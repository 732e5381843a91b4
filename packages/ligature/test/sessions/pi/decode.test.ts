import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pi } from "../../../src/sessions/pi/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { text, type Transcript, type Wire } from "../../../src/model/index.ts"
import { brief } from "./brief.ts"
import { assistant, entry, header, toolCall, toolResult, user, withoutIds } from "./records.ts"

const { decode } = pi

const rules = ({ diagnostics = [] }: Transcript) => diagnostics.map(({ rule, place, ids }) => ({ rule, place, ids }))

describe("decoding", () => {
  it("reads every kind of message into one transcript that points back to its records", () => {
    const records: readonly Wire[] = [
      header,
      entry("m", null, { type: "model_change", provider: "anthropic", modelId: "x" }),
      user("a", "m", "go"),
      assistant("b", "a", [
        { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
        { type: "text", text: "I look.", textSignature: "t" },
        toolCall("c1"),
      ]),
      toolResult("c", "b", "c1", "no", true),
    ]
    expect(decode(records, { source: "x.jsonl", lines: [1, 2, 3, 4, 6] })).toEqual({
      format: "pi",
      source: "x.jsonl",
      origin: { provider: "anthropic", model: "claude-sonnet" },
      native: { pi: expect.objectContaining({ records, path: [1, 2, 3, 4] }) as unknown },
      messages: [
        { role: "user", id: "a", line: 3, blocks: [text("go")], native: { pi: records[2] } },
        {
          role: "assistant",
          id: "b",
          line: 4,
          origin: { provider: "anthropic", model: "claude-sonnet" },
          blocks: [
            {
              type: "thinking",
              text: "hm",
              signature: "c2ln",
              native: { pi: { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" } },
            },
            { type: "text", text: "I look.", native: { pi: { type: "text", text: "I look.", textSignature: "t" } } },
            { type: "call", id: "c1", name: "bash", arguments: { command: "ls" }, native: { pi: toolCall("c1") } },
          ],
          native: { pi: records[3] },
        },
        {
          role: "tool",
          id: "c",
          line: 6,
          blocks: [
            {
              type: "result",
              callId: "c1",
              name: "bash",
              content: [text("no")],
              error: true,
              native: { pi: records[4]?.["message"] },
            },
          ],
          native: { pi: records[4] },
        },
      ],
    })
  })

  it("says commands, notes of extensions and summaries as the user's words, and hides what the agent hides", () => {
    const records = [
      header,
      entry("a", null, {
        type: "message",
        message: { role: "bashExecution", command: "make", output: "boom", exitCode: 2, cancelled: false },
      }),
      entry("b", "a", {
        type: "message",
        message: { role: "bashExecution", command: "env", output: "secret", excludeFromContext: true },
      }),
      entry("c", "b", { type: "custom_message", customType: "todo", content: "three left", display: true }),
      entry("d", "c", { type: "branch_summary", fromId: "z", summary: "we tried x" }),
      entry("e", "d", { type: "custom", customType: "state", data: {} }),
      entry("f", "e", { type: "label", targetId: "a", label: "here" }),
      assistant("g", "f", [], { stopReason: "error", errorMessage: "overloaded" }),
    ]
    expect(brief(decode(records))).toEqual(["user: $ make\nboom\n(exit code 2)", "user: three left", "user*: we tried x"])
    expect(decode(records).diagnostics).toBeUndefined()
  })

  it("reads version 1, which has no ids, in file order", () => {
    const compaction = {
      type: "compaction",
      timestamp: "t",
      summary: "so far",
      firstKeptEntryIndex: 3,
      tokensBefore: 9,
    }
    const { version: _, ...old } = header
    const records = [
      old,
      withoutIds(user("", null, "one")),
      withoutIds(assistant("", null, [{ type: "text", text: "two" }])),
      withoutIds(user("", null, "three")),
      compaction,
      withoutIds(user("", null, "four")),
    ]
    expect(brief(decode(records))).toEqual(["user: one", "assistant: two", "user: three", "user*: so far", "user: four"])
    expect(brief(decode(records, { view: "effective" }))).toEqual(["user*: so far", "user: three", "user: four"])
  })

  it("shows what a compaction leaves of the path in the effective view, and all of it otherwise", () => {
    const records = [
      header,
      user("a", null, "one"),
      entry("b", "a", { type: "compaction", summary: "first", firstKeptEntryId: "a", tokensBefore: 1 }),
      user("c", "b", "two"),
      user("d", "c", "three"),
      entry("e", "d", { type: "compaction", summary: "second", firstKeptEntryId: "d", tokensBefore: 1 }),
      user("f", "e", "four"),
    ]
    expect(brief(decode(records))).toEqual(["user: one", "user*: first", "user: two", "user: three", "user*: second", "user: four"])
    expect(brief(decode(records, { view: "effective" }))).toEqual(["user*: second", "user: three", "user: four"])
    expect(pi.session.outline(records).compactions).toEqual([
      { record: 2, kind: "summary", summary: "first" },
      { record: 5, kind: "summary", summary: "second" },
    ])
  })

  it("follows the last entry, and another branch when asked", () => {
    const records = [
      header,
      user("a", null, "start"),
      assistant("b", "a", [{ type: "text", text: "wrong" }]),
      user("c", "b", "no"),
      assistant("d", "a", [{ type: "text", text: "right" }]),
      user("e", null, "fresh root"),
      user("f", "d", "yes"),
    ]
    expect(brief(decode(records))).toEqual(["user: start", "assistant: right", "user: yes"])
    expect(brief(decode(records, { branch: "c" }))).toEqual(["user: start", "assistant: wrong", "user: no"])
    expect(pi.session.outline(records)).toEqual({
      id: "s-1",
      title: "start",
      folder: "/home/ada/work",
      model: "claude-sonnet",
      startedAt: "2026-01-01T00:00:00.000Z",
      compactions: [],
      paths: [
        { id: "f", kind: "active", title: "start", messages: 3, first: 1 },
        { id: "c", kind: "abandoned", title: "no", messages: 2, first: 2, leaves: 1 },
        { id: "e", kind: "abandoned", title: "fresh root", messages: 1, first: 5 },
      ],
    })
    expect(rules(decode(records, { branch: "nope" }))).toEqual([{ rule: "unknown-record", place: {}, ids: ["nope"] }])
    expect(brief(decode(records, { branch: "nope" }))).toEqual(brief(decode(records)))
  })

  it("takes the order of the file where a parent is missing or parents run in a circle", () => {
    const torn = [header, user("a", null, "one"), user("b", "gone", "two")]
    expect(brief(decode(torn))).toEqual(["user: one", "user: two"])
    expect(rules(decode(torn, { lines: [1, 2, 4] }))).toEqual([
      { rule: "dangling-parent", place: { message: 1, path: "records[2]", line: 4 }, ids: ["b", "gone"] },
    ])
    const circle = [header, user("a", null, "one"), user("b", "c", "two"), user("c", "b", "three")]
    expect(brief(decode(circle))).toEqual(["user: one", "user: two", "user: three"])
    expect(rules(decode(circle)).map(({ rule }) => rule)).toEqual(["parent-cycle"])
  })

  it("reads a slice without complaint about the parent of its first record", () => {
    expect(decode([user("b", "a", "two"), user("c", "b", "three")]).diagnostics).toBeUndefined()
  })

  it("names a message that broke off, with its calls", () => {
    const records = [header, user("a", null, "go"), assistant("b", "a", [toolCall("c1")], { stopReason: "aborted" })]
    expect(rules(decode(records))).toEqual([{ rule: "stream-cut", place: { message: 1, path: "records[2]" }, ids: ["c1"] }])
    expect(check(decode(records)).map(({ rule }) => rule)).toContain("unanswered-call")
  })

  it("names unknown and broken records once and goes on", () => {
    const records = [
      header,
      entry("a", null, { type: "weather" }),
      entry("b", "a", { type: "weather" }),
      entry("c", "b", { type: "message", message: 7 }),
      user("d", "c", "hi"),
    ]
    expect(brief(decode(records))).toEqual(["user: hi"])
    expect(decode(records).diagnostics?.map(({ rule, what }) => [rule, what])).toEqual([
      ["malformed-record", "Expected an entry with a message of a known role"],
      ["unknown-record", "2 entries of type weather are not known"],
    ])
  })
})

describe("a record alone", () => {
  it("says which calls it makes and answers, and where a prompt starts", () => {
    expect(
      [user("a", null, "x"), assistant("b", "a", [toolCall("1"), toolCall("2")]), toolResult("c", "b", "1", "x"), header, 7].map((record) =>
        pi.session.pulse?.(record),
      ),
    ).toEqual([{ starts: true }, { calls: ["1", "2"] }, { results: ["1"] }, {}, {}])
  })

  it("is recognised without the header, by messages nobody else writes", () => {
    const recognise = (records: readonly unknown[]) => pi.session.recognise({ syntax: "lines", records })?.certainty
    expect(recognise([header])).toBe("certain")
    expect(recognise([user("a", null, "x"), assistant("b", "a", [])])).toBe("likely")
    expect(
      recognise([
        { type: "session_start", id: "x" },
        { type: "message", id: "1", message: { role: "user", content: [] } },
      ]),
    ).toBeUndefined()
    expect(recognise([])).toBeUndefined()
  })

  it("has its place in the folder of the session", () => {
    expect(pi.session.place?.([header])).toEqual({
      path: "~/.pi/agent/sessions/--home-ada-work--/2026-01-01T00-00-00-000Z_s-1.jsonl",
      resume: "pi --session s-1",
      note: "run it in /home/ada/work, the folder the session names",
    })
  })
})

describe("the agent's own prompt", () => {
  const sections = { preamble: "You are pi.", tools: "<tools>\n- read\n</tools>", rules: "be \ud800 brief" }
  const records = [
    header,
    entry("p", null, { type: "message", message: { role: "system", content: "", sections, toolsAdded: [{ name: "read" }] } }),
    user("a", "p", "go"),
    assistant("b", "a", [{ type: "text", text: "done" }]),
  ]

  it("is a system message with a block for each section, and no damage", () => {
    const transcript = decode(records)
    expect(transcript.diagnostics ?? []).toEqual([])
    expect(transcript.messages[0]).toMatchObject({
      role: "system",
      blocks: Object.values(sections).map((each) => ({ type: "text", text: each })),
    })
    expect(check(decode([...records.slice(0, 1), ...records.slice(2)]))).toEqual([])
  })

  it("keeps the sections that a repair does not touch", () => {
    const { records: repaired } = pi.encode(settle(decode(records)).conversation) as { records: readonly Wire[] }
    expect(repaired[1]).toMatchObject({ message: { sections: { preamble: sections.preamble, tools: sections.tools } } })
    expect(JSON.stringify(repaired[1])).toContain("be \ufffd brief")
    expect(repaired[2]).toBe(records[2])
  })
})

describe("hostile values", () => {
  const anyEntry = fc.record(
    {
      type: fc.constantFrom("session", "message", "compaction", "custom_message", "branch_summary", "label", "__proto__", "x"),
      id: fc.oneof(fc.constantFrom("a", "b", "c"), fc.anything()),
      parentId: fc.oneof(fc.constantFrom("a", "b", "c", null), fc.anything()),
      summary: fc.anything(),
      content: fc.anything(),
      firstKeptEntryId: fc.constantFrom("a", "z", 3),
      message: fc.oneof(
        fc.anything(),
        fc.record(
          {
            role: fc.constantFrom("user", "assistant", "system", "toolResult", "bashExecution", "custom", "constructor"),
            sections: fc.anything(),
            content: fc.oneof(
              fc.anything(),
              fc.array(
                fc.oneof(
                  fc.anything(),
                  fc.record({
                    type: fc.constantFrom("text", "thinking", "toolCall", "image"),
                    text: fc.anything(),
                    id: fc.anything(),
                    arguments: fc.anything(),
                  }),
                ),
              ),
            ),
            stopReason: fc.constantFrom("aborted", "stop"),
          },
          { requiredKeys: ["role"] },
        ),
      ),
    },
    { requiredKeys: ["type"] },
  )

  it("never throw", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.array(fc.oneof(anyEntry, fc.anything()))),
        fc.constantFrom("whole", "effective"),
        (value, view) => {
          pi.encode(settle(decode(value, { view: view as "whole", branch: "b" })).conversation)
          const back = pi.encode(settle(decode({ records: value }, { view: view as "whole" })).conversation)
          decode(back)
          pi.session.outline(value)
          pi.session.place?.(value)
          if (Array.isArray(value)) for (const record of value) pi.session.pulse?.(record)
        },
      ),
      { numRuns: 400 },
    )
  })
})
