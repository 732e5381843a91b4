/** A conversation with an output that is too large, opened for its next turn. */
import { describe, expect, it } from "vitest"
import { recall } from "../../../src/compact/index.ts"
import { resume } from "../../../src/agent/index.ts"
import { assistant, call, result, resultText, user } from "../../../src/model/index.ts"
import { memoryStore, type Store } from "../../../src/store/index.ts"

const large = Array.from({ length: 30_000 }, (_, line) => `line ${line + 1}: value_${line * 7}`).join("\n")

const opened = async (): Promise<Store> => {
  const store = memoryStore()
  await store.create({ id: "c" })
  await store.append("c", [
    { kind: "message", message: user("go") },
    { kind: "message", message: assistant(call("a", "dump"), call("b", "ls")) },
    { kind: "result", result: result("a", large) },
    { kind: "result", result: result("b", "x.ts") },
  ])
  return store
}

const requestOf = async (store: Store, options: object = {}): Promise<{ readonly text: string; readonly kinds: readonly string[] }> => {
  const resumed = await resume(store, "c", { profile: "anthropic", ...options })
  if (!resumed.ready) throw new Error("Expected a request")
  await store.append("c", resumed.append.length === 0 ? [{ kind: "note", name: "n", value: 1 }] : resumed.append)
  return { text: JSON.stringify(resumed.value["messages"]), kinds: resumed.append.map(({ kind }) => kind) }
}

describe("resume with an output that is too large", () => {
  it("shows it shortened, keeps that for later requests, and the log keeps it whole", async () => {
    const store = await opened()
    const first = await requestOf(store, { user: "Well?" })
    expect([first.text.length < 120_000, first.kinds]).toEqual([true, ["summary", "message"]])
    expect(first.text).toMatch(/lines \d+-\d+ left out: the output is too long/)
    await store.append("c", [{ kind: "message", message: assistant("I see.") }])
    const second = await requestOf(store, { user: "On." })
    expect(second.kinds).toEqual(["message"])
    expect(second.text.startsWith(first.text.slice(0, -1))).toBe(true)
    const { entries } = await store.load("c")
    expect(entries.flatMap((entry) => (entry.kind === "result" ? [resultText(entry.result)] : []))).toEqual([large, "x.ts"])
  })

  it("names the handle where the model has the tool for it", async () => {
    const store = await opened()
    const { text } = await requestOf(store, { tools: ["dump", "ls", "recall"] })
    const handle = /recall (#[\d.:-]+)/.exec(text)?.[1] ?? ""
    expect(handle).toMatch(/^#2\.1:\d+-\d+$/)
    const from = /:(\d+)-/.exec(handle)?.[1] ?? ""
    expect((await recall.read(store, "c", { handle })).text).toContain(`line ${from}: `)
  })

  it("shows it whole where that is asked for", async () => {
    const { text, kinds } = await requestOf(await opened(), { trimResultTokens: 0 })
    expect([text.length > large.length, kinds]).toEqual([true, []])
  })
})
