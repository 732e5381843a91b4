import { describe, expect, it } from "vitest"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { FileBuilder, said } from "./builder.ts"

const { decode, session } = claudeCode

const rulesOf = (value: unknown): readonly string[] => (decode(value).diagnostics ?? []).map(({ rule }) => rule)

describe("fragments and results", () => {
  it("reads fragments of one reply as one message, with results between them", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("looking")
    const first = file.call("a")
    const one = file.result("a", first)
    const second = file.call("b", one)
    file.result("b", second)
    file.reply("done")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: looking +a +b", "user: =a", "user: =b", "assistant: done"])
  })

  it("keeps results of parallel calls that no parent leads to, in call order", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("two at once")
    const a = file.call("a")
    const b = file.call("b")
    file.result("b", b)
    const last = file.result("a", a)
    file.reply("done", last)
    const transcript = decode(file.records, { lines: file.records.map((_, index) => index + 1) })
    expect(said(transcript.messages)).toEqual(["user: go", "assistant: two at once +a +b", "user: =a", "user: =b", "assistant: done"])
    expect(transcript.diagnostics?.map(({ rule, severity, place, ids }) => ({ rule, severity, place, ids }))).toEqual([
      { rule: "off-path-result", severity: "info", place: { message: 3, path: "records[4]", line: 5 }, ids: ["b"] },
    ])
    expect(settle(transcript).report.entries).toEqual([])
  })

  it("goes on after a late result of an earlier reply", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("two")
    const a = file.call("a")
    const b = file.call("b")
    file.result("a", a)
    file.reply("done")
    file.result("b", b)
    expect(said(decode(file.records).messages).at(-1)).toBe("assistant: done")
    expect(session.outline(file.records).paths).toHaveLength(1)
  })

  it("goes on after a notice that hangs on a result, although a late result ends the file", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("two")
    const a = file.call("a")
    const b = file.call("b")
    file.prompt("note", file.result("a", a), { isMeta: true })
    file.reply("done")
    file.result("b", b)
    expect(said(decode(file.records).messages).slice(-2)).toEqual(["user: note", "assistant: done"])
  })

  it("reads a result that was written before its call after it", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("hm")
    file.result("a", "later")
    file.fragment({ type: "tool_use", id: "a", name: "ls", input: {} }, "u1")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: hm +a", "user: =a"])
    expect(rulesOf(file.records)).toContain("result-before-call")
  })

  it("finds the reply of a result by the record it names when ids repeat", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("one")
    const first = file.call("a")
    file.reply("two")
    file.call("a")
    file.result("a", first, first)
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: one +a", "user: =a", "assistant: two +a"])
  })

  it("keeps messages without ids apart", () => {
    const records = [
      { type: "user", uuid: "1", message: { role: "user", content: "go" } },
      { type: "assistant", uuid: "2", parentUuid: "1", message: { content: [{ type: "text", text: "x" }] } },
      { type: "assistant", uuid: "3", parentUuid: "2", message: { role: "assistant", content: "y" } },
    ]
    expect(said(decode(records).messages)).toEqual(["user: go", "assistant: x", "assistant: y"])
  })

  it("puts fragments in the order in which they hang on each other", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.fragment("second", "u2", 1)
    file.fragment("first", "u0", 1)
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: first second"])
  })

  it("does not take a recycled message id for one reply when a prompt is between", () => {
    const file = new FileBuilder()
    for (const turn of ["one", "two"]) {
      file.prompt(turn)
      const message = { id: "msg", role: "assistant", content: [{ type: "text", text: `re ${turn}` }] }
      file.tree({ type: "assistant", message })
    }
    expect(said(decode(file.records).messages)).toEqual(["user: one", "assistant: re one", "user: two", "assistant: re two"])
  })
})

describe("what is not said", () => {
  it("leaves out what the agent wrote in the model's place, and walks through it", () => {
    const file = new FileBuilder()
    file.aside("progress", null)
    file.prompt("go")
    const content = [{ type: "text", text: "No response requested." }]
    file.tree({ type: "assistant", message: { id: "x", model: "<synthetic>", content } })
    file.tree({ type: "assistant", isApiErrorMessage: true, message: { id: "y", content } })
    file.aside("system", undefined, { subtype: "turn_duration" })
    file.prompt("again")
    file.prompt("caveat", undefined, { isMeta: true })
    file.reply("yes")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "user: again", "user: caveat", "assistant: yes"])
  })

  it("reads prompts that were queued while the model worked", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("on it")
    file.aside("attachment", undefined, { attachment: { type: "queued_command", prompt: "and this" } })
    file.reply("yes")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: on it", "user: and this", "assistant: yes"])
  })

  it("names records without a message and goes on", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.tree({ type: "assistant", message: null })
    file.reply("yes")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: yes"])
    expect(rulesOf(file.records)).toEqual(["malformed-record"])
  })

  it("takes titles only from summaries of this session", () => {
    const file = new FileBuilder()
    file.outside({ type: "summary", summary: "of another", leafUuid: "elsewhere" })
    file.prompt("go", null)
    file.outside({ type: "summary", summary: "of this", leafUuid: "u1" })
    expect(session.outline(file.records).title).toBe("of this")
  })
})

describe("the tree", () => {
  it("takes the message before for a parent that is not in the file", () => {
    const file = new FileBuilder()
    file.prompt("one")
    file.reply("two")
    file.aside("progress", "missing")
    file.prompt("three")
    expect(said(decode(file.records).messages)).toEqual(["user: one", "assistant: two", "user: three"])
  })

  it("says nothing about the parent of a slice's first record, and names others", () => {
    const file = new FileBuilder()
    file.prompt("one", "cut away")
    file.reply("two", "lost")
    expect(rulesOf(file.records)).toEqual(["dangling-parent"])
  })

  it("reads a slice that begins in the middle of a reply", () => {
    const file = new FileBuilder()
    file.prompt("one")
    file.reply("two")
    file.call("a")
    file.call("b")
    file.result("a", "u2")
    file.result("b", "u3")
    file.reply("three")
    const slice = decode(file.records.slice(3))
    expect(said(slice.messages)).toEqual(["assistant: +b", "user: =b", "user: =a", "assistant: three"])
    expect(slice.diagnostics?.filter(({ severity }) => severity !== "info") ?? []).toEqual([])
    expect(settle(slice).report.entries.map(({ rule }) => rule)).toEqual(["orphan-result"])
  })

  it("gets out of circles in file order", () => {
    const file = new FileBuilder()
    file.prompt("one", null)
    file.prompt("two", "u3")
    file.aside("progress", "u3")
    file.reply("three", "u1")
    expect(said(decode(file.records).messages)).toEqual(["user: one", "user: two", "assistant: three"])
    expect(rulesOf(file.records)).toEqual(["parent-cycle"])
  })

  it("gets out of circles of asides", () => {
    const file = new FileBuilder()
    file.prompt("one", null)
    file.aside("progress", "u2")
    file.aside("progress", "u1")
    file.reply("two")
    expect(said(decode(file.records).messages)).toEqual(["user: one", "assistant: two"])
    expect(rulesOf(file.records)).toEqual(["parent-cycle"])
  })

  it("reads a record that is in the file twice once, and a changed one as another", () => {
    const file = new FileBuilder()
    file.prompt("one", null)
    file.reply("two")
    file.outside({ ...file.records[1] })
    file.tree({ type: "user", message: { role: "user", content: "one, changed" } }, "u1", "u0")
    expect(said(decode(file.records).messages)).toEqual(["user: one", "assistant: two", "user: one, changed"])
    expect(rulesOf(file.records)).toEqual(["duplicate-record-id", "repeated-record"])
  })
})

describe("branches", () => {
  const rewound = (): FileBuilder => {
    const file = new FileBuilder()
    file.prompt("go")
    const answer = file.reply("which?")
    file.prompt("left")
    file.reply("went left")
    file.prompt("right", answer)
    file.reply("went right")
    return file
  }

  it("reads the newest branch and names the one that was left", () => {
    const file = rewound()
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: which?", "user: right", "assistant: went right"])
    expect(session.outline(file.records).paths).toEqual([
      { id: "u5", kind: "active", title: "go", messages: 4, first: 0 },
      { id: "u3", kind: "abandoned", title: "left", messages: 2, first: 2, leaves: 1 },
    ])
    expect(said(decode(file.records, { branch: "u3" }).messages)).toEqual([
      "user: go",
      "assistant: which?",
      "user: left",
      "assistant: went left",
    ])
  })

  it("stays at the active path when a branch is unknown, and says so", () => {
    const transcript = decode(rewound().records, { branch: "nowhere" })
    expect(transcript.messages).toHaveLength(4)
    expect(transcript.diagnostics?.map(({ rule, ids }) => ({ rule, ids }))).toEqual([{ rule: "unknown-record", ids: ["nowhere"] }])
  })

  it("believes the last prompt's leaf when nothing follows it, and not when messages do", () => {
    const file = rewound()
    file.outside({ type: "last-prompt", leafUuid: "u3", sessionId: "session-1" })
    expect(said(decode(file.records).messages).at(-1)).toBe("assistant: went left")
    file.prompt("more", "u5")
    expect(said(decode(file.records).messages).slice(-2)).toEqual(["assistant: went right", "user: more"])
  })

  it("knows an edited first prompt as a branch", () => {
    const file = new FileBuilder()
    file.prompt("one", null)
    file.reply("re one")
    file.prompt("uno", null)
    file.reply("re uno")
    const { paths } = session.outline(file.records)
    expect(paths.map(({ kind, title, messages }) => ({ kind, title, messages }))).toEqual([
      { kind: "active", title: "uno", messages: 2 },
      { kind: "abandoned", title: "one", messages: 2 },
    ])
  })

  it("takes notices along that hang beside the path", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("two")
    const a = file.call("a")
    const b = file.call("b")
    const late = file.result("a", a)
    file.prompt("what the skill says", late, { isMeta: true })
    const last = file.result("b", b)
    file.reply("done", last)
    expect(said(decode(file.records).messages)).toEqual([
      "user: go",
      "assistant: two +a +b",
      "user: =a",
      "user: =b",
      "user: what the skill says",
      "assistant: done",
    ])
    expect(session.outline(file.records).paths).toHaveLength(1)
  })

  it("keeps subagents apart, and reads a file of theirs as a session", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("delegating")
    const side = { isSidechain: true, agentId: "agent-7" }
    file.tree({ ...side, type: "user", message: { role: "user", content: "do it" } }, null)
    file.tree({ ...side, type: "assistant", message: { id: "s", content: [{ type: "text", text: "did" }] } })
    file.reply("done", "u1")
    expect(said(decode(file.records).messages)).toEqual(["user: go", "assistant: delegating", "assistant: done"])
    const [, agent] = session.outline(file.records).paths
    expect(agent).toEqual({ id: "agent-7", kind: "subagent", title: "do it", messages: 2, first: 2 })
    expect(said(decode(file.records, { branch: "agent-7" }).messages)).toEqual(["user: do it", "assistant: did"])
    expect(said(decode(file.records.slice(2, 4)).messages)).toEqual(["user: do it", "assistant: did"])
  })
})

describe("compactions", () => {
  const compacted = (metadata: object, parent: string | undefined, logical: string): FileBuilder => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("one")
    file.prompt("on")
    file.reply("two")
    file.aside("system", null, { subtype: "compact_boundary", logicalParentUuid: logical, compactMetadata: metadata })
    const marks = { isCompactSummary: true, isVisibleInTranscriptOnly: true }
    file.prompt("This session is being continued", undefined, marks)
    file.prompt("next", parent)
    file.reply("three")
    return file
  }
  const whole = [
    "user: go",
    "assistant: one",
    "user: on",
    "assistant: two",
    "user: This session is being continued",
    "user: next",
    "assistant: three",
  ]

  it("are crossed in the whole view and cut off in the effective one", () => {
    const { records } = compacted({ trigger: "auto" }, undefined, "u3")
    const transcript = decode(records)
    expect(said(transcript.messages)).toEqual(whole)
    expect(transcript.messages.findIndex(({ summary }) => summary === true)).toBe(4)
    expect(said(decode(records, { view: "effective" }).messages)).toEqual(whole.slice(4))
    expect(session.outline(records).compactions).toEqual([
      { record: 4, kind: "summary", trigger: "auto", summary: "This session is being continued" },
    ])
  })

  it("are crossed in file order when they continue what was never written", () => {
    const { records } = compacted({ trigger: "auto" }, undefined, "never written")
    expect(said(decode(records).messages)).toEqual(whole)
    expect(rulesOf(records)).toEqual(["compaction-parent"])
  })

  it("keep what they preserve in sight, also where new messages hang on it", () => {
    const segment = { preservedSegment: { headUuid: "u2", anchorUuid: "u5", tailUuid: "u3" } }
    const listed = { preservedMessages: { anchorUuid: "u5", uuids: ["u2", "u3"] } }
    for (const metadata of [segment, listed]) {
      for (const parent of [undefined, "u3"]) {
        const { records } = compacted(metadata, parent, "u3")
        expect(said(decode(records).messages)).toEqual(whole)
        const seen = [whole[4], whole[2], whole[3], whole[5], whole[6]]
        expect(said(decode(records, { view: "effective" }).messages)).toEqual(seen)
        expect(session.outline(records).paths).toHaveLength(1)
      }
    }
  })
})

describe("the pulse of a record", () => {
  it("names calls, results and prompts", () => {
    const file = new FileBuilder()
    file.prompt("go")
    file.reply("x")
    file.call("a")
    file.result("a")
    file.prompt("note", undefined, { isMeta: true })
    file.outside({ type: "mode", mode: "normal" })
    expect(file.records.map((record) => session.pulse?.(record))).toEqual([
      { starts: true },
      {},
      { calls: ["a"] },
      { results: ["a"] },
      {},
      {},
    ])
  })
})
