/** Gaps: entries that something else took away. What is still there is used, the plan says what is missing, and appends go on. */
import { beforeEach, describe, expect, it } from "vitest"
import { type Loaded } from "../../../src/store/index.ts"
import { recoveryPlan } from "../../../src/store/recovery.ts"
import { say, type Stage, wordsOf } from "./stage.ts"

const rulesOf = ({ damage }: Loaded): readonly string[] => damage.map(({ rule }) => rule)

export const gapConformance = (stage: Stage): void => {
  describe("gaps", () => {
    beforeEach(async () => {
      await stage.store.create({ id: "c" })
      for (const id of ["a", "b", "c", "d", "e", "f"]) await stage.store.append("c", [say(id, id)])
    })

    const load = async (options: { readonly at?: string; readonly last?: number } = {}): Promise<Loaded> => {
      const store = stage.another()
      try {
        return await store.load("c", options)
      } finally {
        await store.close()
      }
    }

    it("are crossed: what was said before stays in sight, and the plan is to ask the user", async () => {
      await stage.lose("c", "c")
      const loaded = await load()
      expect([wordsOf(loaded.entries), loaded.tip, loaded.whole]).toEqual([["a", "b", "d", "e", "f"], "f", true])
      expect(loaded.damage).toMatchObject([{ rule: "missing-parent", ids: ["d"] }])
      const plan = recoveryPlan(loaded)
      expect([plan.state, plan.confirm, plan.lost]).toEqual(["damaged", true, loaded.damage])
      expect(plan.reasons).toEqual([expect.stringMatching(/^The parent of entry d is missing \(.+\); it is read after b$/)])
    })

    it("leave entries behind those they are read after, where the tip can go back to", async () => {
      await stage.lose("c", "a")
      await stage.lose("c", "e")
      const { entries } = await load()
      expect(entries.map(({ id, parent }) => [id, parent])).toEqual([
        ["b", null],
        ["c", "b"],
        ["d", "c"],
        ["f", "d"],
      ])
      expect((await load({ last: 1 })).entries).toMatchObject([{ id: "f", parent: "d" }])
      const store = stage.another()
      await store.append("c", [{ kind: "tip", to: entries.at(-1)?.parent ?? null }, say("again")])
      expect(wordsOf((await store.load("c")).entries)).toEqual(["b", "c", "d", "again"])
      await store.close()
    })

    it("may be many, and may be where the conversation began", async () => {
      for (const id of ["a", "b", "d"]) await stage.lose("c", id)
      const loaded = await load()
      expect([wordsOf(loaded.entries), loaded.whole]).toEqual([["c", "e", "f"], true])
      expect(loaded.damage.map(({ rule, ids }) => [rule, ...ids])).toEqual([
        ["missing-parent", "c"],
        ["missing-parent", "e"],
      ])
      expect(loaded.damage[0]?.what).toContain("read after the root")
    })

    it("lie inside tails, before them, or out of their reach", async () => {
      await stage.lose("c", "c")
      const tails = await Promise.all([1, 3, 4, 5, 6].map((last) => load({ last })))
      expect(tails.map(({ entries, whole }) => [wordsOf(entries).join(""), whole])).toEqual([
        ["f", false],
        ["def", false],
        ["bdef", false],
        ["abdef", true],
        ["abdef", true],
      ])
      expect(wordsOf((await load({ at: "d", last: 2 })).entries)).toEqual(["b", "d"])
      expect(wordsOf((await load({ at: "b" })).entries)).toEqual(["a", "b"])
    })

    it("do not keep anybody from going on, not even where the newest entry is gone", async () => {
      await stage.lose("c", "f")
      await stage.lose("c", "d")
      const before = await load()
      expect([wordsOf(before.entries), before.tip]).toEqual([["a", "b", "c", "e"], "e"])
      expect(recoveryPlan(before).state).toBe("damaged")
      const store = stage.another()
      await stage.expectRefusal(store.append("c", [say("x")], { expectedTip: "f" }), "conflict")
      await store.append("c", [{ kind: "rename", title: "found" }], { expectedTip: "e" })
      expect((await store.append("c", [say("g", "g"), say("h", "h")], { expectedTip: "e" })).tip).toBe("h")
      const after = await store.load("c")
      expect([wordsOf(after.entries), after.tip, after.title]).toEqual([["a", "b", "c", "e", "g", "h"], "h", "found"])
      expect(recoveryPlan(after).state).toBe("damaged")
      await store.close()
    })

    it("are crossed on the branch they are on", async () => {
      await stage.store.append("c", [{ kind: "tip", to: "b" }])
      await stage.store.append("c", [say("x", "x")])
      await stage.store.append("c", [say("y", "y")])
      await stage.lose("c", "x")
      await stage.lose("c", "d")
      expect(wordsOf((await load()).entries)).toEqual(["a", "b", "y"])
      expect(wordsOf((await load({ at: "f" })).entries)).toEqual(["a", "b", "c", "e", "f"])
      const store = stage.another()
      const ends = (await store.branches("c")).map(({ tip, active }) => [tip, active])
      expect(ends).toEqual([
        ["f", false],
        ["y", true],
      ])
      await store.fork("c", { id: "copy" })
      const copy = await store.load("copy")
      expect([wordsOf(copy.entries), rulesOf(copy)]).toEqual([["a", "b", "y"], []])
      await store.close()
    })

    it("are crossed to where the tip was, when the entry is gone to which it had moved", async () => {
      await stage.store.append("c", [{ kind: "tip", to: "b" }])
      await stage.store.append("c", [say("x", "x")])
      await stage.lose("c", "b")
      const loaded = await load()
      expect(wordsOf(loaded.entries)).toEqual(["a", "c", "d", "e", "f", "x"])
      expect(rulesOf(loaded)).toContain("missing-parent")
    })

    it("are crossed to nowhere, when the conversation had started over", async () => {
      await stage.store.append("c", [{ kind: "tip", to: null }])
      await stage.store.append("c", [say("x", "x")])
      await stage.store.append("c", [say("y", "y")])
      await stage.lose("c", "x")
      const loaded = await load()
      expect([wordsOf(loaded.entries), rulesOf(loaded)]).toEqual([["y"], ["missing-parent"]])
    })
  })
}
