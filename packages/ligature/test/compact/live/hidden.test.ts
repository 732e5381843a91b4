/** What people took out of sight stays there, whatever is compacted before, meanwhile and later. */
import { describe, expect, it } from "vitest"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { looksLikeTitle } from "../../../src/compact/strategies/digest/relevance/lines.ts"
import { recall } from "../../../src/compact/live/recall.ts"
import { assistant, thinking } from "../../../src/model/index.ts"
import { cover, memoryStore } from "../../../src/store/index.ts"
import { goodSummary, storeTask, taskEntries, taskSettings as settings } from "./long-task.ts"

describe("compactConversation", () => {
  it("leaves out of sight what a person hid while the summariser was thinking", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const secret = assistant(thinking("hm", "signed"), "The password is hunter2.")
    const summarise = async (): Promise<string> => {
      await store.append("c", [{ kind: "message", id: "secret", message: secret }])
      const { entries } = await store.load("c")
      await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "secret")) }])
      return goodSummary
    }
    expect(await compactConversation({ store, id: "c", settings: { ...settings, thinking: "strip" }, summarise })).toMatchObject({
      outcome: "compacted",
    })
    expect(JSON.stringify((await store.load("c")).transcript.messages)).not.toContain("hunter2")
  })

  it("shows nothing of a result that was shortened before a person hid it", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const capped = { ...settings, strategy: "digest" as const, results: { maxTokens: 100 } }
    await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: 12_000 })
    const said = async (): Promise<string> => JSON.stringify((await store.load("c")).transcript.messages)
    expect(await said()).toContain("part-39 line 0")
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "r39a")) }])
    expect(await said()).not.toContain("part-39 line 0")
    await store.append("c", taskEntries(8, 40))
    await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: 12_000 })
    expect(await said()).not.toContain("part-39 line 0")
  })

  it.each([
    ["one of two results", "r3b"],
    ["the calls of an exchange", "a3"],
    ["an answer", "s3"],
  ])("reads back under its handles what is told of an exchange of which a person hid %s", async (_, id) => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter((entry) => entry.id === id)) }])
    await compactConversation({ store, id: "c", settings: { ...settings, strategy: "digest" } })
    const { transcript } = await store.load("c")
    const record = transcript.messages.find(({ summary }) => summary)?.blocks[0]
    expect(record?.type).toBe("text")
    const lines = record?.type === "text" ? record.text.split("\n").slice(1) : []
    let handle = ""
    let checked = 0
    for (const line of lines) {
      const heading = /^(#\d+(?:\.\d+)?) \S+ ?(.*)$/.exec(line)
      handle = heading?.[1] ?? handle
      const said = heading ? heading[2] : line
      // What is cut, and what was put where something is hidden, is nowhere.
      if (said === undefined || said === "" || /…|^\[ligature:|no longer in the history/.test(said)) continue
      if (looksLikeTitle(said)) continue
      const recalled = await recall.read(store, "c", { handle: handle.replace(/\.\d+$/, "") })
      expect(recalled.text, `${handle} says ${said}`).toContain(said)
      checked++
    }
    expect(checked).toBeGreaterThan(50)
    const hidden = { r3b: "test-3 line 0", a3: "Looking at part 3.", s3: "Part 3 is done." }[id]
    expect((await recall.read(store, "c", { search: hidden ?? "" })).found).toBe(false)
  })

  it("hides what was shortened by one compaction after the other", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const said = async (): Promise<string> => JSON.stringify((await store.load("c")).transcript.messages)
    for (const trimResultTokens of [200, 80]) {
      const capped = { ...settings, strategy: "digest" as const, results: { maxTokens: trimResultTokens } }
      await compactConversation({ store, id: "c", settings: capped, force: true, targetTokens: trimResultTokens * 50 })
    }
    expect(await said()).toContain("part-39 line 0")
    const { entries } = await store.load("c")
    await store.append("c", [{ kind: "hide", covers: cover(entries.filter(({ id }) => id === "r39a")) }])
    expect(await said()).not.toContain("part-39 line 0")
  })

  it("leaves hidden entries hidden, and its handles count them", async () => {
    const store = memoryStore()
    await storeTask(store, "c", 40)
    const { entries } = await store.load("c")
    const secret = entries.filter(({ id }) => ["a1", "r1a", "r1b"].includes(id))
    await store.append("c", [{ kind: "hide", covers: cover(secret), reason: "secret" }])
    await compactConversation({ store, id: "c", settings })
    const said = JSON.stringify((await store.load("c")).transcript.messages)
    expect(said).not.toContain("part-1.ts")
    expect(said).toContain("part-2.ts")
    for (const [, handle = "", part = ""] of said.matchAll(/(#\d+(?:\.\d+)?) read_file src\/part-(\d+)\.ts/g)) {
      expect((await recall.read(store, "c", { handle })).text).toContain(`src/part-${part}.ts`)
    }
  })
})
