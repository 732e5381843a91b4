import { describe, expect, it } from "vitest"
import { neovate } from "../../../src/sessions/neovate/index.ts"
import { settle, type SettleOptions } from "../../../src/rules/index.ts"
import { assistant as spoken, call, result, syntheticTexts, tool as answers, transcript, user as asked } from "../../../src/model/index.ts"
import { answer, assistant, config, earlyAnswer, type Fields, message, say, tool, use, user } from "./records.ts"

const repaired = (records: readonly unknown[], options: SettleOptions = {}): readonly Fields[] => {
  const { conversation } = settle(neovate.decode(records), options)
  return neovate.encode(conversation)["records"] as readonly Fields[]
}

const healthy: readonly Fields[] = [
  config,
  { type: "file-history-snapshot", messageId: "1", snapshot: {}, isSnapshotUpdate: false },
  user("1", null, "look at this", { uiContent: "look" }),
  user("2", "1", [say("and this"), { type: "image", data: "data:image/png;base64,aGk=", mimeType: "image/png" }]),
  assistant("3", "2", { type: "reasoning", text: "hm" }, say("Looking."), use("t1"), use("t2", "bash", { command: "ls" })),
  tool("4", "3", answer("t1"), { ...answer("t2", [say("a.ts"), { type: "image", data: "aGk=", mimeType: "image/png" }]), agentId: "x" }),
  user("4b", "4", "an abandoned question"),
  assistant("5", "4", say("Done.")),
  user("6", "5", [{ ...say("hidden"), hidden: true }]),
  assistant("7", "6", { type: "widget", data: 1 }, say("Bye.")),
]

describe("writing a Neovate session back", () => {
  it("gives the very same records for a healthy one", () => {
    const records = repaired(healthy)
    expect(records).toHaveLength(healthy.length)
    for (const [index, record] of healthy.entries()) expect(records[index]).toBe(record)
  })

  it("puts an invented result after its call and leads the next message to it", () => {
    const records = [
      config,
      user("1", null, "go"),
      assistant("2", "1", use("t1"), use("t2")),
      tool("3", "2", answer("t1")),
      user("4", "3", "well?"),
    ]
    const written = repaired(records)
    const invented = written[4]
    expect(written.map((record) => record["uuid"])).toEqual([undefined, "1", "2", "3", invented?.["uuid"], "4"])
    expect(invented).toEqual({
      parentUuid: "3",
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "t2",
          toolName: "read",
          input: { file_path: "a.ts" },
          result: { llmContent: syntheticTexts.interrupted, isError: true },
        },
      ],
      type: "message",
      timestamp: records[3]?.["timestamp" as keyof (typeof records)[3]],
      sessionId: "a1b2c3d4",
    })
    expect(written[5]).toEqual({ ...records[4], parentUuid: invented?.["uuid"] })
    expect(repaired(written).every((record, index) => record === written[index])).toBe(true)
  })

  it("writes an invented result as an early session has them", () => {
    const records = [
      user("1", null, "go"),
      assistant("2", "1", use("t1")),
      user("3", "2", [earlyAnswer("t1")]),
      assistant("4", "3", use("t2")),
    ]
    expect(repaired(records)[4]).toMatchObject({
      role: "user",
      parentUuid: "4",
      content: [{ type: "tool_result", id: "t2", name: "read" }],
    })
  })

  it("puts results beside the path onto it", () => {
    const records = [
      user("1", null, "go"),
      assistant("2", "1", use("t1"), use("t2")),
      tool("3", "2", answer("t1")),
      tool("4", "2", answer("t2")),
      user("5", "4", "on"),
    ]
    const written = repaired(records)
    expect(written.map((record) => [record["uuid"], record["parentUuid"]])).toEqual([
      ["1", null],
      ["2", "1"],
      ["3", "2"],
      ["4", "3"],
      ["5", "4"],
    ])
    expect(written[2]).toBe(records[2])
  })

  it("repairs links that lead nowhere", () => {
    const records = [user("1", null, "go"), assistant("2", "1", say("ok")), user("3", "gone", "on")]
    expect(repaired(records)[2]).toEqual({ ...records[2], parentUuid: "2" })
  })

  it("hangs what followed a message that is gone on the one before it, other branches too", () => {
    const records = [
      user("1", null, "go"),
      assistant("2", "1", use("t1"), use("t2")),
      tool("3", "2", answer("t1")),
      user("3b", "2", "an abandoned branch"),
      user("4", "3", "on"),
    ]
    const written = repaired(records, { policies: { unansweredCall: "drop-message" } })
    expect(written).toEqual([records[0], { ...records[3], parentUuid: "1" }, { ...records[4], parentUuid: "1" }])
  })

  it("writes what is no result apart from the results beside it", () => {
    const records = [
      user("1", null, "go"),
      assistant("2", "1", use("t1")),
      tool("3", "2", answer("t1"), say("and this")),
      user("4", "3", "on"),
    ]
    const written = repaired(records)
    expect(written.map(({ role, content }) => [role, content])).toEqual([
      ["user", "go"],
      ["assistant", [use("t1")]],
      ["tool", [answer("t1")]],
      ["user", [say("and this")]],
      ["user", "on"],
    ])
    expect(repaired(written).every((record, index) => record === written[index])).toBe(true)
  })

  it("writes a message of role tool without any result as one of the user", () => {
    const [written] = repaired([{ ...tool("1", "0", say("no result")), parentUuid: null }])
    expect(written).toMatchObject({ role: "user", content: [say("no result")] })
  })

  it("takes results out of messages of the system", () => {
    const records = [user("1", null, "go"), assistant("2", "1", use("t1")), message("3", "2", { role: "system", content: [answer("t1")] })]
    const written = repaired(records)
    expect(written[2]).toMatchObject({ role: "tool", parentUuid: "2", content: [answer("t1")] })
    expect(repaired(written).every((record, index) => record === written[index])).toBe(true)
  })

  it("ends the file with the end of the path, where a result is before its call", () => {
    const records = [user("1", null, "go"), tool("3", "2", answer("t1")), assistant("2", "1", use("t1"))]
    const written = repaired(records)
    expect(written).toEqual([records[0], records[2], records[1]])
    expect(repaired(written).every((record, index) => record === written[index])).toBe(true)
  })

  it("leaves a summary the root of its path, also where something new is before it", () => {
    const summary = user("3", null, [say("So far: …")], { uiContent: "Chat history compacted successfully." })
    const records = [user("1", null, "go"), assistant("2", "1", use("t1")), summary, assistant("4", "3", say("ok"))]
    const { conversation } = settle(neovate.decode(records, { view: "whole" }))
    const written = neovate.encode(conversation)["records"] as readonly Fields[]
    expect(written).toHaveLength(5)
    expect(written[2]).toMatchObject({ role: "tool", parentUuid: "2" })
    expect(written[3]).toBe(summary)
  })

  it("changes one part of a message and keeps the rest of it", () => {
    const records = [
      user("1", null, "go"),
      assistant("2", "1", say("one"), { ...say("  "), hidden: true }, use("t1")),
      tool("3", "2", answer("t1")),
    ]
    const written = repaired(records)
    expect(written[1]).toEqual({ ...records[1], content: [say("one"), use("t1")], text: "one" })
    expect(written[2]).toBe(records[2])
  })
})

describe("writing a new Neovate session", () => {
  const conversation = settle(
    transcript(
      asked("read it"),
      spoken("Reading.", call("t1", "read", { file_path: "a.ts" })),
      answers(result("t1", "no such file", { error: true })),
      spoken("It is not there."),
    ),
  ).conversation

  it("has settings, a chain of messages, and times that count up", () => {
    const session = { id: "feedbeef", startedAt: "2026-02-04T10:00:00.000Z", title: "Reading" }
    const records = neovate.encode(conversation, { session })["records"] as readonly Fields[]
    const uuids = records.map((record) => record["uuid"])
    const frame = (index: number, second: number): Fields => ({
      parentUuid: index === 1 ? null : uuids[index - 1],
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      type: "message",
      timestamp: `2026-02-04T10:00:0${second}.000Z`,
      sessionId: "feedbeef",
    })
    const usage = { input_tokens: 0, output_tokens: 0 }
    expect(records).toEqual([
      { type: "config", config: { approvalMode: "default", approvalTools: [], summary: "Reading" } },
      { ...frame(1, 0), role: "user", content: "read it" },
      {
        ...frame(2, 1),
        role: "assistant",
        content: [say("Reading."), { type: "tool_use", id: "t1", name: "read", input: { file_path: "a.ts" } }],
        text: "Reading.",
        model: "unknown",
        usage,
      },
      {
        ...frame(3, 2),
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "read",
            input: { file_path: "a.ts" },
            result: { llmContent: "no such file", isError: true },
          },
        ],
      },
      {
        ...frame(4, 3),
        role: "assistant",
        content: [say("It is not there.")],
        text: "It is not there.",
        model: "unknown",
        usage,
      },
    ])
    expect(neovate.session.recognise({ syntax: "lines", records })?.certainty).toBe("certain")
    expect(neovate.session.place?.(records).path).toBe("~/.neovate/projects/<project>/feedbeef.jsonl")
  })

  it("is the same file every time, without being told anything", () => {
    const records = neovate.encode(conversation)["records"] as readonly Fields[]
    expect(neovate.encode(conversation)["records"]).toEqual(records)
    expect(records[1]?.["sessionId"]).toMatch(/^[0-9a-f]{8}$/)
    expect(records[1]?.["timestamp"]).toBe("1970-01-01T00:00:00.000Z")
  })
})

describe("what a Neovate session says of itself", () => {
  it("names its paths, the active one first", () => {
    expect(neovate.session.outline(healthy)).toEqual({
      id: "a1b2c3d4",
      title: "look at this",
      model: "claude-sonnet-4-5",
      startedAt: "2026-02-04T10:00:01.000Z",
      paths: [
        { id: "7", kind: "active", title: "look at this", messages: 7, first: 2 },
        { id: "4b", kind: "abandoned", title: "an abandoned question", messages: 1, first: 6, leaves: 5 },
      ],
      compactions: [],
    })
  })

  it("tells record by record what is called, answered and started", () => {
    expect(healthy.map((record) => neovate.session.pulse?.(record))).toEqual([
      {},
      {},
      { starts: true },
      { starts: true },
      { calls: ["t1", "t2"] },
      { results: ["t1", "t2"] },
      { starts: true },
      {},
      { starts: true },
      {},
    ])
  })

  it("is known by its messages, also where the first lines are gone, and not taken for others", () => {
    const known = (records: readonly unknown[]): string | undefined => neovate.session.recognise({ syntax: "lines", records })?.certainty
    expect(known(healthy.slice(4))).toBe("certain")
    expect(known([config])).toBe("likely")
    expect(known([{ type: "user", uuid: "1", parentUuid: null, sessionId: "s", message: { role: "user", content: "hi" } }])).toBe(undefined)
    expect(known([{ type: "message", id: "1", parentId: null, message: { role: "user", content: "hi" } }])).toBe(undefined)
    expect(neovate.session.recognise({ syntax: "value", records: [healthy] })).toBe(undefined)
  })
})
