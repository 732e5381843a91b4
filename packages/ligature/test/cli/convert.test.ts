import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, damaged, fixture, folder, healthy } from "./cli.ts"

const read = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), "utf8"))

const asAnthropic = {
  messages: [
    { role: "user", content: [{ type: "text", text: "List the files" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a.ts" }] },
    { role: "assistant", content: [{ type: "text", text: "One file." }] },
  ],
}

const twice = `${JSON.stringify(healthy)}\n`.repeat(2)

const listKeys = { anthropic: "messages", "openai-chat": "messages", "openai-responses": "input", gemini: "contents" }

interface Written {
  readonly files: readonly { readonly conversations: readonly object[] }[]
}

describe("ligature convert", () => {
  it("writes a ready request body to stdout", async () => {
    const cwd = folder({ "a.json": healthy })
    const { code, stdout } = await cli(["convert", "a.json", "--to", "anthropic"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(asAnthropic)
    expect(stdout.startsWith('{\n  "messages"')).toBe(true)
  })

  it("keeps the other fields of a source of the same format", async () => {
    const cwd = folder({ "a.json": healthy })
    const { stdout } = await cli(["convert", "a.json", "--to", "openai-chat"], { cwd })
    expect(JSON.parse(stdout)).toEqual(healthy)
  })

  for (const [format, key] of Object.entries(listKeys)) {
    it(`writes a request for ${format} that passes its own check`, async () => {
      const cwd = folder({ "a.json": damaged })
      expect((await cli(["convert", "a.json", "--to", format, "-o", "out.json"], { cwd })).code).toBe(0)
      expect(Object.keys(read(cwd, "out.json") as object)).toContain(key)
      expect((await cli(["check", "out.json", "--for", format], { cwd })).code).toBe(0)
    })
  }

  it("prints one JSON text per line when there are several conversations", async () => {
    const cwd = folder({ "log.jsonl": twice, "a.json": healthy })
    const one = await cli(["convert", "log.jsonl", "--to", "anthropic"], { cwd })
    expect(one.stdout).toBe(`${JSON.stringify(asAnthropic)}\n`.repeat(2))
    const two = await cli(["convert", "log.jsonl", "a.json", "--to", "anthropic"], { cwd })
    expect(two.stdout).toBe(`${JSON.stringify(asAnthropic)}\n`.repeat(3))
  })

  it("names outputs after their inputs, with numbers for several conversations", async () => {
    const cwd = folder({ "log.jsonl": twice, "a.traj": healthy, plain: healthy })
    const argv = ["convert", "log.jsonl", "a.traj", "plain", "--to", "anthropic", "--out-dir", "deep/out"]
    expect((await cli(argv, { cwd })).code).toBe(0)
    const written = readdirSync(join(cwd, "deep", "out")).sort()
    expect(written).toEqual(["a.json", "log.0001.json", "log.0002.json", "plain.json"])
    expect(read(cwd, "deep", "out", "log.0002.json")).toEqual(asAnthropic)
  })

  it("keeps inputs apart that differ only in their extension", async () => {
    const cwd = folder({ "a.json": healthy, "a.jsonl": twice, "a.log": damaged })
    await cli(["convert", "a.json", "a.jsonl", "a.log", "--to", "anthropic", "--out-dir", "out"], { cwd })
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["a-2.json", "a.0001.json", "a.0002.json", "a.json"])
    expect(read(cwd, "out", "a.json")).toEqual(asAnthropic)
  })

  it("refuses -o for a file with several conversations, and writes nothing", async () => {
    const cwd = folder({ "log.jsonl": twice })
    const { code, stderr } = await cli(["convert", "log.jsonl", "--to", "anthropic", "-o", "out.json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("log.jsonl contains 2 conversations, but -o takes one. Use --out-dir DIR: one file for each.")
    expect(readdirSync(cwd)).toEqual(["log.jsonl"])
  })

  it("writes the other files when one cannot be read", async () => {
    const cwd = folder({ "a.json": healthy, "bad.json": "{", "b.json": healthy })
    const argv = ["convert", "a.json", "bad.json", "b.json", "--to", "gemini", "--out-dir", "out"]
    expect((await cli(argv, { cwd })).code).toBe(2)
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["a.json", "b.json"])
  })

  it("closes the tip unless told otherwise", async () => {
    const file = fixture("unanswered-call-at-open-tip")
    const closed = await cli(["convert", file, "--to", "openai-chat"])
    expect(closed.stdout).toContain("[ligature:interrupted]")
    const open = await cli(["convert", file, "--to", "openai-chat", "--open-tip"])
    expect(open.stdout).not.toContain("[ligature:")
  })

  it("takes the name of a profile as target, or a profile alone", async () => {
    const cwd = folder({ "a.json": healthy })
    const named = await cli(["convert", "a.json", "--to", "mistral"], { cwd })
    const both = await cli(["convert", "a.json", "--to", "openai-chat", "--for", "mistral"], { cwd })
    const alone = await cli(["convert", "a.json", "--for", "mistral"], { cwd })
    expect(named.stdout).toMatch(/"tool_call_id": "[a-zA-Z0-9]{9}"/)
    expect([both.stdout, alone.stdout]).toEqual([named.stdout, named.stdout])
  })

  it("writes calls as XML text with --style xml", async () => {
    const cwd = folder({ "a.json": healthy })
    const { code, stdout } = await cli(["convert", "a.json", "--to", "xml-text", "--style", "xml"], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain("<bash>")
    expect(stdout).not.toContain("tool_calls")
  })

  it("reads stdin and calls its output stdin.json", async () => {
    const cwd = folder()
    const argv = ["convert", "-", "--to", "anthropic", "--out-dir", "out"]
    expect((await cli(argv, { cwd, stdin: JSON.stringify(healthy) })).code).toBe(0)
    expect(read(cwd, "out", "stdin.json")).toEqual(asAnthropic)
  })

  it("reports what the target does not support", async () => {
    const cwd = folder({ "a.json": damaged })
    const { stderr } = await cli(["convert", "a.json", "--to", "gemini", "-o", "b.json", "--report", "r.json"], { cwd })
    expect(stderr).toContain("Converted 1 file")
    const { files, ...head } = read(cwd, "r.json") as Written
    expect(head).toEqual({ version: 1, command: "convert", to: "gemini" })
    expect(files[0]?.conversations[0]).toEqual({
      path: "/messages",
      from: "openai-chat",
      to: "gemini",
      output: "b.json",
      messages: expect.any(Number),
      entries: expect.arrayContaining([expect.objectContaining({ rule: "unanswered-call", kind: "synthetic" })]),
      losses: expect.arrayContaining([expect.objectContaining({ feature: "call-id" })]),
    })
  })

  it("says what is missing or contradictory in the command line", async () => {
    const cwd = folder({ "a.json": healthy })
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["a.json"], "convert needs --to FORMAT"],
      [["a.json", "--to", "gemni"], "Did you mean gemini?"],
      [["a.json", "--to", "anthropic", "--for", "mistral"], "--for mistral needs format openai-chat"],
      [["a.json", "a.json", "--to", "gemini", "-o", "x"], "-o takes one input, got 2"],
      [["a.json", "--to", "gemini", "-o", "x", "--out-dir", "y"], "Give only one of -o, --out-dir and --in-place"],
      [["a.json", "--to", "gemini", "--style", "yaml"], "--style is xml or json, not yaml"],
      [["a.json", "--to", "gemini", "--policy", "x=y"], "Unknown policy x"],
      [["-", "-", "--to", "gemini"], "stdin (-) can be read only once"],
      [["--to", "gemini"], "Give at least one FILE"],
    ]
    for (const [given, message] of cases) {
      const { code, stdout, stderr } = await cli(["convert", ...given], { cwd })
      expect({ given, code, stdout }).toEqual({ given, code: 2, stdout: "" })
      expect(stderr).toContain(message)
    }
    expect(readdirSync(cwd)).toEqual(["a.json"])
  })
})
