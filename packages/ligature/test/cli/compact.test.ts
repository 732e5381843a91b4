import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { judges } from "../../src/testing/index.ts"
import { cli, folder, healthy } from "./cli.ts"
import { long, session } from "./long-history.ts"

interface Statistics {
  readonly before: { readonly tokens: number }
  readonly after: { readonly tokens: number }
}

interface Report {
  readonly exitCode: number
  readonly files: readonly {
    readonly conversations: readonly {
      readonly budget: number
      readonly outcome: string
      readonly strategy: string
      readonly statistics: Statistics
      readonly items: readonly { readonly handle: string; readonly decision: string; readonly why: string }[]
    }[]
  }[]
}

interface Recalled {
  readonly text: string
  readonly next?: string
}

const conversationIn = (text: string): Report["files"][number]["conversations"][number] => {
  const found = (JSON.parse(text) as Report).files[0]?.conversations[0]
  if (found === undefined) throw new Error("no conversation")
  return found
}

describe("ligature compact", () => {
  it("writes a valid request within the budget to stdout, and says on stderr what it did", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stdout, stderr } = await cli(["compact", "long.json", "--budget", "2500"], { cwd })
    expect(code).toBe(0)
    const request = JSON.parse(stdout) as typeof long
    expect([request.model, request.tools]).toEqual(["some-model", long.tools])
    expect(JSON.stringify(request.messages[0])).toContain('"Fix src/lease.ts"')
    expect(judges.anthropic({ max_tokens: 100, ...request })).toMatchObject({ ok: true })
    expect(stdout.length).toBeLessThan(2_500 * 6)
    expect(stderr).toMatch(/✓ long\.json: [\d,]+ → [\d,]+ tokens \([\d.]+ %\) with /)
    expect(stderr).toContain("writes a request in format anthropic\n")
    expect(stderr).toContain("ligature recall long.json 2")
  })

  it("leaves what already fits", async () => {
    const cwd = folder({ "small.json": healthy })
    const { code, stdout, stderr } = await cli(["compact", "small.json", "--budget", "100k"], { cwd })
    expect([code, JSON.parse(stdout)]).toEqual([0, healthy])
    expect(stderr).toContain("already fits")
  })

  it.each(["openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral"])("writes for %s when asked", async (to) => {
    const cwd = folder({ "long.json": long })
    const { code } = await cli(["compact", "long.json", "--budget", "20%", "--to", to, "-o", "out.json"], { cwd })
    expect(code).toBe(0)
    expect((await cli(["check", "out.json"], { cwd })).code).toBe(0)
  })

  it("writes a request of a session file and leaves the file alone", async () => {
    const cwd = folder({ "session.jsonl": session })
    const { code, stdout, stderr } = await cli(["compact", "session.jsonl", "--budget", "10%"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveProperty("messages")
    expect(stderr).toContain("writes a request in format anthropic; the session file itself is unchanged")
    expect(readFileSync(join(cwd, "session.jsonl"), "utf8")).toBe(session)
  })

  it("explains each item, with a bar of the budget, and writes nothing", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stdout } = await cli(["compact", "long.json", "--budget", "20%", "--explain"], { cwd, columns: 120 })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^#1 +[=] kept +user: Fix src\/lease\.ts +\d+ {2}protected$/m)
    expect(stdout).toMatch(/^#3 +- elided +assistant: read\(src\/part-1\.ts\) +[\d,]+ → 0 {2}\S/m)
    expect(stdout).toMatch(/^before \[[a-z·]+\] [\d,]+ tokens$/m)
    expect(stdout).toMatch(/^after {2}\[[a-z·]+\] [\d,]+ of [\d,]+ tokens$/m)
    expect(stdout).not.toContain('"messages"')
    const colored = await cli(["compact", "long.json", "--budget", "20%", "--explain", "--color", "always"], { cwd })
    expect(colored.stdout).toContain("\u001b[")
  })

  it("writes the numbers neither over the input nor over the output", async () => {
    const cwd = folder({ "long.json": long })
    const before = readFileSync(join(cwd, "long.json"), "utf8")
    for (const [stats, out] of [
      ["long.json", "out.json"],
      ["out.json", "out.json"],
    ] as const) {
      const { code, stderr } = await cli(["compact", "long.json", "--budget", "3k", "--stats", stats, "-o", out], { cwd })
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--stats ${stats} is also an input or the output`)])
    }
    expect(readFileSync(join(cwd, "long.json"), "utf8")).toBe(before)
  })

  it("says what was repaired on the way, also where everything fits", async () => {
    const [first, second, , ...rest] = long.messages
    const cwd = folder({ "damaged.json": { ...long, messages: [first, second, ...rest] } })
    const args = ["compact", "damaged.json", "--budget", "100%"]
    const { stderr } = await cli(args, { cwd })
    expect(stderr).toContain("already fits")
    expect(stderr).toMatch(/! 1 repair made before compacting: unanswered-call; --verbose lists each/)
    expect((await cli([...args, "--verbose"], { cwd })).stderr).toMatch(/messages\[1\].* unanswered-call/)
    expect(conversationIn((await cli([...args, "--json"], { cwd })).stdout)).toMatchObject({ repairs: [{ rule: "unanswered-call" }] })
  })

  it("keeps messages at both ends of a window, as many as fit", async () => {
    const cwd = folder({ "long.json": long })
    const few = await cli(["compact", "long.json", "--budget", "50%", "--strategy", "window", "--keep-last", "4"], { cwd })
    const messages = JSON.parse(few.stdout).messages as readonly unknown[]
    expect(messages.slice(-4)).toEqual(long.messages.slice(-4))
    expect(messages.length).toBeLessThan(9)
    const all = await cli(["compact", "long.json", "--budget", "30%", "--strategy", "window", "--keep-last", "999"], { cwd })
    expect(all.code).toBe(0)
  })

  it("names in its hint what decides which conversation is read", async () => {
    const cwd = folder({ "my session.jsonl": session })
    const { stderr } = await cli(["compact", "my session.jsonl", "--view", "effective", "--budget", "20%", "-o", "o.json"], { cwd })
    expect(stderr).toMatch(/ligature recall 'my session\.jsonl' --view effective \d+/)
  })

  it("prints and writes the numbers as JSON", async () => {
    const cwd = folder({ "long.json": long })
    const printed = await cli(["compact", "long.json", "--budget", "3k", "--json", "--stats", "stats.json", "-o", "out.json"], { cwd })
    const found = conversationIn(printed.stdout)
    expect(found).toMatchObject({ outcome: "compacted" })
    expect(found.budget).toBeLessThanOrEqual(3_000)
    expect(found.statistics.after.tokens).toBeLessThanOrEqual(found.budget)
    expect(found.statistics).toMatchObject({ names: expect.anything(), cost: { requests: expect.any(Number) } })
    expect(found.statistics).toMatchObject({ durationMs: 7 })
    expect(found.items).toHaveLength(42)
    expect(found.items[0]).toMatchObject({ handle: "#1", decision: "keep", why: "protected" })
    expect(conversationIn(readFileSync(join(cwd, "stats.json"), "utf8"))).toEqual(found)
    expect(existsSync(join(cwd, "out.json"))).toBe(true)
    const bare = await cli(["compact", "long.json", "--budget", "3k", "--json"], { cwd })
    expect(conversationIn(bare.stdout)).toEqual({ ...found, written: undefined } as never)
  })

  it.each(["digest", "window", "mask", "dedupe+mask+window", "cap+window"])("knows the strategy %s", async (strategy) => {
    const cwd = folder({ "long.json": long })
    const { code, stdout } = await cli(["compact", "long.json", "--budget", "50%", "--strategy", strategy, "--json"], { cwd })
    expect([code, conversationIn(stdout).outcome]).toEqual([0, "compacted"])
  })

  it("keeps the ends it is told to keep, and what the goal needs", async () => {
    const cwd = folder({ "long.json": long })
    const ends = await cli(["compact", "long.json", "--budget", "40%", "--keep-first", "2", "--keep-last", "3", "--json"], { cwd })
    const decisions = conversationIn(ends.stdout).items.map(({ decision }) => decision)
    expect([decisions.slice(0, 2), decisions.slice(-3)]).toEqual([
      ["keep", "keep"],
      ["keep", "keep", "keep"],
    ])
    const goal = await cli(["compact", "long.json", "--budget", "5%", "--goal", "look at part-17 again"], { cwd })
    expect(goal.stdout).toContain("part-17")
  })

  it("says on a terminal what it is at, and takes that away before it says anything else", async () => {
    const cwd = folder({ "long.json": long })
    const { stderr } = await cli(["compact", "long.json", "--budget", "10%"], { cwd, terminal: true, env: { NO_COLOR: "1" } })
    expect(stderr.startsWith("\r\u001b[Kcompacting long.json, ")).toBe(true)
    expect(stderr.indexOf("\r\u001b[K", 3)).toBeLessThan(stderr.indexOf("✓ long.json"))
    expect((await cli(["compact", "long.json", "--budget", "10%"], { cwd })).stderr).not.toContain("compacting")
  })

  it("writes statistics beside the requests of a folder, never over one of them", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stderr } = await cli(["compact", "long.json", "--budget", "3k", "--out-dir", "out", "--stats", "out/long.json"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("out/long-2.json")
    expect(Object.keys(JSON.parse(readFileSync(join(cwd, "out/long-2.json"), "utf8")) as object)).toContain("messages")
    expect(conversationIn(readFileSync(join(cwd, "out/long.json"), "utf8")).outcome).toBe("compacted")
  })

  it("names a file that breaks off in what it reports", async () => {
    const cwd = folder({ "torn.json": `${JSON.stringify(long).slice(0, 2_000)}` })
    const { code, stdout } = await cli(["compact", "torn.json", "--budget", "1k", "--json"], { cwd })
    expect(code).toBe(2)
    expect((JSON.parse(stdout) as Report).files).toMatchObject([{ file: "torn.json", conversations: [] }])
  })

  it("takes a size, for requests that were refused as too large", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stdout, stderr } = await cli(["compact", "long.json", "--budget", "6kB"], { cwd })
    expect(code).toBe(0)
    expect(JSON.stringify(JSON.parse(stdout)).length).toBeLessThanOrEqual(6_000)
    expect(stderr).toMatch(/long\.json: [\d.]+ kB → [\d.]+ kB \([\d.]+ %\) with digest/)
    const explained = await cli(["compact", "long.json", "--budget", "6kb", "--explain"], { cwd, columns: 120 })
    expect(explained.stdout).toMatch(/after {2}\[.*\] [\d.]+ kB of [\d.]+ kB\n/)
    const json = await cli(["compact", "long.json", "--budget", "0.006MB", "--json"], { cwd })
    const found = conversationIn(json.stdout)
    expect(found).toMatchObject({ budgetBytes: expect.any(Number) as number, outcome: "compacted" })
    expect(found).not.toHaveProperty("budget")
  })

  it("refuses a budget nothing fits into, writes nothing, and says what would be needed", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stdout, stderr } = await cli(["compact", "long.json", "--budget", "30", "-o", "out.json"], { cwd })
    expect([code, stdout, existsSync(join(cwd, "out.json"))]).toEqual([1, "", false])
    expect(stderr).toContain("refused: long.json: No view fits into")
    expect(stderr).toContain("Nothing was written.")
  })

  it("explains mistakes on the command line", async () => {
    const cwd = folder({ "long.json": long })
    const said = async (...argv: readonly string[]): Promise<string> => (await cli(["compact", "long.json", ...argv], { cwd })).stderr
    expect(await said()).toContain("compact needs --budget N or --budget P%")
    expect(await said("--budget", "much")).toContain(
      "--budget is a number of tokens (32000, 32k), a percentage of the conversation (10%) or a size (20MB), not much",
    )
    expect(await said("--budget", "0%")).toContain("--budget is")
    expect(await said("--budget", "10%", "--strategy", "digset")).toContain("digest")
    expect(await said("--budget", "10%", "--to", "claude-code", "--explain")).toContain("--explain is for requests")
    expect(await said("--budget", "10%", "--keep-last", "few")).toContain("--keep-last is a whole number")
    expect(await said("--budget", "10%", "--explain", "--json")).toContain("Give only one of --explain and --json")
    expect((await cli(["compact", "none.json", "--budget", "1k"], { cwd })).code).toBe(2)
  })
})

describe("ligature recall", () => {
  it("reads back what a compaction elided, with or without #", async () => {
    const cwd = folder({ "long.json": long })
    const wanted = '[#7.1 read {"path":"src/part-5.ts"} → done, lines 3-4 of 30]\npart-5 line 2 value_6\npart-5 line 3 value_9\n'
    for (const handle of ["7.1:3-4", "#7.1:3-4"]) {
      expect(await cli(["recall", "long.json", handle], { cwd })).toEqual({ code: 0, stdout: wanted, stderr: "" })
    }
  })

  it("reads back from a session under the same handles", async () => {
    const cwd = folder({ "session.jsonl": session })
    expect((await cli(["recall", "session.jsonl", "7.1:3"], { cwd })).stdout).toContain("part-5 line 2 value_6")
  })

  it("every handle of a compacted view leads to something", async () => {
    const cwd = folder({ "long.json": long })
    const { stdout } = await cli(["compact", "long.json", "--budget", "15%"], { cwd })
    const handles = [...new Set(stdout.match(/#\d+(?:\.\d+)?(?::\d+-\d+)?/g) ?? [])]
    expect(handles.length).toBeGreaterThan(5)
    for (const handle of handles.slice(0, 40)) expect((await cli(["recall", "long.json", handle], { cwd })).code, handle).toBe(0)
  })

  it("finds text, and pages through long answers", async () => {
    const cwd = folder({ "long.json": long })
    const found = await cli(["recall", "long.json", "--search", "PART-5 LINE 2 "], { cwd })
    expect(found.stdout).toBe("#7.1:3  part-5 line 2 value_6\n")
    const paged = await cli(["recall", "long.json", "7.1", "--limit", "100", "--json"], { cwd })
    const page = JSON.parse(paged.stdout) as { readonly found: boolean; readonly next: string }
    expect(page).toMatchObject({ command: "recall", file: "long.json", handle: "7.1", found: true })
    expect(page.next).toMatch(/^#7\.1:\d+-30$/)
  })

  it("finds its way into a long line, and back", async () => {
    const rows = JSON.stringify(Array.from({ length: 4_000 }, (_, id) => ({ id, name: `user_${id}` })))
    const cwd = folder({ "line.json": JSON.stringify({ messages: [{ role: "user", content: rows }] }) })
    const { stdout } = await cli(["recall", "line.json", "--search", "user_3210"], { cwd })
    const [handle = ""] = stdout.split("  ")
    expect(handle).toMatch(/^#1:1\+\d+$/)
    const page = await cli(["recall", "line.json", handle, "--limit", "200"], { cwd })
    expect(page.stdout).toContain("user_3210")
  })

  it("names media, and holds it in JSON", async () => {
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" }
    const cwd = folder({ "image.json": JSON.stringify({ messages: [{ role: "user", content: [{ type: "image", source }] }] }) })
    expect((await cli(["recall", "image.json", "1"], { cwd })).stdout).toBe("[#1 user]\n[image: image/png, 9 bytes]\n")
    const { media } = JSON.parse((await cli(["recall", "image.json", "1", "--json"], { cwd })).stdout) as { readonly media: unknown }
    expect(media).toEqual([{ type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBORw0KGgo=" } }])
  })

  it("leads through a range of items, as a summary cites it", async () => {
    const cwd = folder({ "long.json": long })
    const seen: string[] = []
    let handle: string | undefined = "#41-#42"
    for (let pages = 0; handle !== undefined && pages < 10; pages++) {
      const page = JSON.parse((await cli(["recall", "long.json", handle, "--json"], { cwd })).stdout) as Recalled
      seen.push(page.text)
      handle = page.next
    }
    expect(seen).toEqual([expect.stringContaining("src/part-39.ts"), "[#42 user]\nAnd now the tests."])
  })

  it("says once that there is nothing in a file", async () => {
    const cwd = folder({ "empty.json": "" })
    const { code, stdout, stderr } = await cli(["recall", "empty.json", "1"], { cwd })
    expect([code, stdout, stderr.match(/error\[/g)]).toEqual([2, "", ["error["]])
    expect(stderr).toContain("The file is empty.")
  })

  it("says what would work", async () => {
    const cwd = folder({ "long.json": long })
    expect(await cli(["recall", "long.json", "99"], { cwd })).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no #99: the history has 42 items.\n",
    })
    expect((await cli(["recall", "long.json", "--search", "kumquat"], { cwd })).code).toBe(1)
    expect((await cli(["recall", "long.json"], { cwd })).stderr).toContain("recall takes FILE HANDLE or FILE --search TEXT")
    expect((await cli(["recall", "none.json", "1"], { cwd })).code).toBe(2)
    expect((await cli(["recall", "long.json", "1", "--conversation", "2"], { cwd })).stderr).toContain(
      "The file has 1 conversation, so there is no conversation 2.",
    )
  })
})
