/** Who may read a folder of conversations: its owner, whatever the umask. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { jsonlStore } from "../../src/store/index.ts"
import { say } from "./conformance.ts"

const umask = process.umask()
let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-modes-"))
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true, force: true })
})

const modesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).map((found) => {
    const mode = statSync(join(found.parentPath, found.name)).mode & 0o777
    return `${found.isDirectory() ? "folder" : "file"} ${mode.toString(8)}`
  })

describe("a new folder of conversations", () => {
  it.each([0o000, 0o022, 0o077])("is for its owner only, with everything in it, under umask %o", async (mask) => {
    process.umask(mask)
    const store = jsonlStore({ folder: join(root, "new", "deep") })
    await store.create({ id: "c", title: "secret" })
    await store.append("c", [say("secret")])
    await store.acquire("c", { owner: "me", durationMs: 60_000 })
    await store.fork("c")
    await store.list()
    const modes = modesIn(root)
    // Two logs, a lease, the list, the badge of this store; the folder of badges and the two that were made for it.
    expect(modes.length).toBe(8)
    expect(new Set(modes)).toEqual(new Set(["file 600", "folder 700"]))
    await store.close()
  })
})
