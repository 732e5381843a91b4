/** Large results are shortened before a model sees them, but never what recall reads back for it. */
import { describe, expect, it } from "vitest"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { recall } from "../../../src/compact/live/recall.ts"
import { estimateMeter } from "../../../src/compact/meter/meter.ts"
import { trimResults } from "../../../src/compact/live/write/edit-stored.ts"
import { assistant, call, result, text, user } from "../../../src/model/index.ts"
import { memoryStore, type Store } from "../../../src/store/index.ts"

const long = Array.from({ length: 200 }, (_, line) => `line ${line}: const value_${line} = compute(${line})`).join("\n")

/** A file was read, and recall is asked for a stretch of it. */
const recalling = async (): Promise<{ readonly store: Store; readonly recalled: string }> => {
  const store = memoryStore()
  await store.create({ id: "c" })
  await store.append("c", [
    { kind: "message", message: user("Read it.") },
    { kind: "message", message: assistant(call("a", "read")) },
    { kind: "result", id: "read", result: result("a", long) },
    { kind: "message", message: assistant(call("b", "recall", { handle: "#2.1:40-80" }), call("c", "read")) },
  ])
  const { text: recalled } = await recall.read(store, "c", { handle: "#2.1:40-80" })
  await store.append("c", [
    { kind: "result", id: "recalled", result: result("b", recalled) },
    { kind: "result", id: "again", result: result("c", long) },
  ])
  return { store, recalled }
}

describe("results that are trimmed", () => {
  it("are all that are too large but those of recall, which would point at themselves", async () => {
    const { store, recalled } = await recalling()
    expect(estimateMeter.count(recalled)).toBeGreaterThan(400)
    const loaded = await store.load("c")
    const { entries } = trimResults(loaded.entries, () => loaded, { tokens: 400, meter: estimateMeter, canRecall: true })
    expect(entries.map((entry) => entry.kind === "summary" && entry.covers.map(({ id }) => id))).toEqual([["again"]])
  })

  it("are the same in a compaction", async () => {
    const { store, recalled } = await recalling()
    const settings = { strategy: "window", results: { maxTokens: 400 } } as const
    expect(await compactConversation({ store, id: "c", settings, force: true, targetTokens: 2_600 })).toMatchObject({
      outcome: "compacted",
    })
    const { transcript, sources } = await store.load("c")
    const shown = transcript.messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "result" ? [block.content] : [])))
    expect(shown).toEqual([expect.anything(), [text(recalled)], expect.anything()])
    expect(["read", "recalled", "again"].filter((id) => sources.includes(id))).toEqual(["recalled"])
  })
})
