/** What removal leaves in a database file and in its log: nothing, also when it is cut short, and in files of older versions. */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { StoreError } from "../../../src/store/index.ts"
import { loadEngine } from "../../../src/store/sqlite/schema.ts"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import { tracesOf } from "../traces.ts"
import { hasEngine, sayIfMissing, within } from "./engine.ts"

sayIfMissing("removal from the sqlite store")

let folder = ""
let file = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-sqlite-removal-"))
  file = join(folder, "store.db")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const fill = async (count: number): Promise<void> => {
  const store = sqliteStore({ file, durability: "none" })
  for (let index = 0; index < count; index++) await store.create({ id: `c${index}`, title: `TITLE-c${index}.` })
  for (let turn = 0; turn < 5; turn++) {
    for (let index = 0; index < count; index++) await store.append(`c${index}`, [say(`WORDS-c${index}. ${"z".repeat(turn * 900)}`)])
  }
  await store.close()
}

describe.skipIf(!hasEngine)("a removal", () => {
  it("that is killed leaves each conversation whole or nothing of it, once somebody opens the file", { timeout: 120_000 }, async () => {
    const sources = join(import.meta.dirname, "../../../src")
    await fill(40)
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [join(import.meta.dirname, "remover.mjs"), sources, file], {
        env: { ...process.env, NODE_NO_WARNINGS: "1" },
      })
      let said = ""
      child.stdout.on("data", (bytes: Buffer) => {
        said += bytes.toString()
        if (said.split("removing").length > 2 + (round % 3)) setTimeout(() => child.kill("SIGKILL"), round)
      })
      await new Promise((resolve) => child.once("close", resolve))
      const store = sqliteStore({ file })
      const left = new Set((await store.list({ limit: 1_000 })).conversations.map(({ id }) => id))
      for (const [, id = ""] of said.matchAll(/removed (c\d+)/g)) expect(left.has(id), id).toBe(false)
      for (let index = 0; index < 40; index++) {
        if (left.has(`c${index}`)) expect((await store.load(`c${index}`)).entries, `c${index}`).toHaveLength(5)
        else expect([tracesOf(`WORDS-c${index}.`, folder), tracesOf(`TITLE-c${index}.`, folder)], `c${index}`).toEqual([[], []])
      }
      await store.close()
    }
  })

  it("leaves no copy in the free space of pages, where rows move when their neighbours are deleted", async () => {
    const store = sqliteStore({ file, durability: "none" })
    const ids = ["a", "b", "kept"]
    for (const id of ids) await store.create({ id, title: `TITLE-${id}.` })
    for (let turn = 0; turn < 55; turn++) {
      for (const id of ids) await store.append(id, [say(`WORDS-${id}. ${"x".repeat(turn * 53)}`)])
    }
    for (const id of ["a", "b"]) {
      await store.remove(id)
      expect([tracesOf(`WORDS-${id}.`, folder), tracesOf(`TITLE-${id}.`, folder)], id).toEqual([[], []])
    }
    expect((await store.load("kept")).entries).toHaveLength(55)
    await store.close()
  })

  it("cuts the log to nothing, so that no page as it was before stays in it", async () => {
    const store = sqliteStore({ file })
    await store.create({ id: "c" })
    await store.append("c", [say("WORDS ".repeat(10_000))])
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(60_000)
    await store.remove("c")
    expect(statSync(`${file}-wal`).size).toBeLessThan(40_000)
    await store.close()
  })

  it("waits for who reads, and says what is left where that takes too long; the next one who opens the file ends it", async () => {
    const store = sqliteStore({ file, busyWaitMs: 60 })
    await store.create({ id: "c", title: "TITLE" })
    await store.append("c", [say("WORDS")])
    const { DatabaseSync } = loadEngine()
    const reader = new DatabaseSync(file)
    reader.exec("begin; select count(*) from entry")
    reader.prepare("select count(*) from entry").get()
    const error = await refusal(store.remove("c"))
    expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("was removed, but")])
    expect((await refusal(store.load("c"))).reason).toBe("missing-conversation")
    reader.exec("commit")
    reader.close()
    const other = sqliteStore({ file })
    await other.list()
    expect([tracesOf("WORDS", folder), tracesOf("TITLE", folder)]).toEqual([[], []])
    await other.close()
    await store.close()
  })

  it("from a file of an older version also takes out what its engine left where it was", async () => {
    within(file, (database) => {
      database.exec(readFileSync(join(import.meta.dirname, "fixtures", "v2.sql"), "utf8"))
      const body = JSON.stringify({ message: { role: "user", blocks: [{ type: "text", text: "EARLIER ".repeat(2_000) }] } })
      const insert = database.prepare("insert into entry values (?, 1, null, 1, 1, 0, 'message', ?, ?, ?)")
      for (let number = 100; number < 140; number++) insert.run(number, `x${number}`, `x${number}`, body)
      database.exec("delete from entry where number >= 100")
    })
    expect(tracesOf("EARLIER", folder)).toEqual(["store.db"])
    const store = sqliteStore({ file })
    await store.create({ id: "kept" })
    await store.append("kept", [say("stays")])
    await store.remove("old")
    expect([tracesOf("EARLIER", folder), tracesOf("three", folder)]).toEqual([[], []])
    expect(wordsOf((await store.load("kept")).entries)).toEqual(["stays"])
    await store.close()
    expect(within(file, (database) => ({ ...database.prepare("select old, pending from residue").get() }))).toEqual({ old: 0, pending: 0 })
  })

  it("works on a database in memory", async () => {
    const store = sqliteStore({ file: ":memory:" })
    await store.create({ id: "c" })
    await store.remove("c")
    await expect(store.load("c")).rejects.toThrow(StoreError)
    await store.close()
  })
})
