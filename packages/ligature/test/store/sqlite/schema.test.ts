/** Databases of every older version: brought up to date when they are opened, with everything that was in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Store } from "../../../src/store/index.ts"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { schemaVersion } from "../../../src/store/sqlite/schema.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import { hasEngine, sayIfMissing, within } from "./engine.ts"

const fixtures = join(import.meta.dirname, "fixtures")
let folder = ""
let file = ""
let store: Store

const openOld = (version: number): void => {
  within(file, (database) => database.exec(readFileSync(join(fixtures, `v${version}.sql`), "utf8")))
  store = sqliteStore({ file, now: () => 1_763_251_300_000 })
}

const rowsOf = (sql: string): readonly unknown[] =>
  within(file, (database) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })),
  )

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-schema-"))
  file = join(folder, "store.db")
})
afterEach(async () => {
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})

sayIfMissing("migrations of the sqlite store")

describe("fixtures", () => {
  it("there is one for each older version of the tables", () => {
    const versions = Array.from({ length: schemaVersion - 1 }, (_, index) => `v${index + 1}.sql`)
    expect(readdirSync(fixtures).sort()).toEqual(versions)
  })
})

describe.skipIf(!hasEngine).each([1, 2])("a database of version %i", (version) => {
  it("is read as it was written", async () => {
    openOld(version)
    const { entries, title, tip, damage } = await store.load("old")
    expect(wordsOf(entries)).toEqual(["one", "two", "three", "five"])
    expect(entries.map(({ operation }) => operation)).toEqual(["first", 'both "quoted"', 'both "quoted"', "entry-e4"])
    expect({ title, tip, damage }).toEqual({ title: "Renamed", tip: "e5", damage: [] })
    expect((await store.branches("old")).map(({ tip: end, active }) => [end, active])).toEqual([
      ["e4", false],
      ["e5", true],
    ])
    expect(rowsOf("select version from migration order by version")).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }])
  })

  it("recognises the operations that were written to it", async () => {
    openOld(version)
    const both = await store.append("old", [say("two"), say("three")], { operation: 'both "quoted"' })
    expect(both).toMatchObject({ ids: ["e2", "e3"], tip: "e3", repeated: true })
    expect(await store.append("old", [say("five")], { operation: "entry-e4" })).toMatchObject({ ids: ["e5"], repeated: true })
    expect((await refusal(store.append("old", [say("x"), say("y")], { operation: "back" }))).reason).toBe("operation-reused")
  })

  it("takes conversations that name their parent", async () => {
    openOld(version)
    await store.create({ id: "sub", parent: { conversation: "old", call: "call_1" } })
    expect((await store.list({ parent: "old" })).conversations).toMatchObject([{ id: "sub", parent: { call: "call_1" } }])
    expect((await store.load("old")).parent).toBeUndefined()
  })

  it("goes on in the same file", async () => {
    openOld(version)
    const { tip } = await store.append("old", [say("six")])
    expect(wordsOf((await store.load("old")).entries)).toEqual(["one", "two", "three", "five", "six"])
    expect((await store.load("old")).tip).toBe(tip)
    expect((await store.acquire("old", { owner: "another", durationMs: 1_000 })).generation).toBe(2)
  })
})

describe.skipIf(!hasEngine)("operations without a name of their own", () => {
  beforeEach(async () => {
    store = sqliteStore({ file })
    await store.create({ id: "c" })
  })

  it("are recognised by the name the store gave them, and take no room in the index", async () => {
    const one = await store.append("c", [say("one")])
    const two = await store.append("c", [say("two"), say("three")])
    const named = await store.append("c", [say("four", "mine"), say("five")])
    for (const [outcome, entries] of [
      [one, 1],
      [two, 2],
      [named, 2],
    ] as const) {
      const again = await store.append(
        "c",
        Array.from({ length: entries }, () => say("x")),
        { operation: outcome.operation },
      )
      expect(again).toEqual({ ...outcome, repeated: true })
    }
    const { entries } = await store.load("c")
    const { operation } = one
    expect(entries.map((entry) => entry.operation)).toEqual([operation, two.operation, two.operation, named.operation, named.operation])
    expect(rowsOf("select operation from entry order by number")).toEqual(
      ['"', '"', two.operation, named.operation, '"'].map((stored) => ({ operation: stored })),
    )
  })

  it("do not be in the way of an operation that is named like an entry", async () => {
    const { ids, operation } = await store.append("c", [say("question")])
    const answer = await store.append("c", [say("answer")], { operation: ids[0] ?? "" })
    expect(answer).toMatchObject({ operation: ids[0], repeated: false })
    expect(operation).not.toBe(ids[0])
  })

  it("are copied by a fork", async () => {
    const { operation, ids } = await store.append("c", [say("one"), say("two")])
    await store.fork("c", { id: "copy" })
    const again = await store.append("copy", [say("one"), say("two")], { operation })
    expect(again).toMatchObject({ ids, repeated: true })
  })

  it("refuse an entry id that is there already, as before", async () => {
    await store.append("c", [say("one", "mine")])
    expect((await refusal(store.append("c", [say("one", "mine")]))).reason).toBe("bad-entry")
  })
})

describe.skipIf(!hasEngine)("a table whose text lost a column", () => {
  it("is refused, since every row would be read shifted by one", async () => {
    const made = sqliteStore({ file })
    await made.create({ id: "c" })
    await made.close()
    const bytes = readFileSync(file)
    bytes.write(" ".repeat("at integer not null,".length), bytes.indexOf("at integer not null,"))
    writeFileSync(file, bytes)
    store = sqliteStore({ file })
    const { reason, message } = await refusal(store.load("c"))
    expect(reason).toBe("unreadable")
    expect(message).toContain("its tables are not as they were made")
  })
})
