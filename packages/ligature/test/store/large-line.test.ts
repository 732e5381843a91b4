/** Entries that were appended together are one line of the log, and may be many megabytes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { assistant, user } from "../../src/index.ts"
import { jsonlStore, type NewEntry } from "../../src/store/index.ts"
import { faultyFiles } from "./faulty-files.ts"

it("reads a large line once, and not once for each of its entries that are on the path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-large-line-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { files, names } = faultyFiles()
  const store = jsonlStore({ folder, files })
  await store.create({ id: "c" })
  const entries = Array.from({ length: 60 }, (_, at): NewEntry => ({
    kind: "message",
    message: at % 2 === 0 ? user("x".repeat(40_000)) : assistant("y".repeat(40_000)),
  }))
  const { ids } = await store.append("c", entries)
  await store.append("c", [{ kind: "tip", to: ids[57] ?? null }])
  const before = names.filter((name) => name === "readAsync").length
  const loaded = await store.load("c")
  expect(loaded.entries.length).toBe(58)
  expect(names.filter((name) => name === "readAsync").length - before).toBeLessThan(10)
  await store.close()
})
