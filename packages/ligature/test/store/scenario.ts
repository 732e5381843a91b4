/** A short life of a conversation, step by step, that remembers what was acknowledged; and what must hold of it later. */
import { expect } from "vitest"
import { assistant, call, result, tool, user } from "../../src/model/index.ts"
import { type NewEntry, type Store, StoreError } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { expectValid } from "../../src/testing/index.ts"
import { wordsOf } from "./conformance.ts"

export const conversationId = "c"

/** Entries whose ids say where on the path they belong. */
export const steps: readonly { readonly operation: string; readonly entries: readonly NewEntry[] }[] = [
  { operation: "ask", entries: [{ kind: "message", id: "0", message: user("read 两 files 🎉") }] },
  {
    operation: "call",
    entries: [
      { kind: "message", id: "1", message: assistant("reading", call("a", "read", { path: "x" }), call("b", "read")) },
      { kind: "note", id: "2", name: "usage", value: { input: 12 } },
    ],
  },
  { operation: "result b", entries: [{ kind: "result", id: "3", result: result("b", "二") }] },
  { operation: "result a", entries: [{ kind: "result", id: "4", result: result("a", "one\n\u2028") }] },
  { operation: "answer", entries: [{ kind: "message", id: "5", message: assistant("both are fine") }] },
  {
    operation: "next",
    entries: [
      { kind: "rename", title: "files" },
      { kind: "message", id: "6", message: user("again") },
    ],
  },
  { operation: "carried", entries: [{ kind: "message", id: "7", message: assistant(call("c", "ls"), call("d", "ls")) }] },
  { operation: "half", entries: [{ kind: "message", id: "8", message: tool(result("c", "three")) }] },
]

/** Runs the steps until one fails; says which operations were acknowledged. */
export const runScenario = async (store: Store): Promise<readonly string[]> => {
  const acknowledged: string[] = []
  try {
    await store.create({ id: conversationId, operation: "create" })
    acknowledged.push("create")
    for (const { operation, entries } of steps) {
      await store.append(conversationId, entries, { operation })
      acknowledged.push(operation)
    }
  } catch (error) {
    // Whatever the system does, the caller gets one error of the store.
    expect(error).toBeInstanceOf(StoreError)
    expect((error as StoreError).reason).toBe("unwritable")
  }
  return acknowledged
}

/** Reopens, finds every acknowledged entry, settles to something valid, and goes on to the end. */
export const expectRecovered = async (store: Store, acknowledged: readonly string[], what: string): Promise<void> => {
  if (!acknowledged.includes("create")) await store.create({ id: conversationId, operation: "create" })
  const loaded = await store.load(conversationId)
  const present = loaded.entries.map(({ id }) => id)
  const expected = steps.flatMap(({ operation, entries }) =>
    acknowledged.includes(operation) ? entries.flatMap(({ id }) => (id === undefined ? [] : [id])) : [],
  )
  // What was not acknowledged may be there too: the last operation, whole.
  expect(present.slice(0, expected.length), what).toEqual(expected)
  expect(present.length - expected.length, what).toBeLessThanOrEqual(2)
  expectValid(loaded.transcript, { profiles: ["anthropic", "openai-chat"] })
  expect(recoveryPlan(loaded).lost, what).toEqual([])

  for (const { operation, entries } of steps) await store.append(conversationId, entries, { operation })
  await store.append(conversationId, [{ kind: "message", id: "end", message: user("go on") }], { expectedTip: "8" })
  const finished = await store.load(conversationId)
  expect(
    finished.entries.map(({ id }) => id),
    what,
  ).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "end"])
  expect(finished.title, what).toBe("files")
  expect(wordsOf(finished.entries)[0], what).toBe("read 两 files 🎉")
  expectValid(finished.transcript, { profiles: ["anthropic"] })
}
