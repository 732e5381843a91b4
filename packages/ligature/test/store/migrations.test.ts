/** Logs of every older version: they are read as they would be written today, appended to, and never rewritten. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { assistant, call, result, tool, user } from "../../src/model/index.ts"
import { jsonlStore } from "../../src/store/index.ts"
import { formatVersion } from "../../src/store/entry.ts"
import { migrations } from "../../src/store/migrations.ts"
import { say, wordsOf } from "./conformance.ts"

const fixtures = join(import.meta.dirname, "fixtures")
let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-migrations-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("migrations", () => {
  it("lead from every version to the next, and each older version has a fixture", () => {
    expect(migrations).toHaveLength(formatVersion)
    const versions = readdirSync(fixtures).filter((name) => /^v\d+\.jsonl$/.test(name))
    expect(versions.sort()).toEqual(migrations.map((_, version) => `v${version}.jsonl`))
  })

  it("read version 0: one entry per line, heads, times", async () => {
    const path = join(folder, "old.jsonl")
    copyFileSync(join(fixtures, "v0.jsonl"), path)
    const before = readFileSync(path)
    const store = jsonlStore({ folder, now: () => 1_763_251_300_000 })
    const loaded = await store.load("old")
    expect([loaded.title, loaded.created, loaded.updated, loaded.tip, loaded.damage]).toEqual([
      "files",
      1_763_251_200_000,
      1_763_251_200_007,
      "6",
      [],
    ])
    expect(loaded.transcript.messages).toEqual([
      user("list the files"),
      assistant(call("a", "ls", { path: "." })),
      tool(result("a", "README.md")),
      assistant("One file: README.md"),
    ])
    expect(wordsOf((await store.load("old", { at: "4" })).entries).at(-1)).toBe("wrong answer")
    expect((await store.list()).conversations).toMatchObject([{ id: "old", title: "files", updated: 1_763_251_200_007 }])
    expect(readFileSync(path).equals(before)).toBe(true)
    await store.close()
  })

  it("go on in today's version after the old lines, and both are read together", async () => {
    const path = join(folder, "old.jsonl")
    copyFileSync(join(fixtures, "v0.jsonl"), path)
    const before = readFileSync(path)
    const store = jsonlStore({ folder })
    await store.append("old", [say("thanks", "8")], { expectedTip: "6", operation: "new" })
    await store.append("old", [say("more", "9")], { expectedTip: "8" })
    await store.close()
    const bytes = readFileSync(path)
    expect(bytes.subarray(0, before.length).equals(before)).toBe(true)
    const added = bytes.subarray(before.length).toString("utf8").trimEnd().split("\n")
    expect(added.map((line) => line.slice(18, 32))).toEqual(['"ligature":1}', expect.any(String), expect.any(String)])
    const reopened = jsonlStore({ folder })
    const loaded = await reopened.load("old")
    expect([loaded.damage, loaded.tip, wordsOf(loaded.entries).slice(-3)]).toEqual([[], "9", ["One file: README.md", "thanks", "more"]])
    expect(await reopened.append("old", [say("thanks", "8")], { operation: "new" })).toMatchObject({ repeated: true })
    expect((await reopened.list()).conversations).toHaveLength(1)
    await reopened.close()
  })

  it("keep torn old lines apart from new ones", async () => {
    const path = join(folder, "old.jsonl")
    copyFileSync(join(fixtures, "v0.jsonl"), path)
    const { truncateSync } = await import("node:fs")
    truncateSync(path, readFileSync(path).length - 30)
    const store = jsonlStore({ folder })
    await store.append("old", [say("on", "8")], { expectedTip: "6" })
    const loaded = await store.load("old")
    expect([loaded.damage.map(({ rule }) => rule), loaded.tip]).toEqual([["torn-line"], "8"])
    await store.close()
  })
})
