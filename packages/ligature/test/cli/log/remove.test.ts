/** `ligature log remove` and `ligature log prune`. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { user } from "../../../src/model/index.ts"
import { jsonlStore } from "../../../src/store/index.ts"
import { tracesOf } from "../../store/traces.ts"
import { cli } from "../cli.ts"
import { filled, type Place, store } from "./stage.ts"

const conversations = (place: Place): string => join(place.cwd, "conversations")
const idsOf = async (place: Place): Promise<readonly string[]> =>
  ((await place.json("list"))["conversations"] as readonly { readonly id: string }[]).map(({ id }) => id)

const answering = (place: Place, answer: string) =>
  cli(["log", "remove", "c"], { cwd: place.cwd, env: { LIGATURE_STORE: "conversations" }, stdin: answer, interactive: true })

describe("log remove", () => {
  it("deletes for good: nothing of it is left in any file", async () => {
    const place = await filled()
    await place.log("list")
    expect(tracesOf("Two files", conversations(place))).not.toEqual([])
    expect(await place.log("remove", "c", "--yes")).toEqual({ code: 0, stdout: "", stderr: "✓ removed c\n" })
    for (const words of ["Two files", "a.ts b.ts", "I look."]) expect(tracesOf(words, conversations(place))).toEqual([])
    expect(readdirSync(conversations(place)).toSorted()).toEqual([".index.json", ".owners"])
    expect((await place.log("show", "c")).code).toBe(2)
  })

  it("asks first, and takes nothing but yes for it", async () => {
    const place = await filled()
    for (const answer of ["", "\n", "n\n", "no\n", "yesterday\n"]) {
      const { code, stderr } = await answering(place, answer)
      expect([code, stderr]).toEqual([1, "Delete c (Two files) permanently? [y/N] Nothing was removed\n"])
    }
    expect(await idsOf(place)).toEqual(["c"])
    expect((await answering(place, "y\n")).code).toBe(0)
    expect(await idsOf(place)).toEqual([])
  })

  it("does not remove anything unasked where nobody can be asked", async () => {
    const place = await filled()
    const { code, stderr } = await place.log("remove", "c")
    expect([code, stderr]).toEqual([2, "ligature: log remove deletes permanently\n  Give --yes to do it.\n"])
    expect((await place.log("remove", "--yes")).stderr).toContain("log remove needs ID")
    expect(await idsOf(place)).toEqual(["c"])
  })

  it("names who holds a lease of it, and removes nothing", async () => {
    const place = await filled()
    const holder = jsonlStore({ folder: conversations(place) })
    await holder.acquire("c", { owner: "agent 7", durationMs: 60_000 })
    await holder.close()
    const { code, stderr } = await place.log("remove", "c", "--yes")
    expect([code, stderr]).toEqual([2, expect.stringContaining("held by agent 7")])
    expect(await idsOf(place)).toEqual(["c"])
  })

  it("prints JSON, and helps with a mistyped id", async () => {
    const place = await filled()
    expect((await place.log("remove", "d", "--yes")).stderr).toContain("Did you mean c?")
    expect(await place.json("remove", "c", "--yes")).toEqual({ version: 1, command: "log remove", exitCode: 0, removed: ["c"] })
  })
})

describe("log prune", () => {
  const aged = async (): Promise<Place> => {
    const place = store()
    const day = 86_400_000
    for (const [id, age] of [
      ["new", 0],
      ["week", 7],
      ["month", 31],
    ] as const) {
      const writer = jsonlStore({ folder: conversations(place), now: () => Date.now() - age * day - 1_000 })
      await writer.create({ id, title: `The ${id} one` })
      await writer.append(id, [{ kind: "message", message: user(`WORDS-${id}`) }])
      await writer.close()
    }
    return place
  }

  it("removes what is older than a duration, and names it", async () => {
    const place = await aged()
    const { code, stdout, stderr } = await place.log("prune", "--older", "30d")
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^month {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}The month one\n$/)])
    expect(stderr).toContain("✓ removed 1 conversation (last used before ")
    expect(tracesOf("WORDS-month", conversations(place))).toEqual([])
    expect(await idsOf(place)).toEqual(["new", "week"])
  })

  it("takes hours, weeks, minutes and dates", async () => {
    const place = await aged()
    const counts: number[] = []
    for (const older of ["12h", "2w", "1m", "0.5d", "2w", "1970-01-02", "2999-01-01"]) {
      counts.push(((await place.json("prune", "--older", older, "--dry-run"))["removed"] as readonly unknown[]).length)
    }
    expect(counts).toEqual([2, 1, 2, 2, 1, 0, 3])
    expect(await idsOf(place)).toEqual(["new", "week", "month"])
  })

  it("refuses an age it does not understand, and one that is missing", async () => {
    const place = await aged()
    for (const older of ["30", "d", "-3d", "30 d", "tomorrow", "2026-99-99", "1e9d"]) {
      expect((await place.log("prune", `--older=${older}`)).stderr).toContain("--older is a duration or a date")
    }
    expect((await place.log("prune")).stderr).toContain("needs --older")
    expect(await idsOf(place)).toEqual(["new", "week", "month"])
  })

  it("keeps what somebody holds, and exits with 1", async () => {
    const place = await aged()
    const holder = jsonlStore({ folder: conversations(place) })
    await holder.acquire("month", { owner: "agent 7", durationMs: 60_000 })
    await holder.close()
    const { code, stderr } = await place.log("prune", "--older", "1d")
    expect([code, stderr]).toEqual([1, expect.stringContaining("kept: month: The write lease is held by agent 7")])
    expect(await idsOf(place)).toEqual(["new", "month"])
  })
})
