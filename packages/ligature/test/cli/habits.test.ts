/** What people expect of any command line: completions, words of other programs, quiet and colourless output, one message in full. */
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { commandNames } from "../../src/cli/commands/index.ts"
import { cli, damaged, folder, healthy } from "./cli.ts"

describe("the command line", () => {
  it("says what is meant by words of other programs", async () => {
    for (const [word, command] of [
      ["ls", "list"],
      ["fix", "repair"],
      ["explain", "rules"],
      ["summarize", "compact"],
    ] as const) {
      const { code, stderr } = await cli([word])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Did you mean ligature ${command}?`)])
    }
    expect((await cli(["lsit"])).stderr).toContain("Did you mean list?")
  })

  it("prints completions for every command, and bash understands them", async () => {
    for (const shell of ["bash", "zsh", "fish", "man"]) {
      const { code, stdout } = await cli(["completions", shell])
      expect(code).toBe(0)
      for (const name of commandNames) expect(stdout, `${shell}: ${name}`).toContain(name)
    }
    const { stdout } = await cli(["completions", "bash"])
    const lines = ["repair --in", "log ver", "convert a.json --to open-", "move --to co", "check --for mis", "rules orphan-r", "help resc"]
    const tried = lines.map((line) => {
      const words = ["ligature", ...line.split(" ")]
      return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _ligature; echo "\${COMPREPLY[*]}"`
    })
    const script = [stdout, ...tried].join("\n")
    const { stdout: completed, status } = spawnSync("bash", ["-c", script], { encoding: "utf8", cwd: folder() })
    if (status === null) return
    expect(completed.split("\n")).toEqual(["--in-place", "verify", "open-webui", "codex copilot", "mistral", "orphan-result", "rescue", ""])
    expect((await cli(["completions", "tcsh"])).code).toBe(2)
  })

  it("is quiet and without colour when asked", async () => {
    const cwd = folder({ "a.json": damaged })
    const quiet = await cli(["repair", "a.json", "-q"], { cwd })
    expect([quiet.code, quiet.stderr]).toEqual([0, ""])
    expect((await cli(["repair", "missing.json", "-q"], { cwd })).code).toBe(2)
    const plain = await cli(["show", "a.json", "--no-color"], { cwd, terminal: true })
    expect(plain.stdout).not.toContain("\u001b[3")
  })

  it("shows one message in full, by the number that recall uses", async () => {
    const cwd = folder({ "a.json": healthy })
    const { stdout } = await cli(["show", "a.json", "--message", "2"], { cwd })
    expect(stdout).toContain("bash #call_1")
    expect(stdout).not.toContain("List the files")
    const { code, stderr } = await cli(["show", "a.json", "--message", "9"], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining("It has 1 to 2")])
  })

  it("says where the tokens are, and what came from the cache", async () => {
    const cwd = folder({ "a.json": { ...healthy, tools: [{ type: "function", function: { name: "bash", parameters: {} } }] } })
    const { stdout } = await cli(["stats", "a.json"], { cwd })
    expect(stdout).toMatch(/^tokens in +tokens +share$/m)
    expect(stdout).toMatch(/^tools +~\d+ +\d+ %/m)
    const usage = { input_tokens: 100, cache_read_input_tokens: 300, output_tokens: 7 }
    const record = (uuid: string, parentUuid: string | null, message: object): string =>
      JSON.stringify({ type: (message as { role: string }).role, uuid, parentUuid, sessionId: "s", isSidechain: false, message })
    const lines = [
      record("1", null, { role: "user", content: "Hello" }),
      record("2", "1", { id: "m", role: "assistant", content: [{ type: "text", text: "Hi." }], usage }),
      record("3", "2", { id: "m", role: "assistant", content: [{ type: "text", text: "What now?" }], usage }),
    ]
    const session = folder({ "s.jsonl": lines.join("\n") })
    expect((await cli(["stats", "s.jsonl"], { cwd: session })).stdout).toContain(
      "1 response, 400 tokens in, 75 % of them from the cache, 7 tokens out",
    )
  })

  it("shows a family as one picture, and a joiner that joins nothing as what it is", async () => {
    const cwd = folder({ "a.json": { messages: [{ role: "user", content: "👩‍👩‍👧 and a\u200db and 👍🏽\u200d" }] } })
    expect((await cli(["show", "a.json"], { cwd })).stdout).toContain("👩‍👩‍👧 and a\\u200db and 👍🏽\\u200d")
  })

  it("shows a finding once, and of the same again only the places", async () => {
    const cwd = folder({ "a.jsonl": Array.from({ length: 12 }, () => JSON.stringify(damaged)).join("\n") })
    const { stdout } = await cli(["check", "a.jsonl"], { cwd })
    expect(stdout.match(/^error\[unanswered-call\]/gm)).toHaveLength(2)
    expect(stdout).toContain("--> 11 more times: a.jsonl#2:2, a.jsonl#3:3,")
    expect(stdout).toContain("12 errors in 1 file")
    expect((await cli(["check", "a.jsonl", "--all"], { cwd })).stdout.match(/^error\[unanswered-call\]/gm)).toHaveLength(12)
  })

  it("says where a conversion would be written", async () => {
    const cwd = folder({ "a.json": healthy })
    const { code, stderr } = await cli(["convert", "a.json", "--to", "gemini", "-o", "b.json", "--dry-run"], { cwd })
    expect([code, stderr]).toEqual([0, expect.stringContaining("b.json would be written")])
  })
})
