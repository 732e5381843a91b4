/** `ligature compact`: what is written where, and what of it is said when it cannot be. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, folder, healthy } from "./cli.ts"
import { lines, long } from "./long-history.ts"

const jsonLines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("")

const question = (text: string): unknown => ({
  messages: [
    { role: "system", content: text },
    { role: "user", content: "Go on." },
  ],
})

/** Three conversations; no view of the second fits into a few hundred tokens. */
const several = jsonLines(question("one"), question(lines(200, "rule")), question("three"))

interface Stats {
  readonly files: readonly {
    readonly file: string
    readonly problems: readonly { readonly kind: string; readonly what: string }[]
    readonly conversations: readonly { readonly outcome: string; readonly written?: string }[]
  }[]
}

const statsIn = (cwd: string, name = "stats.json"): Stats => JSON.parse(readFileSync(join(cwd, name), "utf8")) as Stats

describe("a file with several conversations", () => {
  it("gives each output the number of its conversation, also where one is refused", async () => {
    const cwd = folder({ "many.jsonl": several })
    const { code, stderr } = await cli(["compact", "many.jsonl", "--budget", "300", "--out-dir", "out"], { cwd })
    expect(code).toBe(1)
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["many.0001.json", "many.0003.json"])
    expect(readFileSync(join(cwd, "out", "many.0003.json"), "utf8")).toContain("three")
    expect(stderr).toContain("Written to out/many.0001.json\n  Written to out/many.0003.json\n")
    expect(stderr).toContain("refused: many.jsonl#2: ")
  })

  it("comes out as one line each, in order, also where only one is left", async () => {
    const cwd = folder({ "many.jsonl": several, "two.jsonl": jsonLines(question("one"), question(lines(200, "rule"))) })
    const three = await cli(["compact", "many.jsonl", "--budget", "300"], { cwd })
    const written = three.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.stringify(JSON.parse(line)))
    expect(written.map((line) => ["one", "three"].find((word) => line.includes(`"${word}"`)))).toEqual(["one", "three"])
    const two = await cli(["compact", "two.jsonl", "--budget", "300"], { cwd })
    expect(two.stdout.split("\n")).toHaveLength(2)
  })

  it("is no match for -o, which is said before anything is compacted, and is in the statistics", async () => {
    const cwd = folder({ "many.jsonl": several })
    const args = ["compact", "many.jsonl", "--budget", "300", "-o", "out.json", "--stats", "stats.json"]
    const { code, stdout, stderr } = await cli(args, { cwd })
    const what = "many.jsonl contains 3 conversations, but -o takes one. Use --out-dir DIR: one file for each."
    expect([code, stdout, stderr]).toEqual([2, "", `error[cannot-write]: ${what}\n  --> many.jsonl\n\n`])
    const problems = [{ kind: "cannot-write", severity: "error", what, wayOut: "Give another output path." }]
    expect(statsIn(cwd).files).toEqual([{ file: "many.jsonl", problems, conversations: [] }])
  })

  it("is read back one conversation at a time, and recall says which one", async () => {
    const cwd = folder({ "many.jsonl": several })
    const first = await cli(["recall", "many.jsonl", "1"], { cwd })
    expect(first).toEqual({
      code: 0,
      stdout: "[#1 system]\none\n",
      stderr: "note: many.jsonl has 3 conversations; this is the first. --conversation N reads another.\n",
    })
    expect(await cli(["recall", "many.jsonl", "1", "--conversation", "3"], { cwd })).toEqual({
      code: 0,
      stdout: "[#1 system]\nthree\n",
      stderr: "",
    })
  })
})

describe("statistics", () => {
  it("are kept when a request cannot be written, and no success is told", async () => {
    const cwd = folder({ "long.json": long, out: "a file" })
    const args = ["compact", "long.json", "--budget", "20%", "--out-dir", "out", "--stats", "stats.json"]
    const { code, stderr } = await cli(args, { cwd })
    expect([code, stderr.includes("✓")]).toEqual([2, false])
    expect(stderr).toContain("This is a file, not a folder.")
    const [file] = statsIn(cwd).files
    expect(file?.problems.map(({ kind }) => kind)).toEqual(["cannot-write"])
    expect(file?.conversations.map(({ outcome, written }) => [outcome, written])).toEqual([["compacted", undefined]])
  })

  it("name files that cannot be read, and go to a file only", async () => {
    const cwd = folder({ "long.json": long })
    const { stderr } = await cli(["compact", "none.json", "--budget", "1k", "--stats", "stats.json"], { cwd })
    expect(stderr).toContain("File not found.")
    const problems = [{ kind: "cannot-read" }]
    expect(statsIn(cwd).files).toMatchObject([{ file: "none.json", problems, conversations: [] }])
    expect(await cli(["compact", "long.json", "--budget", "1k", "--stats", "-"], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: "ligature: --stats takes a file, not stdout\n  --json prints the same to stdout.\n",
    })
    expect(await cli(["compact", "long.json", "--budget", "1k", "--explain", "-o", "-"], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: "ligature: --explain and -o - would both write to stdout\n  Give -o a file, or omit --explain.\n",
    })
    expect(readdirSync(cwd).sort()).toEqual(["long.json", "stats.json"])
  })
})

describe("a budget in bytes", () => {
  const formats = ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse"]

  it.each(formats)("holds for the file that is written for %s", async (to) => {
    const cwd = folder({ "long.json": long })
    for (const strategy of ["digest", "window"]) {
      const args = ["compact", "long.json", "--budget", "20kB", "--strategy", strategy, "--to", to, "-o", "out.json"]
      expect((await cli(args, { cwd })).code).toBe(0)
      const { size } = statSync(join(cwd, "out.json"))
      expect([strategy, size <= 20_000, size > 9_000]).toEqual([strategy, true, true])
      expect((await cli(["check", "out.json"], { cwd })).code).toBe(0)
    }
  })

  it("holds also for what is no message and no tool", async () => {
    const metadata = { user_id: "u".repeat(9_000) }
    const cwd = folder({ "long.json": { ...long, metadata } })
    const { code, stdout } = await cli(["compact", "long.json", "--budget", "20kB", "--strategy", "window"], { cwd })
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ metadata })])
    expect(stdout.length).toBeLessThanOrEqual(20_000)
    const small = await cli(["compact", "long.json", "--budget", "9100B", "--strategy", "window"], { cwd })
    expect([small.code, small.stdout]).toEqual([1, ""])
    expect(small.stderr).toMatch(/No view fits into .*; the rest of the request has \d+ bytes more than estimated/)
  })

  it("makes a view of a history that fits by itself, where its request does not", async () => {
    const messages = [
      { role: "user", content: lines(60, "question") },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "On." },
    ]
    const cwd = folder({ "small.json": { model: "m", messages, user: "u".repeat(2_000) } })
    const { code, stdout } = await cli(["compact", "small.json", "--budget", "3500B"], { cwd })
    expect([code, stdout.length <= 3_500]).toEqual([0, true])
  })

  it("leaves white space out, which a budget in tokens does not", async () => {
    const cwd = folder({ "small.json": healthy })
    const written = async (budget: string): Promise<string> => (await cli(["compact", "small.json", "--budget", budget], { cwd })).stdout
    expect(await written("20kB")).toBe(`${JSON.stringify(healthy)}\n`)
    expect(await written("20k")).toBe(`${JSON.stringify(healthy, undefined, 2)}\n`)
  })
})
