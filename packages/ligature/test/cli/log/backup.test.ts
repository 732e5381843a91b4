/** `ligature log backup` and `ligature log restore`. */
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { user } from "../../../src/model/index.ts"
import { jsonlStore } from "../../../src/store/index.ts"
import { hasEngine } from "../../store/sqlite/engine.ts"
import { filled, type Place } from "./stage.ts"

const verified = async (place: Place, store: string): Promise<unknown> =>
  (await place.json("verify", "--all", "--store", store))["conversations"]

describe("log backup", () => {
  it("copies to a folder, which is a store of its own", async () => {
    const place = await filled()
    await place.log("branch", "c", "--fork", "--at", "a2")
    await place.log("rewind", "c", "u1")
    expect(await place.log("backup", "-o", "backup")).toEqual({
      code: 0,
      stdout: "",
      stderr: "✓ backed up 2 conversations (2 new) to backup\n",
    })
    expect(await verified(place, "backup")).toEqual(await verified(place, "conversations"))
    expect((statSync(join(place.cwd, "backup")).mode & 0o777).toString(8)).toBe("700")
  })

  it("writes what is new when it is repeated, and keeps what was removed", async () => {
    const place = await filled()
    await place.log("create", "--id", "gone")
    await place.log("backup", "-o", "backup")
    await place.log("append", "c", "--user", "More")
    await place.log("create", "--id", "d")
    await place.log("remove", "gone", "--yes")
    expect((await place.log("backup", "-o", "backup")).stderr).toBe("✓ backed up 2 conversations (1 new, 1 continued) to backup\n")
    expect((await place.log("backup", "-o", "backup")).stderr).toBe("✓ backed up 2 conversations (2 unchanged) to backup\n")
    expect(
      readdirSync(join(place.cwd, "backup"))
        .filter((name) => name.endsWith(".jsonl"))
        .toSorted(),
    ).toEqual(["c.jsonl", "d.jsonl", "gone.jsonl"])
  })

  it("leaves a copy alone that says something else, and copies the others", async () => {
    const place = await filled()
    await place.log("create", "--id", "d")
    await place.log("create", "--id", "c", "--title", "another one", "--store", "backup")
    const { code, stderr } = await place.log("backup", "-o", "backup")
    expect([code, stderr]).toEqual([2, expect.stringContaining('not copied: c: Conversation "c" already exists and is not the same')])
    expect(existsSync(join(place.cwd, "backup", "d.jsonl"))).toBe(true)
    expect((await place.log("list", "--store", "backup")).stdout).toContain("another one")
  })

  it("copies one conversation, to one file, and to no file that exists", async () => {
    const place = await filled()
    await place.log("create", "--id", "d")
    expect((await place.log("backup", "d", "-o", "one.jsonl")).stderr).toBe("✓ backed up 1 conversation (1 new) to one.jsonl\n")
    const bytes = readFileSync(join(place.cwd, "one.jsonl"))
    const again = await place.log("backup", "-o", "one.jsonl")
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("already exists")])
    expect(readFileSync(join(place.cwd, "one.jsonl")).equals(bytes)).toBe(true)
  })

  it("says what could not be read, and copies the rest", async () => {
    const place = await filled()
    appendFileSync(join(place.cwd, "conversations", "c.jsonl"), '{"sum":"00000000","torn')
    expect((await place.log("backup", "-o", "first")).code).toBe(0)
    const log = join(place.cwd, "conversations", "c.jsonl")
    writeFileSync(log, readFileSync(log, "utf8").replace("List the files", "Lost the files"))
    const { code, stderr } = await place.log("backup", "-o", "second")
    expect([code, stderr]).toEqual([1, expect.stringContaining("damaged: c: what could be read was copied")])
    expect(stderr).toContain("[changed-line]")
    expect((await place.log("show", "c", "--store", "second")).stdout).toContain("Lost the files")
  })

  it("refuses the store itself, a database, and no place at all", async () => {
    const place = await filled()
    expect((await place.log("backup", "-o", "./conversations/")).stderr).toContain("is the store itself")
    const database = await place.log("backup", "-o", "copy.db")
    expect(database.stderr).toContain("ligature log restore conversations --store copy.db")
    expect((await place.log("backup")).stderr).toContain("needs -o")
    expect(readdirSync(place.cwd)).toEqual(["conversations"])
  })

  it("prints JSON", async () => {
    const place = await filled()
    const { conversations, ...rest } = await place.json("backup", "-o", "backup")
    expect(rest).toEqual({ version: 1, command: "log backup", exitCode: 0, problems: [], unreadable: [] })
    expect(conversations).toMatchObject([{ conversation: "c", outcome: "made", operations: 1, damage: [] }])
  })
})

describe("log restore", () => {
  it("brings back what was removed, as it was", async () => {
    const place = await filled()
    await place.log("rewind", "c", "u1")
    const before = await verified(place, "conversations")
    for (const backup of ["backup", "backup.jsonl"]) {
      await place.log("backup", "-o", backup)
      await place.log("remove", "c", "--yes")
      expect((await place.log("restore", backup)).stderr).toBe(`✓ restored 1 conversation (1 restored) from ${backup} to conversations\n`)
      expect(await verified(place, "conversations")).toEqual(before)
    }
  })

  it("can be repeated, and overwrites nothing", async () => {
    const place = await filled()
    await place.log("backup", "-o", "backup")
    expect((await place.log("restore", "backup")).stderr).toContain("(1 unchanged)")
    await place.log("append", "c", "--user", "Since then")
    const { code, stderr } = await place.log("restore", "backup")
    expect([code, stderr]).toEqual([2, expect.stringContaining("it has 1 operations more. It was left as it is")])
    expect((await place.log("show", "c")).stdout).toContain("Since then")
  })

  it("makes a store where there is none, and says where there is no backup", async () => {
    const place = await filled()
    await place.log("backup", "-o", "backup")
    expect((await place.log("restore", "backup", "--store", "new/place")).code).toBe(0)
    expect(await verified(place, "new/place")).toEqual(await verified(place, "conversations"))
    for (const from of ["nowhere", "nowhere.jsonl", "nowhere.db"]) expect((await place.log("restore", from)).code).toBe(2)
    expect((await place.log("restore")).stderr).toContain("needs FROM")
  })

  it("takes only what is named", async () => {
    const place = await filled()
    await place.log("create", "--id", "d")
    await place.log("backup", "-o", "backup")
    await place.log("restore", "backup", "d", "--store", "new")
    expect(readdirSync(join(place.cwd, "new")).filter((name) => name.endsWith(".jsonl"))).toEqual(["d.jsonl"])
  })

  it.skipIf(!hasEngine)("moves conversations between kinds of stores, and back, unchanged", async () => {
    const place = await filled()
    const writer = jsonlStore({ folder: join(place.cwd, "conversations") })
    await writer.moveTip("c", "a1")
    await writer.append("c", [{ kind: "message", message: user("another way") }])
    await writer.close()
    const before = await verified(place, "conversations")
    expect((await place.log("restore", "conversations", "--store", "team.db")).code).toBe(0)
    expect(await verified(place, "team.db")).toEqual(before)
    expect((await place.log("restore", "team.db", "--store", "again")).code).toBe(0)
    expect(await verified(place, "again")).toEqual(before)
    await place.log("backup", "--store", "team.db", "-o", "team.jsonl")
    expect((await place.log("restore", "team.jsonl", "--store", "again")).stderr).toContain("(1 unchanged)")
    const lines = (folder: string): readonly unknown[] =>
      readFileSync(join(place.cwd, folder, "c.jsonl"), "utf8")
        .trim()
        .split("\n")
        .slice(1)
    expect(lines("again")).toEqual(lines("conversations"))
  })
})
