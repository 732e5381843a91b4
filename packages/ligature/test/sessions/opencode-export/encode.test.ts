import { describe, expect, it } from "vitest"
import { opencodeExport } from "../../../src/sessions/opencode-export/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { assistant, call, result, syntheticTexts, system, tool, transcript, user as said, type Wire } from "../../../src/model/index.ts"
import { completed, info, model, part, session, text, toolPart, user } from "./session.ts"

const { decode, encode } = opencodeExport

const rewrite = (value: unknown, options = {}): Wire => encode(settle(decode(value, options)).conversation)

const messagesOf = (value: Wire): readonly Wire[] => value["messages"] as readonly Wire[]
const partsOf = (message: Wire | undefined): readonly Wire[] => message?.["parts"] as readonly Wire[]

const steps = (): readonly Wire[] => [
  part("step-start"),
  text("One."),
  toolPart("c1", "ls", completed("x")),
  part("step-finish"),
  part("step-start"),
  text("Two."),
]

describe("a session that was exported", () => {
  it("comes back as the very same value when it is healthy", () => {
    const value = session(
      user("msg_1", text("Go."), part("file", { mime: "text/plain", url: "file:///a" })),
      model("msg_2", steps()),
      model("msg_3", []),
    )
    expect(rewrite(value)).toBe(value)
    expect(rewrite(value, { view: "effective" })).toBe(value)
  })

  it("gets an object for arguments that are an empty text", () => {
    const value = session(user("msg_1", text("Go.")), model("msg_2", [toolPart("c1", "ls", completed("x", { input: "\n" }))]))
    const once = rewrite(value)
    expect(partsOf(messagesOf(once)[1])[0]?.["state"]).toMatchObject({ status: "completed", input: {}, output: "x" })
    expect(rewrite(once)).toBe(once)
  })

  it("gets an honest result into the part of a call that never ended, and nothing else changes", () => {
    const open = toolPart("c2", "rm", { status: "running", input: { path: "x" }, title: "rm x", time: { start: 5 } })
    const value = session(user("msg_1", text("Go.")), model("msg_2", [...steps(), open, part("patch")]), user("msg_3", text("And?")))
    const written = messagesOf(rewrite(value))
    expect(written[0]).toBe(messagesOf(value)[0])
    expect(written[2]).toBe(messagesOf(value)[2])
    const before = partsOf(messagesOf(value)[1])
    const after = partsOf(written[1])
    expect(after.map((one, index) => one === before[index])).toEqual([true, true, true, true, true, true, false, true])
    expect(after[6]).toEqual({
      ...open,
      state: {
        status: "error",
        input: { path: "x" },
        error: syntheticTexts.interrupted,
        metadata: {},
        time: { start: 5, end: 5 },
      },
    })
  })

  it("keeps what the effective view does not show", () => {
    const open = toolPart("c2", "rm", { status: "pending", input: {} })
    const value = session(
      user("msg_1", text("Old.")),
      user("msg_3", part("compaction", { auto: true })),
      model("msg_4", [text("Summary.")], { parentID: "msg_3", summary: true }),
      user("msg_5", text("Go.")),
      model("msg_6", [open]),
      user("msg_7", text("Go on.")),
    )
    const written = messagesOf(rewrite(value, { view: "effective" }))
    expect(written.length).toBe(6)
    expect(written.slice(0, 4)).toEqual(messagesOf(value).slice(0, 4))
    expect(written[0]).toBe(messagesOf(value)[0])
  })

  it("keeps what was reverted", () => {
    const value = {
      info: { ...info, revert: { messageID: "msg_2" } },
      messages: [user("msg_1", text("One.")), user("msg_2", text(" "))],
    }
    expect(rewrite(value)).toBe(value)
  })

  it("leaves out a blank text and a message of nothing else", () => {
    const value = session(user("msg_1", text("Go."), text(" ")), user("msg_2", text("")), model("msg_3", [text("Yes.")]))
    const written = messagesOf(rewrite(value))
    expect(written.map((message) => partsOf(message).length)).toEqual([1, 1])
    expect(written[1]).toBe(messagesOf(value)[2])
  })

  it("gives redacted ids names that sort where they are, so that an import takes them all", () => {
    const blank = (one: Wire): Wire => ({ ...one, id: "REDACTED", messageID: "REDACTED" })
    const value = session(
      user("msg_0123456789abAAAAAAAAAAAAAA", text("Go.")),
      model("REDACTED", [blank(toolPart("REDACTED", "ls", completed("x"))), blank(toolPart("REDACTED", "ls", completed("y")))], {
        parentID: "REDACTED",
      }),
      model("REDACTED", [blank(text("Done."))]),
    )
    const written = messagesOf(rewrite(value))
    const infos = written.map((message) => message["info"] as Wire)
    const ids = infos.map(({ id }) => String(id))
    expect(new Set(ids).size).toBe(3)
    expect(ids.toSorted()).toEqual(ids)
    expect(infos[1]?.["parentID"]).toBe(ids[0])
    const parts = written.flatMap(partsOf)
    expect(new Set(parts.map(({ id }) => id)).size).toBe(4)
    expect(parts.slice(1).map(({ messageID }) => messageID)).toEqual([ids[1], ids[1], ids[2]])
    expect(parts.flatMap(({ callID }) => (callID === undefined ? [] : [callID]))).toEqual(["REDACTED", "REDACTED__2"])
    const again = rewrite({ ...value, messages: written })
    expect(messagesOf(again)).toBe(written)
  })
})

describe("a conversation of another agent", () => {
  const { conversation } = settle(
    transcript(
      system("Be brief."),
      said("List."),
      assistant("Sure.", call("c1", "ls", { path: "." }), call("c2", "rm")),
      tool(result("c1", "a.txt"), result("c2", "not allowed", { error: true })),
      assistant("One file."),
    ),
  )
  const options = { session: { id: "ses_2", folder: "/home/a", startedAt: "2026-05-01T10:00:00.000Z", title: "T" } }

  it("becomes a session that can be imported", () => {
    const value = encode(conversation, options)
    expect(value["info"]).toEqual({
      id: "ses_2",
      slug: "conversation",
      projectID: "global",
      directory: "/home/a",
      title: "T",
      version: "1.2.0",
      time: { created: 1_777_629_600_000, updated: 1_777_629_603_000 },
    })
    const infos = messagesOf(value).map((message) => message["info"] as Wire)
    expect(infos.map(({ role, parentID }) => [role, parentID])).toEqual([
      ["user", undefined],
      ["assistant", infos[0]?.["id"]],
      ["assistant", infos[0]?.["id"]],
    ])
    expect(infos[0]?.["system"]).toBe("Be brief.")
    const parts = partsOf(messagesOf(value)[1])
    expect(parts.map(({ type }) => type)).toEqual(["step-start", "text", "tool", "tool", "step-finish"])
    expect(parts[3]?.["state"]).toEqual({
      status: "error",
      input: {},
      error: "not allowed",
      metadata: {},
      time: { start: 1_777_629_602_000, end: 1_777_629_602_000 },
    })
  })

  it("has ids of the agent's shape, in the order of what they name", () => {
    const value = encode(conversation, options)
    const ids = messagesOf(value).map((message) => String((message["info"] as Wire)["id"]))
    const parts = messagesOf(value).flatMap((message) => partsOf(message).map(({ id }) => String(id)))
    expect(ids.toSorted()).toEqual(ids)
    expect(parts.toSorted()).toEqual(parts)
    expect(ids.every((id) => /^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(id))).toBe(true)
    expect(parts.every((id) => /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(id))).toBe(true)
  })

  it("grows at its end alone when more is said", () => {
    const longer = settle(
      transcript(
        system("Be brief."),
        said("List."),
        assistant("Sure.", call("c1", "ls", { path: "." }), call("c2", "rm")),
        tool(result("c1", "a.txt"), result("c2", "not allowed", { error: true })),
        assistant("One file."),
        said("Thanks."),
      ),
    ).conversation
    const short = messagesOf(encode(conversation, options))
    expect(messagesOf(encode(longer, options)).slice(0, short.length)).toEqual(short)
  })
})
