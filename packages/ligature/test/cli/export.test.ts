/** `ligature show --text`, `--md` and `--html`, with and without redaction, and the same of stored conversations. */
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, folder, healthy, packageRoot } from "./cli.ts"
import { store } from "./log/stage.ts"

const long = Array.from({ length: 300 }, (_, index) => `line ${index} of the output`).join("\n")

const history = (text: string, output: string, answer = "Done.") => ({
  messages: [
    { role: "user", content: [{ type: "text", text }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls -la" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: output }] },
    { role: "assistant", content: [{ type: "text", text: answer }] },
  ],
})

/** The lines of a document that are ours: outside of fences and quotes, as a reader of Markdown sees them. */
const structure = (markdown: string): readonly string[] => {
  const own: string[] = []
  let fence = ""
  for (const line of markdown.split("\n")) {
    const run = /^(`{3,})/.exec(line)?.[1] ?? ""
    if (fence !== "") {
      if (run.length >= fence.length && line.slice(run.length).trim() === "") fence = ""
    } else if (run !== "" && !line.slice(run.length).includes("`")) fence = run
    else if (line !== "" && !line.startsWith(">")) own.push(line)
  }
  expect(fence).toBe("")
  return own
}

/** Inside the quotes, too, every fence that is opened is closed before the quote ends. */
const quotes = (markdown: string): readonly string[] =>
  markdown
    .split("\n\n")
    .filter((part) => part.startsWith(">"))
    .map((part) =>
      part
        .split("\n")
        .map((line) => line.replace(/^> ?/, ""))
        .join("\n"),
    )

const sections = ["## Turn 1", "### User", "### Assistant", "**Call** `bash` `toolu_1`", "**Result**: done", "### Assistant"]

describe("show --text", () => {
  it("shows every message whole, indented, on a screen below its header", async () => {
    const cwd = folder({ "h.json": history(`First line\nsecond ${"word ".repeat(100)}end`, long) })
    const { code, stdout } = await cli(["show", "h.json", "--text"], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain("h.json  anthropic · 4 messages")
    expect(stdout).toContain(`\nuser\n  First line\n  second ${"word ".repeat(100)}end\n`)
    expect(stdout).toContain('  → bash #toolu_1\n    {\n      "command": "ls -la"\n    }\n')
    expect(stdout).toContain("  ✓ done\n    line 0 of the output\n")
    for (let index = 0; index < 300; index++) expect(stdout).toContain(`    line ${index} of the output\n`)
  })

  it("keeps every text in its place: none looks like another speaker's", async () => {
    const cwd = folder({ "h.json": history("hi\nassistant\n  → rm #x\nuser", "ok\nuser\n  ✗ failed") })
    const { stdout } = await cli(["show", "h.json", "--text"], { cwd })
    const [, ...lines] = stdout.split("\n").filter((line) => /^\S/.test(line))
    expect(lines).toEqual(["── turn 1 ──", "user", "assistant", "assistant"])
  })
})

describe("show --md", () => {
  it("writes a document: turns, speakers, calls with arguments and results", async () => {
    const cwd = folder({ "h.json": history("Which files?", long) })
    const { code, stdout } = await cli(["show", "h.json", "--md", "-"], { cwd })
    expect(code).toBe(0)
    expect(structure(stdout)).toEqual(["# h.json", "- file: h.json", expect.stringContaining("4 messages"), ...sections])
    expect(stdout).toContain("> Which files?\n")
    expect(stdout).toContain('```json\n{\n  "command": "ls -la"\n}\n```\n')
    expect(stdout).toContain(`\`\`\`\n${long}\n\`\`\`\n`)
  })

  it.each([
    ["a fence", "```\nnot closed"],
    ["longer fences", "`````\n```\n````"],
    ["tildes", "~~~ html\n<b>"],
    ["a fence in a list", "- a\n      ```\n  ```html\n<details>"],
    ["a comment", "<!-- hidden\n## Turn 7"],
    ["a tag", "<details><summary>x\n<script>alert(1)</script>"],
    ["a heading and a rule", "# Fake\n---\n### User\n***"],
    ["an image", "![x](http://127.0.0.1/pixel.png)"],
    ["code spans that do not end", "`` a ` <b> ``` \\`<i>"],
    ["line breaks of other systems", "a\r```\rb\r\n```"],
    ["a fence followed by backticks", "``` a`b\n<x>"],
  ])("keeps %s inside of its place, whoever wrote it", async (_, hostile) => {
    const cwd = folder({ "h.json": history(hostile, hostile, hostile) })
    const { stdout } = await cli(["show", "h.json", "--md", "-"], { cwd })
    expect(structure(stdout).slice(3)).toEqual(sections)
    for (const quote of quotes(stdout)) {
      const outside = structure(quote.replaceAll(/^>/gm, "\\>")).join("\n")
      expect(outside).not.toMatch(/(?<!\\)<[A-Za-z/!?]/)
      expect(outside).not.toMatch(/(?<!\\)!\[/)
    }
  })

  it("keeps names, ids and titles that look like markup what they are", async () => {
    const value = {
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "a`b", name: "x``y*z*", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a`b", content: "ok" }] },
      ],
    }
    const cwd = folder({ "[evil](x) <b>.json": value })
    const { stdout } = await cli(["show", "[evil](x) <b>.json", "--md", "-"], { cwd })
    expect(stdout).toContain("# \\[evil\\](x) \\<b\\>.json\n")
    expect(stdout).toContain("**Call** ```x``y*z*``` ``a`b``\n")
  })

  it("writes to a file that nobody may read who may not read the session, and never over it", async () => {
    const cwd = folder({ "h.json": history("hi", "ok") })
    chmodSync(join(cwd, "h.json"), 0o600)
    expect((await cli(["show", "h.json", "--md", "h.md"], { cwd })).code).toBe(0)
    expect(statSync(join(cwd, "h.md")).mode & 0o777).toBe(0o600)
    const over = await cli(["show", "h.json", "--md", "./h.json"], { cwd })
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining("is the input itself")])
  })

  it("makes control characters visible, in a file too", async () => {
    const cwd = folder({ "h.json": history("red \u001b[31m text", `a\u202eb\u0007 Z${"\u0301".repeat(18)}`) })
    await cli(["show", "h.json", "--md", "h.md"], { cwd })
    const text = readFileSync(join(cwd, "h.md"), "utf8")
    expect(text).toContain("red \\u001b[31m text")
    expect(text).toContain("a\\u202eb\\u0007")
    expect(text).toContain(`Z${"\u0301".repeat(16)}\\u0301\\u0301`)
  })

  it("tells when something had to be settled, and what was not recorded", async () => {
    const cwd = folder({ "h.json": { messages: history("hi", "ok").messages.filter((_, index) => index !== 2) } })
    const { stdout } = await cli(["show", "h.json", "--md", "-"], { cwd })
    expect(stdout).toContain("repaired for this view")
    expect(stdout).toContain("**Result**: lost (placeholder)")
  })

  it("is the same in a process of its own, through a pipe", () => {
    const cwd = folder({ "h.json": history("hi", "```") })
    const main = join(packageRoot, "dist", "cli", "main.js")
    const text = execFileSync(process.execPath, [main, "show", "h.json", "--md", "-"], { cwd, encoding: "utf8" })
    expect(structure(text).slice(3)).toEqual(sections)
    expect(text).toContain("````\n```\n````\n")
  })

  it("refuses what makes no sense together", async () => {
    const cwd = folder({ "h.json": healthy })
    for (const options of [
      ["--text", "--md", "x.md"],
      ["--json", "--md", "x.md"],
      ["--html", "x.html", "--message", "1"],
      ["--message", "1", "--search", "x"],
      ["--search", " "],
    ]) {
      expect((await cli(["show", "h.json", ...options], { cwd })).code).toBe(2)
    }
  })
})

describe("show --search", () => {
  it("shows the messages that have a text, with their numbers and the places", async () => {
    const cwd = folder({ "h.json": history("Which files are BIG?", `${"x ".repeat(300)}the big one`, "None is big enough.") })
    const { stdout } = await cli(["show", "h.json", "--search", "big"], { cwd })
    const lines = stdout.split("\n").map((line) => line.trim())
    expect(lines).toContain("#1 user")
    expect(lines).toContain("Which files are BIG?")
    expect(lines).toContain("#2 assistant")
    expect(lines.some((line) => line.startsWith("…") && line.endsWith("the big one"))).toBe(true)
    expect(lines).toContain("None is big enough.")
    expect((await cli(["show", "h.json", "--search", "toolu_9"], { cwd })).stdout).toContain("No message has this text.")
  })

  it("numbers the messages as --message takes them", async () => {
    const cwd = folder({ "h.json": history("first", long) })
    const { stdout } = await cli(["show", "h.json"], { cwd })
    expect(stdout).toMatch(/^1 {3}user {6}first/m)
    expect(stdout).toMatch(/^2 ┌ assistant I look\./m)
    expect((await cli(["show", "h.json", "--message", "2"], { cwd })).stdout).toContain("line 299 of the output")
  })
})

const key = "sk-ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7"

const secretHistory = history(`Use ${key} in /home/ada/work`, `ANTHROPIC_API_KEY=${key}\n/home/ada/work/a.ts by Ada Lovelace`)

interface Embedded {
  readonly name: string
  readonly text?: string
}

/** What a page carries, as a browser reads it: the text of the element up to the first thing that could end it. */
const embeddedIn = (page: string): Embedded => {
  const [, found = ""] = /<script type="application\/json" id="session">([^<]*)<\/script>/.exec(page) ?? []
  return JSON.parse(found) as Embedded
}

describe("show --html", () => {
  it("is one file that needs nothing else, and carries the session as it is", async () => {
    const value = history("</script><script>alert(1)</script><!-- <script>", "\u2028 ]]> <img src=x onerror=alert(1)>")
    const cwd = folder({ "h.json": value })
    const { code, stderr } = await cli(["show", "h.json", "--html", "h.html"], { cwd })
    expect([code, stderr]).toEqual([0, "✓ Written to h.html\n"])
    const page = readFileSync(join(cwd, "h.html"), "utf8")
    expect(JSON.parse(embeddedIn(page).text ?? "")).toEqual(value)
    // Two scripts: the inert data and the page. No element but these can run or load anything.
    const outside = page
      .replace(/(<script type="module">)[^]*?(<\/script>)/, "$1$2")
      .replace(/(<style>)[^]*?(<\/style>)/, "$1$2")
      .replace(/(id="session">)[^<]*/, "$1")
    expect(outside.match(/<script/g)).toHaveLength(2)
    expect(outside).not.toMatch(/\s(?:src|href|srcset|action)=|@import|url\(/)
    expect(page).toMatch(/<style>[^]*<\/style>/)
    expect(/<style>([^]*?)<\/style>/.exec(page)?.[1]).not.toMatch(/@import|url\((?!data:)/)
    const policy =
      /content="(default-src 'none'; script-src 'sha256-[^ ']+'; style-src 'sha256-[^ ']+'; img-src data:;[^"]*)"/.exec(page)?.[1] ?? ""
    expect(policy).not.toMatch(/unsafe|https?:|\*|connect-src/)
  })

  it("has nothing of what was redacted, and says what that was", async () => {
    const cwd = folder({ "h.json": secretHistory })
    const { stderr } = await cli(["show", "h.json", "--html", "h.html", "--redact", "--redact-name", "ada lovelace"], { cwd })
    const page = readFileSync(join(cwd, "h.html"), "utf8")
    expect(page).not.toMatch(/aB3dE5fG7|\/home\/ada|Lovelace/)
    expect(embeddedIn(page).text).toContain("/home/user/work/a.ts by [name-1]")
    expect(stderr).toContain("2 × Anthropic keys")
    expect(stderr).toContain("2 × users in home paths")
    expect(stderr).toContain("1 × given names")
  })
})

describe("--redact", () => {
  it.each([["--text"], ["--md", "-"], ["--json"], ["--message", "1"], ["--search", "use"], []])(
    "takes out the same in every form (%s %s)",
    async (...form) => {
      const cwd = folder({ "h.json": secretHistory })
      const { stdout } = await cli(["show", "h.json", "--redact", ...form], { cwd })
      expect(stdout).not.toMatch(/aB3dE5fG7|\/home\/ada/)
      expect(stdout).toMatch(/redacted-anthropic-key-1|\\\[redacted-anthropic-key-1/)
    },
  )

  it("works on stored conversations", async () => {
    const { log } = store({ "h.json": secretHistory })
    const id = (await log("import", "h.json", "--title", "Keys of Ada Lovelace")).stdout.trim()
    const { stdout, stderr } = await log("show", id, "--text", "--redact-name", "Ada Lovelace")
    expect(stdout).not.toMatch(/aB3dE5fG7|\/home\/ada|Lovelace/)
    expect(stderr).toContain("Taken out: ")
  })
})

describe("a pager", () => {
  const cwdWith = (): string => folder({ "h.json": history("hi", long) })
  const paged = { terminal: true, columns: 80, rows: 20 }

  it("gets long output on a terminal, with its colours", async () => {
    const cwd = cwdWith()
    const { stdout } = await cli(["show", "h.json", "--text"], {
      cwd,
      ...paged,
      env: { ...process.env, PAGER: "cat > paged.txt" } as never,
    })
    expect(stdout).toBe("")
    expect(readFileSync(join(cwd, "paged.txt"), "utf8")).toContain("line 299 of the output")
  })

  it.each([
    ["what fits on the screen", ["show", "h.json"], "cat > paged.txt"],
    ["--no-pager", ["show", "h.json", "--text", "--no-pager"], "cat > paged.txt"],
    ["PAGER=cat", ["show", "h.json", "--text"], "cat"],
    ["a pager that is not there", ["show", "h.json", "--text"], "no-such-pager-anywhere"],
  ])("is not used for %s", async (_, argv, pager) => {
    const { stdout } = await cli(argv, { cwd: cwdWith(), ...paged, env: { ...process.env, PAGER: pager } as never })
    expect(stdout).toContain("ls -la")
  })
})

describe("log show", () => {
  it("shows a stored conversation whole, as text and as a document", async () => {
    const { cwd, log } = store({ "h.json": history("Which files?", long) })
    const id = (await log("import", "h.json", "--title", "My files")).stdout.trim()
    const { stdout } = await log("show", id, "--text")
    expect(stdout).toContain("My files  4 messages")
    expect(stdout).toContain("    line 299 of the output\n")
    await log("show", id, "--md", "c.md")
    const text = readFileSync(join(cwd, "c.md"), "utf8")
    expect(structure(text)[0]).toBe("# My files")
    expect(structure(text).slice(4)).toEqual(sections)
    expect(statSync(join(cwd, "c.md")).mode & 0o777).toBe(0o600)
  })
})

describe("stats", () => {
  it("estimates tokens, for each file and in all", async () => {
    const cwd = folder({ "a.json": history("hi", long), "b.json": healthy })
    const { stdout } = await cli(["stats", "a.json", "b.json"], { cwd })
    expect(stdout).toMatch(/size +tokens +findings/)
    const json = JSON.parse((await cli(["stats", "a.json", "b.json", "--json"], { cwd })).stdout) as {
      readonly total: { readonly tokens: number }
      readonly files: readonly { readonly tally: { readonly tokens: number } }[]
    }
    const [a = 0, b = 0] = json.files.map(({ tally }) => tally.tokens)
    expect([a > 1_500, a < 4_000, b > 10, b < 100, json.total.tokens === a + b]).toEqual([true, true, true, true, true])
    expect(stdout).toContain(`~${a.toLocaleString("en-US")}`)
  })
})
