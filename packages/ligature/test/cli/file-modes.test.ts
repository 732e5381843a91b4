/** Who may read what the commands write: nobody who may not read what it was made from, whatever the umask. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, watch, writeFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { cli, damaged, folder, healthy } from "./cli.ts"
import { filled } from "./log/stage.ts"

const before = process.umask()
afterEach(() => void process.umask(before))

const modeOf = (...path: readonly string[]): string => (statSync(join(...path)).mode & 0o777).toString(8)

/** A session whose call is text in tags. */
const xmlSession = [
  { role: "user", content: [{ type: "text", text: "<task>\nRead a.ts\n</task>" }], ts: 1_700_000_000_000 },
  {
    role: "assistant",
    content: [{ type: "text", text: "<read_file>\n<path>a.ts</path>\n</read_file>" }],
    ts: 1_700_000_000_001,
  },
  {
    role: "user",
    content: [
      { type: "text", text: "[read_file for 'a.ts'] Result:" },
      { type: "text", text: "const a = 1" },
    ],
    ts: 1_700_000_000_002,
  },
]

/** A folder with a damaged request in `a.json`, readable as the mode says. */
const sourceOf = (mode: number): string => {
  const cwd = folder({ "a.json": damaged })
  chmodSync(join(cwd, "a.json"), mode)
  return cwd
}

const run = async (cwd: string, ...argv: readonly string[]): Promise<void> => {
  const { code, stderr } = await cli(argv, { cwd })
  expect(code === 2 ? stderr : "", argv.join(" ")).toBe("")
}

/** Mode of the source, umask, mode of what is made of it; in octal digits. */
const made = [
  ["600", "022", "600"],
  ["600", "000", "600"],
  ["640", "000", "640"],
  ["640", "077", "600"],
  ["644", "022", "644"],
  ["400", "022", "600"],
  ["755", "002", "644"],
  ["666", "002", "664"],
] as const

describe("what a command writes", () => {
  it.each(made)("of a file with mode %s under umask %s has mode %s", async (mode, umask, expected) => {
    const cwd = sourceOf(Number.parseInt(mode, 8))
    process.umask(Number.parseInt(umask, 8))
    await run(cwd, "convert", "a.json", "--to", "anthropic", "-o", "converted.json", "--report", "converted.report.json")
    await run(cwd, "repair", "a.json", "-o", "repaired.json", "--report", "repaired.report.json")
    await run(cwd, "compact", "a.json", "--budget", "1000", "-o", "compacted.json", "--stats", "stats.json")
    await run(cwd, "repair", "a.json", "--out-dir", "out/deep")
    const written = readdirSync(cwd).filter((name) => name.endsWith(".json") && name !== "a.json")
    expect(written.length).toBeGreaterThanOrEqual(6)
    expect(written.map((name) => `${name} ${modeOf(cwd, name)}`)).toEqual(written.map((name) => `${name} ${expected}`))
    expect(modeOf(cwd, "out", "deep", "a.json")).toBe(expected)
  })

  it("makes folders that whoever may not read the source cannot enter", async () => {
    process.umask(0)
    for (const [mode, expected] of [
      [0o600, "700"],
      [0o640, "750"],
      [0o644, "755"],
    ] as const) {
      const cwd = sourceOf(mode)
      await run(cwd, "repair", "a.json", "--out-dir", "out/deep")
      expect([modeOf(cwd, "out"), modeOf(cwd, "out", "deep")]).toEqual([expected, expected])
    }
  })

  it("of several files is as private as the most private one, where it is made of all of them", async () => {
    process.umask(0o022)
    const cwd = folder({ "a.json": damaged, "b.json": healthy })
    chmodSync(join(cwd, "a.json"), 0o600)
    await run(cwd, "repair", "a.json", "b.json", "--out-dir", "out", "--report", "report.json")
    expect([modeOf(cwd, "report.json"), modeOf(cwd, "out")]).toEqual(["600", "700"])
    expect([modeOf(cwd, "out", "a.json"), modeOf(cwd, "out", "b.json")]).toEqual(["600", "644"])
  })

  it("of stdin follows the umask: nobody knows where it came from", async () => {
    process.umask(0o027)
    const cwd = folder()
    await cli(["repair", "-", "-o", "out.json"], { cwd, stdin: JSON.stringify(damaged) })
    expect(modeOf(cwd, "out.json")).toBe("640")
  })

  it("over a file that exists keeps its mode, without what the source does not allow", async () => {
    process.umask(0o077)
    const cwd = sourceOf(0o640)
    for (const [mode, expected] of [
      [0o666, "640"],
      [0o600, "600"],
      [0o644, "640"],
      [0o440, "440"],
    ] as const) {
      writeFileSync(join(cwd, "out.json"), "old")
      chmodSync(join(cwd, "out.json"), mode)
      await run(cwd, "repair", "a.json", "-o", "out.json")
      expect(modeOf(cwd, "out.json")).toBe(expected)
      chmodSync(join(cwd, "out.json"), 0o600)
    }
  })

  it("for a migration is as private as the session, in place and beside", async () => {
    process.umask(0o022)
    const cwd = folder({ "h.json": xmlSession })
    chmodSync(join(cwd, "h.json"), 0o600)
    await run(cwd, "migrate", "h.json", "-o", "out.json", "--report", "report.json")
    await run(cwd, "migrate", "h.json")
    const names = readdirSync(cwd)
    expect(names.length).toBeGreaterThan(3)
    expect(names.map((name) => modeOf(cwd, name))).toEqual(names.map(() => "600"))
  })

  it("in place keeps the mode of the file, and so does the copy beside it", async () => {
    for (const mode of [0o600, 0o640, 0o664]) {
      const cwd = sourceOf(mode)
      process.umask(0o022)
      await run(cwd, "repair", "a.json", "--in-place")
      expect([modeOf(cwd, "a.json"), modeOf(cwd, "a.json.bak")]).toEqual([mode.toString(8), mode.toString(8)])
    }
  })

  it("is never readable by more people while it is written", async () => {
    process.umask(0)
    const cwd = sourceOf(0o600)
    const seen = new Map<string, string>()
    const watcher = watch(cwd, (_, name) => {
      if (name !== null && existsSync(join(cwd, name))) seen.set(name, modeOf(cwd, name))
    })
    for (let round = 0; round < 20; round++) await run(cwd, "repair", "a.json", "-o", `out${round}.json`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    watcher.close()
    seen.delete("a.json")
    expect(seen.size).toBeGreaterThan(0)
    expect([...seen.values()].filter((mode) => mode !== "600")).toEqual([])
  })
})

describe("doctor --repair", () => {
  it("keeps a copy that is as private as the session", async () => {
    process.umask(0o022)
    const cwd = folder()
    mkdirSync(join(cwd, "sessions"))
    writeFileSync(join(cwd, "sessions", "a.json"), JSON.stringify(damaged), { mode: 0o600 })
    utimesSync(join(cwd, "sessions", "a.json"), new Date(2020, 1, 1), new Date(2020, 1, 1))
    await run(cwd, "doctor", "sessions", "--repair")
    expect([modeOf(cwd, "sessions", "a.json"), modeOf(cwd, "sessions", "a.json.bak")]).toEqual(["600", "600"])
  })
})

describe("what is taken out of a store", () => {
  it("is for its owner only", async () => {
    const place = await filled()
    process.umask(0o022)
    await place.log("export", "c", "--to", "anthropic", "-o", "request.json", "--report", "report.json")
    await cli(["resume", "c", "--to", "anthropic", "--user", "Go on.", "-o", "next.json"], {
      cwd: place.cwd,
      env: { LIGATURE_STORE: "conversations" },
    })
    const names = ["request.json", "report.json", "next.json"]
    expect(names.map((name) => modeOf(place.cwd, name))).toEqual(["600", "600", "600"])
  })
})
