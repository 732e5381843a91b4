/** `ligature log recall`, and how whoever gives a store as a file is led there. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cover, jsonlStore } from "../../../src/store/index.ts"
import { cli } from "../cli.ts"
import { filled } from "./stage.ts"

describe("log recall", () => {
  it("reads back by handle, by range and by search", async () => {
    const { log } = await filled()
    const stdout = '[#2.1 ls {"path":"."} → done]\na.ts b.ts\n'
    expect(await log("recall", "c", "2.1")).toEqual({ code: 0, stdout, stderr: "" })
    expect((await log("recall", "c", "1-3")).stdout).toBe("[#1 user]\nList the files\n[more: #2-#3]\n")
    expect((await log("recall", "c", "--search", "B.TS")).stdout).toBe("#2.1:1  a.ts b.ts\n")
  })

  it("says the same as JSON", async () => {
    const { json } = await filled()
    expect(await json("recall", "c", "#1")).toEqual({
      version: 1,
      command: "log recall",
      exitCode: 0,
      conversation: "c",
      handle: "#1",
      found: true,
      text: "[#1 user]\nList the files",
    })
  })

  it("keeps hidden what a person hid", async () => {
    const { cwd, log } = await filled()
    const writer = jsonlStore({ folder: join(cwd, "conversations") })
    const { entries } = await writer.load("c")
    await writer.append("c", [{ kind: "hide", covers: cover(entries.slice(0, 1)), reason: "private" }])
    await writer.close()
    const stderr = "#1 was hidden and cannot be read back.\n"
    expect(await log("recall", "c", "1")).toEqual({ code: 1, stdout: "", stderr })
  })

  it("says what would work", async () => {
    const { log } = await filled()
    expect((await log("recall", "c", "9")).stderr).toBe("There is no #9: the history has 3 items.\n")
    expect((await log("recall", "c")).stderr).toBe(
      "ligature: log recall takes ID HANDLE or ID --search TEXT\n  See: ligature log recall --help\n",
    )
    expect((await log("recall", "d", "1")).code).toBe(2)
    expect((await log("recall", "c", "1", "--limit", "few")).stderr).toContain("--limit is a positive whole number, not few")
  })
})

describe("a store given as a file", () => {
  it("is named as one, with the command that reads it", async () => {
    const { cwd } = await filled()
    const said = async (...argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await cli(argv, { cwd })
      expect([code, stdout]).toEqual([2, ""])
      return stderr
    }
    const one = "error[cannot-read]: This is a conversation in a store. Use: ligature log"
    expect(await said("recall", "conversations/c.jsonl", "1")).toBe(
      `${one} recall c HANDLE --store conversations\n  --> conversations/c.jsonl\n\n`,
    )
    expect(await said("compact", "conversations/c.jsonl", "--budget", "1k")).toBe(
      `${one} export c --all --to FORMAT -o FILE --store conversations\n  --> conversations/c.jsonl\n\n`,
    )
    const ids = "The ids: ligature log list --store conversations\n  --> conversations\n\n"
    const folder = "error[cannot-read]: This is the folder of a store. Use: ligature log"
    expect(await said("recall", "conversations", "1")).toBe(`${folder} recall ID HANDLE --store conversations. ${ids}`)
    expect(await said("compact", "conversations", "--budget", "1k")).toBe(
      `${folder} export ID --all --to FORMAT -o FILE --store conversations. ${ids}`,
    )
    // As SQLite writes it: its name, and the tables as they were made. Any Node can tell.
    await writeFile(join(cwd, "log.db"), `SQLite format 3\0${"\0".repeat(4000)}CREATE TABLE flushed (times integer not null)`)
    expect(await said("recall", "log.db", "1")).toContain("This is a store. Use: ligature log recall ID HANDLE --store log.db. The ids:")
  })
})
