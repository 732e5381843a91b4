/** Files nobody should give us: a clear message, the right exit code, no trace, and never a write. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, folder, healthy } from "./cli.ts"

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const request = (content: string): string => `{"messages":[{"role":"user","content":${content}}]}`

/** In the envelope of one agent, messages of none. */
const foreignRecords = ["user", "assistant"]
  .map((type, index) => ({
    type,
    uuid: `u${index}`,
    parentUuid: null,
    sessionId: "s",
    cwd: "/w",
    version: "1",
    message: { speaker: type, lines: ["hi there"] },
  }))
  .map((record) => `${JSON.stringify(record)}\n`)
  .join("")

/** Content, what is said about it, exit code of check, and of repair and convert. */
type Case = readonly [content: string | Uint8Array, said: string, check: number, write: number]

const controls = Uint8Array.from({ length: 4000 }, (_, index) => ((index * 7919) % 251) & 0x1f)
const invalid = Buffer.concat([Buffer.from(request('"').slice(0, -3)), Buffer.from([0xff]), Buffer.from('"}]}')])
const deep = request(`[{"type":"tool_use","id":"a","name":"b","input":${nested(5000)}}]`)

const cases: Readonly<Record<string, Case>> = {
  empty: ["", "error[empty]: The file is empty.", 2, 2],
  "white space": [" \n\t", "error[empty]: The file has nothing but white space.", 2, 2],
  binary: [controls, "error[binary]", 2, 2],
  gzip: [gzipSync("{}"), "error[binary]: The file is gzip data, not text.", 2, 2],
  "no JSON": ["hello there", "error[invalid-json]: The file is not JSON.", 2, 2],
  "other JSON": ['{"a":[1,2,3]}', "error[unknown-format]", 2, 2],
  "truncated JSON": [JSON.stringify(healthy).slice(0, -40), "warning[truncated-json]: The JSON breaks off", 2, 2],
  "deeply nested brackets": [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "error[", 2, 2],
  "a deeply nested message": [deep, "error[too-deep]", 2, 2],
  "NUL bytes": [request('"a\0b"'), "warning[nul]: The file has NUL bytes", 1, 2],
  "invalid UTF-8": [invalid, "warning[invalid-utf8]", 1, 2],
  "records of which nothing is understood": [foreignRecords, "error[unknown-format]: The file looks like a session of Claude Code", 2, 2],
  "a thread of Amp": ['{"v":1,"id":"T-1","created":1,"env":{},"messages":[{"role":"user","content":"hi"}]}', "file of Amp", 2, 2],
  "a stream of Cursor": [
    '{"type":"system","subtype":"init","session_id":"s"}\n{"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi"}]},"session_id":"s"}',
    "file of Cursor",
    2,
    2,
  ],
  "a stream of Gemini CLI": [
    '{"type":"init","timestamp":"2026-01-01","session_id":"s"}\n{"type":"message","role":"user","content":"hi"}',
    "file of Gemini CLI",
    2,
    2,
  ],
  "a session file no reader knows": ['[{"ts":1750000000000,"type":"say","say":"text","text":"hi"}]', "error[session-file]", 2, 2],
}

describe("bad input", () => {
  for (const [name, [content, said, check, write]] of Object.entries(cases)) {
    it(`${name}: a clear message, exit codes ${check} and ${write}, nothing written`, async () => {
      const cwd = folder({ "bad.json": content })
      const commands: readonly (readonly [number, readonly string[]])[] = [
        [check, ["check", "bad.json"]],
        [write, ["repair", "bad.json", "-o", "out.json"]],
        [write, ["repair", "bad.json", "--in-place"]],
        [write, ["convert", "bad.json", "--to", "anthropic", "--out-dir", "out"]],
      ]
      for (const [expected, argv] of commands) {
        const { code, stderr } = await cli(argv, { cwd })
        expect({ argv, code }).toEqual({ argv, code: expected })
        expect(stderr).toContain(said)
        expect(stderr).toContain("bad.json")
        expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/)
      }
      expect(readdirSync(cwd)).toEqual(["bad.json"])
    })
  }

  it("keeps arguments that are nested too deeply as text, and says so", async () => {
    const call = { id: "a", type: "function", function: { name: "ls", arguments: nested(100_000) } }
    const deepArguments = {
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: null, tool_calls: [call] },
      ],
    }
    const cwd = folder({ "deep.json": deepArguments, "fine.json": healthy })
    const { code, stderr } = await cli(["convert", "deep.json", "fine.json", "--to", "gemini", "--out-dir", "out"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("invalid-arguments")
    expect(readdirSync(join(cwd, "out"))).toEqual(["deep.json", "fine.json"])
    expect(readFileSync(join(cwd, "out", "deep.json"), "utf8")).toContain("_invalid_json")
  })

  it.each([
    [
      "input",
      "openai-chat",
      [
        { role: "user", content: "go" },
        { role: "tool", tool_call_id: "a", content: "x" },
      ],
    ],
    [
      "messages",
      "openai-responses",
      [
        { role: "user", content: "go" },
        { type: "function_call_output", call_id: "a", output: "x" },
      ],
    ],
    [
      "messages",
      "gemini",
      [
        { role: "user", parts: [{ text: "go" }] },
        { role: "model", parts: [{ text: "gone" }] },
      ],
    ],
  ])("says that the list %s holds messages of %s", async (key, format, list) => {
    const cwd = folder({ "a.json": { [key]: list } })
    const { stderr } = await cli(["check", "a.json"], { cwd })
    expect(stderr).toContain(`note[other-list]: The list is called ${key}, but its messages are of ${format}`)
    const { stdout } = await cli(["check", "a.json", "--json"], { cwd })
    expect(stdout).toContain('"other-list"')
  })

  it("reads a byte order mark and says so", async () => {
    const cwd = folder({ "a.json": `\ufeff${JSON.stringify(healthy)}` })
    const { code, stderr } = await cli(["check", "a.json"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("note[bom]")
  })

  it("takes __proto__ for a key like any other", async () => {
    const text = request('"hi","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}')
    const cwd = folder({ "a.json": text })
    expect((await cli(["check", "a.json"], { cwd })).code).toBe(0)
    expect((await cli(["repair", "a.json"], { cwd })).stdout).toBe(text)
    expect((await cli(["convert", "a.json", "--to", "anthropic"], { cwd })).code).toBe(0)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it("says what a folder and a missing file are", async () => {
    const cwd = folder()
    mkdirSync(join(cwd, "dir"))
    const { code, stderr } = await cli(["check", "dir", "missing.json"], { cwd })
    expect(code).toBe(2)
    expect(stderr).toBe(
      "error[cannot-read]: This is a folder. Give the files in it (FOLDER/*.json), or: ligature doctor FOLDER\n  --> dir\n\n" +
        "error[cannot-read]: File not found.\n  --> missing.json\n\n",
    )
  })

  it("says that another format was named than the file has", async () => {
    const cwd = folder({ "a.json": healthy })
    const argv = ["convert", "a.json", "--from", "gemini", "--to", "anthropic", "-o", "b.json"]
    const { code, stderr } = await cli(argv, { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain("error[wrong-format]: This is called gemini, but it looks like openai-chat")
    expect(stderr).toContain("Leave the format out, or say openai-chat.")
    expect(readdirSync(cwd)).toEqual(["a.json"])
  })

  it("writes what could be read of a truncated file only when asked to", async () => {
    const cwd = folder({ "a.json": JSON.stringify(healthy).slice(0, -40) })
    const { code, stdout } = await cli(["repair", "a.json", "--salvage"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ...healthy, messages: healthy.messages.slice(0, 3) })
  })

  it("leaves the torn last line of a JSONL file out of what it writes", async () => {
    const [first, second] = healthy.messages.map((message) => JSON.stringify(message))
    const cwd = folder({ "a.jsonl": `${first}\n${second?.slice(0, 30)}` })
    const { code, stdout, stderr } = await cli(["repair", "a.jsonl"], { cwd })
    expect(code).toBe(0)
    expect(stdout.trim()).toBe(first)
    expect(stderr).toContain("warning[torn-last-line]")
  })

  it("keeps control characters of a file away from the terminal", async () => {
    const messages = [
      { role: "user", content: "\u001b[2J\u001b]0;gone\u0007 hi" },
      { role: "assistant", content: "" },
    ]
    const cwd = folder({ "a.json": { messages } })
    for (const command of ["check", "show"]) {
      const { stdout } = await cli([command, "a.json"], { cwd })
      // oxlint-disable-next-line no-control-regex -- it is what must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
    }
  })
})
