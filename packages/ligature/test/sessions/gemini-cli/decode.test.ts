import { describe, expect, it } from "vitest"
import { geminiCli } from "../../../src/sessions/gemini-cli/index.ts"
import type { Transcript } from "../../../src/model/index.ts"
import { answered, geminiRecord, metadata, notice, rewindTo, set, userRecord } from "./records.ts"

const { decode } = geminiCli
const { outline, pulse, place } = geminiCli.session

const texts = ({ messages }: Transcript): readonly string[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.map((block) => {
      if (block.type === "text" || block.type === "thinking") return `${role} ${block.type}: ${block.text}`
      if (block.type === "call") return `${role} call: ${block.id}`
      if (block.type !== "result") return role
      return `${role} result: ${block.callId} ${block.error === true ? "failed" : "done"}`
    }),
  )

const rules = ({ diagnostics = [] }: Transcript): readonly string[] => diagnostics.map(({ rule, severity }) => `${rule} ${severity}`)

describe("a session in JSON lines", () => {
  const call = answered("c1", "read_file", "text of the file")
  const model = geminiRecord("m2", "Looking.", {
    thoughts: [{ subject: "Plan", description: "Read it." }],
    toolCalls: [call],
  })
  const records = [metadata, userRecord("m1", "Read a."), notice("m3", "info", "Update available"), model]

  it("reads thoughts, text, calls and results of a record as a message and its results", () => {
    const thought = { subject: "Plan", description: "Read it." }
    const part = { functionResponse: { id: "c1", name: "read_file", response: { output: "text of the file" } } }
    expect(decode(records, { lines: [1, 2, 3, 4] })).toMatchObject({
      format: "gemini-cli",
      messages: [
        {
          role: "user",
          blocks: [{ type: "text", text: "Read a.", native: { gemini: { text: "Read a." } } }],
          id: "m1",
          line: 2,
          native: { "gemini-cli": records[1] },
        },
        {
          role: "assistant",
          blocks: [
            { type: "thinking", text: "**Plan**\nRead it.", native: { "gemini-cli": thought } },
            { type: "text", text: "Looking." },
            { type: "call", id: "c1", name: "read_file", arguments: { path: "c1" }, native: { "gemini-cli": call } },
          ],
          origin: { provider: "gemini", model: "gemini-3" },
          id: "m2",
          line: 4,
          native: { "gemini-cli": model },
        },
        {
          role: "tool",
          blocks: [
            {
              type: "result",
              callId: "c1",
              name: "read_file",
              content: [{ type: "text", text: "text of the file" }],
              native: { gemini: part, "gemini-cli": call },
            },
          ],
          id: "m2",
          line: 4,
          native: { "gemini-cli": model },
        },
      ],
      origin: { provider: "gemini", model: "gemini-3" },
    })
  })

  it("takes a repeated record for a new version of the message, in its old place", () => {
    const first = geminiRecord("m2", "Looking.")
    const read = decode([metadata, userRecord("m1", "Read."), first, userRecord("m4", "And?"), model])
    expect(texts(read)).toEqual([
      "user text: Read.",
      "assistant thinking: **Plan**\nRead it.",
      "assistant text: Looking.",
      "assistant call: c1",
      "tool result: c1 done",
      "user text: And?",
    ])
  })

  it("forgets what a rewind takes away, and keeps it as a path of its own", () => {
    const rewound = [...records, userRecord("m5", "Wrong way."), geminiRecord("m6", "Oh."), rewindTo("m5"), userRecord("m7", "Better.")]
    expect(texts(decode(rewound)).at(-1)).toBe("user text: Better.")
    expect(texts(decode(rewound))).not.toContain("user text: Wrong way.")
    expect(texts(decode(rewound, { branch: "m6" })).slice(-3)).toEqual([
      "tool result: c1 done",
      "user text: Wrong way.",
      "assistant text: Oh.",
    ])
    expect(outline(rewound).paths).toEqual([
      { id: "m7", kind: "active", title: "Read a.", messages: 4, first: 1 },
      { id: "m6", kind: "abandoned", title: "Wrong way.", messages: 2, first: 4, leaves: 3 },
    ])
  })

  it("deletes nothing when a rewind names a message that is not there, and says so", () => {
    const read = decode([...records, rewindTo("gone"), userRecord("m7", "Go on.")])
    expect(texts(read).length).toBe(6)
    expect(rules(read)).toEqual(["unknown-rewind warning"])
    expect(read.diagnostics?.[0]?.ids).toEqual(["gone"])
  })

  it("leaves out a rewind to what a slice of a file does not have, and reports it", () => {
    const read = decode([userRecord("m7", "Go on."), rewindTo("gone"), set({ lastUpdated: "x" })])
    expect(rules(read)).toEqual(["unknown-rewind warning"])
  })

  it("takes a checkpoint for the whole list, and shows what it took away in the whole view", () => {
    const summary = userRecord("s1", "<state_snapshot>so far</state_snapshot>")
    const kept = userRecord("m7", "Go on.")
    const compacted = [...records, kept, set({ messages: [summary, kept] }), geminiRecord("m8", "Yes.")]
    expect(texts(decode(compacted))).toEqual([
      "user text: <state_snapshot>so far</state_snapshot>",
      "user text: Go on.",
      "assistant text: Yes.",
    ])
    expect(decode(compacted).messages[0]?.summary).toBe(true)
    expect(texts(decode(compacted, { view: "whole" })).slice(-4)).toEqual([
      "tool result: c1 done",
      "user text: Go on.",
      "user text: <state_snapshot>so far</state_snapshot>",
      "assistant text: Yes.",
    ])
    expect(outline(compacted).compactions).toEqual([{ record: 5, kind: "summary", summary: "<state_snapshot>so far</state_snapshot>" }])
  })

  it("does not say twice what a checkpoint repeats as messages of the user's", () => {
    const response = { functionResponse: { id: "c1", name: "read_file", response: { output: "text of the file" } } }
    const spoken = {
      ...model,
      content: [{ text: "Looking." }, { functionCall: { id: "c1", name: "read_file", args: { path: "c1" } } }],
    }
    const carrier = { ...userRecord("m9", ""), content: [response] }
    const read = decode([metadata, set({ messages: [userRecord("m1", "Read a."), spoken, carrier] })])
    expect(texts(read).slice(2)).toEqual(["assistant text: Looking.", "assistant call: c1", "tool result: c1 done"])
  })

  it("reads failed, cancelled, open and nameless calls", () => {
    const denied = {
      functionResponse: {
        id: "c",
        name: "rm",
        response: { error: "[Operation Cancelled] Reason: User denied execution." },
      },
    }
    const toolCalls = [
      answered("a", "rm", "no such file", { status: "error" }),
      answered("c", "rm", "", { status: "cancelled", result: [denied] }),
      answered("d", "rm", "", { status: "executing", result: null }),
      answered("", "rm", "gone", { id: null }),
      answered("e", "rm", "", { status: "?", result: "plain words" }),
      "no call",
    ]
    const [message, results] = decode([metadata, geminiRecord("m1", null, { toolCalls })]).messages
    expect(message?.blocks.map((block) => block.type === "call" && [block.id, block.pending, block.assigned])).toEqual([
      ["a", undefined, undefined],
      ["c", undefined, undefined],
      ["d", "running", undefined],
      ["call_4", undefined, true],
      ["e", undefined, undefined],
    ])
    expect(results?.blocks.map((block) => block.type === "result" && [block.callId, block.error, block.denied])).toEqual([
      ["a", true, undefined],
      ["c", true, true],
      ["call_4", undefined, undefined],
      ["e", undefined, undefined],
    ])
  })

  it("never gives an open call the result of another one with its id", () => {
    const toolCalls = [answered("x", "ls", "", { result: null }), answered("x", "cat", "words")]
    const read = decode([metadata, geminiRecord("m1", "", { toolCalls })])
    expect(texts(read)).toEqual(["assistant call: x__open_1", "assistant call: x", "tool result: x done"])
    expect(rules(read)).toEqual(["collapsed-id warning"])
  })

  it("leaves out bare commands, and only those", () => {
    const read = decode([metadata, userRecord("m1", "/stats"), userRecord("m2", "/home/a.ts is broken"), userRecord("m3", "? ")])
    expect(texts(read)).toEqual(["user text: /home/a.ts is broken"])
  })

  it("says for each record what it calls and answers, and where to cut", () => {
    expect(records.map((record) => pulse?.(record))).toEqual([{}, { starts: true }, {}, { calls: ["c1"], results: ["c1"] }])
  })

  it("reads the active path where the asked one is not there, and says so", () => {
    const read = decode(records, { branch: "nowhere" })
    expect(texts(read).length).toBe(5)
    expect(rules(read)).toEqual(["unknown-record info"])
  })

  it("knows where its file goes", () => {
    expect(place?.(records).path).toBe("~/.gemini/tmp/aa11/chats/session-2026-05-01T10-00-0b5e1a2c.jsonl")
    expect(place?.(records).resume).toBe("gemini --resume 0b5e1a2c-0000-4000-8000-000000000001")
  })
})

describe("a session in one JSON object", () => {
  it("reads the same messages as JSON lines do", () => {
    const messages = [userRecord("m1", "Hi."), geminiRecord("m2", "Hello.", { toolCalls: [answered("c1", "ls", "x")] })]
    const value = { ...metadata, messages }
    expect(geminiCli.decode(value).messages).toEqual(decode([metadata, ...messages]).messages)
  })

  it("keeps two messages of one id apart, as the agent does there", () => {
    const value = { ...metadata, messages: [userRecord("m1", "one"), userRecord("m1", "two")] }
    expect(texts(geminiCli.decode(value))).toEqual(["user text: one", "user text: two"])
  })
})

describe("recognition", () => {
  const recognise = (records: readonly unknown[]) => geminiCli.session.recognise({ syntax: "lines", records })?.certainty

  it("needs no first line", () => {
    expect(recognise([metadata, userRecord("m1", "x")])).toBe("certain")
    expect(recognise([userRecord("m1", "x"), geminiRecord("m2", "y")])).toBe("likely")
    expect(recognise([userRecord("m1", "x"), set({}), rewindTo("m1")])).toBe("likely")
    expect(recognise([userRecord("m1", "x"), { type: "assistant", id: "1" }])).toBe(undefined)
  })

  it("knows a session in one object", () => {
    const value = { ...metadata, messages: [] }
    expect(geminiCli.session.recognise({ syntax: "value", records: [value] })?.certainty).toBe("certain")
  })
})
