/** The program itself: help, version, mistakes, colours, progress, the tour. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commandNames, commands } from "../../src/cli/commands/index.ts"
import { nearest } from "../../src/model/nearest.ts"
import { colorPalette } from "../../src/cli/frame/palette.ts"
import { cut, cutStart, hang, oneLine, size, widthOf, wrap } from "../../src/cli/frame/text.ts"
import { cli, damaged, folder, healthy, packageRoot } from "./cli.ts"

// oxlint-disable-next-line no-control-regex -- colours begin with it
const colours = /\u001b\[\d+m/

describe("the command line", () => {
  it("prints the version of the package", async () => {
    const text = readFileSync(join(packageRoot, "package.json"), "utf8")
    const { version } = JSON.parse(text) as { readonly version: string }
    for (const flag of ["--version", "-V", "version"]) {
      expect(await cli([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
    }
  })

  it("explains itself and every command", async () => {
    const general = await cli(["--help"])
    expect(general.code).toBe(0)
    for (const name of commandNames) {
      const { summary, options } = await (commands[name] as (typeof commands)[string])()
      expect(general.stdout.replaceAll(/\s+/g, " ")).toContain(` ${name} ${summary} `)
      const help = await cli([name, "--help"])
      expect(help.code).toBe(0)
      expect(help.stdout).toContain(`ligature ${name}: ${summary}`)
      for (const option of options) expect(help.stdout).toContain(`--${option.name}`)
      expect(help.stdout).toContain("Examples\n")
      expect(await cli(["help", name])).toEqual(help)
      for (const line of help.stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(120)
    }
  })

  it("answers mistakes with the way out and exit code 2", async () => {
    const show = "ligature show"
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["chek"], "ligature: Unknown command chek\n  Did you mean check?\n"],
      [["check", "--form", "x"], "ligature: check has no option --form\n  Did you mean --from?\n"],
      [["check", "x", "--from"], "ligature: --from needs a value: --from FORMAT\n  See: ligature check --help\n"],
      [["show", "--from", "--json", "x"], `ligature: --from needs a value: --from FORMAT\n  See: ${show} --help\n`],
      [["check", "--json=yes", "x"], "ligature: --json takes no value\n  See: ligature check --help\n"],
      [["check", "x", "--for", "a", "--for", "b"], "ligature: --for is given twice\n  Give it once.\n"],
      [["check", "--color=maybe", "x"], "ligature: --color is auto, always or never, not maybe\n"],
      [["check"], "ligature: Give at least one FILE, or - for stdin\n  See: ligature check --help\n"],
      [["--frobnicate"], "ligature: ligature has no option --frobnicate\n  See: ligature --help\n"],
    ]
    for (const [argv, stderr] of cases) expect(await cli(argv)).toEqual({ code: 2, stdout: "", stderr })
  })

  it("takes what is after -- for files", async () => {
    const cwd = folder({ "--help": healthy })
    expect((await cli(["check", "--", "--help"], { cwd })).stdout).toContain("no damage found")
  })

  it("turns what it did not foresee into one line, and shows the trace only when asked", async () => {
    const stdin = new Error("the cable fell out")
    expect(await cli(["check", "-"], { stdin })).toEqual({
      code: 2,
      stdout: "",
      stderr: "ligature: the cable fell out\n  This is a bug. DEBUG=ligature:* shows the trace.\n",
    })
    const { stderr } = await cli(["check", "-"], { stdin, env: { DEBUG: "ligature:*" } })
    expect(stderr).toMatch(/^ligature: the cable fell out\nError: the cable fell out\n\s+at /)
  })

  it("says where it could not write", async () => {
    const cwd = folder({ "a.json": damaged, file: "x" })
    const missing = await cli(["repair", "a.json", "-o", "no/such/out.json"], { cwd })
    expect(missing).toMatchObject({ code: 2, stdout: "" })
    expect(missing.stderr).toContain("error[cannot-write]: ")
    expect(missing.stderr).toContain("The folder does not exist.")
    const blocked = await cli(["convert", "a.json", "--to", "gemini", "--out-dir", "file"], { cwd })
    expect(blocked.code).toBe(2)
    expect(blocked.stderr).toContain("This is a file, not a folder.")
    expect(readdirSync(cwd).sort()).toEqual(["a.json", "file"])
  })
})

describe("colours", () => {
  it("follow the terminal, --color, NO_COLOR and FORCE_COLOR", async () => {
    const cwd = folder({ "a.json": damaged })
    const isColored = async (argv: readonly string[], env: Record<string, string>, terminal: boolean) =>
      colours.test((await cli(["check", "a.json", ...argv], { cwd, env, terminal })).stdout)
    expect(await isColored([], {}, false)).toBe(false)
    expect(await isColored([], {}, true)).toBe(true)
    expect(await isColored([], { TERM: "dumb" }, true)).toBe(false)
    expect(await isColored([], { NO_COLOR: "1" }, true)).toBe(false)
    expect(await isColored(["--color=always"], { NO_COLOR: "1" }, false)).toBe(true)
    expect(await isColored(["--color=never"], {}, true)).toBe(false)
    expect(await isColored([], { FORCE_COLOR: "1" }, false)).toBe(true)
  })

  it("say nothing that is not also said without them", async () => {
    const cwd = folder({ "a.json": damaged })
    const plain = await cli(["check", "a.json"], { cwd })
    const colored = await cli(["check", "a.json", "--color=always"], { cwd })
    // oxlint-disable-next-line no-control-regex -- colours begin with it
    expect(colored.stdout.replace(/\u001b\[\d+m/g, "")).toBe(plain.stdout)
  })
})

describe("progress", () => {
  const many = (): { readonly cwd: string; readonly files: readonly string[] } => {
    const cwd = folder()
    mkdirSync(join(cwd, "in"))
    const files = Array.from({ length: 40 }, (_, index) => join("in", `${index}.json`))
    for (const file of files) writeFileSync(join(cwd, file), JSON.stringify(healthy))
    return { cwd, files }
  }

  it("shows one line on a terminal that is gone at the end", async () => {
    const { cwd, files } = many()
    const { stderr } = await cli(["check", ...files], { cwd, terminal: true, columns: 60 })
    expect(stderr).toContain("\r\u001b[K░░░░░░░░░░░░░░░░░░░░ 0/40  in/0.json")
    expect(stderr.endsWith("\r\u001b[K")).toBe(true)
  })

  it("is silent where nobody looks, and for few files", async () => {
    const { cwd, files } = many()
    expect((await cli(["check", ...files], { cwd })).stderr).toBe("")
    expect((await cli(["check", ...files.slice(0, 3)], { cwd, terminal: true })).stderr).toBe("")
  })
})

describe("the tour", () => {
  it("shows bundled histories before and after, all of them valid in the end, in 100 columns", async () => {
    const { code, stdout, stderr } = await cli([])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.match(/as a request for [\w-]+: valid/g)).toHaveLength(4)
    const call = "assistant → bash(npm test -w a) #toolu_01"
    expect(stdout).toContain(`✗ ${call}      │ ┌ ${call}\n`)
    for (const line of stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(100)
  })

  it("puts before and after below each other on a narrow terminal", async () => {
    const { stdout } = await cli([], { terminal: true, columns: 70, env: { NO_COLOR: "1" } })
    expect(stdout).toContain("\n  before\n")
    expect(stdout).toContain("\n  after\n")
    for (const line of stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(70)
  })
})

describe("text for terminals", () => {
  it("knows how wide text is", () => {
    const texts = ["abc", "只看", "é", "e\u0301", "👍", colorPalette.error("red")]
    expect(texts.map(widthOf)).toEqual([3, 4, 1, 1, 2, 3])
  })

  it("cuts to a width and never in the middle of a character", () => {
    const cuts = [cut("abcdef", 4), cut("abcd", 4), cut("只看结果", 5), cut("只看", 4), cut("x", 0)]
    expect(cuts).toEqual(["abc…", "abcd", "只看…", "只看", ""])
    expect([cutStart("a/long/path.json", 10), cutStart("short", 10)]).toEqual(["…path.json", "short"])
  })

  it("makes one line of anything", () => {
    expect(oneLine("a\n\tb\u001b[31mc\ud83d")).toBe("a b\\u001b[31mc\\ud83d")
  })

  it("wraps and hangs", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(hang("x: ", "one two three four five six", 23)).toEqual(["x: one two three four", "   five six"])
  })

  it("writes sizes", () => {
    const sizes = [0, 999, 1000, 9_960, 123_456, 1_500_000, 2_000_000_000].map(size)
    expect(sizes).toEqual(["0 B", "999 B", "1.0 kB", "10 kB", "123 kB", "1.5 MB", "2.0 GB"])
  })

  it("suggests the nearest word", () => {
    const words = ["chek", "covnert", "xyz"].map((word) => nearest(word, commandNames))
    expect(words).toEqual(["check", "convert", undefined])
  })
})
