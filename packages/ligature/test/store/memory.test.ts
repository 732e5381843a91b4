/** The memory store against the suite of all stores. */
import type { Operation } from "../../src/store/entry.ts"
import { memoryStore } from "../../src/store/index.ts"
import { LogIndex } from "../../src/store/log-index.ts"
import { storeConformance } from "./conformance.ts"

storeConformance("memory", async () => {
  const home = new Map<string, unknown>()
  const lose = async (conversation: string, entry: string): Promise<void> => {
    const kept = home.get(conversation) as { readonly operations: readonly Operation[] }
    const operations = kept.operations.filter(({ entries }) => entries[0]?.id !== entry)
    const index = new LogIndex(undefined, 1_000)
    for (const operation of operations) index.accept(operation)
    home.set(conversation, { ...kept, operations, index })
  }
  const holds = async (words: string): Promise<boolean> => JSON.stringify([...home]).includes(words)
  return { open: (now) => memoryStore({ now, home }), lose, holds, dispose: async () => {} }
})
