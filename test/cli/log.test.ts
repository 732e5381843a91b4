/** `ligature log`: conversations in a store, from the command line. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parseStoreLocation } from "../../src/cli/store-location.ts"
import { codecs } from "../../src/codecs/index.ts"
import { settle } from "../../src/laws/index.ts"
import { assistant, call, result, syntheticTexts, tool, transcript, user } from "../../src/model/index.ts"
import { cover, jsonlStore } from "../../src/store/index.ts"
import { cli, type CliResult, damaged, fixture, folder, healthy } from "./cli.ts"

interface Place {
  readonly cwd: string
  readonly log: (...argv: readonly string[]) => Promise<CliResult>
  /** The parsed stdout of a command that is given --json. */
  readonly json: (...argv: readonly string[]) => Promise<Record<string, unknown>>
}

const store = (files: Readonly<Record<string, unknown>> = {}, location = "conversations"): Place => {
  const cwd = folder(files)
  const options = { cwd, env: { LIGATURE_STORE: location } }
  return {
    cwd,
    log: (...argv) => cli(["log", ...argv], options),
    json: async (...argv) => JSON.parse((await cli(["log", ...argv, "--json"], options)).stdout) as Record<string, unknown>,
  }
}

/** A conversation `c` with known entry ids. */
const filled = async (): Promise<Place> => {
  const place = store()
  const writer = jsonlStore({ folder: join(place.cwd, "conversations"), now: () => Date.UTC(2026, 0, 2, 3, 4) })
  await writer.create({ id: "c", title: "Two files" })
  await writer.append("c", [
    { kind: "message", id: "u1", message: user("List the files") },
    { kind: "message", id: "a1", message: assistant("I look.", call("call_1", "ls", { path: "." })) },
    { kind: "result", id: "r1", result: result("call_1", "a.ts b.ts") },
    { kind: "message", id: "a2", message: assistant("Two.") },
    { kind: "message", id: "u2", message: user("Thanks") },
  ])
  await writer.close()
  return place
}

describe("where the store is", () => {
  it("is a folder, a database or a server", () => {
    const kinds = ["conv", "team.db", "TEAM.SQLITE", "sqlite:team", "sqlite://team", "jsonl:x.db", "postgres://me:pw@h/d", "postgresql://h/d"]
    expect(kinds.map((given) => parseStoreLocation(given, "/w")).map(({ kind, target, name }) => [kind, target, name])).toEqual([
      ["jsonl", "/w/conv", "conv"],
      ["sqlite", "/w/team.db", "team.db"],
      ["sqlite", "/w/TEAM.SQLITE", "TEAM.SQLITE"],
      ["sqlite", "/w/team", "team"],
      ["sqlite", "/w/team", "team"],
      ["jsonl", "/w/x.db", "x.db"],
      ["postgres", "postgres://me:pw@h/d", "postgres://me:***@h/d"],
      ["postgres", "postgresql://h/d", "postgresql://h/d"],
    ])
  })

  it("must be said, must be there, and must be of its kind", async () => {
    const cwd = folder({ "a.txt": "x" })
    const errors = await Promise.all([
      cli(["log", "list"], { cwd }),
      cli(["log", "list", "--store", "nowhere"], { cwd }),
      cli(["log", "create", "--store", "a.txt"], { cwd }),
      cli(["log", "list", "--store", "mysql://x/y"], { cwd }),
      cli(["log", "list", "--store", "sqlite:"], { cwd }),
    ])
    expect(errors.map(({ code, stderr }) => [code, stderr.split("\n")[0]])).toEqual([
      [2, "ligature: Where are the conversations? Give --store PLACE"],
      [2, "ligature: There is no store at nowhere"],
      [2, "ligature: The store a.txt is a file, not a folder"],
      [2, "ligature: There is no store for mysql://"],
      [2, "ligature: The store sqlite: names no path"],
    ])
    expect(readdirSync(cwd)).toEqual(["a.txt"])
  })

  it("is --store before the setting", async () => {
    const { cwd, log } = store()
    await log("create", "--store", "other")
    expect([existsSync(join(cwd, "other")), existsSync(join(cwd, "conversations"))]).toEqual([true, false])
  })
})

describe("log", () => {
  it("explains itself and each of its commands", async () => {
    const { stdout } = await cli(["log", "--help"])
    for (const name of ["create", "append", "show", "branch", "rewind", "verify", "export", "import", "list", "rename"]) {
      expect(stdout).toContain(`\n  ${name.padEnd(10)}`)
      const help = await cli(["log", name, "--help"])
      expect(help.code).toBe(0)
      expect(help.stdout).toMatch(new RegExp(`^ligature log ${name}: `))
      expect(help.stdout).toContain("Examples\n")
      expect(await cli(["help", "log", name])).toEqual(help)
    }
  })

  it("answers mistakes with the way out", async () => {
    const { log } = await filled()
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[], "ligature: log needs a command\n  Commands: list, create, append, show, branch, rewind, rename, verify, import, export. See: ligature log --help\n"],
      [["shwo"], "ligature: log has no command shwo\n  Did you mean show?\n"],
      [["show"], "ligature: log show needs ID\n  See: ligature log show --help\n"],
      [["show", "c", "d"], "ligature: log show takes ID, got also d\n  See: ligature log show --help\n"],
      [["show", "something"], 'ligature: Expected a conversation "something", found none\n  ligature log list names the conversations.\n'],
      [["append", "c", "nothing.json"], "ligature: nothing.json: There is no such file.\n"],
      [["show", "c", "--at", "x"], 'ligature: Expected an entry "x" in the conversation, found none\n  ligature log show ID --entries names the entries.\n'],
      [["show", "c", "--at", "u1", "--branch", "u1"], "ligature: Give only one of --branch and --at\n"],
      [["create", "--id", "c"], 'ligature: There is a conversation "c" already\n  Leave --id out: the store gives a new one.\n'],
      [["append", "c"], "ligature: What shall be appended? Give FILE, - for stdin, or --user TEXT\n  See: ligature log append --help\n"],
      [["append", "c", "--deny", "call_1"], "ligature: No call call_1 is open\n  No call is open.\n"],
      [["append", "c", "--result", "call_1"], "ligature: --result is CALL=TEXT, not call_1\n  For example: --result call_1='3 files'\n"],
      [["verify"], "ligature: Give either ID… or --all\n  See: ligature log verify --help\n"],
      [["branch", "c", "--at", "u1"], "ligature: --at is for --fork\n  Give --fork too.\n"],
      [["list", "--limit", "0"], "ligature: --limit is a positive number, not 0\n"],
      [["export", "c"], "ligature: log export needs --to FORMAT\n  ligature formats lists them; ligature log export --help explains.\n"],
    ]
    for (const [argv, stderr] of cases) expect(await log(...argv)).toEqual({ code: 2, stdout: "", stderr })
  })

  it("creates, lists and renames", async () => {
    const { log, json } = store()
    const { code, stdout, stderr } = await log("create", "--title", "First", "--operation", "op")
    const id = stdout.trim()
    expect([code, stderr]).toEqual([0, "✓ created in conversations\n"])
    expect((await log("create", "--id", id, "--title", "First", "--operation", "op")).stdout.trim()).toBe(id)
    expect((await log("rename", id, "Second one")).stderr).toBe(`✓ ${id} is called Second one\n`)
    const listed = await json("list")
    expect(listed).toMatchObject({ command: "log list", exitCode: 0, conversations: [{ id, title: "Second one" }], unreadable: [] })
    expect((await log("list")).stdout).toMatch(new RegExp(`^id .*\n${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  Second one\n$`))
    await log("create")
    const page = await json("list", "--limit", "1")
    expect(await json("list", "--limit", "1", "--after", String(page["next"]))).toMatchObject({ conversations: [{ id }] })
  })

  it("names what it cannot read, leaves it alone, and exits with 2", async () => {
    const { cwd, log } = await filled()
    writeFileSync(join(cwd, "conversations", "other.jsonl"), "hello\n")
    const { code, stdout, stderr } = await log("list")
    expect([code, stdout.includes("Two files"), stderr]).toEqual([2, true, expect.stringContaining("unreadable: other.jsonl: ")])
    expect((await log("verify", "--all")).code).toBe(2)
    expect(readFileSync(join(cwd, "conversations", "other.jsonl"), "utf8")).toBe("hello\n")
  })
})

describe("log append", () => {
  it("takes messages of any format, from files and stdin, and the user's words", async () => {
    const chat = healthy.messages.slice(0, 2)
    const { cwd, log, json } = store({ "chat.json": chat })
    await log("create", "--id", "c")
    expect((await log("append", "c", "chat.json")).stderr).toMatch(/^✓ appended 2 entries; the tip is \w+\n  open: bash \(call_1\)\n$/)
    const answer = JSON.stringify({ role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a.ts" }] })
    const piped = await cli(["log", "append", "c", "-", "--from", "anthropic"], { cwd, stdin: answer, env: { LIGATURE_STORE: "conversations" } })
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringMatching(/^✓ appended 1 entry/)])
    const appended = await json("append", "c", "--user", "Thanks")
    expect(appended).toMatchObject({ command: "log append", conversation: "c", repeated: false, state: "clean", openCalls: [] })
    expect(((await json("show", "c")) as { items: unknown }).items).toMatchObject([
      { role: "user" },
      { role: "exchange", calls: [{ id: "call_1", outcome: "done", result: "a.ts" }] },
      { role: "user" },
    ])
  })

  it("answers and denies open calls", async () => {
    const { log, json } = store()
    await log("create", "--id", "c")
    const two = assistant(call("x", "ls"), { ...call("y", "rm"), pending: "approval" })
    const body = JSON.stringify(codecs["anthropic"]?.encode(settle(transcript(user("go"), two), { tip: "open" }).conversation))
    const { cwd } = store({ "two.json": body })
    await log("append", "c", join(cwd, "two.json"))
    const wrong = await log("append", "c", "--deny", "z")
    expect(wrong).toEqual({ code: 2, stdout: "", stderr: "ligature: No call z is open\n  Open calls: x, y\n" })
    await log("append", "c", "--result", "x=a=b", "--deny", "y")
    const { items } = (await json("show", "c")) as { items: readonly { calls?: readonly unknown[] }[] }
    expect(items[1]?.calls).toMatchObject([
      { id: "x", outcome: "done", result: "a=b" },
      { id: "y", outcome: "not-run", synthetic: false },
    ])
  })

  it("gives ids to calls of formats that have none, and finds the call a later result answers", async () => {
    const { log, json } = store({
      "1.json": { contents: [{ role: "user", parts: [{ text: "go" }] }, { role: "model", parts: [{ functionCall: { name: "ls", args: {} } }, { functionCall: { name: "cat", args: {} } }] }] },
      "2.json": { contents: [{ role: "user", parts: [{ functionResponse: { name: "cat", response: { output: "c" } } }, { functionResponse: { name: "ls", response: { output: "l" } } }] }] },
    })
    await log("create", "--id", "c")
    await log("append", "c", "1.json")
    await log("append", "c", "2.json")
    expect(await json("show", "c")).toMatchObject({
      state: "clean",
      items: [{}, { calls: [{ name: "ls", outcome: "done", result: expect.stringContaining("l") }, { name: "cat", outcome: "done", result: expect.stringContaining("c") }] }],
    })
  })

  it("writes only on the tip that is expected, and nothing twice", async () => {
    const { log, json } = await filled()
    const conflict = await log("append", "c", "--user", "x", "--expect-tip", "a2")
    expect([conflict.code, conflict.stderr.split("\n")[0]]).toEqual([2, 'ligature: Expected the tip "a2", but it is "u2"; load again and retry'])
    const once = await json("append", "c", "--user", "x", "--expect-tip", "u2", "--operation", "op")
    const twice = await json("append", "c", "--user", "x", "--expect-tip", "u2", "--operation", "op")
    expect(twice).toEqual({ ...once, repeated: true })
    expect(((await json("show", "c")) as { entries: readonly unknown[] }).entries).toHaveLength(6)
  })

  it("says what it does not keep, and refuses what is no list of messages", async () => {
    const lines = `${JSON.stringify(healthy)}\n${JSON.stringify(healthy)}\n`
    const { log } = store({ "request.json": healthy, "two.jsonl": lines, "torn.json": '{"messages":[{"role":"user","content":"x"},' })
    await log("create", "--id", "c")
    expect((await log("append", "c", "request.json")).stderr).toContain("not kept, a log takes messages only: model\n")
    expect((await log("append", "c", "two.jsonl")).stderr).toContain("holds 2 conversations, and append takes the messages of one")
    const torn = await log("append", "c", "torn.json")
    expect([torn.code, torn.stderr]).toEqual([2, expect.stringContaining("torn.json could not be read as a whole, so nothing was appended")])
  })
})

describe("log show, branch and rewind", () => {
  it("shows the timeline, the entries, and any point of the path", async () => {
    const { log, json } = await filled()
    const { stdout } = await log("show", "c")
    expect(stdout).toContain("Two files  5 messages · 2 turns · 1 exchange · 1 call · ")
    expect(stdout).toContain("  c · written 2026-01-02 03:04 · tip u2\n")
    expect(stdout).toContain("→ ls(.) #call_1")
    const entries = (await log("show", "c", "--entries")).stdout.split("\n").slice(3, 9)
    expect(entries).toEqual([
      "   entry  written           says",
      "   u1     2026-01-02 03:04  user: List the files",
      "   a1     2026-01-02 03:04  assistant: I look. → ls(.) #call_1",
      "   r1     2026-01-02 03:04  result: ← #call_1 a.ts b.ts",
      "   a2     2026-01-02 03:04  assistant: Two.",
      "*  u2     2026-01-02 03:04  user: Thanks",
    ])
    expect(await json("show", "c", "--at", "a1")).toMatchObject({ tip: "u2", at: "a1", state: "open-calls", messages: 2 })
    expect((await log("show", "c", "--at", "a1")).stdout).toContain("Interrupted, effect unknown: ls (call_1)")
    expect((await log("show", "c", "--at", "none")).stdout).toContain("(no messages)")
  })

  it("shows summaries in place of what they stand for, and the originals with --all", async () => {
    const place = await filled()
    const writer = jsonlStore({ folder: join(place.cwd, "conversations") })
    const { entries } = await writer.load("c")
    await writer.append("c", [{ kind: "summary", id: "s", message: { ...user("They listed files."), summary: true }, covers: cover(entries.slice(0, 4)) }])
    await writer.close()
    expect(await place.json("show", "c")).toMatchObject({ messages: 2, items: [{ role: "user" }, { role: "user" }] })
    expect(await place.json("show", "c", "--all")).toMatchObject({ messages: 5 })
    expect((await place.log("show", "c", "--entries")).stdout).toContain("summary of 4 entries: They listed files.")
    const { stdout } = await place.log("export", "c", "--to", "openai-chat", "--all")
    expect((JSON.parse(stdout) as { messages: readonly unknown[] }).messages).toHaveLength(5)
  })

  it("rewinds, branches, goes back, and forks", async () => {
    const { log, json } = await filled()
    const back = await log("rewind", "c", "a2", "--reason", "once more")
    expect(back).toEqual({ code: 0, stdout: "", stderr: "✓ the tip of c is a2\n  the way back: ligature log rewind c u2\n" })
    const { tip } = (await json("append", "c", "--user", "Which?")) as { tip: string }
    expect(await json("branch", "c")).toMatchObject({
      branches: [
        { tip: "u2", active: false, last: "user: Thanks" },
        { tip, active: true, last: "user: Which?" },
      ],
    })
    expect((await log("branch", "c")).stdout).toMatch(new RegExp(`\n   u2 .*user: Thanks\n\\*  ${tip} .*user: Which\\?\n$`))
    expect((await json("show", "c", "--branch", "u2")) as object).toMatchObject({ at: "u2", tip, branches: 2 })
    expect((await log("rewind", "c", "u2", "--expect-tip", "a2")).code).toBe(2)
    expect(await json("rewind", "c", "u2")).toMatchObject({ before: tip, tip: "u2" })
    const forked = (await log("branch", "c", "--fork", "--at", "a2", "--title", "Apart")).stdout.trim()
    expect(await json("show", forked)).toMatchObject({
      conversation: forked,
      record: { id: forked, title: "Apart", forkedFrom: { conversation: "c", entry: "a2" } },
      tip: "a2",
    })
  })
})

describe("log verify", () => {
  it("finds all well, with a fingerprint that says what was said", async () => {
    const { log, json } = await filled()
    expect(await log("verify", "c")).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ c  5 entries  [0-9a-f]{16}\n$/), stderr: "" })
    const copy = (await log("branch", "c", "--fork")).stdout.trim()
    const { conversations } = (await json("verify", "--all")) as { conversations: readonly { branches: readonly { fingerprint: string }[] }[] }
    expect(conversations).toHaveLength(2)
    expect(new Set(conversations.flatMap(({ branches }) => branches.map(({ fingerprint }) => fingerprint))).size).toBe(1)
    await log("append", copy, "--user", "more")
    const again = (await json("verify", "c", copy)) as { conversations: readonly { branches: readonly { fingerprint: string }[] }[] }
    expect(new Set(again.conversations.flatMap(({ branches }) => branches.map(({ fingerprint }) => fingerprint))).size).toBe(2)
  })

  it("names a line that was changed, and exits with 1", async () => {
    const { cwd, log, json } = await filled()
    const file = join(cwd, "conversations", "c.jsonl")
    writeFileSync(file, readFileSync(file, "utf8").replace("a.ts b.ts", "a.ts c.ts"))
    const { code, stdout } = await log("verify", "c")
    expect(code).toBe(1)
    expect(stdout).toContain("✗ c")
    expect(stdout).toContain("damaged [changed-line] Line 2 does not say what was written")
    expect(await json("verify", "--all")).toMatchObject({ exitCode: 1, conversations: [{ lost: [{ rule: "changed-line", place: { line: 2 } }] }] })
  })

  it("names a lost line, and a summary of something that says something else", async () => {
    const place = await filled()
    const writer = jsonlStore({ folder: join(place.cwd, "conversations") })
    const [first] = (await writer.load("c")).entries
    const covers = [{ id: "u1", fingerprint: "0".repeat(16) }, ...(first ? cover([first]) : [])]
    await writer.append("c", [{ kind: "hide", id: "h", covers }])
    await writer.close()
    const changed = await place.log("verify", "c")
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("[changed-cover] Entry u1 says something else")])
    appendFileSync(join(place.cwd, "conversations", "c.jsonl"), '{"no":"operation"}\n')
    expect((await place.log("verify", "c")).stdout).toContain("[unknown-line]")
  })

  it("tells a torn end that was never acknowledged from damage", async () => {
    const { cwd, log } = await filled()
    appendFileSync(join(cwd, "conversations", "c.jsonl"), '{"sum":"00000000","operation":"x","at":1,"parent":"u2","entr')
    const { code, stdout } = await log("verify", "c")
    expect([code, stdout]).toEqual([0, expect.stringContaining("salvaged [torn-tail]")])
  })
})

const conversation = settle(
  transcript(user("How many?"), assistant("I look.", call("call_1", "bash", { command: "ls" })), tool(result("call_1", "a.ts")), assistant("One.")),
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
    expect(moved.stderr).toContain("then       codex resume ")
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
      files: [{ file: "bad.json", conversations: [{ format: "openai-chat", exact: false, report: { entries: [{ rule: "unanswered-call" }] } }] }],
    })
    const id = imported.files[0]?.conversations[0]?.conversation ?? ""
    expect((await log("export", id, "--to", "openai-chat")).stdout).toContain(syntheticTexts.lost)
  })

  it("take every damaged fixture, and give out what passes the check", async () => {
    const names = readdirSync(join(fixture("x"), "..")).filter((name) => name.endsWith(".json")).slice(0, 40)
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
    const { cwd, log } = store({ "ok.json": healthy, "torn.json": '{"messages":[{"role":"user","content":"x"},', "two.jsonl": `${JSON.stringify(healthy)}\n${JSON.stringify(healthy)}\n` })
    const id = (await log("import", "ok.json")).stdout.trim()
    await log("export", id, "--to", "anthropic", "--report", "report.json", "-o", "out.json")
    expect(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))).toMatchObject({ command: "log export", conversation: id, to: "anthropic", entries: [] })
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
    await log("rewind", id, String((await json("show", id) as { entries: readonly { id: string }[] }).entries[4]?.id))
    expect(JSON.parse((await log("export", id, "--to", "openai-chat")).stdout)).toEqual(healthy)
  })
})
