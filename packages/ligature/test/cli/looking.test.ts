/** show, stats, rules, formats, profiles: the commands that only look. */
import { describe, expect, it } from "vitest"
import { cli, damaged, fixture, folder, healthy } from "./cli.ts"

describe("ligature show", () => {
  it("prints turns, exchanges as brackets, outcomes and sizes", async () => {
    const options = { terminal: true, columns: 80, env: { NO_COLOR: "1" } }
    const { code, stdout } = await cli(["show", fixture("late-result-and-missing-sibling")], options)
    expect(code).toBe(0)
    const [head, ...rows] = stdout.split("\n")
    expect(head).toContain("openai-chat · 5 messages · 2 turns · 1 exchange · 2 calls · 211 B")
    expect(rows.slice(1, 9)).toEqual([
      "── turn 1 ──────────────────────────────────────────────────────────────────────",
      "1   user      Check the ports                                               15 B",
      "2 ┌ assistant → bash(lsof -i :80)                                           25 B",
      "  │             ! interrupted (generated)                                  119 B",
      "  │           → bash(lsof -i :443)                                          26 B",
      "  └             ✓ 443 is free                                               11 B",
      "── turn 2 ──────────────────────────────────────────────────────────────────────",
      "3   user      Hurry up                                                       8 B",
    ])
    expect(stdout).toContain("2 places repaired for this view: ligature check")
  })

  it("never goes beyond the width of the terminal, wide characters included", async () => {
    const messages = [
      { role: "user", content: "只看 b 的结果".repeat(60) },
      { role: "assistant", content: "👍🏽 word ".repeat(90) },
    ]
    const cwd = folder({ "a.json": { messages } })
    const { widthOf } = await import("../../src/cli/frame/text.ts")
    const { stdout } = await cli(["show", "a.json"], { cwd, terminal: true, columns: 60, env: { NO_COLOR: "1" } })
    const rows = stdout.split("\n").filter((line) => /^\d [ ┌│└] (user|assistant)/.test(line))
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(60)
  })

  it("shows the words among the arguments of a call before its numbers and flags", async () => {
    const edit = { type: "tool_use", id: "t1", name: "edit", input: { replace_all: false, line: 3, path: "src/a.ts" } }
    const messages = [
      { role: "user", content: "Mend it" },
      { role: "assistant", content: [edit] },
    ]
    const { stdout } = await cli(["show", "a.json"], { cwd: folder({ "a.json": { messages } }) })
    expect(stdout).toContain("edit(path=src/a.ts replace_all=false line=3)")
  })

  it("prints a stable JSON shape", async () => {
    const cwd = folder({ "a.json": damaged })
    const { stdout } = await cli(["show", "a.json", "--json"], { cwd })
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      command: "show",
      exitCode: 0,
      files: [
        {
          file: "a.json",
          problems: [],
          conversations: [
            {
              format: "openai-chat",
              certainty: "certain",
              path: "/messages",
              messages: 3,
              findings: 1,
              items: [
                { role: "user", blocks: [{ type: "text", text: "List the files" }] },
                {
                  role: "exchange",
                  blocks: [],
                  calls: [
                    {
                      id: "call_1",
                      name: "bash",
                      arguments: { command: "ls" },
                      outcome: "lost",
                      synthetic: true,
                      result: "[ligature:lost] This call ran, but its result is no longer in the history.",
                    },
                  ],
                  reply: [{ type: "text", text: "One file." }],
                },
              ],
            },
          ],
        },
      ],
    })
  })
})

describe("ligature stats", () => {
  it("counts per file, in total, and by tool", async () => {
    const cwd = folder({ "a.json": healthy, "b.json": damaged })
    const { code, stdout } = await cli(["stats", "a.json", "b.json"], { cwd })
    expect(code).toBe(0)
    expect(stdout.split("\n").map((line) => line.split(/\s{2,}/))).toEqual([
      ["file", "format", "conv.", "messages", "turns", "exchanges", "calls", "size", "tokens", "findings"],
      ["a.json", "openai-chat", "1", "4", "1", "1", "1", "43 B", "~50", "-"],
      ["b.json", "openai-chat", "1", "3", "1", "1", "1", "113 B", "~66", "1"],
      ["total", "2", "7", "2", "2", "2", "156 B", "~116", "1"],
      [""],
      ["tokens in", "tokens", "share"],
      ["calls", "~36", "53 %", "▇".repeat(16)],
      ["results", "~20", "29 %", "▇".repeat(9)],
      ["user", "~6", "9 %", "▇▇▇"],
      ["assistant", "~6", "9 %", "▇▇▇"],
      [""],
      ["outcomes", "done 1 · lost 1"],
      [""],
      ["tool", "calls", "failed", "results"],
      ["bash", "2", "-", "78 B", "▇".repeat(30)],
      [""],
    ])
  })

  it("prints a stable JSON shape", async () => {
    const cwd = folder({ "a.json": healthy })
    const { stdout } = await cli(["stats", "a.json", "--json"], { cwd })
    const tally = {
      messages: 4,
      turns: 1,
      exchanges: 1,
      calls: 1,
      bytes: 43,
      outcomes: { done: 1, failed: 0, pending: 0, interrupted: 0, "not-run": 0, lost: 0 },
      tokens: 50,
      tools: [{ name: "bash", calls: 1, failed: 0, bytes: 4 }],
    }
    const shares = { system: 0, tools: 0, summaries: 0, user: 3, assistant: 3, thinking: 0, calls: 18, results: 2, media: 0 }
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      command: "stats",
      exitCode: 0,
      total: tally,
      files: [{ file: "a.json", formats: ["openai-chat"], conversations: 1, findings: 0, shares, problems: [], tally }],
    })
  })
})

describe("ligature rules", () => {
  it("lists every invariant with its rules, and the number of provider requirements", async () => {
    const { rules } = await import("../../src/rules/index.ts")
    const { code, stdout } = await cli(["rules"])
    expect(code).toBe(0)
    for (const { id } of rules) expect(stdout).toContain(`    ${id} `)
    for (let invariant = 1; invariant <= 10; invariant++) expect(stdout).toMatch(new RegExp(`^L${invariant} `, "m"))
    expect(stdout).toContain("Provider requirements: ")
  })

  it("explains a rule of the invariants with examples before and after", async () => {
    const { stdout } = await cli(["rules", "unanswered-call"])
    expect(stdout).toContain("error[unanswered-call]: Tool call without a result\n  L1: Every call has exactly")
    expect(stdout).toContain("      ✗ assistant → bash() #a\n        user      hello?\n    after\n")
    expect(stdout).toContain("      └             ! interrupted (generated)\n")
    expect(stdout).toContain("anthropic-tool-use-needs-result")
  })

  it("explains every rule there is", async () => {
    const { stdout } = await cli(["rules", "--json"])
    type Listed = Readonly<Record<"rules" | "profileRules" | "providerRules", readonly { readonly id: string }[]>>
    const all = JSON.parse(stdout) as Listed
    const ids = [...all.rules, ...all.profileRules, ...all.providerRules].map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(200)
    for (const id of [...ids, "malformed-message", "L3"]) {
      const { code, stdout: text } = await cli(["rules", id])
      expect({ id, code }).toEqual({ id, code: 0 })
      expect(text).toContain(id)
    }
  })

  it("lists the requirements of one provider", async () => {
    const { stdout } = await cli(["rules", "--provider", "mistral"])
    expect(stdout).toContain("mistral-tool-id-9\n    Call ids are exactly nine letters and digits.")
  })

  it("suggests a rule for a word it does not know", async () => {
    const { code, stderr } = await cli(["rules", "orphan-results"])
    expect(code).toBe(2)
    expect(stderr).toBe("ligature: Unknown rule orphan-results\n  Did you mean orphan-result?\n")
    expect((await cli(["rules", "orphn"])).stderr).toContain("Rules with orphan: orphan-result,")
  })
})

describe("ligature formats and profiles", () => {
  it("lists every format", async () => {
    const { formats } = await import("../../src/convert/index.ts")
    const { stdout } = await cli(["formats", "--json"])
    const listed = JSON.parse(stdout) as { readonly formats: readonly { readonly format: string }[] }
    expect(listed.formats.map(({ format }) => format)).toEqual(formats)
    for (const format of formats) expect((await cli(["formats"])).stdout).toContain(format)
  })

  it("lists every profile and the requirements of one", async () => {
    const { profileNames } = await import("../../src/rules/index.ts")
    const { stdout } = await cli(["profiles", "--json"])
    const listed = JSON.parse(stdout) as { readonly profiles: readonly { readonly name: string }[] }
    expect(listed.profiles.map(({ name }) => name)).toEqual(profileNames)
    expect((await cli(["profiles", "mistral"])).stdout).toContain("· Tool call ids have exactly 9 characters")
    expect((await cli(["profiles", "mistrall"])).stderr).toContain("Did you mean mistral?")
  })
})
