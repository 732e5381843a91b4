/** `ligature log show`, `branch` and `rewind`. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { user } from "../../../src/model/index.ts"
import { cover, jsonlStore } from "../../../src/store/index.ts"
import { filled } from "./stage.ts"

describe("log show, branch and rewind", () => {
  it("shows the timeline, the entries, and any point of the path", async () => {
    const { log, json } = await filled()
    const { stdout } = await log("show", "c")
    expect(stdout).toContain("Two files  5 messages · 2 turns · 1 exchange · 1 call · ")
    expect(stdout).toContain("  c · written 2026-01-02 03:04 · tip u2\n")
    expect(stdout).toContain("→ ls(.) #call_1")
    const entries = (await log("show", "c", "--entries")).stdout.split("\n").slice(3, 9)
    expect(entries).toEqual([
      "   entry  written           content",
      "   u1     2026-01-02 03:04  user: List the files",
      "   a1     2026-01-02 03:04  assistant: I look. → ls(.) #call_1",
      "   r1     2026-01-02 03:04  result: ← #call_1 a.ts b.ts",
      "   a2     2026-01-02 03:04  assistant: Two.",
      "*  u2     2026-01-02 03:04  user: Thanks",
    ])
    expect(await json("show", "c", "--at", "a1")).toMatchObject({ tip: "u2", at: "a1", state: "open-calls", messages: 2 })
    expect((await log("show", "c", "--at", "a1")).stdout).toContain("Interrupted, effect unknown: ls (call_1)")
    expect((await log("show", "c", "--at", "none")).stdout).toContain("(no messages)")
  })

  it("shows summaries in place of what they stand for, and the originals with --all", async () => {
    const place = await filled()
    const writer = jsonlStore({ folder: join(place.cwd, "conversations") })
    const { entries } = await writer.load("c")
    await writer.append("c", [
      { kind: "summary", id: "s", message: { ...user("They listed files."), summary: true }, covers: cover(entries.slice(0, 4)) },
    ])
    await writer.close()
    expect(await place.json("show", "c")).toMatchObject({ messages: 2, items: [{ role: "user" }, { role: "user" }] })
    expect(await place.json("show", "c", "--all")).toMatchObject({ messages: 5 })
    expect((await place.log("show", "c", "--entries")).stdout).toContain("summary of 4 entries: They listed files.")
    const { stdout } = await place.log("export", "c", "--to", "openai-chat", "--all")
    expect((JSON.parse(stdout) as { messages: readonly unknown[] }).messages).toHaveLength(5)
  })

  it("rewinds, branches, goes back, and forks", async () => {
    const { log, json } = await filled()
    const back = await log("rewind", "c", "a2", "--reason", "once more")
    expect(back).toEqual({ code: 0, stdout: "", stderr: "✓ the tip of c is a2\n  to go back: ligature log rewind c u2\n" })
    const { tip } = (await json("append", "c", "--user", "Which?")) as { tip: string }
    expect(await json("branch", "c")).toMatchObject({
      branches: [
        { tip: "u2", active: false, last: "user: Thanks" },
        { tip, active: true, last: "user: Which?" },
      ],
    })
    expect((await log("branch", "c")).stdout).toMatch(new RegExp(`\n   u2 .*user: Thanks\n\\*  ${tip} .*user: Which\\?\n$`))
    expect((await json("show", "c", "--branch", "u2")) as object).toMatchObject({ at: "u2", tip, branches: 2 })
    expect((await log("rewind", "c", "u2", "--expect-tip", "a2")).code).toBe(2)
    expect(await json("rewind", "c", "u2")).toMatchObject({ before: tip, tip: "u2" })
    const forked = (await log("branch", "c", "--fork", "--at", "a2", "--title", "Apart")).stdout.trim()
    expect(await json("show", forked)).toMatchObject({
      conversation: forked,
      record: { id: forked, title: "Apart", forkedFrom: { conversation: "c", entry: "a2" } },
      tip: "a2",
    })
  })
})
