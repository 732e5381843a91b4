/** Sessions that are repaired, compacted, moved and installed where their agents look for them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { fileValueOf, resolveCodec, type SessionCodec } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import "../../src/registry/sessions.ts"
import { assistant, call, type Message, result, tool, transcript, user, type Wire } from "../../src/model/index.ts"
import { cli, type CliResult, folder } from "./cli.ts"

const id = "11111111-aaaa-4bbb-8ccc-000000000001"

const turns = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) => [
    user(`Question ${index}: what is in file ${index}?`),
    assistant(`I look at ${index}.`, call(`call_${index}`, "read", { path: `src/${index}.ts` })),
    tool(result(`call_${index}`, `${index} `.repeat(400))),
    assistant(`File ${index} has numbers.`),
  ]).flat()

/** A home with one session of Claude Code in a project folder that exists; without the result of its third call if it is damaged. */
const home = (
  count: number,
  isDamaged = false,
): { readonly root: string; readonly session: string; readonly run: (...argv: readonly string[]) => Promise<CliResult> } => {
  const root = folder()
  mkdirSync(join(root, "shop"))
  const codec = resolveCodec("claude-code") as SessionCodec
  const { conversation } = settle(transcript(...turns(count)))
  const records = fileValueOf(codec, codec.encode(conversation, { session: { id, folder: join(root, "shop") } })) as readonly Wire[]
  const kept = isDamaged ? records.filter((record) => !JSON.stringify(record).includes("2 2 2 2")) : records
  const session = join(root, ".claude", "projects", join(root, "shop").replaceAll(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`)
  mkdirSync(dirname(session), { recursive: true })
  writeFileSync(session, kept.map((record) => `${JSON.stringify(record)}\n`).join(""))
  utimesSync(session, new Date(2020, 1, 1), new Date(2020, 1, 1))
  return { root, session, run: (...argv) => cli(argv, { cwd: join(root, "shop"), env: { HOME: root } }) }
}

const filesIn = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.jsonl/.test(name))
        .sort()
    : []

describe("ligature rescue", () => {
  it("shows what would help, does it with --apply, and undoes it", async () => {
    const { session, run } = home(4, true)
    const before = readFileSync(session, "utf8")
    const shown = await run("rescue")
    expect(shown.code).toBe(1)
    expect(shown.stderr).toMatch(/1 {2}repair .*changes \(dangling-parent, unanswered-call\)/)
    expect(shown.stderr).toContain(`Nothing was written. To do it: ligature rescue ${id} --apply`)
    expect(readFileSync(session, "utf8")).toBe(before)
    const applied = await run("rescue", "latest", "--apply")
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining(`claude --resume ${id}`)])
    expect(readFileSync(`${session}.bak`, "utf8")).toBe(before)
    expect((await run("check", id)).code).toBe(0)
    expect((await run("rescue", id, "--undo", "--dry-run")).stderr).toContain(`would be what ${id}.jsonl.bak is`)
    expect((await run("rescue", id, "--undo")).code).toBe(0)
    expect(readFileSync(session, "utf8")).toBe(before)
    expect(statSync(session).mtime).toEqual(new Date(2020, 1, 1))
    expect(existsSync(`${session}.bak`)).toBe(false)
  })

  it("prints the same as JSON, for scripts", async () => {
    const { session, run } = home(4, true)
    const shown = JSON.parse((await run("rescue", "--json")).stdout) as Record<string, unknown>
    expect(shown).toMatchObject({
      command: "rescue",
      exitCode: 1,
      file: session,
      applied: false,
      done: [],
      steps: [{ name: "repair", writes: true }],
    })
    const applied = JSON.parse((await run("rescue", "--apply", "--json")).stdout) as Record<string, unknown>
    expect(applied).toMatchObject({ exitCode: 0, applied: true, resume: `claude --resume ${id}` })
    expect(JSON.parse((await run("rescue", "--undo", "--json")).stdout)).toMatchObject({ undone: true, backup: `${session}.bak` })
  })

  it("leaves out damaged lines, NUL bytes in them as well", async () => {
    const { session, run } = home(4)
    writeFileSync(session, `${readFileSync(session, "utf8")}{"type":"user","message":{"role":"us\0\0\0\0\n`)
    utimesSync(session, new Date(2020, 1, 1), new Date(2020, 1, 1))
    expect((await run("doctor")).code).toBe(0)
    const { code, stderr } = await run("rescue", "--apply")
    expect([code, stderr]).toEqual([0, expect.stringContaining("1  repair    damaged lines are left out")])
    expect((await run("check", id)).stdout).not.toContain("torn")
  })

  it("keeps what can be read of a file that breaks off, and says why a file has no session", async () => {
    const codec = resolveCodec("opencode-export") as SessionCodec
    const { conversation } = settle(transcript(...turns(20)))
    const whole = JSON.stringify(fileValueOf(codec, codec.encode(conversation)), null, 1)
    const cwd = folder({ "s.json": whole.slice(0, whole.length - 9000), "empty.json": "" })
    utimesSync(join(cwd, "s.json"), new Date(2020, 1, 1), new Date(2020, 1, 1))
    expect((await cli(["doctor", "s.json"], { cwd })).stdout).toContain("ligature rescue s.json")
    expect((await cli(["doctor", "s.json", "--repair"], { cwd })).stdout).toContain("ligature rescue keeps the rest")
    const { code, stderr } = await cli(["rescue", "s.json", "--apply"], { cwd })
    expect([code, stderr]).toEqual([0, expect.stringContaining("warning[truncated-json]")])
    expect((await cli(["check", "s.json"], { cwd })).code).toBe(0)
    expect((await cli(["rescue", "empty.json"], { cwd })).stderr).toContain("empty.json: The file is empty.")
  })

  it("replaces an image of many megabytes", async () => {
    const { session, run } = home(4)
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".padEnd(9_000_000, "A") } }
    const records = readFileSync(session, "utf8").split("\n")
    const at = records.findIndex((line) => line.includes("2 2 2 2"))
    const record = JSON.parse(records[at] ?? "") as { message: { content: { content: unknown }[] } }
    for (const block of record.message.content) block.content = [picture]
    writeFileSync(session, records.with(at, JSON.stringify(record)).join("\n"))
    utimesSync(session, new Date(2020, 1, 1), new Date(2020, 1, 1))
    const { code, stderr } = await run("repair", "latest")
    expect([code, stderr]).toEqual([0, expect.stringContaining("media-limit")])
    expect(statSync(session).size).toBeLessThan(100_000)
  })

  it("leaves a session alone that needs nothing, and one that was just written", async () => {
    const { session, run } = home(4)
    expect((await run("rescue")).stderr).toContain("Nothing to repair")
    const ill = home(4, true)
    utimesSync(ill.session, new Date(), new Date())
    const busy = await ill.run("rescue", "--apply")
    expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining("it was changed less than a minute ago")])
    expect(filesIn(dirname(session))).toEqual([`${id}.jsonl`])
  })

  it("says what to do where the project folder is gone, and not that all is well", async () => {
    const { root } = home(2)
    renameSync(join(root, "shop"), join(root, "renamed"))
    const { code, stderr } = await cli(["rescue", id], { cwd: join(root, "renamed"), env: { HOME: root } })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`ligature rescue ${id} --folder DIR --apply`)])
    expect(stderr).not.toContain("Nothing to repair")
    expect((await cli(["rescue", id, "--folder", ".", "--apply"], { cwd: join(root, "renamed"), env: { HOME: root } })).code).toBe(0)
    expect(filesIn(join(root, ".claude")).some((name) => name.includes("renamed"))).toBe(true)
  })

  it("compacts a session that is too large into one that its agent opens", async () => {
    const { root, session, run } = home(40)
    const before = readFileSync(session, "utf8")
    const { code, stderr } = await run("rescue", "--most", "5k", "--budget", "4k", "--apply")
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/compact .* tokens become 3,\d+ tokens, in a new session; the original stays/),
    ])
    expect(readFileSync(session, "utf8")).toBe(before)
    const [resumed] = /claude --resume (\S+)/.exec(stderr)?.slice(1) ?? []
    const written = filesIn(join(root, ".claude")).find((name) => name.includes(String(resumed)))
    expect(written).toBeDefined()
    const records = readFileSync(join(root, ".claude", String(written)), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Wire)
    expect(records.filter((record) => record["isCompactSummary"] === true)).toHaveLength(1)
    expect((await run("check", String(resumed))).code).toBe(0)
  })

  it("takes a session to another project folder", async () => {
    const { root, session, run } = home(2)
    mkdirSync(join(root, "new-shop"))
    const { code, stderr } = await run("rescue", id, "--folder", "../new-shop", "--apply")
    expect([code, stderr]).toEqual([0, expect.stringContaining("the original stays")])
    const [moved] = filesIn(join(root, ".claude")).filter((name) => name.includes("new-shop"))
    const text = readFileSync(join(root, ".claude", String(moved)), "utf8")
    expect(text).toContain(JSON.stringify(join(root, "new-shop")))
    expect(text).not.toContain(JSON.stringify(join(root, "shop")))
    expect(existsSync(session)).toBe(true)
  })
})

describe("ligature move", () => {
  it("puts the session where the other agent finds it, and reads it back", async () => {
    const { root, run } = home(5)
    const dry = await run("move", "latest", "--to", "codex", "--dry-run")
    expect([dry.code, filesIn(join(root, ".codex"))]).toEqual([0, []])
    const { code, stderr } = await run("move", id, "--to", "codex")
    expect(code).toBe(0)
    expect(stderr).toContain("Read back: 5 of 5 calls, 5 of 5 user texts")
    expect(stderr).toMatch(/resume it with {2}codex resume \S+/)
    expect(filesIn(join(root, ".codex"))).toHaveLength(1)
    const again = await run("move", id, "--to", "codex")
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("is there already")])
    expect((await run("move", id, "--to", "claude-code")).code).toBe(2)
  })

  it("takes the names that people call agents by", async () => {
    const { run } = home(4)
    expect((await run("move", "latest", "--to", "gemini", "--dry-run")).stderr).toContain("gemini --resume")
    const missing = await run("move", "latest")
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("move needs --to AGENT\n  Agents: claude, codex, pi,")])
    const same = await run("move", "latest", "--to", "claude-code", "--folder", "..")
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining(`ligature rescue ${id} --folder .. --apply`)])
  })

  it("says that a session is too large for the other agent as well, and that its folder is not here", async () => {
    const { root, run } = home(400)
    renameSync(join(root, "shop"), join(root, "store"))
    const { code, stderr } = await cli(["move", id, "--to", "codex", "--dry-run"], { cwd: root, env: { HOME: root } })
    expect(code).toBe(0)
    expect(stderr).toMatch(/! [\d,]+ tokens may be too many to resume. Smaller: ligature compact/)
    expect(stderr).toContain("does not exist here. --folder DIR names where the project is now.")
    const { stdout } = await cli(["doctor"], { cwd: root, env: { HOME: root } })
    expect(stdout).toMatch(/warnings +\S/)
    expect(stdout).toContain("too-large")
    expect(stdout).toContain(`ligature rescue ${id.slice(0, 8)}`)
    expect(stdout).toContain("1 session of folders that do not exist here.")
    expect((await run("doctor")).code).toBe(0)
  })

  it("asks which session is meant where somebody can answer", async () => {
    const { root } = home(2)
    const { code, stderr } = await cli(["move", "--to", "pi"], {
      cwd: root,
      env: { HOME: root },
      terminal: true,
      interactive: true,
      stdin: "1\n",
    })
    expect([code, stderr]).toEqual([0, expect.stringContaining("Which session? Number (1):")])
    expect(filesIn(join(root, ".pi"))).toHaveLength(1)
  })
})

describe("sessions by name", () => {
  it("are repaired in place, and say how they are resumed", async () => {
    const { session, run } = home(4, true)
    const dry = await run("repair", "latest", "--dry-run")
    expect([dry.stdout, existsSync(`${session}.bak`)]).toEqual(["", false])
    const { code, stdout, stderr } = await run("repair", "latest")
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toContain(`claude --resume ${id}`)
    expect(existsSync(`${session}.bak`)).toBe(true)
  })

  it("are converted into the home of the other agent with --install", async () => {
    const { root, run } = home(2)
    const { code, stderr } = await run("convert", id, "--to", "codex", "--install")
    expect([code, stderr]).toEqual([0, expect.stringContaining("codex resume ")])
    expect(filesIn(join(root, ".codex"))).toHaveLength(1)
    // This agent finds a session by a small file next to it.
    const cline = await run("convert", id, "--to", "cline-cli", "--install")
    const name = /cline --id (\S+)/.exec(cline.stderr)?.[1] ?? ""
    const manifest = join(root, ".cline", "data", "sessions", name, `${name}.json`)
    expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({
      session_id: name,
      messages_path: join(root, ".cline", "data", "sessions", name, `${name}.messages.json`),
    })
    expect((await run("convert", id, "--to", "openai-chat", "--install")).code).toBe(2)
    expect((await run("convert", id, "--to", "pi", "--install", "-o", "x.jsonl")).code).toBe(2)
  })

  it("are compacted into sessions when nobody asks for a request", async () => {
    const { session, run } = home(400)
    const { code, stdout, stderr } = await run("compact", session)
    expect([code, stderr]).toEqual([0, expect.stringContaining("put it at  ~/.claude/projects/")])
    expect(stdout).toContain('"subtype":"compact_boundary"')
    const explained = await run("compact", id, "--explain")
    expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining("of 64,000 tokens")])
  })

  it("are compacted into sessions of any agent that can be written", async () => {
    const { root, session, run } = home(40)
    for (const [agent, place] of [
      ["claude-code", ".claude"],
      ["codex", ".codex"],
      ["pi", ".pi"],
    ] as const) {
      const { code, stderr } = await run("compact", id, "--to", agent, "--budget", "4k")
      expect([agent, code, stderr]).toEqual([agent, 0, expect.stringMatching(/tokens before, 3,\d+ tokens after/)])
      const written = filesIn(join(root, place)).filter((name) => !name.includes(id))
      expect(written).toHaveLength(1)
      expect((await run("check", join(root, place, String(written[0])))).code).toBe(0)
    }
    const file = await run("compact", session, "--to", "claude-code", "--budget", "4k", "-o", "small.jsonl")
    expect([file.code, file.stdout]).toEqual([0, ""])
    expect((await run("compact", id)).stderr).toContain("It fits already")
  })
})
