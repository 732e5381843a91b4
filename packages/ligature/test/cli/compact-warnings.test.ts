/** `ligature compact`: what it explains and warns of, so that nobody takes a number or a view for another one. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, folder } from "./cli.ts"
import { long } from "./long-history.ts"

interface Reported {
  readonly alreadyCompacted: boolean
  readonly reason?: string
  readonly statistics: { readonly tools: { readonly tokens: number; readonly bytes: number } }
  readonly items: readonly { readonly decision: string; readonly why: string }[]
}

const reported = async (argv: readonly string[], cwd: string): Promise<Reported> => {
  const { stdout } = await cli([...argv, "--json"], { cwd })
  const found = (JSON.parse(stdout) as { files: { conversations: Reported[] }[] }).files[0]?.conversations[0]
  if (found === undefined) throw new Error("no conversation")
  return found
}

describe("a refused plan", () => {
  const args = ["compact", "long.json", "--budget", "30"]

  it("is explained by its reason and what there is, and not by items that nothing became of", async () => {
    const cwd = folder({ "long.json": long })
    const { code, stdout } = await cli([...args, "--explain"], { cwd, columns: 120 })
    expect(code).toBe(1)
    expect(stdout.split("\n")).toEqual([
      "long.json  anthropic",
      "",
      expect.stringMatching(/^refused: No view fits into \d+ tokens: /),
      "",
      expect.stringMatching(/^before \[[a-z]+\] [\d,]+ tokens$/),
      expect.stringMatching(/^ {7}u user \d+ {2}/),
      expect.stringMatching(/^Tool definitions: \d+ tokens, already subtracted from the budget$/),
      "",
      "",
    ])
  })

  it("says so of each item in JSON", async () => {
    const { items, reason } = await reported(args, folder({ "long.json": long }))
    expect(reason).toContain("No view fits")
    expect(new Set(items.map(({ decision, why }) => `${decision} ${why}`))).toEqual(new Set(["keep refused"]))
  })

  it("blames the tool definitions only where they count", async () => {
    const cwd = folder({ "long.json": long })
    const share = await cli(["compact", "long.json", "--budget", "0.0001%"], { cwd })
    expect(share.stderr).toMatch(/refused: long\.json: No view fits into 0 tokens: the smallest has .*\n/)
    const tokens = await cli(["compact", "long.json", "--budget", "5"], { cwd })
    expect(tokens.stderr).toMatch(/long\.json: The tool definitions alone use up the budget: \d+ tokens, \d+ bytes\n/)
  })
})

describe("tool definitions", () => {
  it("are in the statistics, and beside the bars with how they count", async () => {
    const cwd = folder({ "long.json": long, "bare.json": { messages: long.messages } })
    const {
      statistics: { tools },
    } = await reported(["compact", "long.json", "--budget", "20%"], cwd)
    const bytes = JSON.stringify(JSON.stringify(long.tools)).length - 2
    expect(tools).toEqual({ tokens: expect.any(Number) as number, bytes })
    const explained = async (file: string, budget: string): Promise<string> =>
      (await cli(["compact", file, "--budget", budget, "--explain"], { cwd })).stdout
    expect(await explained("long.json", "20%")).toContain(`\nTool definitions: ${tools.tokens} tokens, not part of the percentage\n`)
    expect(await explained("long.json", "8kB")).toMatch(/\nTool definitions: \d+ B, already subtracted from the budget/)
    expect(await explained("bare.json", "20%")).not.toContain("\nTool definitions")
    const { statistics } = await reported(["compact", "bare.json", "--budget", "20%"], cwd)
    expect(statistics.tools).toEqual({ tokens: 0, bytes: 0 })
  })
})

describe("a view that is compacted again", () => {
  const warning = "small.json is already a compacted view: its handles refer to the original"

  it.each([
    ["anthropic", "digest"],
    ["anthropic", "window"],
    ["openai-chat", "digest"],
    ["openai-responses", "window"],
    ["gemini", "digest"],
    ["bedrock-converse", "digest"],
  ])("is recognised as %s by %s, and done with a warning", async (to, strategy) => {
    const cwd = folder({ "long.json": long })
    const first = ["compact", "long.json", "--budget", "20%", "--strategy", strategy, "--to", to, "-o", "small.json"]
    expect((await cli(first, { cwd })).stderr).not.toContain("already")
    const again = await cli(["compact", "small.json", "--budget", "60%", "-o", "smaller.json"], { cwd })
    expect([again.code, again.stderr.split("\n").slice(0, 2)]).toEqual([
      0,
      [`! ${warning}`, "  Give the original instead: it is complete, and the handles are valid in it."],
    ])
    expect(JSON.parse(readFileSync(join(cwd, "smaller.json"), "utf8"))).not.toEqual({})
    expect((await reported(["compact", "small.json", "--budget", "60%"], cwd)).alreadyCompacted).toBe(true)
    expect((await reported(["compact", "long.json", "--budget", "60%"], cwd)).alreadyCompacted).toBe(false)
    expect((await cli(["recall", "small.json", "1"], { cwd })).stderr).toContain(warning)
  })

  it("is recognised by the words before a summary", async () => {
    const content = "[ligature:summary] This message stands for #2 to #9 of this conversation."
    const messages = [
      { role: "user", content },
      { role: "assistant", content: "On." },
    ]
    const cwd = folder({ "small.json": { messages } })
    expect((await cli(["compact", "small.json", "--budget", "100%"], { cwd })).stderr).toContain(warning)
  })
})

describe("a goal", () => {
  it("is said to change nothing where the strategy does not go by it", async () => {
    const cwd = folder({ "long.json": long })
    const said = async (strategy: string, ...more: readonly string[]): Promise<string> =>
      (await cli(["compact", "long.json", "--budget", "50%", "--strategy", strategy, ...more], { cwd })).stderr
    const warning = (strategy: string): string => `! --goal has no effect on ${strategy}: only digest and generations use it\n`
    for (const strategy of ["window", "mask", "cap", "dedupe", "truncate", "dedupe+mask"]) {
      expect((await said(strategy, "--goal", "part-17")).startsWith(warning(strategy))).toBe(true)
      expect(await said(strategy)).not.toContain("--goal")
    }
    for (const strategy of ["digest", "generations", "dedupe+digest"]) {
      expect(await said(strategy, "--goal", "part-17")).not.toContain("--goal")
    }
  })
})
