import { describe, expect, it } from "vitest"
import { convert, decode, findCodec, isSessionCodec, repair } from "../../../src/convert/index.ts"
import { openDocument } from "../../../src/document/index.ts"
import { qwenCode } from "../../../src/sessions/qwen-code/index.ts"
import { check } from "../../../src/rules/index.ts"
import type { Message, Wire } from "../../../src/model/index.ts"
import { compressed, content, functionResponse, record, records, session } from "./records.ts"

const brief = (messages: readonly Message[]): readonly string[] =>
  messages.map(
    ({ role, blocks }) =>
      `${role}: ${blocks.map((block) => (block.type === "text" || block.type === "thinking" ? block.text : block.type)).join(", ")}`,
  )

const linesOf = (list: readonly unknown[]): string => list.map((each) => `${JSON.stringify(each)}\n`).join("")

describe("sessions of Qwen Code", () => {
  it("are told from Claude Code's by their contents", () => {
    const [part] = openDocument(linesOf(records)).parts
    expect([part?.format, part?.certainty]).toEqual(["qwen-code", "certain"])
    expect(openDocument(linesOf(records.slice(1, 2))).parts.map(({ certainty }) => certainty)).not.toContain("certain")
  })

  it("are read whole, or from the last compression on", () => {
    expect(brief(decode("qwen-code", records).messages)).toEqual([
      "user: list the files",
      "assistant: both at once, call, call",
      "tool: result",
      "tool: result",
      "assistant: two files",
      "user: and now?",
      "assistant: call",
      "tool: result",
      "assistant: done",
    ])
    expect(brief(decode("qwen-code", records, { view: "effective" }).messages).slice(0, 3)).toEqual([
      "user: Summary: two files were listed.",
      "assistant: Understood.",
      "user: and now?",
    ])
  })

  it("say who they are and where they belong", () => {
    const codec = findCodec("qwen")
    if (!codec || !isSessionCodec(codec)) throw new Error("no session codec")
    const { paths, compactions, ...facts } = codec.session.outline(records)
    expect(facts).toEqual({
      id: session,
      folder: "/project",
      model: "qwen-coder",
      agentVersion: "0.21.0",
      startedAt: "2026-09-01T10:00:01.000Z",
      title: "list the files",
    })
    expect(paths.map(({ kind, messages }) => [kind, messages])).toEqual([["active", 9]])
    expect(compactions).toEqual([{ record: 6, kind: "summary", summary: "Summary: two files were listed." }])
    expect(codec.session.place?.(records)).toMatchObject({
      path: `~/.qwen/projects/-project/chats/${session}.jsonl`,
      resume: `qwen --resume ${session}`,
    })
  })

  it("come back as the very same records where nothing is wrong", () => {
    const { value, report } = repair(records, { from: "qwen-code" })
    expect(report.entries).toEqual([])
    expect(value["records"]).toBe(records)
  })

  it("get a result for a call that was killed, linked into the chain", () => {
    const killed = records.slice(0, 9)
    const { value, report } = repair(killed, { from: "qwen-code" })
    const written = value["records"] as readonly Wire[]
    expect(report.entries.map(({ rule }) => rule)).toEqual(["unanswered-call"])
    expect(written.slice(0, 9).every((each, index) => each === killed[index])).toBe(true)
    expect(written[9]).toMatchObject({ type: "tool_result", parentUuid: killed[8]?.["uuid"], sessionId: session, cwd: "/project" })
    expect(check(decode("qwen-code", written))).toEqual([])
  })

  it("are opened by the agent under the id of a new one, which takes no UUID of a newer version than 5", () => {
    for (const content of ["a", "b", "c", "d", "e", "f"]) {
      const [first] = convert([{ role: "user", content }], { from: "anthropic", to: "qwen-code" }).value["records"] as readonly Wire[]
      expect(first?.["sessionId"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it("name the tool of a result that does not, so that a second repair has nothing to do", () => {
    const nameless = [
      record(1, "assistant", content("model", { functionCall: {} })),
      record(2, "tool_result", content("user", { functionResponse: {} })),
    ]
    const { value } = repair(nameless, { from: "qwen-code" })
    expect(JSON.stringify(value)).not.toContain('"name":""')
    expect(repair(value, { from: "qwen-code" }).value).toEqual(value)
  })

  it("lose an orphan result to user text, and what hung on its record hangs on the one before", () => {
    const orphaned = [
      records[0],
      record(2, "tool_result", content("user", functionResponse("call_x", "ls", "lost words"))),
      record(3, "assistant", content("model", { text: "hm" })),
    ]
    const { value } = repair(orphaned, { from: "qwen-code" })
    const written = value["records"] as readonly Wire[]
    expect(JSON.stringify(written)).toContain("lost words")
    expect(check(decode("qwen-code", written))).toEqual([])
    const ids = new Set(written.map(({ uuid }) => uuid))
    for (const { parentUuid } of written.slice(1)) expect(ids.has(parentUuid)).toBe(true)
  })

  it("have a compression rewritten where the damage is inside of it", () => {
    const broken = [...compressed, { role: "model", parts: [{ functionCall: { id: "call_z", name: "ls", args: {} } }] }]
    const cut = records.map((each) =>
      each["subtype"] === "chat_compression" ? { ...each, systemPayload: { compressedHistory: broken } } : each,
    )
    const { value } = repair(cut, { from: "qwen-code", view: "effective" })
    expect(check(decode("qwen-code", (value as { readonly records: readonly Wire[] }).records, { view: "effective" }))).toEqual([])
    expect(qwenCode.session.pulse?.(records[2])).toEqual({ calls: ["call_a", "call_b"] })
  })
})
