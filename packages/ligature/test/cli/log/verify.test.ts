/** `ligature log verify`. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cover, jsonlStore } from "../../../src/store/index.ts"
import { filled } from "./stage.ts"

describe("log verify", () => {
  it("finds all well, with a fingerprint that says what was said", async () => {
    const { log, json } = await filled()
    expect(await log("verify", "c")).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ c  5 entries  [0-9a-f]{16}\n$/), stderr: "" })
    const copy = (await log("branch", "c", "--fork")).stdout.trim()
    const { conversations } = (await json("verify", "--all")) as {
      conversations: readonly { branches: readonly { fingerprint: string }[] }[]
    }
    expect(conversations).toHaveLength(2)
    expect(new Set(conversations.flatMap(({ branches }) => branches.map(({ fingerprint }) => fingerprint))).size).toBe(1)
    await log("append", copy, "--user", "more")
    const again = (await json("verify", "c", copy)) as { conversations: readonly { branches: readonly { fingerprint: string }[] }[] }
    expect(new Set(again.conversations.flatMap(({ branches }) => branches.map(({ fingerprint }) => fingerprint))).size).toBe(2)
  })

  it("names a line that was changed, and exits with 1", async () => {
    const { cwd, log, json } = await filled()
    const file = join(cwd, "conversations", "c.jsonl")
    writeFileSync(file, readFileSync(file, "utf8").replace("a.ts b.ts", "a.ts c.ts"))
    const { code, stdout } = await log("verify", "c")
    expect(code).toBe(1)
    expect(stdout).toContain("✗ c")
    expect(stdout).toContain("damaged [changed-line] Line 2 does not say what was written")
    expect(await json("verify", "--all")).toMatchObject({
      exitCode: 1,
      conversations: [{ lost: [{ rule: "changed-line", place: { line: 2 } }] }],
    })
  })

  it("names a lost line, and a summary of something that says something else", async () => {
    const place = await filled()
    const writer = jsonlStore({ folder: join(place.cwd, "conversations") })
    const [first] = (await writer.load("c")).entries
    const covers = [{ id: "u1", fingerprint: "0".repeat(16) }, ...(first ? cover([first]) : [])]
    await writer.append("c", [{ kind: "hide", id: "h", covers }])
    await writer.close()
    const changed = await place.log("verify", "c")
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("[changed-cover] Entry u1 has other content")])
    appendFileSync(join(place.cwd, "conversations", "c.jsonl"), '{"no":"operation"}\n')
    expect((await place.log("verify", "c")).stdout).toContain("[unknown-line]")
  })

  it("names a first line that is damaged, and finds the entries after it", async () => {
    const { cwd, log, json } = await filled()
    const file = join(cwd, "conversations", "c.jsonl")
    const [first = "", ...rest] = readFileSync(file, "utf8").split("\n")
    for (const damaged of [
      first.replace('"ligature"', '"migature"'),
      first.slice(30),
      `${first.slice(0, 20)}\u0000\u0000${first.slice(22)}`,
    ]) {
      writeFileSync(file, [damaged, ...rest].join("\n"))
      const { code, stdout } = await log("verify", "c")
      expect(stdout).toContain("salvaged [damaged-header] line 1: The first line, which names the conversation")
      expect(stdout).toContain("5 entries")
      expect(await json("verify", "--all")).toMatchObject({ exitCode: code, unreadable: [] })
    }
  })

  it("tells a torn end that was never acknowledged from damage", async () => {
    const { cwd, log } = await filled()
    appendFileSync(join(cwd, "conversations", "c.jsonl"), '{"sum":"00000000","operation":"x","at":1,"parent":"u2","entr')
    const { code, stdout } = await log("verify", "c")
    expect([code, stdout]).toEqual([0, expect.stringContaining("salvaged [torn-tail]")])
  })
})
