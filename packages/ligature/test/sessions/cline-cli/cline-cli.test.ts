/** Sessions of the Cline CLI: an envelope with messages of the Anthropic API, results as lists of values. */
import { describe, expect, it } from "vitest"
import { convert } from "../../../src/convert/index.ts"
import { assistant, call, resultText, system, tool, result, transcript, user, type Wire } from "../../../src/model/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { clineCli } from "../../../src/sessions/cline-cli/index.ts"

const use = (id: string): Wire => ({ type: "tool_use", id, name: "run_commands", input: { commands: ["ls"] } })
const answer = (id: string, content: unknown): Wire => ({ type: "tool_result", tool_use_id: id, name: "run_commands", content })
const outcome = [{ query: "ls", result: "a.txt\n", success: true }]

const session = (...messages: readonly Wire[]): Wire => ({
  version: 1,
  updated_at: "2026-11-18T20:43:51.470Z",
  agent: "lead",
  sessionId: "1795034626712_8if2k",
  origin: { source: "cli", mode: "user", sessionId: "1795034626712_8if2k", version: "3.0.65" },
  messages,
  system_prompt: "You are Cline.\n4. Working Directory: /home/me/shop\nBe careful.",
})

const asked: Wire = {
  id: "a",
  role: "user",
  content: [{ type: "text", text: '<user_input mode="act">list files</user_input>' }],
  ts: 1795034627681,
}
const calls: Wire = {
  id: "b",
  role: "assistant",
  content: [{ type: "text", text: "Looking." }, use("c1"), use("c2")],
  ts: 1795034630065,
  modelInfo: { id: "fake-model", provider: "fake" },
}
const first: Wire = { id: "c", role: "user", content: [answer("c1", outcome)], ts: 1795034630398 }
const second: Wire = { id: "d", role: "user", content: [answer("c2", "done")], ts: 1795034630864 }
const last: Wire = { id: "e", role: "assistant", content: [{ type: "text", text: "One file." }], ts: 1795034631355 }
const healthy = session(asked, calls, first, second, last)

const repaired = (value: Wire): Wire => clineCli.encode(settle(clineCli.decode(value)).conversation)

describe("a session of the Cline CLI", () => {
  it("is recognised and read without findings, results as the model saw them", () => {
    expect(clineCli.session.recognise({ syntax: "value", records: [healthy] })?.certainty).toBe("certain")
    const read = clineCli.decode(healthy)
    expect(check(read)).toEqual([])
    expect(read.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool", "assistant"])
    const results = read.messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === "result"))
    expect(results.map(resultText)).toEqual([JSON.stringify(outcome), "done"])
    expect(read.messages[2]?.origin).toEqual({ provider: "fake", model: "fake-model" })
  })

  it("says what it is", () => {
    expect(clineCli.session.outline(healthy)).toMatchObject({
      id: "1795034626712_8if2k",
      title: "list files",
      folder: "/home/me/shop",
      model: "fake-model",
      paths: [{ kind: "active", messages: 5 }],
    })
  })

  it("comes back as the very same records", () => {
    expect(repaired(healthy)["messages"]).toBe(healthy["messages"])
    expect(repaired(healthy)).toEqual(healthy)
  })

  it("gets the result that is missing after that of the other call", () => {
    const written = repaired(session(asked, calls, first, last))
    const messages = written["messages"] as readonly Wire[]
    expect([messages[0], messages[1], messages[3]]).toEqual([asked, calls, last])
    expect(messages[2]?.["content"]).toMatchObject([
      answer("c1", outcome),
      { type: "tool_result", tool_use_id: "c2", name: "run_commands" },
    ])
    expect(repaired(written)).toEqual(written)
  })

  it("keeps a file that the user pointed at", () => {
    const file = { type: "file", path: "a.ts", content: "export {}" }
    const value = session({ ...asked, content: [{ type: "text", text: "look" }, file] }, last)
    expect(repaired(value)["messages"]).toBe(value["messages"])
    const { value: request } = convert(value, { from: "cline-cli", to: "anthropic" })
    expect(JSON.stringify(request)).toContain("export {}")
  })

  it("sends from its last summary on", () => {
    const summary: Wire = {
      id: "s",
      role: "user",
      content: [{ type: "text", text: "Context summary: all was well" }],
      metadata: { kind: "compaction_summary", summary: "all was well" },
    }
    const value = session(asked, calls, first, second, last, summary, { ...asked, id: "f" })
    expect(clineCli.decode(value, { view: "effective" }).messages.map(({ role, summary: isSummary }) => isSummary ?? role)).toEqual([
      "system",
      true,
      "user",
    ])
    expect(clineCli.session.outline(value).compactions).toEqual([{ record: 5, kind: "summary", summary: "all was well" }])
  })

  it("is written from any conversation, with the manifest the agent wants beside it", () => {
    const { conversation } = settle(
      transcript(
        system("Be careful."),
        user("list files"),
        assistant("Looking.", call("c1", "ls"), call("c2", "ls")),
        tool(result("c1", "one")),
        tool(result("c2", "no", { error: true })),
        assistant("Done."),
      ),
    )
    const written = clineCli.encode(conversation, { session: { id: "moved", startedAt: "2026-03-01T10:00:00.000Z" } })
    expect(written).toMatchObject({ version: 1, agent: "lead", sessionId: "moved", system_prompt: "Be careful." })
    expect(
      (written["messages"] as readonly Wire[]).map(({ role, content, ts }) => [
        role,
        (content as readonly Wire[]).map(({ type }) => type),
        ts,
      ]),
    ).toEqual([
      ["user", ["text"], 1772359201000],
      ["assistant", ["text", "tool_use", "tool_use"], 1772359202000],
      ["user", ["tool_result", "tool_result"], 1772359203000],
      ["assistant", ["text"], 1772359204000],
    ])
    expect(check(clineCli.decode(written))).toEqual([])
    const place = clineCli.session.place?.(written)
    expect(place?.path).toBe("~/.cline/data/sessions/moved/moved.messages.json")
    const beside = place?.beside?.("/home/ada/moved.messages.json") ?? {}
    expect(Object.keys(beside)).toEqual(["moved.json"])
    expect(JSON.parse(beside["moved.json"] ?? "null")).toMatchObject({
      version: 1,
      session_id: "moved",
      status: "completed",
      messages_path: "/home/ada/moved.messages.json",
    })
  })
})
