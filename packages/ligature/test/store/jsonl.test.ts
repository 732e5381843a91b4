/** The jsonl store against the suite of all stores, at every durability. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { expect, it } from "vitest"
import { type Durability, jsonlStore } from "../../src/store/index.ts"
import { say, storeConformance } from "./conformance.ts"
import { tracesOf } from "./traces.ts"

/** The line of an entry, and nothing else. */
const lose = async (folder: string, conversation: string, entry: string): Promise<void> => {
  const file = join(folder, `${conversation}.jsonl`)
  const lines = readFileSync(file, "utf8").split("\n")
  writeFileSync(file, lines.filter((line) => !line.includes(`"id":"${entry}","kind"`)).join("\n"))
}

const durabilities: readonly Durability[] = ["turn", "entry", "none"]

for (const durability of durabilities) {
  storeConformance(`jsonl (${durability})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
    return {
      open: (now) => jsonlStore({ folder, now, durability }),
      lose: (conversation, entry) => lose(folder, conversation, entry),
      holds: async (words) => tracesOf(words, folder).length > 0,
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
}

storeConformance("jsonl (one file open at a time)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
  return {
    open: (now) => jsonlStore({ folder, now, openLimit: 1 }),
    lose: (conversation, entry) => lose(folder, conversation, entry),
    holds: async (words) => tracesOf(words, folder).length > 0,
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

storeConformance("jsonl (a checkpoint after every append, one file open at a time)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
  return {
    open: (now) => jsonlStore({ folder, now, openLimit: 1, checkpointBytes: 1 }),
    lose: (conversation, entry) => lose(folder, conversation, entry),
    holds: async (words) => tracesOf(words, folder).length > 0,
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

it("stays in its folder when the program goes to another", async () => {
  const root = mkdtempSync(join(tmpdir(), "ligature-store-"))
  const before = process.cwd()
  const store = jsonlStore({ folder: relative(before, join(root, "conversations")) })
  try {
    await store.create({ id: "c" })
    process.chdir(tmpdir())
    await store.append("c", [say("a")])
    await store.create({ id: "d" })
    expect((await store.list()).conversations.map(({ id }) => id).sort()).toEqual(["c", "d"])
    await store.close()
    expect(readdirSync(join(root, "conversations"))).toEqual(expect.arrayContaining(["c.jsonl", "d.jsonl"]))
  } finally {
    process.chdir(before)
    rmSync(root, { recursive: true, force: true })
  }
})
