/**
 * Every command on content, names and arguments that try to take over the terminal: nothing but our own colours and line breaks
 * may come out, and no name may begin a line of its own.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commandNames, commands } from "../../src/cli/commands/index.ts"
import { printerFor } from "../../src/cli/frame/printer.ts"
import { cli, folder } from "./cli.ts"

/** Title, clear screen, colour, link, bell, carriage return, C1 sequence, right-to-left, isolate, zero-width, tag, forged mark. */
const evil = [
  "\u001b]0;taken\u0007",
  "\u001b[2J",
  "\u001b[31mRED",
  "\u001b]8;;http://evil\u001b\\",
  "\r over",
  "\u009b31m",
  "\u202egpj.exe",
  "\u2066x",
  "\u200b",
  "\u007f",
  "\ufeff",
  "\u{e0041}",
  "\ufdd00123456789abcdef01:31\ufdd1",
].join("")

/** What a file may be called; a line break in it would forge a line. */
const name = (rest: string): string => `${evil.replaceAll("/", "")}\nFORGED ${rest}`

const obeyed =
  // oxlint-disable-next-line no-control-regex -- these characters are the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufdd0-\ufdef\ufeff\u{e0000}-\u{e0fff}]/u
// oxlint-disable-next-line no-control-regex -- these characters are the point
const ownColours = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g

const expectHarmless = (text: string): void => {
  const left = text.replaceAll(ownColours, "").replaceAll("\r\u001b[K", "")
  const at = left.search(obeyed)
  expect(at < 0 ? "" : JSON.stringify(left.slice(Math.max(0, at - 80), at + 40))).toBe("")
  expect(left.split("\n").filter((line) => line.startsWith("FORGED"))).toEqual([])
}

const use = { type: "tool_use", id: `toolu_${evil}`, name: `bash${evil}`, input: { [evil]: evil, command: evil } }
const request = {
  model: evil,
  [evil]: evil,
  tools: [{ name: evil, description: evil, input_schema: {} }],
  messages: [
    { role: "user", content: `hi ${evil}` },
    { role: "assistant", content: [{ type: "thinking", thinking: evil, signature: evil }, { type: "text", text: evil }, use] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `other${evil}`, content: evil },
        { type: evil, [evil]: evil },
      ],
    },
    { role: evil, content: [{ type: "image", source: { type: "url", url: evil } }, null, 7] },
    { role: "assistant", content: [{ ...use, id: "toolu_2", name: evil }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: [{ type: "text", text: evil }] }] },
  ],
}

const record = (uuid: string, parentUuid: string | null, message: unknown): unknown => ({
  type: (message as { readonly role: string }).role,
  uuid,
  parentUuid,
  sessionId: evil,
  cwd: evil,
  version: evil,
  gitBranch: evil,
  timestamp: "2026-01-01T00:00:00.000Z",
  message,
})

const session = [
  { type: "summary", summary: evil, leafUuid: "c" },
  record("a", null, { role: "user", content: evil }),
  record("b", "a", { role: "assistant", id: evil, model: evil, content: [use] }),
  record(`left${evil}`, "a", { role: "assistant", id: "m", model: evil, content: [{ type: "text", text: evil }] }),
  record("c", "b", { role: "user", content: [{ type: "tool_result", tool_use_id: evil, content: evil }] }),
]
  .map((each) => JSON.stringify(each))
  .join("\n")

const xml = [
  { role: "user", content: `<task>\n${evil}\n</task>`, ts: 1_700_000_000_000 },
  { role: "assistant", content: `<bash>\n<command>${evil}</command>\n</bash>`, ts: 1_700_000_000_001 },
  { role: "user", content: `[bash for '${evil}'] Result:\n${evil}`, ts: 1_700_000_000_002 },
]

const files = {
  request: name("request.json"),
  session: name("session.jsonl"),
  xml: name("xml.json"),
  torn: name("torn.json"),
  text: name("text.json"),
}

const made = (): string => {
  const cwd = folder({
    [files.request]: request,
    [files.session]: session,
    [files.xml]: xml,
    [files.torn]: JSON.stringify(request).slice(0, -90).replaceAll("\\u001b", "\u001b"),
    [files.text]: evil,
  })
  mkdirSync(join(cwd, name("many")))
  for (let index = 0; index < 24; index++) writeFileSync(join(cwd, name("many"), `${name("one")}${index}.json`), JSON.stringify(request))
  return cwd
}

const { request: asked, session: kept, xml: old, torn, text } = files
const absent = name("absent.json")

/** Of every command at least one run; what fails, fails with words. */
const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  check: [
    [asked],
    [asked, "--for", "openai-chat"],
    [kept],
    [torn],
    [text],
    [absent],
    [asked, "--json"],
    [name("many")],
    [asked, "--for", evil],
    ["--from", evil, asked],
  ],
  repair: [
    [asked],
    [kept],
    [asked, "--verbose", "-o", name("out.json")],
    [torn, "--salvage"],
    [torn],
    [asked, "--policy", evil],
    [asked, "-o", name("none/out.json")],
  ],
  convert: [
    [asked, "--to", "openai-chat"],
    [kept, "--to", "codex-rollout", "-o", name("moved.jsonl"), "--verbose"],
    [kept, "--to", evil],
    [asked, kept, "--to", "gemini", "--out-dir", name("out")],
    [asked, "--to", "pi", "-o", "x", "--report", name("report")],
  ],
  compact: [
    [asked, "--budget", "50%"],
    [kept, "--budget", "20%", "--explain"],
    [asked, "--budget", evil],
    [asked, "--budget", "60", "--strategy", evil],
    [asked, "--budget", "40%", "--json", "--goal", evil],
  ],
  recall: [
    [asked, "2"],
    [asked, "--search", "RED"],
    [kept, evil],
    [absent, "1"],
    [asked, "2", "--json"],
    [asked, "--search", `${evil}nothing`],
  ],
  migrate: [[old], [old, "--dry-run"], [asked]],
  show: [
    [asked],
    [asked, "--text"],
    [asked, "--md", "-"],
    [kept, "--text", "--all"],
    [asked, "--md", name("full.md"), "--redact"],
    [asked, "--search", "RED"],
    [asked, "--search", evil],
    [asked, "--redact-name", evil],
    [kept, "--all"],
    [kept, "--branch", evil],
    [asked, "--json"],
    [torn],
  ],
  list: [["."], [".", "--json"], [".", "--agent", evil], [".", "--since", evil], [name("many"), "--limit", "2"], [absent]],
  search: [
    ["RED", "--in", "."],
    ["RED", "--in", ".", "--json"],
    [evil, "--in", "."],
    ["RED", "--in", absent],
    ["RED", "--in", ".", "--agent", evil],
    ["RED", "--limit", evil],
  ],
  rescue: [[kept], [kept, "--most", "10", "--budget", "60"], [kept, "--most", evil], [absent], [kept, "--folder", evil], [kept, "--undo"]],
  move: [
    [kept, "--to", "pi", "--dry-run"],
    [kept, "--to", evil],
    [absent, "--to", "pi"],
    [kept, "--to", "codex", "--dry-run", "--folder", evil],
  ],
  completions: [["bash"], ["zsh"], ["fish"], [evil]],
  doctor: [["."], [name("many")], [".", "--json"], [absent], [name("many"), "--repair"]],
  diff: [
    [asked, kept],
    [asked, asked],
    [asked, absent],
    [asked, kept, "--json"],
  ],
  stats: [
    [asked, kept],
    [asked, "--json"],
  ],
  "log create": [
    ["--store", "s", "--id", "first", "--title", evil],
    ["--store", "s", "--id", evil],
  ],
  "log import": [
    ["--store", "s", kept],
    ["--store", "s", asked, "--id", "second"],
    ["--store", "s", absent],
  ],
  "log list": [
    ["--store", "s"],
    ["--store", "s", "--json"],
    ["--store", absent],
  ],
  "log append": [
    ["--store", "s", "first", "--user", evil],
    ["--store", "s", evil, "--user", "x"],
  ],
  "log show": [
    ["--store", "s", "second"],
    ["--store", "s", "second", "--text"],
    ["--store", "s", "second", "--md", "-"],
    ["--store", "s", "second", "--entries"],
    ["--store", "s", evil],
  ],
  "log recall": [
    ["--store", "s", "second", "2"],
    ["--store", "s", "second", "--search", "RED"],
    ["--store", "s", "second", evil],
  ],
  "log branch": [
    ["--store", "s", "second", evil],
    ["--store", "s", "second"],
  ],
  "log rewind": [["--store", "s", "second", evil]],
  "log rename": [["--store", "s", "second", evil]],
  "log unlock": [
    ["--store", "s", "second"],
    ["--store", "s", evil],
    ["--store", "s", "second", "--force"],
  ],
  "log verify": [
    ["--store", "s", "--all"],
    ["--store", "s", evil],
  ],
  "log export": [
    ["--store", "s", "second"],
    ["--store", "s", "second", "--to", evil],
  ],
  "log remove": [
    ["--store", "s", evil, "--yes"],
    ["--store", "s", "first", "--yes"],
    ["--store", "s", "second"],
  ],
  "log prune": [
    ["--store", "s", "--older", evil],
    ["--store", "s", "--older", "30d", "--dry-run"],
  ],
  "log backup": [
    ["--store", "s", evil, "-o", "backup"],
    ["--store", "s", "-o", "backup"],
    ["--store", "s", "-o", `${evil}.jsonl`],
  ],
  "log restore": [
    [evil, "--store", "s2"],
    ["s", "--store", "s2"],
    ["s", evil, "--store", "s2"],
    ["backup", "--store", evil],
  ],
  resume: [
    ["--store", "s", "second", "--to", "anthropic"],
    ["--store", "s", evil],
    [kept, "--to", evil],
  ],
  rules: [[], [evil], ["unanswered-call"]],
  classify: [
    [evil],
    ["-"],
    [`messages.1.content.0: unexpected tool_use_id ${evil}`, "--request", asked],
    [`invalid ${evil}`, "--provider", evil],
  ],
  formats: [[], [evil]],
  profiles: [[], [evil]],
  // With options that they take, these would go on serving.
  serve: [["--no-such-option", evil]],
  view: [["--port", evil]],
  mcp: [["--print-setup"], [evil]],
  run: [[], ["--no-such-option", evil]],
  [evil]: [[]],
}

const log = await commands["log"]?.()
const subcommands = Object.keys(log?.subcommands ?? {}).map((each) => `log ${each}`)

describe("hostile content, names and arguments", () => {
  it("are tried with every command", () => {
    expect(
      Object.keys(runs)
        .filter((each) => each !== evil)
        .sort(),
    ).toEqual([...commandNames.filter((each) => each !== "log"), ...subcommands].sort())
  })

  for (const terminal of [true, false]) {
    it(`reach ${terminal ? "no terminal" : "no pipe among words for people"} as anything but visible text`, async () => {
      const cwd = made()
      for (const [command, list] of Object.entries(runs)) {
        for (const argv of list) {
          // To a pipe, a request or a recalled text is data, and keeps its bytes.
          const isData =
            !terminal &&
            /^(?:repair|convert|compact|migrate|resume|recall|log recall|log export)$/.test(command) &&
            !argv.includes("--json")
          const options = { cwd, terminal, stdin: `400 ${evil}`, env: terminal ? {} : { FORCE_COLOR: "1" } }
          const words = command === evil ? [evil] : command.split(" ")
          const { stdout, stderr, code } = await cli([...words, ...argv], options)
          expect([0, 1, 2]).toContain(code)
          expect({ argv, text: stderr }).toEqual({ argv, text: expect.not.stringContaining("This should not happen") as unknown })
          expectHarmless(isData ? stderr : `${stdout}\n${stderr}`)
        }
      }
    })
  }

  it("are data where recall writes to a pipe, or is asked for them as they are", async () => {
    const cwd = made()
    expect((await cli(["recall", asked, "1"], { cwd })).stdout).toContain(evil)
    expect((await cli(["recall", asked, "1", "--raw"], { cwd, terminal: true })).stdout).toContain(evil)
    expect((await cli(["recall", asked, "1"], { cwd, terminal: true })).stdout).not.toContain("\u001b]0")
  })

  it("are escaped in JSON, which says the same", async () => {
    const { stdout } = await cli(["show", asked, "--json"], { cwd: made() })
    expectHarmless(stdout)
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(evil).slice(1, -1))
  })
})

describe("commands to copy", () => {
  it("hold file names and ids as one word each", async () => {
    const cwd = folder({ "a b; touch x.json": request, "$(id).jsonl": session })
    const { stdout } = await cli(["show", "a b; touch x.json"], { cwd })
    expect(stdout).toContain("ligature check 'a b; touch x.json'")
    const { stderr } = await cli(["convert", "$(id).jsonl", "--to", "claude-code", "-o", "out.jsonl"], { cwd })
    expect(stderr).toMatch(/then run {3}claude --resume [0-9a-f-]{36}\n/)
    expect(stderr).toContain("the id in the session is not a valid file name")
    const compacted = await cli(["compact", "a b; touch x.json", "--budget", "50%", "-o", "small.json"], { cwd })
    expect(compacted.stderr).toContain("ligature recall 'a b; touch x.json' ")
  })
})

describe("JSON that is too long for one text", () => {
  const printed = (fails: number): string => {
    let text = ""
    let tries = 0
    const value = {
      toJSON: () => {
        if (tries++ < fails) throw new RangeError("Invalid string length")
        return { a: 1 }
      },
    }
    printerFor({ write: (content) => void (text += String(content)), isTerminal: false, columns: undefined }, "never", {}).json(value)
    return text
  }

  it("loses its white space first, and is then refused with the way out", () => {
    expect(printed(0)).toBe('{\n  "a": 1\n}\n')
    expect(printed(1)).toBe('{"a":1}\n')
    expect(() => printed(2)).toThrow("exceed the longest string that Node supports (512 MB). Give fewer or smaller files.")
  })
})
