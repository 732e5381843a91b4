/** A backup in one file: whole or not there, and never mistaken for whole when it was cut or changed. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { memoryStore, restoreBackupFile, type Store, StoreError, writeBackupFile } from "../../src/store/index.ts"
import { readBackupFile } from "../../src/store/backup/backup-file.ts"
import { refusal, say, wordsOf } from "./conformance.ts"

let folder = ""
let file = ""
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ligature-backup-"))
  file = join(folder, "backup.jsonl")
  let clock = 1_000
  store = memoryStore({ now: () => clock++ })
  for (const id of ["a", "b", "c"]) {
    await store.create({ id, title: `title ${id}` })
    await store.append(id, [say(`one of ${id}`, "1"), say("two", "2")])
    await store.moveTip(id, "1")
    await store.append(id, [say(`three ${"字".repeat(400_000)}`, "3")])
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const idsIn = async (): Promise<readonly string[]> => {
  const ids: string[] = []
  try {
    for await (const { id } of readBackupFile(file)) ids.push(id)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    ids.push(error.reason)
  }
  return ids
}

describe("a backup file", () => {
  it("has every conversation, and gives it back", async () => {
    const { copied, problems } = await writeBackupFile(store, file)
    expect([copied.map(({ conversation }) => conversation), problems]).toEqual([["a", "b", "c"], []])
    const other = memoryStore()
    const restored = await restoreBackupFile(file, other)
    expect(restored.copied.map(({ outcome, fingerprint }) => [outcome, fingerprint])).toEqual(
      copied.map(({ fingerprint }) => ["made", fingerprint]),
    )
    for (const id of ["a", "b", "c"]) expect(await other.load(id)).toEqual(await store.load(id))
    expect((await restoreBackupFile(file, other)).copied.map(({ outcome }) => outcome)).toEqual(["same", "same", "same"])
  })

  it("is for its owner only, and nothing else is left in the folder", async () => {
    await writeBackupFile(store, file)
    expect([(statSync(file).mode & 0o777).toString(8), readdirSync(folder)]).toEqual(["600", ["backup.jsonl"]])
  })

  it("never takes the place of a file that is there", async () => {
    writeFileSync(file, "mine")
    expect((await refusal(writeBackupFile(store, file))).reason).toBe("exists")
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["mine", ["backup.jsonl"]])
  })

  it("that was cut anywhere gives the conversations before the cut, and says that it is not whole", async () => {
    await writeBackupFile(store, file)
    const bytes = readFileSync(file)
    const ends = [...bytes.entries()].flatMap(([index, byte]) => (byte === 0x0a ? [index + 1] : []))
    expect(await idsIn()).toEqual(["a", "b", "c"])
    for (const [line, end] of ends.slice(0, -1).entries()) {
      for (const size of [end, end - 1, end - 10]) {
        truncateSync(file, size)
        // A conversation has four lines; the last of those that are there may miss something.
        const whole = ["a", "b", "c"].slice(0, Math.max(0, Math.ceil((line + 1) / 4) - 1))
        const found = await idsIn()
        expect(found.at(-1), `${line} ${size}`).toBe("unreadable")
        expect(whole.concat("unreadable"), `${line} ${size}`).toEqual(expect.arrayContaining([...found]))
        writeFileSync(file, bytes)
      }
    }
  })

  it("that misses a conversation in its middle says so", async () => {
    await writeBackupFile(store, file)
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, [...lines.slice(0, 4), ...lines.slice(8)].join("\n"))
    const other = memoryStore()
    const { copied, unreadable } = await restoreBackupFile(file, other)
    expect([copied.length, unreadable.map(({ why }) => why)]).toEqual([2, [expect.stringContaining("names 3")]])
  })

  it("names a line that was changed", async () => {
    await writeBackupFile(store, file)
    writeFileSync(file, readFileSync(file, "utf8").replace("one of b", "one of x"))
    const { copied } = await restoreBackupFile(file, memoryStore())
    expect(copied.map(({ conversation, damage }) => [conversation, damage.map(({ rule }) => rule)])).toEqual([
      ["a", []],
      ["b", ["changed-line"]],
      ["c", []],
    ])
  })

  it("is not any other file", async () => {
    for (const content of ["", "{}\n", "text", JSON.stringify({ role: "user" })]) {
      writeFileSync(file, content)
      expect(await idsIn()).toEqual(["unreadable"])
    }
    rmSync(file)
    expect(await idsIn()).toEqual(["unreadable"])
  })

  it.skipIf(process.platform === "win32")("is no pipe, which would keep who reads it waiting for ever", async () => {
    execFileSync("mkfifo", [file])
    expect(await idsIn()).toEqual(["unreadable"])
  })

  it("of a newer version is left alone", async () => {
    await writeBackupFile(store, file)
    writeFileSync(file, readFileSync(file, "utf8").replace('"ligature":1', '"ligature":7'))
    expect(await idsIn()).toEqual(["newer-version"])
  })

  it("gives one conversation of many", async () => {
    await writeBackupFile(store, file)
    const other = memoryStore()
    const { copied, problems } = await restoreBackupFile(file, other, { ids: ["b", "nobody"] })
    expect(copied.map(({ conversation }) => conversation)).toEqual(["b"])
    expect(problems.map(({ conversation, error }) => [conversation, error.reason])).toEqual([["nobody", "missing-conversation"]])
    expect(wordsOf((await other.load("b")).entries)[0]).toBe("one of b")
  })
})
