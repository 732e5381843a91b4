import { execFileSync, spawn } from "node:child_process"
import { describe, expect, it } from "vitest"
import { cli, damaged, fixture, folder, healthy } from "./cli.ts"

describe("ligature check", () => {
  it("finds nothing in a healthy request and exits with 0", async () => {
    const cwd = folder({ "a.json": healthy })
    expect(await cli(["check", "a.json"], { cwd })).toEqual({
      code: 0,
      stdout: "✓ 1 file, 1 conversation, 4 messages: no damage found\n",
      stderr: "",
    })
  })

  it("names a provider that would reject a request that violates no invariant", async () => {
    const messages = [
      { role: "assistant", content: [{ type: "text", text: "Hello." }] },
      { role: "user", content: "Go." },
    ]
    const cwd = folder({ "a.json": { model: "claude-x", max_tokens: 9, messages } })
    const { code, stdout } = await cli(["check", "a.json", "--from", "anthropic"], { cwd })
    expect(code).toBe(0)
    expect(stdout.replaceAll("\n", " ")).toContain(
      "Anthropic Messages would reject 1 conversation although no invariant is violated: ligature check FILE --for anthropic",
    )
    expect((await cli(["check", "a.json", "--from", "anthropic", "--for", "anthropic"], { cwd })).code).toBe(1)
  })

  it("prints a finding with place, neighbourhood, reason, way out and repair, and exits with 1", async () => {
    const cwd = folder({ "a.json": JSON.stringify(damaged, undefined, 2) })
    const { code, stdout, stderr } = await cli(["check", "a.json"], { cwd })
    expect(code).toBe(1)
    expect(stderr).toBe("")
    expect(stdout).toBe(
      `error[unanswered-call]: Tool call bash (call_1) has no result
  --> a.json:12  messages[1].tool_calls[0]
    |
  0 | user       List the files
> 1 | assistant  → bash(ls) #call_1
  2 | assistant  One file.
    |
   = why     Providers reject a history that continues after an unanswered tool call.
   = help    Repair adds a placeholder result; --policy unansweredCall=drop-message removes the
             message instead.
   = repair  added a placeholder result (lost) (synthetic: adds a block that is marked as generated)

1 file, 1 conversation, 3 messages: 1 error in 1 file
ligature rules RULE explains a rule; ligature repair a.json -o OUT repairs all of this.
`,
    )
  })

  it("names line and path of a finding on a line of a JSONL log", async () => {
    const lines = [JSON.stringify(healthy), JSON.stringify(damaged)].join("\n")
    const { stdout } = await cli(["check", "log.jsonl"], { cwd: folder({ "log.jsonl": lines }) })
    expect(stdout).toContain("--> log.jsonl#2:2  messages[1].tool_calls[0]")
  })

  it("names the line of a message where a file holds one message per line", async () => {
    const lines = damaged.messages.map((message) => JSON.stringify(message)).join("\n")
    const { stdout } = await cli(["check", "a.jsonl"], { cwd: folder({ "a.jsonl": lines }) })
    expect(stdout).toContain("--> a.jsonl:2  tool_calls[0]")
  })

  it("takes an open call at the tip for damage only when the tip is closed", async () => {
    const file = fixture("unanswered-call-at-open-tip")
    expect((await cli(["check", file])).code).toBe(1)
    expect((await cli(["check", file, "--open-tip"])).code).toBe(0)
  })

  it("judges by a provider's demands with --for", async () => {
    const cwd = folder({ "a.json": healthy })
    const { code, stdout } = await cli(["check", "a.json", "--for", "mistral"], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain("error[call-id-format]: Mistral takes tool call ids of exactly 9 letters or digits; `call_1` would become `")
    expect(stdout.replace(/\s+/g, " ")).toContain('Known error: "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9."')
    expect(stdout).toContain("ligature convert a.json --for mistral -o OUT repairs all of")
    const { stdout: json } = await cli(["check", "a.json", "--for", "mistral", "--json"], { cwd })
    expect(json).toContain("Mistral takes tool call ids of exactly 9 letters or digits; `call_1` would become `")
  })

  it("reads stdin", async () => {
    const { code, stdout } = await cli(["check", "-"], { stdin: JSON.stringify(damaged) })
    expect(code).toBe(1)
    expect(stdout).toContain("--> <stdin>:1  messages[1].tool_calls[0]")
  })

  it.skipIf(process.platform === "win32")("reads a named pipe, which can be read only once", async () => {
    const cwd = folder({ "a.json": damaged })
    execFileSync("mkfifo", ["pipe"], { cwd })
    const writer = spawn("sh", ["-c", "cat a.json > pipe"], { cwd })
    const { code, stdout } = await cli(["check", "pipe"], { cwd })
    writer.kill()
    expect(code).toBe(1)
    expect(stdout).toContain("--> pipe:1  messages[1].tool_calls[0]")
  })

  it("explains a rule once and shows only the first twenty findings in full", async () => {
    const calls = Array.from({ length: 30 }, (_, index) => ({
      role: "assistant",
      tool_calls: [{ id: `c${index}`, type: "function", function: { name: "bash", arguments: "{}" } }],
    }))
    const cwd = folder({ "a.json": { messages: [{ role: "user", content: "go" }, ...calls] }, "b.json": damaged })
    const { stdout } = await cli(["check", "a.json", "b.json"], { cwd })
    expect(stdout.match(/error\[unanswered-call\]/g)).toHaveLength(20)
    expect(stdout.match(/= why/g)).toHaveLength(1)
    expect(stdout).toContain("a.json: 10 more findings (unanswered-call ×10)\nb.json: 1 finding (unanswered-call)\n")
    expect(stdout).toContain("11 findings not shown in full; --all shows every one")
    const all = await cli(["check", "a.json", "b.json", "--all"], { cwd })
    expect(all.stdout.match(/error\[unanswered-call\]/g)).toHaveLength(31)
  })

  it("prints a stable JSON shape", async () => {
    const cwd = folder({ "a.json": damaged })
    const { code, stdout, stderr } = await cli(["check", "a.json", "missing.json", "--json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      command: "check",
      exitCode: 2,
      summary: { files: 2, conversations: 1, messages: 3, errors: 1, warnings: 0, infos: 0 },
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
              findings: [
                {
                  rule: "unanswered-call",
                  severity: "error",
                  place: { line: 1, path: "messages[1].tool_calls[0]", message: 1, block: 0 },
                  what: "Tool call bash (call_1) has no result",
                  why: expect.any(String),
                  help: expect.any(String),
                  ids: ["call_1"],
                  repair: { kind: "synthetic", what: "added a placeholder result (lost)" },
                },
              ],
            },
          ],
        },
        {
          file: "missing.json",
          problems: [{ kind: "cannot-read", severity: "error", what: "File not found.", wayOut: "Check the path." }],
          conversations: [],
        },
      ],
    })
  })

  it("checks the other files when one cannot be read", async () => {
    const cwd = folder({ "a.json": damaged, "empty.json": "", "b.json": healthy })
    const { code, stdout, stderr } = await cli(["check", "a.json", "empty.json", "b.json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("error[empty]: The file is empty.\n  --> empty.json")
    expect(stdout).toContain("2 files, 2 conversations, 7 messages: 1 error in 1 file; 1 file could not be read")
  })
})
