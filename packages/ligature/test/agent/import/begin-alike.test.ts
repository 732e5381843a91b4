import { describe, expect, it } from "vitest"
import { importInto } from "../../../src/agent/index.ts"
import { memoryStore, type Store } from "../../../src/store/index.ts"

interface Said {
  readonly role: string
  readonly content: string
}

/** Lists that share their first `shared` messages. */
const listOf = (shared: number, task: number, length: number): readonly Said[] =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: index < shared ? `opening ${index}` : `task ${task}, message ${index}`,
  }))

/** A store that counts what is loaded. */
const counting = (): { readonly store: Store; loads: () => number } => {
  const store = memoryStore()
  let count = 0
  const counted: Store = new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== "function") return value
      return (...parameters: readonly unknown[]) => {
        if (key === "load") count++
        return (value as (...given: readonly unknown[]) => unknown).apply(target, [...parameters])
      }
    },
  })
  return { store: counted, loads: () => count }
}

describe.each([2, 3, 8, 30])("lists that share their first %i messages", (shared) => {
  it("become conversations of their own, are found again, and go on where they were when they grow", async () => {
    const { store } = counting()
    const ids: string[] = []
    for (let task = 0; task < 12; task++) {
      const { conversation, change } = await importInto(store, listOf(shared, task, shared + 2), { format: "openai-chat" })
      expect(change).toBe("new")
      ids.push(conversation)
    }
    expect(new Set(ids).size).toBe(12)
    for (let task = 11; task >= 0; task--) {
      const again = await importInto(store, listOf(shared, task, shared + 2), { format: "openai-chat" })
      expect([again.conversation, again.change]).toEqual([ids[task], "unchanged"])
      for (const length of [shared + 3, shared + 9]) {
        const grown = await importInto(store, listOf(shared, task, length), { format: "openai-chat" })
        expect([grown.conversation, grown.change]).toEqual([ids[task], "grown"])
      }
    }
  })

  it("cost no more to import the more of them there are", async () => {
    const { store, loads } = counting()
    const costs: number[] = []
    for (let task = 0; task < 60; task++) {
      const before = loads()
      await importInto(store, listOf(shared, task, shared + 6), { format: "openai-chat" })
      costs.push(loads() - before)
    }
    expect(Math.max(...costs.slice(40))).toBeLessThanOrEqual(Math.max(...costs.slice(0, 20)) + 2)
  })
})
