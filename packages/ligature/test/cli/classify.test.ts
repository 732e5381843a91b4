import { describe, expect, it } from "vitest"
import { cli, fixture, folder } from "./cli.ts"

const refusal = JSON.stringify({
  type: "error",
  error: {
    type: "invalid_request_error",
    message:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01, toolu_03. " +
      "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
})

const history = fixture("aborted-parallel-one-finished")

describe("ligature classify", () => {
  it("names the rule, what to do, the place and the ids", async () => {
    const { code, stdout } = await cli(["classify"], { stdin: `400 ${refusal}` })
    expect(code).toBe(0)
    expect(stdout).toContain("anthropic-tool-use-needs-result: ")
    expect(stdout).toContain("  action   Pair tool calls with their results again: repair does this.\n")
    expect(stdout).toContain("  place    messages.1 (as the provider counts)\n  ids      toolu_01, toolu_03\n")
  })

  it("finds the exact place in a history", async () => {
    const cwd = folder({ "error.log": refusal })
    const { stdout } = await cli(["classify", "error.log", "--history", history], { cwd })
    expect(stdout).toContain("--> line 13  input.messages[1].content[0]  has this id")
    expect(stdout).toContain("--> line 15  input.messages[1].content[2]  has this id")
    expect(stdout.match(/error\[unanswered-call\]/g)).toHaveLength(2)
  })

  it("prints a stable JSON shape", async () => {
    const { code, stdout } = await cli(["classify", "--json", "--history", history], { stdin: refusal })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      command: "classify",
      exitCode: 0,
      recognised: true,
      rule: "anthropic-tool-use-needs-result",
      demand: expect.any(String),
      repair: expect.any(String),
      enforcedBy: { invariant: "unanswered-call" },
      all: expect.arrayContaining(["anthropic-tool-use-needs-result"]),
      action: "repair-pairing",
      place: { path: "messages.1", message: 1 },
      ids: ["toolu_01", "toolu_03"],
      places: [
        expect.objectContaining({ why: "named by index", line: 10, path: "input.messages[1]" }),
        expect.objectContaining({ why: "names the id", line: 13, path: "input.messages[1].content[0]" }),
        expect.objectContaining({ why: "names the id", line: 15, path: "input.messages[1].content[2]" }),
        expect.objectContaining({ why: "breaks the rule", line: 13 }),
        expect.objectContaining({ why: "breaks the rule", line: 15 }),
      ],
    })
  })

  it("exits with 1 for an error that is not about the conversation", async () => {
    const { code, stdout } = await cli(["classify"], { stdin: "429 rate limit exceeded" })
    expect(code).toBe(1)
    expect(stdout).toContain("Unknown error.")
    const json = await cli(["classify", "--json"], { stdin: "429 rate limit exceeded" })
    const head = { version: 1, command: "classify", exitCode: 1 }
    expect(JSON.parse(json.stdout)).toEqual({ ...head, recognised: false, all: [], ids: [] })
  })

  it("takes the text itself as argument", async () => {
    const { code, stdout } = await cli(["classify", "messages.5.content.1: `tool_use` ids must be unique"], { cwd: folder() })
    expect(code).toBe(0)
    expect(stdout).toContain("anthropic-tool-use-id-unique")
    const missing = await cli(["classify", "missing.log"], { cwd: folder() })
    expect([missing.code, missing.stderr.split("\n")[0]]).toEqual([2, "ligature: missing.log: File not found."])
  })

  it("exits with 2 without a text, or when the history cannot be read", async () => {
    expect((await cli(["classify"], { stdin: " \n" })).code).toBe(2)
    const { code, stderr } = await cli(["classify", "--history", "missing.json"], { stdin: refusal })
    expect(code).toBe(2)
    expect(stderr).toContain("File not found.")
  })
})
