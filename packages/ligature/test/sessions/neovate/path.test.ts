import { describe, expect, it } from "vitest"
import { neovate } from "../../../src/sessions/neovate/index.ts"
import { type Policies, settle } from "../../../src/rules/index.ts"
import { flatten, type Message, resultText, type Transcript } from "../../../src/model/index.ts"
import { answer, assistant, config, earlyAnswer, type Fields, say, tool, use, user } from "./records.ts"

const line = ({ role, blocks }: Message): string =>
  `${role}: ${blocks
    .map((block) => {
      if (block.type === "call") return `call ${block.id}`
      if (block.type === "result") return `result ${block.callId}`
      return block.type === "text" ? block.text : block.type
    })
    .join(", ")}`

const shown = (transcript: Transcript): readonly string[] => transcript.messages.map(line)

const read = (records: readonly unknown[], options = {}): readonly string[] => shown(neovate.decode(records, options))

const findings = (records: readonly unknown[], options = {}): readonly string[] =>
  (neovate.decode(records, options).diagnostics ?? []).map(({ rule, severity }) => `${severity} ${rule}`)

/** What resuming asks for: the message of an unanswered call goes, and nothing of it stays behind. */
const seedPolicies: Partial<Policies> = { unansweredCall: "drop-message" }

const settled = (records: readonly unknown[], policies: Partial<Policies> = seedPolicies): readonly string[] =>
  shown(flatten(settle(neovate.decode(records), { policies }).conversation))

const opening: readonly Fields[] = [
  config,
  user("1", null, "read file.ts"),
  assistant("2", "1", use("toolu_001")),
  tool("3", "2", answer("toolu_001")),
]

describe("the path of a Neovate session", () => {
  it("leaves out abandoned branches", () => {
    const records = [...opening, user("4", "3", "left behind"), user("5", "3", "go on"), assistant("6", "5", say("ok"))]
    expect(read(records)).toEqual([
      "user: read file.ts",
      "assistant: call toolu_001",
      "tool: result toolu_001",
      "user: go on",
      "assistant: ok",
    ])
    expect(read(records, { branch: "4" })).toEqual([
      "user: read file.ts",
      "assistant: call toolu_001",
      "tool: result toolu_001",
      "user: left behind",
    ])
    expect(findings(records)).toEqual([])
  })

  it("reads the active path and says so when the branch is unknown", () => {
    expect(read(opening, { branch: "nobody" })).toEqual(read(opening))
    expect(findings(opening, { branch: "nobody" })).toEqual(["info unknown-record"])
  })

  it("goes on with the message before where a parent is missing", () => {
    const records = [...opening, user("5", "gone", "go on")]
    expect(read(records)).toEqual([...read(opening), "user: go on"])
    expect(findings(records)).toEqual(["warning dangling-parent"])
  })

  it("says nothing of the missing parent of the first message, as a slice of a file has it", () => {
    const slice = opening.slice(2)
    expect(read(slice)).toEqual(["assistant: call toolu_001", "tool: result toolu_001"])
    expect(findings(slice)).toEqual([])
  })

  it("ends where parents go in circles, and loses nothing that is before", () => {
    const records = [
      user("1", null, "hello"),
      assistant("2", "1", say("hi")),
      user("3", "5", "go"),
      assistant("4", "3", say("going")),
      user("5", "4", "on"),
    ]
    expect(read(records)).toEqual(["user: hello", "assistant: hi", "user: go", "assistant: going", "user: on"])
    expect(findings(records)).toEqual(["warning parent-cycle"])
    expect(read([user("1", "1", "its own parent")])).toEqual(["user: its own parent"])
  })

  it("reads a record that is there twice once", () => {
    const records = [...opening.slice(0, 3), opening[2], opening[3]]
    expect(read(records)).toEqual(read(opening))
    expect(findings(records)).toEqual(["info repeated-record"])
  })

  it("takes the order of the file where no message names a parent", () => {
    const records = opening.map((record) => Object.fromEntries(Object.entries(record).filter(([field]) => field !== "parentUuid")))
    expect(read(records)).toEqual(read(opening))
  })

  it("crosses a compaction in the whole view alone", () => {
    const summary = user("4", null, [say("So far: …")], { uiContent: "Chat history compacted successfully." })
    const records = [...opening, summary, assistant("5", "4", say("Going on."))]
    expect(read(records)).toEqual(["user: So far: …", "assistant: Going on."])
    expect(neovate.decode(records).messages[0]?.summary).toBe(true)
    expect(read(records, { view: "whole" })).toEqual([...read(opening), "user: So far: …", "assistant: Going on."])
    expect(neovate.session.outline(records).paths).toEqual([{ id: "5", kind: "active", title: "read file.ts", messages: 5, first: 1 }])
    expect(neovate.session.outline(records).compactions).toEqual([{ record: 4, kind: "summary", summary: "So far: …" }])
  })
})

describe("cleaning up before a session is resumed", () => {
  it("removes the message of a call that a crash left without result", () => {
    const records = [...opening, assistant("4", "3", use("toolu_002", "write"))]
    expect(settled(records)).toEqual(read(opening))
  })

  it("leaves alone what is whole, and texts", () => {
    expect(settled(opening)).toEqual(read(opening))
    const chat = [user("1", null, "hi"), assistant("2", "1", say("hello"))]
    expect(settled(chat)).toEqual(["user: hi", "assistant: hello"])
    expect(settled([])).toEqual([])
  })

  it("removes the results of siblings with the message, where the published fix leaves orphans", () => {
    const records = [
      user("1", null, "read both"),
      assistant("2", "1", say("Reading."), use("t1"), use("t2")),
      tool("3", "2", answer("t1")),
      user("4", "3", "well?"),
    ]
    expect(settled(records)).toEqual(["user: read both", "user: well?"])
    expect(settled(records, {})).toEqual([
      "user: read both",
      "assistant: Reading., call t1, call t2",
      "tool: result t1",
      "tool: result t2",
      "user: well?",
    ])
  })

  it("keeps a cancelled message whose results hang side by side, where the published fix sees only the last", () => {
    const cancelled = "[Request interrupted by user]"
    const records = [
      user("1", null, "read both"),
      assistant("2", "1", use("t1"), use("t2"), use("t3")),
      tool("3", "2", answer("t1", cancelled, { isError: true })),
      tool("4", "2", answer("t2", cancelled, { isError: true })),
      tool("5", "2", answer("t3", cancelled, { isError: true })),
      user("6", "5", "never mind"),
    ]
    const whole = [
      "user: read both",
      "assistant: call t1, call t2, call t3",
      "tool: result t1",
      "tool: result t2",
      "tool: result t3",
      "user: never mind",
    ]
    expect(read(records)).toEqual(whole)
    expect(settled(records)).toEqual(whole)
    expect(findings(records)).toEqual(["warning detached-result", "warning detached-result"])
  })

  it("keeps early sessions, whose results are in user messages", () => {
    const records = [
      user("1", null, "read it"),
      assistant("2", "1", use("t1")),
      user("3", "2", [earlyAnswer("t1")]),
      assistant("4", "3", say("done")),
    ]
    expect(settled(records)).toEqual(["user: read it", "assistant: call t1", "tool: result t1", "assistant: done"])
    const result = neovate.decode(records).messages[2]?.blocks[0]
    expect(result?.type === "result" && resultText(result)).toBe("result of t1")
  })

  it("does not take an abandoned answer for that of a call which has its own", () => {
    const records = [
      user("1", null, "read it"),
      assistant("2", "1", use("t1")),
      tool("3", "2", answer("t1", "first run")),
      tool("4", "2", answer("t1", "second run")),
      user("5", "4", "go on"),
    ]
    expect(read(records)).toEqual(["user: read it", "assistant: call t1", "tool: result t1", "user: go on"])
    expect(findings(records)).toEqual([])
  })

  it("matches ids that come again by where they are", () => {
    const records = [
      user("1", null, "twice"),
      assistant("2", "1", use("call_0")),
      tool("3", "2", answer("call_0", "one")),
      assistant("4", "3", use("call_0")),
    ]
    expect(settled(records)).toEqual(["user: twice", "assistant: call call_0", "tool: result call_0"])
  })
})
