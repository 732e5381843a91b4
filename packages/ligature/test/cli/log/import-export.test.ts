/** `ligature log import` and `export`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { codecs } from "../../../src/convert/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { assistant, call, result, syntheticTexts, tool, transcript, user } from "../../../src/model/index.ts"
import { cli, damaged, fixture, healthy } from "../cli.ts"
import { store } from "./stage.ts"

const conversation = settle(
  transcript(
    user("How many?"),
    assistant("I look.", call("call_1", "bash", { command: "ls" })),
    tool(result("call_1", "a.ts")),
    assistant("One."),
  ),
).conversation

describe("log import and export", () => {
  it("bring every format in and out again, equal", async () => {
    for (const codec of Object.values(codecs)) {
      const value = { ...codec.encode(conversation), some_setting: { deep: [1, null] } }
      const { cwd, log } = store({ "in.json": value })
      const imported = await log("import", "in.json", "--from", codec.format)
      expect(imported.stderr, codec.format).toContain("comes back equal")
      const id = imported.stdout.trim()
      const exported = await log("export", id, "--to", codec.format, "-o", "out.json")
      expect(exported).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("nothing had to be changed") })
      expect(JSON.parse(readFileSync(join(cwd, "out.json"), "utf8")), codec.format).toEqual(value)
    }
  })

  it("see the format, keep a list a list, and name conversations after their files", async () => {
    const { log, json } = store({ "chat.json": healthy.messages })
    const id = (await log("import", "chat.json")).stdout.trim()
    expect(JSON.parse((await log("export", id, "--to", "openai-chat")).stdout)).toEqual(healthy.messages)
    expect(await json("show", id)).toMatchObject({ record: { title: "chat.json" } })
  })

  it("report what of a session is not kept, and write one for another agent", async () => {
    const { cwd } = store()
    const from = store({ "request.json": codecs["anthropic"]?.encode(conversation) })
    await cli(["convert", "request.json", "--to", "claude-code", "-o", join(cwd, "session.jsonl")], { cwd: from.cwd })
    const options = { cwd, env: { LIGATURE_STORE: "s" } }
    const imported = await cli(["log", "import", "session.jsonl"], options)
    expect(imported.stderr).toMatch(/not kept: the bookkeeping of the Claude Code session \(\d+ records around 4 messages\)/)
    const moved = await cli(["log", "export", imported.stdout.trim(), "--to", "codex", "-o", "rollout.jsonl"], options)
    expect(moved.stderr).toContain("then run   codex resume ")
    expect((await cli(["check", "rollout.jsonl"], options)).stdout).toContain("no damage found")
  })

  it("bring branches that were left behind in as branches, and subagents as conversations, with --all", async () => {
    const base = { sessionId: "s", isSidechain: false, cwd: "/w", version: "2.1.0", timestamp: "2026-01-02T03:04:05.000Z" }
    const said = (uuid: string, parentUuid: string | null, role: "user" | "assistant", text: string, more = {}) => ({
      ...base,
      type: role,
      uuid,
      parentUuid,
      message: { role, content: role === "user" ? text : [{ type: "text", text }], ...(role === "assistant" && { id: `m${uuid}` }) },
      ...more,
    })
    const records = [
      said("1", null, "user", "Which is better?"),
      said("2", "1", "assistant", "The first."),
      said("3", "2", "user", "Why?"),
      said("4", "3", "assistant", "It is shorter."),
      said("5", null, "user", "Look around", { isSidechain: true, agentId: "scout" }),
      said("6", "5", "assistant", "Nothing here.", { isSidechain: true, agentId: "scout" }),
      said("7", "2", "user", "Take the second."),
    ]
    const { log, json } = store({ "session.jsonl": records.map((record) => `${JSON.stringify(record)}\n`).join("") })
    const alone = await log("import", "session.jsonl")
    expect(alone.stderr).toContain("not kept: 1 other branch and 1 subagent of the session; --all imports them too")
    const all = await log("import", "session.jsonl", "--all")
    expect(all.stderr).not.toContain("--all")
    const [id = "", subagent = "", ...more] = all.stdout.trim().split("\n")
    expect(more).toEqual([])
    expect(await json("branch", id)).toMatchObject({
      branches: [
        { active: true, last: "user: Take the second." },
        { active: false, last: "assistant: It is shorter." },
      ],
    })
    expect(await json("show", id)).toMatchObject({ messages: 3 })
    expect(await json("show", subagent)).toMatchObject({ messages: 2, record: { title: expect.stringContaining("(subagent: ") } })
    expect(await json("verify", id)).toMatchObject({ exitCode: 0, conversations: [{ entries: 6 }] })
  })

  it("repair what is damaged on the way in, and say so", async () => {
    const { log, json } = store({ "bad.json": damaged })
    const imported = (await json("import", "bad.json")) as { files: readonly { conversations: readonly { conversation: string }[] }[] }
    expect(imported).toMatchObject({
      command: "log import",
      exitCode: 0,
      files: [
        { file: "bad.json", conversations: [{ format: "openai-chat", exact: false, report: { entries: [{ rule: "unanswered-call" }] } }] },
      ],
    })
    const id = imported.files[0]?.conversations[0]?.conversation ?? ""
    expect((await log("export", id, "--to", "openai-chat")).stdout).toContain(syntheticTexts.lost)
  })

  it("take every damaged fixture, and give out what passes the check", async () => {
    const names = readdirSync(join(fixture("x"), ".."))
      .filter((name) => name.endsWith(".json"))
      .slice(0, 40)
    const { cwd, log } = store()
    for (const name of names) {
      const { stdout, code } = await log("import", fixture(name.replace(/\.json$/, "")), "--salvage")
      if (code !== 0) continue
      for (const id of stdout.trim().split("\n")) {
        const { stdout: text } = await log("export", id, "--to", "openai-chat", "--for", "openai-chat")
        writeFileSync(join(cwd, "out.json"), text)
        expect((await cli(["check", "out.json", "--for", "openai-chat"], { cwd })).code, name).toBe(0)
      }
    }
    expect((await log("verify", "--all")).code).toBe(0)
  })

  it("write a report, and refuse what cannot be read or written", async () => {
    const { cwd, log } = store({
      "ok.json": healthy,
      "torn.json": '{"messages":[{"role":"user","content":"x"},',
      "two.jsonl": `${JSON.stringify(healthy)}\n${JSON.stringify(healthy)}\n`,
    })
    const id = (await log("import", "ok.json")).stdout.trim()
    await log("export", id, "--to", "anthropic", "--report", "report.json", "-o", "out.json")
    expect(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))).toMatchObject({
      command: "log export",
      conversation: id,
      to: "anthropic",
      entries: [],
    })
    expect((await log("import", "torn.json")).stderr).toContain("not written")
    expect((await log("import", "torn.json", "--salvage")).code).toBe(0)
    expect((await log("import", "nothing.json")).code).toBe(2)
    expect((await log("import", "two.jsonl", "--id", "x")).stderr).toContain("--id names one conversation")
    expect((await log("import", "two.jsonl")).stdout.trim().split("\n")).toHaveLength(2)
    expect((await log("export", id, "--to", "crush")).stderr).toContain("can be read but not written")
  })
})

const engine = (await import("node:sqlite" as string).catch(() => undefined)) as unknown
if (engine === undefined) console.warn("Skipped: ligature log on SQLite. This Node has no node:sqlite; run with Node 22.13 or newer.")

describe.skipIf(engine !== undefined)("log on a SQLite file, with a Node that has no SQLite", () => {
  it("says what it needs", async () => {
    const { code, stderr } = await store({}, "team.db").log("create")
    expect([code, stderr]).toEqual([2, expect.stringContaining("22.13")])
  })
})

describe.skipIf(engine === undefined)("log on a SQLite file", () => {
  it("does the same", async () => {
    const { log, json } = store({ "ok.json": healthy }, "team.db")
    const id = (await log("import", "ok.json")).stdout.trim()
    await log("append", id, "--user", "Thanks")
    expect(await json("verify", "--all")).toMatchObject({ exitCode: 0, conversations: [{ conversation: id, entries: 6 }] })
    await log("rewind", id, String(((await json("show", id)) as { entries: readonly { id: string }[] }).entries[4]?.id))
    expect(JSON.parse((await log("export", id, "--to", "openai-chat")).stdout)).toEqual(healthy)
  })
})
