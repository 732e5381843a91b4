/** `ligature log unlock`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { jsonlStore } from "../../../src/store/index.ts"
import { filled } from "./stage.ts"

describe("log unlock", () => {
  it("says that nobody holds a conversation, and refuses one that is not there", async () => {
    const { log } = await filled()
    expect(await log("unlock", "c")).toEqual({ code: 0, stdout: "", stderr: "✓ nobody holds c\n" })
    expect(await log("unlock", "d")).toMatchObject({ code: 2, stderr: expect.stringContaining('conversation "d"') })
  })

  it("names who holds a lease, and takes it away only when it is forced to", async () => {
    const { cwd, log, json } = await filled()
    const holder = jsonlStore({ folder: join(cwd, "conversations"), now: () => Date.UTC(2126, 0, 2, 3, 4) })
    const lease = await holder.acquire("c", { owner: "agent \u001b[2J 7", durationMs: 60_000 })
    const refused = await log("append", "c", "--user", "x")
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("ligature log unlock ID --force")])
    const asked = await log("unlock", "c")
    expect([asked.code, asked.stderr]).toEqual([1, "If the holder is gone: ligature log unlock --force c\n"])
    expect(asked.stdout).toMatch(/^write lease: agent \\u001b\[2J 7, until \d{4}-\d\d-\d\d \d\d:\d\d\n$/)
    expect(await json("unlock", "c")).toMatchObject({
      exitCode: 1,
      forced: false,
      holdings: [{ type: "lease", slot: "write", generation: 1 }],
    })
    expect(await log("unlock", "c", "--force")).toMatchObject({ code: 0, stderr: "✓ c is free\n" })
    expect(await log("append", "c", "--user", "x")).toMatchObject({ code: 0 })
    await expect(holder.append("c", [{ kind: "rename", title: "t" }], { lease })).rejects.toMatchObject({ reason: "lease-lost" })
    await holder.close()
  })

  it("gives a command that can be copied whatever the conversation is called", async () => {
    const { cwd, log } = await filled()
    const holder = jsonlStore({ folder: join(cwd, "conversations") })
    const commands: readonly (readonly [string, string])[] = [
      ["x; touch $(id)", "'x; touch $(id)'"],
      ["--force", "-- --force"],
    ]
    for (const [id, words] of commands) {
      await holder.create({ id })
      await holder.acquire(id, { owner: "me", durationMs: 60_000 })
      expect((await log("unlock", "--", id)).stderr).toBe(`If the holder is gone: ligature log unlock --force ${words}\n`)
    }
    await holder.close()
    expect(await log("unlock", "--force", "--", "--force")).toMatchObject({ code: 0, stderr: "✓ --force is free\n" })
  })

  it("says of a lease that ran out that it did", async () => {
    const { cwd, log } = await filled()
    const holder = jsonlStore({ folder: join(cwd, "conversations"), now: () => Date.UTC(2026, 0, 2, 3, 4) })
    await holder.acquire("c", { owner: "me", durationMs: 1_000 })
    await holder.close()
    expect((await log("unlock", "c")).stdout).toMatch(/^write lease: me, expired 2026-01-02 /)
  })

  it("removes what processes left that cannot be seen from here", async () => {
    const { cwd, log } = await filled()
    const folder = join(cwd, "conversations")
    const badge = { badge: "far", host: "another machine", system: "another-machine boot pid:[1]", pid: 12, disk: "shared" }
    mkdirSync(join(folder, ".owners"), { recursive: true })
    writeFileSync(join(folder, ".owners", "far"), JSON.stringify(badge))
    writeFileSync(join(folder, "c.lock"), readFileSync(join(folder, ".owners", "far")))
    expect(await log("append", "c", "--user", "x")).toMatchObject({ code: 2, stderr: expect.stringContaining("another machine") })
    const asked = await log("unlock", "c")
    expect([asked.code, asked.stdout]).toEqual([
      1,
      "another machine uses the folder: process 12 on another machine\na commit has not ended: process 12 on another machine\n",
    ])
    expect(await log("unlock", "c", "--force")).toMatchObject({ code: 0 })
    expect(await log("unlock", "c")).toMatchObject({ code: 0 })
    expect(await log("append", "c", "--user", "x")).toMatchObject({ code: 0 })
  })
})
