import { describe, expect, it } from "vitest"
import { claudeCode } from "../../../src/sessions/claude-code/index.ts"
import { claudeStreamJson } from "../../../src/sessions/claude-stream-json/index.ts"
import { settle } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { said } from "../claude-code/builder.ts"

const { decode, encode, session } = claudeStreamJson

const reply = (id: string, block: Wire, inside: string | null = null): Wire => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "claude-x", content: [block] },
  parent_tool_use_id: inside,
  session_id: "s-1",
  uuid: `${id}-${String(block["id"] ?? block["text"])}`,
})

const answer = (id: string, content: string, inside: string | null = null): Wire => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  parent_tool_use_id: inside,
  session_id: "s-1",
})

const say = (text: string): Wire => ({ type: "text", text })
const use = (id: string): Wire => ({ type: "tool_use", id, name: "Task", input: {} })

const stream: readonly Wire[] = [
  { type: "system", subtype: "init", cwd: "/p", session_id: "s-1", tools: [], model: "claude-x" },
  reply("m1", say("delegating")),
  reply("m1", use("t1")),
  { ...answer("", ""), message: { role: "user", content: "do it" }, parent_tool_use_id: "t1" },
  reply("m2", use("t2"), "t1"),
  answer("t2", "inner", "t1"),
  reply("m3", say("did it"), "t1"),
  answer("t1", "outer"),
  reply("m4", say("done")),
  { type: "result", subtype: "success", result: "done", session_id: "s-1" },
]

describe("a printed stream", () => {
  it("is known by its init record, or by its messages when that is missing", () => {
    expect(session.recognise({ syntax: "lines", records: stream })?.certainty).toBe("certain")
    expect(session.recognise({ syntax: "lines", records: stream.slice(1) })?.certainty).toBe("likely")
    expect(claudeCode.session.recognise({ syntax: "lines", records: stream })).toBeUndefined()
  })

  it("is read in the order in which it came, subagents apart", () => {
    expect(said(decode(stream).messages)).toEqual(["assistant: delegating +t1", "user: =t1", "assistant: done"])
    expect(said(decode(stream, { branch: "t1" }).messages)).toEqual(["user: do it", "assistant: +t2", "user: =t2", "assistant: did it"])
    expect(decode(stream).diagnostics).toBeUndefined()
  })

  it("is never that of a subagent, however little is left of it", () => {
    const inner = stream.filter((record) => record["parent_tool_use_id"] === "t1")
    expect(said(decode(inner).messages)).toEqual([])
    expect(said(decode(inner, { branch: "t1" }).messages)).toHaveLength(4)
  })

  it("has the results of its own calls, where a subagent uses the same ids", () => {
    const shared = [reply("m1", use("t1")), reply("m1", use("t2")), reply("m2", use("t1"), "t2"), answer("t2", "two"), answer("t1", "one")]
    expect(said(decode(shared).messages)).toEqual(["assistant: +t1 +t2", "user: =t1", "user: =t2"])
  })

  it("says what it is about", () => {
    expect(session.outline(stream)).toEqual({
      id: "s-1",
      folder: "/p",
      model: "claude-x",
      paths: [
        { id: "m4-done", kind: "active", messages: 3, first: 1 },
        { id: "t1", kind: "subagent", title: "do it", messages: 4, first: 3 },
      ],
      compactions: [],
    })
  })

  it("comes back untouched, and with a result where one is missing", () => {
    expect(encode(settle(decode(stream)).conversation)["records"]).toBe(stream)
    const cut = stream.slice(0, 3)
    const mended = encode(settle(decode(cut)).conversation)["records"] as readonly Wire[]
    expect(mended.slice(0, 3)).toEqual(cut)
    expect(said(decode(mended).messages)).toEqual(["assistant: delegating +t1", "user: =t1"])
    expect(mended[3]?.["session_id"]).toBe("s-1")
  })

  it("is not written from other conversations", () => {
    expect(() => encode(settle({ format: "x", messages: [] }).conversation)).toThrow("Expected a conversation read from claude-stream-json")
  })
})
