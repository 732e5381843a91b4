/** One compactor, used in all its ways. */
import { describe, expect, it } from "vitest"
import { compactor as newCompactor, recall } from "../../../src/compact/index.ts"
import { settle } from "../../../src/rules/index.ts"
import { memoryStore } from "../../../src/store/index.ts"
import { goodSummariser, storeTask, taskSettings as settings } from "./long-task.ts"

describe("a compactor", () => {
  it("counts what it has done in all its ways", async () => {
    const store = memoryStore()
    for (const id of ["a", "b", "c"]) await storeTask(store, id, id === "c" ? 2 : 40)
    const compactor = newCompactor({ store, settings, summarise: goodSummariser, pollMs: 0 })
    expect(compactor.statistics()).toMatchObject({ compacted: 0, refused: {} })
    expect(await compactor.once("a")).toMatchObject({ outcome: "compacted" })
    expect(await compactor.once("c")).toMatchObject({ outcome: "unchanged" })
    expect(await compactor.once("c", { force: true, targetTokens: 3 })).toMatchObject({ reason: "nothing-fits" })
    compactor.notice("b")
    await compactor.idle()
    await compactor.stop()
    const { compacted, refused, strategies, tokens, summary } = compactor.statistics()
    expect([compacted, refused, strategies]).toEqual([2, { "nothing-fits": 1 }, { summary: 2 }])
    expect(tokens.after).toBeLessThan(tokens.before / 2)
    expect(summary.requests).toBe(2)
  })

  it("has one hook, which remembers what it is preparing", () => {
    const compactor = newCompactor({ store: memoryStore(), background: true })
    expect(compactor.hook()).toBe(compactor.hook())
    expect(compactor.hook().trimResultTokens).toBe(20_000)
  })

  it("is refused with the choices where an option does not exist", async () => {
    const store = memoryStore()
    // @ts-expect-error The name is misspelt.
    expect(() => newCompactor({ store, setings: {} })).toThrow(
      'Unknown option "setings". Did you mean settings? Options: store, summarise, settings, ',
    )
    // @ts-expect-error The name is misspelt.
    const once = newCompactor({ store }).once("c", { forced: true })
    await expect(once).rejects.toThrow('Unknown option "forced". Did you mean force? Options: force, targetTokens, ')
    // @ts-expect-error There is no such strategy.
    expect(() => newCompactor({ store, settings: { strategy: "best" } })).toThrow(
      "Expected summary | generations | digest | mask | window as strategy",
    )
  })
})

describe("recall", () => {
  it("reads the same from a store as from the conversation in it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 10)
    const { conversation } = settle((await store.load("c")).transcript, { tip: "open" })
    for (const request of [{ handle: "#3.1" }, { search: "value_7" }, "#2-#4"]) {
      expect(await recall.read(store, "c", request)).toEqual(recall.read(conversation, request))
    }
  })

  it("is a tool to declare, and with a store one to run", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 3)
    expect(Object.keys(recall.tool())).toEqual(["name", "description", "parameters"])
    const { run, approval, ...declared } = recall.tool(store)
    expect([declared, approval]).toEqual([recall.tool(), false])
    expect(await run({ handle: "#1" }, { conversation: "c" })).toContain("Fix the flaky test")
  })
})
