/**
 * The sqlite store when its file is not what it should be, or cannot be written: what is not ours stays untouched to the
 * byte, and what was acknowledged stays readable.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type StoreErrorReason } from "../../../src/store/index.ts"
import { recoveryPlan } from "../../../src/store/recovery.ts"
import { Connection } from "../../../src/store/sqlite/connection.ts"
import { loadEngine } from "../../../src/store/sqlite/schema.ts"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { refusal, say, wordsOf } from "../conformance.ts"
import { conversationId, expectRecovered, runScenario } from "../scenario.ts"
import { hasEngine, sayIfMissing, within } from "./engine.ts"

sayIfMissing("the sqlite store's behaviour on damaged files")

let folder = ""
let file = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-sqlite-faults-"))
  file = join(folder, "store.db")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Every call refuses the file for this reason, and not a byte of it changes. */
const expectLeftAlone = async (reason: StoreErrorReason, words: string): Promise<void> => {
  const before = readFileSync(file)
  const store = sqliteStore({ file, busyWaitMs: 50 })
  for (const call of [() => store.load("c"), () => store.append("c", [say("x")]), () => store.create({ id: "c" }), () => store.list()]) {
    const error = await refusal(call())
    expect([error.reason, error.message]).toEqual([reason, expect.stringContaining(words)])
  }
  await store.close()
  expect(readFileSync(file).equals(before)).toBe(true)
}

const write = async (...words: readonly string[]): Promise<void> => {
  const store = sqliteStore({ file })
  await store.create({ id: "c", operation: "create" })
  for (const [index, one] of words.entries()) await store.append("c", [say(one, `e${index}`)])
  await store.close()
}

describe("without the engine", () => {
  it("says which Node has it, and what to use instead", () => {
    expect(() => loadEngine(() => undefined)).toThrow(/needs Node 22\.13.*jsonl store/)
  })

  it.skipIf(hasEngine)("the store can be imported and made, and refuses when it is used", async () => {
    const error = await refusal(sqliteStore({ file }).create())
    expect([error.reason, error.message]).toEqual(["unreadable", expect.stringContaining("needs Node 22.13")])
  })
})

describe.skipIf(!hasEngine)("a file that is not ours", () => {
  it("is left alone when it is no database", async () => {
    writeFileSync(file, "my shopping list\n".repeat(500))
    await expectLeftAlone("unreadable", "no SQLite database")
  })

  it("is left alone when it is another program's database", async () => {
    within(file, (database) => database.exec("create table conversation (id text); insert into conversation values ('mine')"))
    await expectLeftAlone("unreadable", "another program")
  })

  it("is left alone when its tables are of a newer version", async () => {
    await write("a")
    within(file, (database) => database.exec("insert into migration values (99, 'later')"))
    await expectLeftAlone("newer-version", "version 99")
  })

  it("is left alone when its first page is damaged", async () => {
    await write("a")
    const bytes = readFileSync(file)
    bytes.fill(0x5a, 0, 200)
    writeFileSync(file, bytes)
    await expectLeftAlone("unreadable", "no SQLite database")
  })

  it("is left alone when the database is gone and its log is not", async () => {
    await write("a")
    writeFileSync(file, "")
    writeFileSync(`${file}-wal`, "what was written last")
    await expectLeftAlone("unreadable", "-wal")
    expect(readFileSync(`${file}-wal`, "utf8")).toBe("what was written last")
  })
})

describe.skipIf(!hasEngine)("a damaged database", () => {
  it("is refused with the way out when pages are missing, and never shortened further", async () => {
    await write(...Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(3_000)}`))
    truncateSync(file, statSync(file).size >> 1)
    const size = statSync(file).size
    const store = sqliteStore({ file })
    const error = await refusal(store.load("c"))
    expect([error.reason, error.message]).toEqual(["unreadable", expect.stringContaining(".recover")])
    await store.close()
    expect(statSync(file).size).toBeGreaterThanOrEqual(size)
  })

  it("shows what can be read, and names what was changed or cannot be read", async () => {
    await write("a", "b", "c", "d")
    within(file, (database) => {
      database.exec(`update entry set body = replace(body, '"b"', '"B"') where id = 'e1'`)
      database.exec("update entry set body = 'no json' where id = 'e2'")
      database.exec(`update entry set body = cast(replace(cast(body as text), 'd', cast(x'ff' as text)) as text) where id = 'e3'`)
    })
    const store = sqliteStore({ file })
    const loaded = await store.load("c")
    expect(wordsOf(loaded.entries).slice(0, 2)).toEqual(["a", "B"])
    const damage = loaded.damage.map(({ rule, ids }) => [rule, ...ids])
    expect(damage).toEqual([
      ["changed-entry", "e1"],
      ["unreadable-entry", "e2"],
      ["changed-entry", "e3"],
    ])
    expect(recoveryPlan(loaded)).toMatchObject({ state: "damaged", confirm: true })
    await store.append("c", [say("e")], { expectedTip: "e3" })
    await store.close()
  })

  it("shows the others where an id or a title was changed to no text of ours", async () => {
    await write("a", "b")
    within(file, (database) => {
      database.exec(String.raw`update conversation set title = 'half \'; update entry set id = '\' where id = 'e0'`)
    })
    const store = sqliteStore({ file })
    await store.create({ id: "other" })
    const listed = (await store.list()).conversations.map(({ id, title }) => [id, title])
    expect(listed).toEqual(
      expect.arrayContaining([
        ["c", "half \\"],
        ["other", undefined],
      ]),
    )
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
    await store.close()
  })

  it("has no circles: a parent that comes later is a missing one", async () => {
    await write("a", "b", "c")
    for (const parent of ["(select number from entry where id = 'e1')", "(select number from entry where id = 'e2')"]) {
      within(file, (database) => database.exec(`update entry set parent = ${parent} where id = 'e1'`))
      const store = sqliteStore({ file })
      const { entries, damage, whole } = await store.load("c")
      expect([wordsOf(entries), damage.map(({ rule }) => rule), whole]).toEqual([["a", "b", "c"], ["missing-parent"], true])
      await store.close()
    }
  })

  it("is not read where a newer program wrote", async () => {
    await write("a")
    within(file, (database) => database.exec("update conversation set version = 7"))
    const store = sqliteStore({ file })
    expect((await refusal(store.load("c"))).reason).toBe("newer-version")
    expect((await refusal(store.append("c", [say("x")]))).reason).toBe("newer-version")
    await store.create({ id: "other" })
    await store.close()
  })
})

describe.skipIf(!hasEngine)("a file that cannot be written", () => {
  it("keeps what it has when the disk is full, and goes on when there is room", async () => {
    const store = sqliteStore({ file, mostBytes: 400_000, durability: "entry" })
    await store.create({ id: "big" })
    await store.append("big", [say("x".repeat(200_000))])
    await store.create({ id: "c" })
    const kept: string[] = []
    let error: Error | undefined
    while (error === undefined && kept.length < 100) {
      const words = `${kept.length} ${"y".repeat(20_000)}`
      await store.append("c", [say(words)]).then(
        () => kept.push(words),
        (failure: Error) => (error = failure),
      )
    }
    expect(error).toMatchObject({ reason: "unwritable", message: expect.stringContaining("full") as string })
    expect(wordsOf((await store.load("c")).entries)).toEqual(kept)
    await store.remove("big")
    await store.append("c", [say("room again")])
    expect(wordsOf((await store.load("c")).entries)).toEqual([...kept, "room again"])
    await store.close()
  })

  it("fills up at every point of a conversation's life without losing anything acknowledged", async () => {
    for (let pages = 5; pages < 12; pages++) {
      rmSync(file, { force: true })
      const small = sqliteStore({ file, mostBytes: pages * 16_384 })
      const filler = say("z".repeat(13_000))
      await small.create({ id: "filler" }).catch(() => {})
      for (let count = 0; count < 8; count++) await small.append("filler", [filler]).catch(() => {})
      const acknowledged = await runScenario(small)
      await small.close()
      const store = sqliteStore({ file })
      await expectRecovered(store, acknowledged, `${pages} pages`)
      await store.close()
    }
  })

  it("can still be loaded when it is read-only", async () => {
    await write("a")
    chmodSync(file, 0o444)
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(folder, 65_534, 65_534)
    if (isRoot) process.seteuid?.(65_534)
    try {
      const store = sqliteStore({ file, busyWaitMs: 50 })
      expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
      const error = await refusal(store.append("c", [say("b")]))
      expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("read-only")])
      await store.close()
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })

  it("acknowledges nothing any more when it was removed or replaced while it was open", async () => {
    await write("a")
    for (const replace of [false, true]) {
      const store = sqliteStore({ file })
      await store.append("c", [say("b")])
      const copy = `${file}.copy`
      copyFileSync(file, copy)
      for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix)
      if (replace) copyFileSync(copy, file)
      for (const call of [() => store.append("c", [say("lost")]), () => store.create({ id: "lost" })]) {
        const error = await refusal(call())
        expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("removed or replaced")])
      }
      await store.close()
      if (!replace) copyFileSync(copy, file)
    }
    const again = sqliteStore({ file })
    expect(wordsOf((await again.load("c")).entries)[0]).toBe("a")
    await again.append("c", [say("d")])
    await again.close()
  })

  it("is refused when its place is a folder, or below a file", async () => {
    mkdirSync(file)
    expect((await refusal(sqliteStore({ file }).create())).reason).toBe("unwritable")
    writeFileSync(join(folder, "plain"), "")
    expect((await refusal(sqliteStore({ file: join(folder, "plain", "x.db") }).create())).reason).toBe("unwritable")
  })
})

describe.skipIf(!hasEngine)("another process that writes", () => {
  it("is waited for while everything else goes on, and for a bounded time", async () => {
    await write("a")
    const other = new Connection(file)
    other.database.exec("begin immediate")
    const impatient = sqliteStore({ file, busyWaitMs: 60 })
    const error = await refusal(impatient.append("c", [say("x")]))
    expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("busy")])
    expect(wordsOf((await impatient.load("c")).entries)).toEqual(["a"])
    const patient = sqliteStore({ file })
    // The other process lets go after some turns of the event loop: a store that blocked the loop would wait for it in vain.
    const append = Promise.all([patient.append("c", [say("b")]), patient.append("c", [say("c")])])
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
    other.database.exec("rollback")
    await append
    expect(wordsOf((await patient.load("c")).entries)).toEqual(["a", "b", "c"])
    other.close()
    await Promise.all([impatient.close(), patient.close()])
  })
})

describe.skipIf(!hasEngine)("durability", () => {
  it("syncs the log with a durable commit, and not with another", () => {
    const connection = new Connection(file)
    const mode = (durable: boolean): unknown =>
      connection.transact(() => connection.database.prepare("pragma synchronous").get()?.["synchronous"], durable)
    expect([mode(true), mode(false), mode(false), mode(true)]).toEqual([2, 1, 1, 2])
    expect(connection.database.prepare("pragma journal_mode").get()).toMatchObject({ journal_mode: "wal" })
    connection.close()
  })

  it("commits something for a flush only when there is something to flush", async () => {
    const times = (): unknown => within(file, (database) => database.prepare("select times from flushed").get()?.["times"])
    const store = sqliteStore({ file, durability: "none" })
    await store.create({ id: "c" })
    await store.flush()
    expect(times()).toBe(0)
    await store.append("c", [say("a")], { operation: "a" })
    await store.create({ id: "c", operation: "other" }).catch(() => {})
    await store.flush()
    await store.flush()
    expect(times()).toBe(1)
    await store.append("c", [say("a")], { operation: "a", durable: true })
    expect(times()).toBe(2)
    await store.append("c", [say("b")])
    await store.close()
    expect(times()).toBe(3)
  })

  it("keeps a copy of the files, taken at any moment, whole", async () => {
    const store = sqliteStore({ file })
    const acknowledged = await runScenario(store)
    const copy = join(folder, "copy.db")
    for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix)
    await store.close()
    const reopened = sqliteStore({ file: copy })
    await expectRecovered(reopened, acknowledged, "copy")
    expect((await reopened.load(conversationId)).damage).toEqual([])
    await reopened.close()
  })
})
