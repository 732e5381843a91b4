import { describe, expect, it } from "vitest"
import { opencodeExport } from "../../../src/sessions/opencode-export/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { callsOf, resultText, type Transcript, type Wire } from "../../../src/model/index.ts"
import { completed, info, model, part, session, text, toolPart, user } from "./session.ts"

const { decode } = opencodeExport
const { outline, recognise } = opencodeExport.session

const texts = ({ messages }: Transcript): readonly string[] =>
  messages.flatMap(({ role, blocks }) =>
    blocks.map((block) => {
      if (block.type === "text" || block.type === "thinking") return `${role} ${block.type}: ${block.text}`
      if (block.type === "call") return `${role} call: ${block.id} ${block.name}`
      if (block.type === "media") return `${role} media: ${block.mediaType}`
      return block.type === "result" ? `${role} result: ${block.callId} ${resultText(block)}` : role
    }),
  )

const rules = ({ diagnostics = [] }: Transcript): readonly string[] => diagnostics.map(({ rule, severity }) => `${rule} ${severity}`)

describe("an export", () => {
  it("reads a tool part as a call and its result, and keeps the parts", () => {
    const call = toolPart("c1", "ls", completed("a.txt"))
    const words = text("Looking.")
    const thought = part("reasoning", { text: "Hm.", metadata: { anthropic: { signature: "sig" } } })
    const asked = user("msg_1", text("List."))
    const answer = model("msg_2", [part("step-start"), thought, words, call, part("step-finish")])
    const value = session(asked, answer)
    const origin = { provider: "anthropic", model: "claude" }
    const key = "opencode-export"
    expect(decode(value)).toEqual({
      format: key,
      messages: [
        {
          role: "user",
          id: "msg_1",
          blocks: [{ type: "text", text: "List.", native: { [key]: (asked["parts"] as readonly Wire[])[0] } }],
          native: { [key]: asked },
        },
        {
          role: "assistant",
          id: "msg_2",
          origin,
          blocks: [
            {
              type: "thinking",
              text: "Hm.",
              signature: "sig",
              native: { anthropic: { type: "thinking", thinking: "Hm.", signature: "sig" }, [key]: thought },
            },
            { type: "text", text: "Looking.", native: { [key]: words } },
            { type: "call", id: "c1", name: "ls", arguments: { path: "." }, native: { [key]: call } },
          ],
          native: { [key]: answer },
        },
        {
          role: "tool",
          id: "msg_2",
          blocks: [
            {
              type: "result",
              callId: "c1",
              name: "ls",
              content: [{ type: "text", text: "a.txt" }],
              native: { [key]: call },
            },
          ],
          native: { [key]: answer },
        },
      ],
      native: { [key]: expect.objectContaining({ value }) },
      origin,
    })
  })

  it("splits a message into its steps, so that results are before the text that followed them", () => {
    const parts = [
      part("step-start"),
      text("One."),
      toolPart("c1", "ls", completed("x")),
      part("step-finish"),
      part("step-start"),
      text("Two."),
      toolPart("c2", "cat", completed("y")),
      part("step-finish"),
      part("step-start"),
      text("Done."),
    ]
    expect(texts(decode(session(user("msg_1", text("Go.")), model("msg_2", parts))))).toEqual([
      "user text: Go.",
      "assistant text: One.",
      "assistant call: c1 ls",
      "tool result: c1 x",
      "assistant text: Two.",
      "assistant call: c2 cat",
      "tool result: c2 y",
      "assistant text: Done.",
    ])
  })

  it("reads every state a call can be in", () => {
    const time = { start: 1, end: 2 }
    const parts = [
      toolPart("a", "ls", { status: "error", input: {}, error: "no such folder", time }),
      toolPart("b", "ls", { status: "error", input: {}, error: "aborted", metadata: { interrupted: true, output: "half" }, time }),
      toolPart("c", "ls", { status: "error", input: {}, error: "The user rejected permission to use this specific tool call.", time }),
      toolPart("d", "ls", { status: "running", input: { path: "." }, time: { start: 1 } }),
      toolPart("e", "ls", { status: "pending", input: {}, raw: '{"path": "/ho' }),
      toolPart("f", "ls", completed({ files: 2 })),
      toolPart("g", "ls", { status: "later", input: {} }),
      toolPart(null, "ls", completed("nameless")),
    ]
    const read = decode(session(user("msg_1", text("Go.")), model("msg_2", parts)))
    const [, message, results] = read.messages
    expect(message?.blocks.map((block) => block.type === "call" && [block.id, block.pending, block.fault])).toEqual([
      ["a", undefined, undefined],
      ["b", undefined, undefined],
      ["c", undefined, undefined],
      ["d", "running", undefined],
      ["e", "running", "unparsable"],
      ["f", undefined, undefined],
      ["g", undefined, undefined],
      ["call_8", undefined, undefined],
    ])
    const said = results?.blocks.map((block) => block.type === "result" && [block.callId, resultText(block), block.error, block.denied])
    expect(said).toEqual([
      ["a", "no such folder", true, undefined],
      ["b", "half", true, undefined],
      ["c", "The user rejected permission to use this specific tool call.", true, true],
      ["f", '{"files":2}', undefined, undefined],
      ["call_8", "nameless", undefined, undefined],
    ])
    expect(rules(read)).toEqual(["stream-cut warning"])
  })

  it("shows a cleared output in the whole view and its clearing in the effective one", () => {
    const cleared = toolPart("c1", "ls", completed("long", { time: { start: 1, end: 2, compacted: 3 } }))
    const gone = toolPart("c2", "ls", completed("", { time: { start: 1, end: 2, compacted: 3 } }))
    const value = session(user("msg_1", text("Go.")), model("msg_2", [cleared, gone]))
    expect(texts(decode(value)).slice(3)).toEqual(["tool result: c1 long", "tool result: c2 [Old tool result content cleared]"])
    expect(texts(decode(value, { view: "effective" })).slice(3)).toEqual([
      "tool result: c1 [Old tool result content cleared]",
      "tool result: c2 [Old tool result content cleared]",
    ])
    expect(outline(value).compactions).toEqual([{ record: 1, kind: "cleared-results", trigger: "auto" }])
  })

  it("reads files, and leaves out what no model sees", () => {
    const asked = user(
      "msg_1",
      text("See."),
      text("note to self", { ignored: true }),
      text("attached by the agent", { synthetic: true }),
      part("file", { mime: "image/png", url: "data:image/png;base64,AAAA", filename: "a.png" }),
      part("file", { mime: "text/plain", url: "file:///a.txt" }),
      part("agent", { name: "plan" }),
    )
    const shot = { id: "prt_x", type: "file", mime: "image/png", url: "data:image/png;base64,BBBB" }
    const parts = [
      part("reasoning", { text: "" }),
      toolPart("c1", "shot", completed("ok", { attachments: [shot] })),
      part("patch", { hash: "1" }),
    ]
    const read = decode(session(asked, model("msg_2", parts)))
    expect(texts(read).slice(0, 3)).toEqual(["user text: See.", "user text: attached by the agent", "user media: image/png"])
    const result = read.messages[2]?.blocks[0]
    expect(result?.type === "result" && result.content.map((block) => block.type)).toEqual(["text", "media"])
    expect(rules(read)).toEqual([])
  })

  it("begins the effective view with the last finished compaction", () => {
    const value = session(
      user("msg_1", text("Old.")),
      model("msg_2", [text("Old answer.")]),
      user("msg_3", part("compaction", { auto: true })),
      model("msg_4", [text("Summary of it.")], { parentID: "msg_3", summary: true }),
      user("msg_5", text("New.")),
    )
    expect(texts(decode(value)).length).toBe(5)
    expect(decode(value).messages[3]?.summary).toBe(true)
    expect(texts(decode(value, { view: "effective" }))).toEqual([
      "user text: What did we do so far?",
      "assistant text: Summary of it.",
      "user text: New.",
    ])
    expect(outline(value).compactions).toEqual([{ record: 2, kind: "summary", trigger: "auto", summary: "Summary of it." }])
  })

  it("keeps what was said before an error, and leaves it out of the effective view as the agent does", () => {
    const aborted = model("msg_2", [text("Half")], { error: { name: "MessageAbortedError" } })
    const failed = model("msg_3", [text("Quar")], { error: { name: "APIError" } })
    const value = session(user("msg_1", text("Go.")), aborted, failed)
    expect(texts(decode(value))).toEqual(["user text: Go.", "assistant text: Half", "assistant text: Quar"])
    expect(rules(decode(value))).toEqual(["stream-cut warning", "stream-cut warning"])
    expect(texts(decode(value, { view: "effective" }))).toEqual(["user text: Go.", "assistant text: Half"])
  })

  it("hides what was reverted, and keeps it as a path of its own", () => {
    const messages = [user("msg_1", text("One.")), user("msg_2", text("Two.")), user("msg_3", text("Three."))]
    const value = { info: { ...info, revert: { messageID: "msg_2" } }, messages }
    expect(texts(decode(value))).toEqual(["user text: One."])
    expect(texts(decode(value, { branch: "msg_3" })).length).toBe(3)
    expect(outline(value).paths).toEqual([
      { id: "msg_1", kind: "active", title: "One.", messages: 1, first: 0 },
      { id: "msg_3", kind: "abandoned", title: "Two.", messages: 2, first: 1, leaves: 0 },
    ])
    const nowhere = { info: { ...info, revert: { messageID: "REDACTED" } }, messages }
    expect(texts(decode(nowhere)).length).toBe(3)
    expect(rules(decode(nowhere))).toEqual(["unknown-rewind warning"])
  })

  it("pairs calls by where they are when all ids were redacted", () => {
    const parts = (tag: string) => [
      part("step-start"),
      toolPart("REDACTED", "ls", completed(`${tag}1`)),
      toolPart("REDACTED", "ls", { status: "running", input: { path: "." }, time: { start: 1 } }),
      toolPart("REDACTED", "ls", completed(`${tag}2`)),
    ]
    const value = session(user("REDACTED", text("Go.")), model("REDACTED", parts("a")), model("REDACTED", parts("b")))
    const read = decode(value)
    expect(new Set(read.messages.map((message) => message.id)).size).toBe(3)
    expect(rules(read)).toEqual(["duplicate-record-id warning", "collapsed-id warning"])
    const outcomes = settle(read).conversation.items.flatMap((item) =>
      item.role === "exchange" ? item.outcomes.map(({ kind, result }) => (kind === "done" && result ? resultText(result) : kind)) : [],
    )
    expect(outcomes).toEqual(["a1", "lost", "a2", "b1", "interrupted", "b2"])
    expect(
      new Set(settle(read).conversation.items.flatMap((item) => (item.role === "exchange" ? callsOf(item).map(({ id }) => id) : []))).size,
    ).toBe(6)
  })

  it("says what a subagent's session belongs to", () => {
    const value = { info: { ...info, parentID: "ses_0" }, messages: [user("msg_1", text("Go."))] }
    expect(outline(value)).toMatchObject({
      paths: [{ kind: "active" }],
      needs: ["the session ses_0, which started this one as its subagent"],
    })
  })
})

describe("recognition", () => {
  it("does not ask for ids", () => {
    const value = { info: { id: "REDACTED", slug: "x", projectID: "y" }, messages: [user("REDACTED", text("x"))] }
    expect(recognise({ syntax: "value", records: [value] })?.certainty).toBe("certain")
    expect(recognise({ syntax: "value", records: [{ messages: [user("a", text("x"))], info: {} }] })?.certainty).toBe("likely")
    expect(recognise({ syntax: "value", records: [{ messages: [{ role: "user" }], info }] })).toBe(undefined)
  })
})
