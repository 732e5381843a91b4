/** `ligature log import` of what was imported before, of folders, and of files that fail. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { cli, healthy, packageRoot } from "../cli.ts"
import { store } from "./stage.ts"

const record = (uuid: string, parentUuid: string | null, role: "user" | "assistant", text: string, more = {}): string =>
  `${JSON.stringify({
    sessionId: "s1",
    isSidechain: false,
    cwd: "/w",
    version: "2.1.0",
    timestamp: "2026-01-02T03:04:05.000Z",
    type: role,
    uuid,
    parentUuid,
    message: { role, content: role === "user" ? text : [{ type: "text", text }], ...(role === "assistant" && { id: `m${uuid}` }) },
    ...more,
  })}\n`

const session = record("1", null, "user", "Which?") + record("2", "1", "assistant", "The first.")

interface ImportJson {
  readonly exitCode: number
  readonly files: readonly {
    readonly file: string
    readonly conversations: readonly { readonly change: string; readonly conversation: string }[]
  }[]
  readonly otherFiles: number
}

const changes = ({ files }: ImportJson): readonly (readonly [string, readonly string[]])[] =>
  files.map(({ file, conversations }) => [file, conversations.map(({ change }) => change)])

describe("log import, again", () => {
  it("reports what became of each file, and gives the same ids", async () => {
    const { cwd, log } = store({ "chat.json": healthy, "session.jsonl": session })
    const first = await log("import", "chat.json", "session.jsonl")
    expect(first.code).toBe(0)
    const again = await log("import", "chat.json", "session.jsonl")
    expect([again.code, again.stdout]).toEqual([0, first.stdout])
    expect(again.stderr).toContain("= chat.json  openai-chat  unchanged, 4 entries, comes back equal\n")
    expect(again.stderr).toContain("= session.jsonl  claude-code  unchanged, 2 entries\n")
    expect(again.stderr).toContain("2 conversations: 2 unchanged\n")
    writeFileSync(join(cwd, "session.jsonl"), session + record("3", "2", "user", "Why?"))
    const grown = await log("import", "session.jsonl")
    expect(grown.stderr).toContain("✓ session.jsonl  claude-code  1 entry added\n")
    writeFileSync(join(cwd, "session.jsonl"), session + record("3", "2", "user", "Why?") + record("4", "1", "assistant", "The second."))
    const rewound = await log("import", "session.jsonl")
    expect(rewound.stderr).toContain("1 entry added as a branch: its history differs from the one imported before")
    expect((await log("list")).stdout.trim().split("\n")).toHaveLength(3)
  })

  it("takes an id twice, and refuses it for another conversation", async () => {
    const { log } = store({ "chat.json": healthy, "session.jsonl": session })
    expect((await log("import", "chat.json", "--id", "mine")).stdout).toBe("mine\n")
    const again = await log("import", "chat.json", "--id", "mine")
    expect([again.code, again.stdout]).toEqual([0, "mine\n"])
    expect(again.stderr).toContain("unchanged")
    const other = await log("import", "session.jsonl", "--id", "mine")
    expect([other.code, other.stdout]).toEqual([2, ""])
    expect(other.stderr).toContain('Conversation "mine" exists and does not begin like this source; nothing was written')
    expect((await log("import", "chat.json", "session.jsonl", "--id", "x")).stderr).toContain("--id names one conversation")
  })

  it("walks folders, passes other files by, and goes on after a file that fails", async () => {
    const { cwd, json, log } = store()
    const folder = join(cwd, "projects", "shop")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "a.jsonl"), session)
    writeFileSync(join(folder, "b.jsonl"), '{"sessionId":"s2","type":"user","uuid":"1","message":{"role":"us')
    writeFileSync(join(folder, "chat.json"), JSON.stringify(healthy))
    writeFileSync(join(folder, "settings.json"), '{"theme":"dark"}')
    writeFileSync(join(folder, "notes.txt"), "nothing")
    const first = (await json("import", "projects")) as unknown as ImportJson
    expect([first.exitCode, first.otherFiles]).toEqual([2, 1])
    expect(changes(first).filter(([, done]) => done.length > 0)).toEqual([
      ["projects/shop/a.jsonl", ["new"]],
      ["projects/shop/chat.json", ["new"]],
    ])
    const { code, stderr } = await log("import", "projects")
    expect(code).toBe(2)
    expect(stderr).toContain("2 conversations: 2 unchanged\n1 other file without a conversation\n")
    expect((await json("list"))["conversations"]).toHaveLength(2)
  })

  it("does not take its own store for a history", async () => {
    const { log } = store({ "chat.json": healthy })
    await log("import", "chat.json")
    const { code, stderr, stdout } = await log("import", ".")
    expect([code, stdout.trim().split("\n")]).toEqual([0, [expect.any(String)]])
    expect(stderr).toContain("= chat.json")
    expect((await log("list")).stdout.trim().split("\n")).toHaveLength(2)
  })

  it("reports a folder without conversations", async () => {
    const { cwd, log } = store()
    mkdirSync(join(cwd, "empty"))
    expect(await log("import", "empty")).toMatchObject({ code: 0, stdout: "", stderr: "No conversations found in empty\n" })
  })

  it("links the sub-agents of a session, whichever file they are in", async () => {
    const { cwd, log, json } = store()
    const folder = join(cwd, "p", "s1", "subagents")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "agent-1.jsonl"), record("8", null, "user", "Look", { isSidechain: true, agentId: "1" }))
    writeFileSync(join(cwd, "p", "s1.jsonl"), session)
    const [child = "", parent = ""] = (await log("import", "p", "--all")).stdout.trim().split("\n")
    expect(await json("show", parent)).toMatchObject({ children: [{ conversation: child }] })
    expect(await json("show", child)).toMatchObject({ record: { parent: { conversation: parent } } })
    expect((await log("import", "p", "--all")).stderr).toContain("2 conversations: 2 unchanged\n")
  })

  it("shows on a terminal how far it is", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 24 }, (_, index) => [`${index}.json`, { messages: [{ role: "user", content: `q${index}` }] }]),
    )
    const { cwd } = store(files)
    const shown = await cli(["log", "import", ".", "--store", "s"], { cwd, terminal: true, columns: 80 })
    expect(shown.code).toBe(0)
    expect(shown.stderr).toMatch(/░ \d+\/24 {2}/)
  })

  it("is the same for two processes at once", async () => {
    const { cwd, log } = store({ "session.jsonl": session })
    const main = join(packageRoot, "dist", "cli", "main.js")
    const start = (): Promise<{ stdout: string }> =>
      promisify(execFile)(process.execPath, [main, "log", "import", "session.jsonl", "--store", "conversations"], { cwd })
    const done = await Promise.all([start(), start(), start()])
    expect(new Set(done.map(({ stdout }) => stdout)).size).toBe(1)
    const { entries } = JSON.parse((await log("show", done[0]?.stdout.trim() ?? "", "--json")).stdout) as { entries: readonly unknown[] }
    expect(entries).toHaveLength(3)
  })
})
