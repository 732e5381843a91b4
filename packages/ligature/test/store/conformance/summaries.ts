/** Hides and summaries: what a reader sees instead of what they cover. */
import { beforeEach, describe, expect, it } from "vitest"
import { text, user } from "../../../src/model/index.ts"
import { cover, type Entry, type NewEntry } from "../../../src/store/index.ts"
import { say, wordsOf, type Stage } from "./stage.ts"

export const summaryConformance = (stage: Stage): void => {
  describe("hides and summaries", () => {
    const summary = (words: string, entries: readonly Entry[], id: string): NewEntry => ({
      kind: "summary",
      id,
      message: { ...user(words), summary: true },
      covers: cover(entries),
    })

    beforeEach(async () => {
      await stage.store.create({ id: "c" })
      await stage.store.append(
        "c",
        ["a", "b", "c", "d"].map((id) => say(id, id)),
      )
    })

    it("show the summary in place of what it covers, and the originals stay in the entries", async () => {
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [summary("S", entries.slice(0, 2), "s")])
      await stage.store.append("c", [say("e", "e")])
      expect(await stage.shown("c")).toEqual(["S", "c", "d", "e"])
      const loaded = await stage.store.load("c")
      expect(loaded.sources).toEqual(["s", "c", "d", "e"])
      expect(wordsOf(loaded.entries)).toEqual(["a", "b", "c", "d", "S", "e"])
    })

    it("bring the originals back when the path goes another way", async () => {
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [summary("S", entries.slice(0, 2), "s")])
      await stage.store.moveTip("c", "d")
      expect(await stage.shown("c")).toEqual(["a", "b", "c", "d"])
    })

    it("do not count when what they cover says something else, or is not on the path", async () => {
      await stage.store.append("c", [{ kind: "hide", covers: [{ id: "a", fingerprint: "0000000000000000" }] }])
      expect(await stage.shown("c")).toEqual(["a", "b", "c", "d"])
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [{ kind: "tip", to: "a" }, summary("S", entries.slice(0, 2), "s")])
      expect(await stage.shown("c")).toEqual(["a"])
      expect((await stage.store.load("c")).stale).toEqual(["s"])
    })

    it("hide single entries", async () => {
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [{ kind: "hide", covers: cover(entries.slice(1, 2)) }])
      expect(await stage.shown("c")).toEqual(["a", "c", "d"])
    })

    it("let a summary cover an earlier one, and both vanish together", async () => {
      const before = (await stage.store.load("c")).entries
      await stage.store.append("c", [summary("S1", before.slice(0, 2), "s1")])
      const after = (await stage.store.load("c")).entries
      await stage.store.append("c", [summary("S2", [...after.slice(2, 3), ...after.slice(4)], "s2")])
      expect(await stage.shown("c")).toEqual(["S2", "d"])
      await stage.store.moveTip("c", "s1")
      expect(await stage.shown("c")).toEqual(["S1", "c", "d"])
    })

    it("keep their meaning in a fork", async () => {
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [summary("S", entries.slice(0, 3), "s")])
      await stage.store.fork("c", { id: "f" })
      expect(await stage.shown("f")).toEqual(["S", "d"])
    })

    it("hold in a tail that does not reach back to what they cover", async () => {
      const { entries } = await stage.store.load("c")
      await stage.store.append("c", [summary("S", entries.slice(0, 3), "s")])
      const { transcript } = await stage.store.load("c", { last: 3 })
      expect(transcript.messages.map(({ blocks }) => blocks[0])).toEqual([text("S"), text("d")])
    })
  })
}
