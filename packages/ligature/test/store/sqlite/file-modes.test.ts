/** Who may read a database of conversations: its owner, whatever the umask. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { say } from "../conformance.ts"
import { hasEngine, sayIfMissing } from "./engine.ts"

sayIfMissing("who may read the sqlite store")

const umask = process.umask()
let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-sqlite-modes-"))
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true, force: true })
})

const modeOf = (...path: readonly string[]): string => (statSync(join(...path)).mode & 0o777).toString(8)
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(folder, name)]))

describe.skipIf(!hasEngine)("a new database", () => {
  it.each([0o000, 0o022, 0o077])("is for its owner only, with its logs and its folders, under umask %o", async (mask) => {
    process.umask(mask)
    const folder = join(root, "new", "deep")
    const store = sqliteStore({ file: join(folder, "store.db") })
    await store.create({ id: "c" })
    await store.append("c", [say("secret")])
    expect(modesIn(folder)).toEqual({ "store.db": "600", "store.db-shm": "600", "store.db-wal": "600" })
    expect([modeOf(root, "new"), modeOf(folder)]).toEqual(["700", "700"])
    await store.close()
    expect(modesIn(folder)).toEqual({ "store.db": "600" })
  })

  it("is at no moment readable by others", async () => {
    process.umask(0)
    const seen = new Set<string>()
    const watcher = watch(root, (_, name) => {
      if (name !== null && existsSync(join(root, name))) seen.add(modeOf(root, name))
    })
    for (let round = 0; round < 10; round++) {
      const store = sqliteStore({ file: join(root, `${round}.db`) })
      await store.create()
      await new Promise((resolve) => setTimeout(resolve, 2))
      await store.close()
    }
    watcher.close()
    expect([...seen]).toEqual(["600"])
  })
})

describe.skipIf(!hasEngine)("a database that exists", () => {
  it("keeps its mode, and its logs have the same: whoever shares it on purpose goes on", async () => {
    process.umask(0o077)
    const file = join(root, "store.db")
    const first = sqliteStore({ file })
    await first.create({ id: "c" })
    await first.close()
    chmodSync(file, 0o660)
    const store = sqliteStore({ file })
    await store.append("c", [say("for the group")])
    expect(modesIn(root)).toEqual({ "store.db": "660", "store.db-shm": "660", "store.db-wal": "660" })
    await store.close()
  })

  it("keeps its mode also when it is empty", async () => {
    const file = join(root, "store.db")
    writeFileSync(file, "", { mode: 0o640 })
    chmodSync(file, 0o640)
    const store = sqliteStore({ file })
    await store.create()
    expect(modeOf(file)).toBe("640")
    await store.close()
  })
})
