/** doctor, diff, migrate, and the other commands on agents' session files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { fileValueOf, resolveCodec, type SessionCodec } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import "../../src/registry/sessions.ts"
import { assistant, call, type Conversation, result, tool, transcript, user, type Wire } from "../../src/model/index.ts"
import { cli, folder } from "./cli.ts"

const conversation: Conversation = settle(
  transcript(
    user("How many tests are there?"),
    assistant("I will look.", call("call_1", "bash", { command: "ls test" }), call("call_2", "bash", { command: "npm test" })),
    tool(result("call_1", "a.test.ts"), result("call_2", "1 passed")),
    assistant("One, and it passes."),
    user("Thank you"),
  ),
).conversation

const recordsOf = (format: string): readonly Wire[] => {
  const codec = resolveCodec(format) as SessionCodec
  return fileValueOf(codec, codec.encode(conversation)) as readonly Wire[]
}

const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** A result is gone, so that the record after it names a parent that is not there. Claude Code goes on with it, pi does not. */
const damagedLines = (format = "claude-code"): string =>
  lines(recordsOf(format).filter((record) => !JSON.stringify(record).includes("1 passed")))

const xmlHistory = [
  { role: "user", content: [{ type: "text", text: "<task>\nRead a.ts\n</task>" }], ts: 1_700_000_000_000 },
  {
    role: "assistant",
    content: [{ type: "text", text: "I will read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>" }],
    ts: 1_700_000_001_000,
  },
  {
    role: "user",
    content: [
      { type: "text", text: "[read_file for 'a.ts'] Result:" },
      { type: "text", text: "const a = 1" },
    ],
    ts: 1_700_000_002_000,
  },
  {
    role: "assistant",
    content: [{ type: "text", text: "<attempt_completion>\n<result>\nIt says a = 1.\n</result>\n</attempt_completion>" }],
    ts: 1_700_000_003_000,
  },
]

/** A folder with files in folders below it. */
const tree = (files: Readonly<Record<string, string>>): string => {
  const root = folder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

const old = (path: string): void => utimesSync(path, new Date(2020, 1, 1), new Date(2020, 1, 1))

/** The lines of a damaged session but for the one that is linked to another record by a repair. */
const unrepairedLines = (damaged: string): readonly string[] => {
  const kept = damaged.trim().split("\n")
  const linkOf = (line: string): { readonly id?: string; readonly parent?: string | null } => {
    const { uuid, parentUuid, id = uuid, parentId = parentUuid } = JSON.parse(line) as Record<string, string>
    return { ...(id !== undefined && { id }), ...(parentId !== undefined && { parent: parentId }) }
  }
  const ids = new Set(kept.map((line) => linkOf(line).id))
  return kept.filter((line) => {
    const { parent } = linkOf(line)
    return typeof parent !== "string" || ids.has(parent)
  })
}

describe("ligature doctor", () => {
  it("finds the sessions in the usual homes and tells errors from warnings", async () => {
    const home = tree({
      ".claude/projects/-p/good.jsonl": lines(recordsOf("claude-code")),
      ".claude/projects/-p/healed.jsonl": damagedLines(),
      ".pi/agent/sessions/x/bad.jsonl": damagedLines("pi"),
      ".pi/agent/sessions/x/bad.jsonl.bak": damagedLines("pi"),
      ".claude/projects/-p/torn.jsonl": `${lines(recordsOf("claude-code"))}{"type":"us`,
      ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-x.jsonl": lines(recordsOf("codex-rollout")),
      ".codex/history.jsonl": '{"text":"a prompt"}\n',
    })
    const { code, stdout } = await cli(["doctor", "--json"], { cwd: home, env: { HOME: home } })
    expect(code).toBe(1)
    const { agents, causes, files } = JSON.parse(stdout) as {
      readonly agents: readonly { readonly agent: string; readonly sessions: number; readonly states: unknown }[]
      readonly causes: readonly { readonly cause: string; readonly found: unknown; readonly sessions: number }[]
      readonly files: readonly { readonly file: string; readonly sessions: readonly { readonly state: string; readonly title: string }[] }[]
    }
    expect(agents.map(({ agent, sessions, states }) => [agent, sessions, states])).toEqual([
      ["Claude Code", 3, { healthy: 1, open: 0, warnings: 2, errors: 0 }],
      ["Codex CLI", 1, { healthy: 1, open: 0, warnings: 0, errors: 0 }],
      ["pi", 1, { healthy: 0, open: 0, warnings: 0, errors: 1 }],
    ])
    expect(causes).toEqual([
      { cause: "dangling-parent", found: { errors: 1, warnings: 1, notes: 0 }, sessions: 2 },
      { cause: "dropped-entry", found: { errors: 0, warnings: 2, notes: 0 }, sessions: 2 },
      { cause: "torn-end", found: { errors: 0, warnings: 1, notes: 0 }, sessions: 1 },
    ])
    const ill = files.filter(({ sessions }) => sessions[0]?.state === "errors")
    expect(ill.map(({ file, sessions }) => [file, sessions[0]?.title])).toEqual([
      [".pi/agent/sessions/x/bad.jsonl", "How many tests are there?"],
    ])
  })

  it("calls a session healthy whose parallel calls ended in another order than they began", async () => {
    const records = [...recordsOf("codex-rollout")]
    const isResult = (record: Wire): boolean => JSON.stringify(record).includes("function_call_output")
    const [first, second] = records.filter(isResult)
    const swapped = records.map((record) => (record === first ? second : record === second ? first : record))
    const { stdout } = await cli(["doctor", ".", "--json"], { cwd: tree({ "a.jsonl": lines(swapped) }) })
    const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly sessions: readonly unknown[] }[] }
    expect(files[0]?.sessions).toMatchObject([{ state: "healthy", calls: 2, results: 2, causes: { "order-inversion": { notes: 1 } } }])
  })

  it("does not fail for warnings and open sessions", async () => {
    const cwd = tree({
      "open.jsonl": lines(recordsOf("claude-code").slice(0, 3)),
      "torn.jsonl": `${lines(recordsOf("claude-code"))}{"type":"us`,
    })
    const { code, stdout } = await cli(["doctor", "."], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/Claude Code +2 .* - +1 +1 +-$/m)
  })

  it("prints a table, the causes, and the command that revives each session", async () => {
    const cwd = tree({ "a/bad.jsonl": damagedLines("pi"), "a/notes.json": '{"unrelated":true}' })
    const { code, stdout } = await cli(["doctor", "a"], { cwd })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^errors {2}How many tests are there\?\n {2}pi .* dangling-parent\n {2}ligature repair a\/bad\.jsonl --in-place$/m,
    )
    expect(stdout).toContain("1 other file without a session")
    expect(readdirSync(join(cwd, "a")).sort()).toEqual(["bad.jsonl", "notes.json"])
  })

  it("chooses by agent, age and project", async () => {
    const home = tree({
      ".claude/projects/-p/good.jsonl": lines(recordsOf("claude-code")),
      ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-x.jsonl": lines(recordsOf("codex-rollout")),
    })
    const agents = async (...options: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await cli(["doctor", "--json", ...options], { cwd: home, env: { HOME: home } })
      return (JSON.parse(stdout) as { readonly agents: readonly { readonly agent: string }[] }).agents.map(({ agent }) => agent)
    }
    expect(await agents("--agent", "codex")).toEqual(["Codex CLI"])
    expect(await agents("--since", "1h")).toEqual(["Claude Code", "Codex CLI"])
    old(join(home, ".claude/projects/-p/good.jsonl"))
    expect(await agents("--since", "2w")).toEqual(["Codex CLI"])
    expect(await agents("--project", "nowhere")).toEqual([])
    expect((await cli(["doctor", "--agent", "nobody"], { cwd: home, env: { HOME: home } })).code).toBe(2)
  })

  it("takes a word of an agent's name for the agent, and no part of another word", async () => {
    const cwd = tree({ "bad.jsonl": damagedLines("pi"), "copilot.jsonl": lines(recordsOf("copilot-cli")) })
    const agents = async (name: string): Promise<readonly string[]> =>
      (JSON.parse((await cli(["doctor", ".", "--agent", name, "--json"], { cwd })).stdout) as { agents: { agent: string }[] }).agents.map(
        ({ agent }) => agent,
      )
    expect(await agents("pi")).toEqual(["pi"])
    expect(await agents("copilot")).toEqual(["GitHub Copilot CLI"])
    expect(await agents("github")).toEqual(["GitHub Copilot CLI"])
  })

  it("counts no session of another machine among those of this project", async () => {
    const codec = resolveCodec("codex-rollout") as SessionCodec
    const from = (folderOf: string): string =>
      lines(fileValueOf(codec, codec.encode(conversation, { session: { folder: folderOf } })) as readonly Wire[])
    const cwd = tree({ "a.jsonl": from("C:/code/shop"), "b.jsonl": from("code\\shop") })
    const { stdout } = await cli(["list", "."], { cwd })
    expect(stdout).not.toContain("This project")
    expect(stdout).toContain("C:/code/shop")
  })

  it("replaces a session only when nobody writes it, and keeps the original", async () => {
    const before = damagedLines("pi")
    const cwd = tree({ "bad.jsonl": before })
    const busy = await cli(["doctor", "bad.jsonl", "--repair"], { cwd })
    expect(busy.stdout).toContain("skipped: it was changed less than a minute ago")
    old(join(cwd, "bad.jsonl"))
    expect((await cli(["doctor", "bad.jsonl", "--repair", "--dry-run"], { cwd })).stdout).toContain("would be repaired: 2 changes")
    expect(readFileSync(join(cwd, "bad.jsonl"), "utf8")).toBe(before)
    const done = await cli(["doctor", "bad.jsonl", "--repair"], { cwd })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("repaired; the original is bad.jsonl.bak")])
    expect(readFileSync(join(cwd, "bad.jsonl.bak"), "utf8")).toBe(before)
    const kept = readFileSync(join(cwd, "bad.jsonl"), "utf8").split("\n")
    for (const line of unrepairedLines(before)) expect(kept).toContain(line)
    expect((await cli(["check", "bad.jsonl"], { cwd })).code).toBe(0)
  })

  it("reads only what changed since the last run", async () => {
    const home = tree({
      ".claude/projects/-p/s.jsonl": lines(recordsOf("claude-code")),
      ".pi/agent/sessions/x/t.jsonl": lines(recordsOf("pi")),
    })
    const [session, cache] = [join(home, ".claude/projects/-p/s.jsonl"), join(home, "cache")]
    const env = { HOME: home, LIGATURE_CACHE: cache }
    const states = async (): Promise<unknown> => {
      const { stdout } = await cli(["doctor", "--json"], { cwd: home, env })
      return (JSON.parse(stdout) as { readonly files: readonly { readonly sessions: readonly { readonly state: string }[] }[] }).files.map(
        ({ sessions }) => sessions[0]?.state,
      )
    }
    expect(await states()).toEqual(["healthy", "healthy"])
    const file = join(cache, "sessions.json")
    // What is kept is believed as long as the file has the same size and time.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"healthy"', '"open"'))
    expect(await states()).toEqual(["open", "open"])
    writeFileSync(session, damagedLines())
    expect(await states()).toEqual(["warnings", "open"])
    writeFileSync(file, "{")
    expect(await states()).toEqual(["warnings", "healthy"])
  })

  it("says that there is nothing, and what was looked at", async () => {
    const home = folder()
    const { code, stdout } = await cli(["doctor"], { cwd: home, env: { HOME: home } })
    expect(code).toBe(0)
    expect(stdout).toContain("No sessions found.")
    expect((await cli(["doctor", "nowhere"], { cwd: home })).code).toBe(2)
  })
})

describe("ligature list", () => {
  const named = (text: string, id: string): string => text.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${id}"`)
  const home = (): string =>
    tree({
      "home/.claude/projects/-shop/11111111-aaaa-4bbb-8ccc-000000000001.jsonl": named(
        lines(recordsOf("claude-code")),
        "11111111-aaaa-4bbb-8ccc-000000000001",
      ).replaceAll('"cwd":"/"', '"cwd":"/shop"'),
      "home/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-22222222-aaaa-4bbb-8ccc-000000000002.jsonl": named(
        damagedLines(),
        "22222222-aaaa-4bbb-8ccc-000000000002",
      ),
    })

  it("names the newest sessions, and an id or latest is taken for a file", async () => {
    const root = home()
    const options = { cwd: root, env: { HOME: join(root, "home") } }
    old(join(root, "home/.claude/projects/-shop/11111111-aaaa-4bbb-8ccc-000000000001.jsonl"))
    const { stdout } = await cli(["list"], options)
    expect(stdout).toMatch(/^All projects\nid .*\n22222222 .* How many tests are there\?\n11111111 /)
    const shown = await cli(["check", "latest"], options)
    expect(shown.stderr).toContain("latest: Claude Code · How many tests are there? · ")
    expect(shown.code).toBe(1)
    const named = await cli(["check", "1111111"], options)
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining("1 file")])
    const both = await cli(["check", "aaaa-4bbb-8ccc"], options)
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("is part of the ids of")])
    expect((await cli(["check", "33333333"], options)).stderr).toContain("File not found")
  })

  it("puts the sessions of this project first, and prefers them for latest", async () => {
    const root = home()
    mkdirSync(join(root, "shop"))
    const session = join(root, "home/.claude/projects/-shop/11111111-aaaa-4bbb-8ccc-000000000001.jsonl")
    writeFileSync(session, readFileSync(session, "utf8").replaceAll('"/shop"', JSON.stringify(join(root, "shop"))))
    old(session)
    const options = { cwd: join(root, "shop"), env: { HOME: join(root, "home") } }
    const { stdout } = await cli(["list"], options)
    expect(stdout).toMatch(/^This project\n.*\n11111111 [^]*^Other projects\n/m)
    expect((await cli(["check", "latest"], options)).code).toBe(0)
  })
})

describe("ligature diff", () => {
  it("shows what a repair changed, exchange by exchange", async () => {
    const cwd = tree({ "bad.jsonl": damagedLines() })
    await cli(["repair", "bad.jsonl", "-o", "good.jsonl"], { cwd })
    const { code, stdout } = await cli(["diff", "bad.jsonl", "good.jsonl"], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain("── exchange 2")
    expect(stdout).toMatch(/^\+ \w+ +← #call_2 .*\[ligature:lost\]/m)
    expect(stdout).toContain("0 blocks gone, 1 new")
  })

  it("finds nothing between a session and what another agent makes of it", async () => {
    const cwd = tree({ "a.jsonl": lines(recordsOf("claude-code")) })
    await cli(["convert", "a.jsonl", "--to", "codex", "-o", "b.jsonl"], { cwd })
    const { code, stdout } = await cli(["diff", "a.jsonl", "b.jsonl"], { cwd })
    expect([code, stdout]).toEqual([0, "  … 4 exchanges unchanged\n✓ same content\n"])
  })

  it("wants two files that can be read", async () => {
    const cwd = tree({ "a.jsonl": lines(recordsOf("claude-code")), "empty.json": "" })
    expect((await cli(["diff", "a.jsonl"], { cwd })).code).toBe(2)
    const { code, stderr } = await cli(["diff", "a.jsonl", "empty.json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("empty.json: The file is empty.")
  })
})

describe("ligature migrate", () => {
  const file = JSON.stringify(xmlHistory, null, 2)

  it("only tells with --dry-run", async () => {
    const cwd = tree({ "h.json": file })
    const { code, stderr } = await cli(["migrate", "h.json", "--dry-run"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("h.json: 2 calls would become blocks")
    expect(stderr).toMatch(/message 2 {2}read_file .*certainty \d+ %/)
    expect(readFileSync(join(cwd, "h.json"), "utf8")).toBe(file)
  })

  it("migrates in place with a backup and a mark, does nothing the second time, and finds the way back", async () => {
    const cwd = tree({ "h.json": file })
    await cli(["migrate", "h.json", "--report", "report.json"], { cwd })
    expect(readFileSync(join(cwd, "h.json.bak"), "utf8")).toBe(file)
    const migrated = readFileSync(join(cwd, "h.json"), "utf8")
    const blocks = JSON.parse(migrated) as readonly { readonly content: readonly Wire[]; readonly ligature?: unknown }[]
    expect(blocks[1]?.content.map(({ type }) => type)).toEqual(["text", "tool_use"])
    expect(blocks[2]?.content[0]?.["type"]).toBe("tool_result")
    expect(blocks[1]?.ligature).toMatchObject({ version: 2, style: "blocks" })
    const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as {
      readonly files: readonly { readonly conversations: readonly { readonly calls: readonly Wire[] }[] }[]
    }
    expect(report.files[0]?.conversations[0]?.calls[0]).toMatchObject({ name: "read_file", from: "xml" })
    const second = await cli(["migrate", "h.json"], { cwd })
    expect(second.stderr).toContain("nothing to do")
    expect(readFileSync(join(cwd, "h.json"), "utf8")).toBe(migrated)
    await cli(["migrate", "h.json", "--to-style", "xml", "-o", "back.json"], { cwd })
    expect((await cli(["diff", "h.json.bak", "back.json"], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, "back.json"), "utf8")).toBe(file)
  })

  const plainLists: Readonly<Record<string, unknown>> = {
    "anthropic.json": [
      { role: "user", content: "Read a.ts" },
      { role: "assistant", content: [{ type: "text", text: "I read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>" }] },
      { role: "user", content: [{ type: "text", text: "[read_file Result]\n\nconst a = 1" }] },
    ],
    "chat.json": [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read a.ts" },
      { role: "assistant", content: "I read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'a.ts'] Result:\nconst a = 1" },
    ],
    "request.json": {
      model: "gpt-5",
      tools: [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }],
      messages: [
        { role: "user", content: "Read a.ts" },
        { role: "assistant", content: "<read_file>\n<path>a.ts</path>\n</read_file>" },
      ],
    },
  }

  it.each(Object.entries(plainLists))("migrates %s, a plain list or request: as the dry run says, once, and back", async (name, value) => {
    const cwd = tree({ [name]: JSON.stringify(value, null, 2) })
    const tried = await cli(["migrate", name, "--dry-run"], { cwd })
    expect([tried.code, tried.stderr]).toEqual([0, expect.stringContaining("1 call would become blocks")])
    const done = await cli(["migrate", name], { cwd })
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("1 call became blocks")])
    const migrated = readFileSync(join(cwd, name), "utf8")
    expect(migrated).not.toContain("<read_file>")
    expect((await cli(["check", name, "--open-tip"], { cwd })).code).toBe(0)
    expect((await cli(["migrate", name], { cwd })).stderr).toContain("nothing to do")
    expect(readFileSync(join(cwd, name), "utf8")).toBe(migrated)
    const back = await cli(["migrate", name, "--to-style", "xml", "-o", "back.json"], { cwd })
    expect([back.code, readFileSync(join(cwd, "back.json"), "utf8").includes("<read_file>")]).toEqual([0, true])
  })

  it("migrates one message per line, and keeps the lines it does not touch", async () => {
    const messages = plainLists["chat.json"] as readonly unknown[]
    const cwd = tree({ "m.jsonl": lines(messages) })
    expect((await cli(["migrate", "m.jsonl"], { cwd })).code).toBe(0)
    const migrated = readFileSync(join(cwd, "m.jsonl"), "utf8").split("\n").slice(0, -1)
    expect([migrated[0], migrated[1]]).toEqual(messages.slice(0, 2).map((message) => JSON.stringify(message)))
    expect(migrated.slice(2).map((line) => (JSON.parse(line) as Wire)["role"])).toEqual(["assistant", "tool"])
    expect((await cli(["migrate", "m.jsonl"], { cwd })).stderr).toContain("nothing to do")
    expect((await cli(["migrate", "m.jsonl", "--to-style", "xml", "-o", "back.jsonl"], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, "back.jsonl"), "utf8")).toBe(lines(messages))
  })

  it("writes what was asked for also where there is nothing to migrate, and says that it found no calls", async () => {
    const healthy = JSON.stringify([{ role: "user", content: "hi" }])
    const cwd = tree({ "h.json": healthy })
    expect((await cli(["migrate", "h.json", "-o", "o.json"], { cwd })).stderr).toContain("nothing to do, no tool calls found  → o.json")
    expect(readFileSync(join(cwd, "o.json"), "utf8")).toBe(healthy)
    expect((await cli(["migrate", "-"], { cwd, stdin: healthy })).stdout).toBe(healthy)
    expect(existsSync(join(cwd, "h.json.bak"))).toBe(false)
  })

  it("takes the word of --from for the format, and of --tool for a tool that nothing proves", async () => {
    const list = [
      { role: "user", content: "Read a.ts" },
      { role: "assistant", content: "<read_file>\n<path>a.ts</path>\n</read_file>" },
    ]
    const cwd = tree({ "l.json": JSON.stringify(list) })
    expect((await cli(["migrate", "l.json"], { cwd })).stderr).toContain("nothing to do")
    const chat = await cli(["migrate", "l.json", "--from", "openai-chat", "--tool", "read_file", "-o", "chat.json"], { cwd })
    expect([chat.code, readFileSync(join(cwd, "chat.json"), "utf8").includes('"tool_calls"')]).toEqual([0, true])
    const blocks = await cli(["migrate", "l.json", "--from", "anthropic", "--tool", "read_file", "-o", "blocks.json"], { cwd })
    expect([blocks.code, readFileSync(join(cwd, "blocks.json"), "utf8").includes('"tool_use"')]).toEqual([0, true])
    const task = await cli(["migrate", "l.json", "--from", "cline", "--tool", "read_file", "-o", "task.json"], { cwd })
    expect([task.code, readFileSync(join(cwd, "task.json"), "utf8").includes('"ligature"')]).toEqual([0, true])
  })

  it("refuses what has only one style", async () => {
    const cwd = tree({ "a.jsonl": lines(recordsOf("claude-code")) })
    const { code, stderr } = await cli(["migrate", "a.jsonl"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("has one style of calls")
  })
})

describe("ligature rules", () => {
  it("explains whatever a session codec may report", async () => {
    const { anomalyKinds } = await import("../../src/sessions/engine/anomaly.ts")
    const { stdout: listed } = await cli(["rules"])
    for (const [id, { severity, why }] of Object.entries(anomalyKinds)) {
      expect(listed).toContain(id)
      const { code, stdout } = await cli(["rules", id])
      expect(code).toBe(0)
      expect(stdout).toContain(`${severity}[${id}]`)
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(why)
    }
  })
})

describe("sessions in the other commands", () => {
  it("move house with the place and the way to resume printed", async () => {
    const cwd = tree({ "a.jsonl": lines(recordsOf("claude-code")) })
    const { code, stderr } = await cli(["convert", "a.jsonl", "--to", "codex", "--out-dir", "out"], { cwd })
    expect(code).toBe(0)
    expect(readdirSync(join(cwd, "out"))).toEqual(["a.jsonl"])
    expect(stderr).toMatch(/put it at {2}~\/\.codex\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-/)
    expect(stderr).toMatch(/then run {3}codex resume [0-9a-f-]{36}/)
  })

  it("cannot be written for agents that only are read", async () => {
    const cwd = tree({ "a.jsonl": lines(recordsOf("claude-code")) })
    const { code, stderr } = await cli(["convert", "a.jsonl", "--to", "goose"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("sessions can be read but not written")
  })

  it("keep every line that needs no repair", async () => {
    const text = lines(recordsOf("claude-code"))
    const cwd = tree({ "a.jsonl": text, "bad.jsonl": damagedLines() })
    expect((await cli(["repair", "a.jsonl"], { cwd })).stdout).toBe(text)
    const repaired = (await cli(["repair", "bad.jsonl"], { cwd })).stdout.split("\n")
    expect(unrepairedLines(damagedLines())).toHaveLength(damagedLines().trim().split("\n").length - 1)
    for (const line of unrepairedLines(damagedLines())) expect(repaired).toContain(line)
  })

  it("move a subagent with its own beginning and its own task", async () => {
    const at = (minute: number): string => `2026-01-01T10:0${minute}:00.000Z`
    const record = (uuid: string, parentUuid: string | null, isSidechain: boolean, minute: number, message: object): object => ({
      type: (message as { role: string }).role,
      uuid,
      parentUuid,
      isSidechain,
      sessionId: "s",
      cwd: "/shop",
      timestamp: at(minute),
      message,
    })
    const use = { type: "tool_use", id: "t1", name: "Task", input: { prompt: "Count the shelves" } }
    const records = [
      record("1", null, false, 0, { role: "user", content: "Plan the shop" }),
      record("2", "1", false, 1, { id: "m1", role: "assistant", content: [use] }),
      record("3", null, true, 5, { role: "user", content: "Count the shelves" }),
      record("4", "3", true, 6, { id: "m2", role: "assistant", content: [{ type: "text", text: "Seven." }] }),
      record("5", "2", false, 7, { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Seven." }] }),
      record("6", "5", false, 8, { id: "m3", role: "assistant", content: [{ type: "text", text: "There are seven." }] }),
    ]
    const cwd = tree({ "s.jsonl": lines(records) })
    const { stdout } = await cli(["show", "s.jsonl"], { cwd, terminal: true, columns: 60, env: { NO_COLOR: "1" } })
    const branch = /subagent: .* \(--branch ([^)]*)\)$/m.exec(stdout)?.[1] ?? ""
    const { stdout: moved } = await cli(["convert", "s.jsonl", "--branch", branch, "--to", "pi"], { cwd })
    expect(moved).toContain("Seven.")
    expect(moved.split("\n")[0]).toContain(at(5))
    expect(moved).toContain('"name":"Count the shelves"')
    expect(moved).not.toContain("Plan the shop")
  })

  it("show abandoned branches, and any of them on demand", async () => {
    const records = recordsOf("claude-code")
    const last = records.findLast((record) => record["type"] === "user")
    const other = { ...last, uuid: "11111111-1111-4111-8111-111111111111", message: { role: "user", content: "Another question" } }
    const cwd = tree({ "a.jsonl": lines([...records, other]) })
    const shown = await cli(["show", "a.jsonl"], { cwd })
    expect(shown.stdout).toContain("Another question")
    expect(shown.stdout).not.toContain("  user      Thank you")
    const branch = /abandoned branch: .*\(--branch (\S+)\)/.exec(shown.stdout)?.[1] ?? ""
    expect((await cli(["show", "a.jsonl", "--branch", branch], { cwd })).stdout).toContain("  user      Thank you")
    const all = (await cli(["show", "a.jsonl", "--all"], { cwd })).stdout
    expect(all).toContain("Thank you")
    expect(all).toContain("Another question")
  })
})
