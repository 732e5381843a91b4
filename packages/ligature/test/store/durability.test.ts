/** What reaches the disk and when, and what an append costs in calls to the system. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { assistant, call, result } from "../../src/model/index.ts"
import { type Durability, jsonlStore, type NewEntry, type Store } from "../../src/store/index.ts"
import { say } from "./conformance.ts"
import { faultyFiles } from "./faulty-files.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-durability-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = async (durability: Durability): Promise<{ readonly store: Store; readonly callsOf: (name: string) => number }> => {
  const { files, names } = faultyFiles()
  const store = jsonlStore({ folder, files, durability })
  await store.create({ id: "c" })
  const before = names.length
  // A flush counts in whichever way it was made.
  const isA = (made: string, name: string): boolean => made === name || (name === "flush" && made === "flushNow")
  return { store, callsOf: (name) => names.slice(before).filter((made) => isA(made, name)).length }
}

const turn: readonly NewEntry[] = [
  say("go"),
  { kind: "message", message: assistant(call("a", "ls"), call("b", "ls")) },
  { kind: "result", result: result("a", "x") },
  { kind: "result", result: result("b", "y") },
  { kind: "note", name: "usage", value: 1 },
  { kind: "message", message: assistant("done") },
]

const flushesOf = async (durability: Durability): Promise<readonly number[]> => {
  const { store, callsOf } = await open(durability)
  const flushes: number[] = []
  for (const entry of turn) {
    const before = callsOf("flush")
    await store.append("c", [entry])
    flushes.push(callsOf("flush") - before)
  }
  await store.close()
  return flushes
}

describe("durability", () => {
  it("flushes what the user said and the finished answer (turn), every append (entry), or nothing (none)", async () => {
    expect(await flushesOf("turn")).toEqual([1, 0, 0, 0, 0, 1])
    rmSync(join(folder, "c.jsonl"))
    expect(await flushesOf("entry")).toEqual([1, 1, 1, 1, 1, 1])
    rmSync(join(folder, "c.jsonl"))
    expect(await flushesOf("none")).toEqual([0, 0, 0, 0, 0, 0])
  })

  it("does as an append asks", async () => {
    const { store, callsOf } = await open("turn")
    await store.append("c", [say("a")], { durable: false })
    expect(callsOf("flush")).toBe(0)
    await store.append("c", [{ kind: "note", name: "n", value: 1 }], { durable: true })
    expect(callsOf("flush")).toBe(1)
    await store.close()
  })

  it("flushes an operation that is repeated because it may not have reached the disk", async () => {
    const { store, callsOf } = await open("none")
    await store.append("c", [say("a")], { operation: "a" })
    await store.append("c", [say("a")], { operation: "a", durable: true })
    expect(callsOf("flush")).toBe(1)
    await store.append("c", [say("a")], { operation: "a", durable: true })
    expect(callsOf("flush")).toBe(1)
    await store.close()
  })

  it("flushes the rest on request and on closing", async () => {
    const { store, callsOf } = await open("none")
    await store.append("c", [say("a")])
    await store.flush()
    expect(callsOf("flush")).toBe(1)
    await store.flush()
    expect(callsOf("flush")).toBe(1)
    await store.append("c", [say("b")])
    await store.close()
    expect(callsOf("flush")).toBe(2)
  })

  it("lets appends that wait together share a write and a flush", async () => {
    const { store, callsOf } = await open("entry")
    await Promise.all(Array.from({ length: 50 }, (_, index) => store.append("c", [say(`${index}`)])))
    // One for those that were there when the lock was taken, one for those that came later, and the badge of the store.
    expect(callsOf("flush")).toBeLessThanOrEqual(2)
    expect(callsOf("write")).toBeLessThanOrEqual(3)
    expect((await store.load("c")).entries).toHaveLength(50)
    await store.close()
  })

  it("flushes what is repeated, because whoever wrote it may have died before it did", async () => {
    const { store, callsOf } = await open("none")
    await store.append("c", [say("a", "a")], { operation: "a", durable: false })
    await store.flush()
    const { files, names } = faultyFiles()
    const other = jsonlStore({ folder, files })
    const flushes = (): number => names.filter((name) => name === "flush" || name === "flushNow").length
    expect(await other.append("c", [say("a", "a")], { operation: "a", durable: false })).toMatchObject({ repeated: true })
    expect(flushes()).toBe(0)
    expect(await other.append("c", [say("a", "a")], { operation: "a", durable: true })).toMatchObject({ repeated: true })
    expect(flushes()).toBe(1)
    expect(callsOf("write")).toBeGreaterThan(0)
    await Promise.all([store.close(), other.close()])
  })

  it("flushes the folder when a conversation is made or removed", async () => {
    const { files, names } = faultyFiles()
    const store = jsonlStore({ folder, files })
    await store.create({ id: "c" })
    expect(names.filter((name) => name === "flushFolder")).toHaveLength(1)
    await store.remove("c")
    expect(names.filter((name) => name === "flushFolder")).toHaveLength(2)
    await store.close()
  })
})

describe("an append", () => {
  it("costs the same few calls at any length, and reads nothing again", async () => {
    const { store, callsOf } = await open("none")
    await store.append("c", [say("first")])
    const names = ["open", "read", "readAsync", "write", "link", "unlink", "stateOf", "stateAt", "readWhole", "names", "exists"]
    const before = names.map(callsOf)
    for (let index = 0; index < 200; index++) await store.append("c", [say(`${index}`)])
    const perAppend = Object.fromEntries(names.map((name, index) => [name, (callsOf(name) - (before[index] ?? 0)) / 200]))
    expect(perAppend).toEqual({
      open: 0,
      read: 0,
      readAsync: 0,
      write: 1,
      link: 1,
      unlink: 1,
      stateOf: 0,
      stateAt: 2,
      readWhole: 0,
      names: 0,
      exists: 0,
    })
    await store.close()
  })
})
