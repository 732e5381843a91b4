/** The built program as a process of its own: exit codes, pipes that close early, and what it loads to start fast. */
import { spawn, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundle } from "../../build.mjs"
import { damaged, folder, packageRoot } from "./cli.ts"

let root = ""
let program = ""

/** A build beside a package.json and the fixtures, as the installed package has them. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "ligature-build-"))
  await bundle(join(root, "dist"))
  cpSync(join(packageRoot, "package.json"), join(root, "package.json"))
  symlinkSync(join(packageRoot, "fixtures"), join(root, "fixtures"), "junction")
  program = join(root, "dist", "cli", "main.js")
}, 120_000)

afterAll(() => rmSync(root, { recursive: true, force: true }))

const run = (argv: readonly string[], input = ""): { readonly code: number | null; readonly stdout: string } => {
  const { status, stdout } = spawnSync(process.execPath, [program, ...argv], { input, encoding: "utf8" })
  return { code: status, stdout }
}

/** The scripts of the program that a process with this NODE_V8_COVERAGE has loaded. */
const ownScripts = (coverage: string): readonly string[] => {
  const built = pathToFileURL(join(realpathSync(root), "dist", "/")).href
  const reports = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), "utf8")) as Coverage)
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url))
  return urls
    .filter((url) => url.startsWith(built))
    .map((url) => url.slice(built.length))
    .sort()
}

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

describe("the built program", () => {
  it("exits with 0, 1 and 2", () => {
    const cwd = folder({ "a.json": damaged })
    expect(run(["formats"]).code).toBe(0)
    expect(run(["check", join(cwd, "a.json")]).code).toBe(1)
    expect(run(["check", join(cwd, "missing.json")]).code).toBe(2)
  })

  it("reads stdin", () => {
    const { code, stdout } = run(["check", "-"], JSON.stringify(damaged))
    expect(code).toBe(1)
    expect(stdout).toContain("<stdin>:1  messages[1].tool_calls[0]")
  })

  it("shows the tour with the bundled examples", () => {
    expect(run([]).stdout).toContain("Try next")
  })

  it("is quiet when the reader of a pipe goes away", async () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: "x".repeat(80),
    }))
    const cwd = folder()
    writeFileSync(join(cwd, "long.json"), JSON.stringify({ messages }))
    const argv = [program, "show", join(cwd, "long.json")]
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"] })
    let stderr = ""
    child.stderr.on("data", (chunk) => (stderr += String(chunk)))
    child.stdout.once("data", () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("says its version before it loads anything else", () => {
    const coverage = folder()
    spawnSync(process.execPath, [program, "--version"], { env: { ...process.env, NODE_V8_COVERAGE: coverage } })
    expect(ownScripts(coverage)).toEqual(["chunks/package-file.js", "cli/main.js"])
  })
})
