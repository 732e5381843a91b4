/** The index beside a long log: what it saves, and that nothing depends on it being there, or right. */
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { jsonlStore, type Store, type StoreError } from "../../src/store/index.ts"
import { type Files, nodeFiles } from "../../src/store/jsonl/files.ts"
import { hashOf, KeyRuns, merged, NewKeys, pagesOf, type Place, type Records, runOf } from "../../src/store/jsonl/key-index.ts"
import { say, wordsOf } from "./conformance.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-checkpoint-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const log = (): string => join(folder, "c.jsonl")
const index = (): string => join(folder, "c.index")
const open = (checkpointBytes: number, files: Files = nodeFiles): Store =>
  jsonlStore({ folder, durability: "none", checkpointBytes, files, now: () => 1_000 })

/** Entries e0, e1, … of operations o0, o1, … */
const write = async (from: number, until: number, checkpointBytes: number): Promise<void> => {
  const store = open(checkpointBytes)
  if (from === 0) await store.create({ id: "c" })
  for (let number = from; number < until; number++)
    await store.append("c", [say(`says ${number}`, `e${number}`)], { operation: `o${number}` })
  await store.close()
}

/** Asks everything that an append has to know; what it says must not depend on the index. */
const interrogate = async (count: number, store: Store): Promise<unknown> => {
  const answers: unknown[] = []
  const ask = async (action: Promise<unknown>): Promise<void> => {
    answers.push(await action.catch((error: StoreError) => `${error.reason} ${error.tip ?? ""}`))
  }
  for (const number of [0, count >> 1, count - 1]) {
    await ask(store.append("c", [say("x", `e${number}`)], { operation: `o${number}` }))
    await ask(store.append("c", [say("x", `e${number}`)], { operation: "new" }))
    await ask(store.append("c", [say("x", "x")], { operation: `o${number}` }))
  }
  await ask(store.append("c", [say("x")], { expectedTip: "e0", operation: "stale" }))
  await ask(store.append("c", [{ kind: "tip", id: "t1", to: "nowhere" }], { operation: "t1" }))
  await ask(store.append("c", [{ kind: "tip", id: "t2", to: "e1" }], { operation: "t2" }))
  await ask(store.append("c", [{ kind: "rename", id: "r", title: "t" }], { operation: "r" }))
  await ask(store.append("c", [say("after", "z")], { operation: "z", expectedTip: "e1" }))
  await ask(store.append("c", [{ kind: "tip", id: "t2", to: "e1" }], { operation: "t2" }))
  await ask(store.append("c", [{ kind: "rename", id: "r", title: "t" }], { operation: "r" }))
  await store.close()
  return answers
}

const sortedRecords = (keys: readonly { readonly key: string; readonly place: Place }[]): Records => {
  const added = new NewKeys()
  for (const { key, place } of keys) added.add("entry", key, place.from, place.length)
  return added.sorted()
}

describe("keys in an index", () => {
  it("are found where they are and nowhere else, in runs that were merged or not", () => {
    const keys = Array.from({ length: 5_000 }, (_, number) => ({
      key: `key ${number}`,
      place: { from: number * 7 + (number % 3) * 2 ** 40, length: number + (number % 2) * 2 ** 33 },
    }))
    const [first, second] = [sortedRecords(keys.slice(0, 1_000)), sortedRecords(keys.slice(1_000))]
    for (const runs of [
      [first, second],
      [merged(first, second)],
      [sortedRecords(keys)],
      keys.slice(0, 300).map((one) => sortedRecords([one])),
    ]) {
      const pieces: Buffer[] = []
      let size = 0
      const placed = runs.map((records) => {
        const run = runOf(records, size)
        const pages = pagesOf(records, size)
        pieces.push(pages)
        size += pages.length
        return run
      })
      const bytes = Buffer.concat(pieces)
      const files: Files = { ...nodeFiles, read: (_, into, length, position) => bytes.copy(into, 0, position, position + length) }
      const index = new KeyRuns(files, 0, placed)
      const known = placed.reduce((sum, { count }) => sum + count, 0)
      for (const { key, place } of keys.slice(0, known)) expect(index.find("entry", key)).toEqual([place])
      for (let number = 0; number < 5_000; number++)
        expect([...index.find("entry", `other ${number}`), ...index.find("operation", `key ${number}`)]).toEqual([])
    }
  })

  it("with the same hash are all found, also across pages", () => {
    const same = Array.from({ length: 500 }, (_, from) => ({ key: "same", place: { from, length: 1 } }))
    const others = Array.from({ length: 500 }, (_, from) => ({ key: `other ${from}`, place: { from, length: 2 } }))
    const records = sortedRecords([...others, ...same])
    const bytes = pagesOf(records, 0)
    const files: Files = { ...nodeFiles, read: (_, into, length, position) => bytes.copy(into, 0, position, position + length) }
    expect(new KeyRuns(files, 0, [runOf(records, 0)]).find("entry", "same")).toHaveLength(500)
  })

  it("are spread evenly", () => {
    const counts = Array.from({ length: 64 }, () => 0)
    for (let number = 0; number < 64_000; number++) {
      const bucket = Math.floor((hashOf("entry", `e${number}`)[0] / 2 ** 32) * 64)
      counts[bucket] = (counts[bucket] ?? 0) + 1
    }
    expect(Math.max(...counts)).toBeLessThan(1_400)
    expect(Math.min(...counts)).toBeGreaterThan(600)
  })
})

describe("the first append to a long log", () => {
  it("reads as much of it as of a short one, and so does a repeated one", async () => {
    const read: Record<number, number> = {}
    for (const count of [300, 1_200, 4_800]) {
      rmSync(folder, { recursive: true, force: true })
      await write(0, count, 20_000)
      const logs = new Set<number>()
      let bytes = 0
      const counted = (file: number, count: number): number => {
        if (logs.has(file)) bytes += count
        return count
      }
      const files: Files = {
        ...nodeFiles,
        open: (path, how) => {
          const file = nodeFiles.open(path, how)
          if (path === log()) logs.add(file)
          else logs.delete(file)
          return file
        },
        read: (file, ...rest) => counted(file, nodeFiles.read(file, ...rest)),
        readAsync: async (file, ...rest) => counted(file, await nodeFiles.readAsync(file, ...rest)),
      }
      const store = open(20_000, files)
      await store.append("c", [say("next", "next")], { operation: "next", expectedTip: `e${count - 1}` })
      expect(await store.append("c", [say("x", "e7")], { operation: "o7" })).toMatchObject({ repeated: true, tip: "e7" })
      await store.close()
      read[count] = bytes
    }
    // The end that no index covers, the bytes by which the log is recognised, and a line; the longest log has 900 kB.
    for (const [count, bytes] of Object.entries(read)) expect(bytes, count).toBeLessThan(20_000 + 4_096 + 1_000)
  })

  it("gives the same answers with an index, without one, and with one that is damaged in any way", { timeout: 240_000 }, async () => {
    const count = 60
    await write(0, count, 3_000)
    expect(existsSync(index())).toBe(true)
    const [logBytes, indexBytes] = [readFileSync(log()), readFileSync(index())]
    const restore = (damaged: Buffer | undefined): void => {
      writeFileSync(log(), logBytes)
      if (damaged) writeFileSync(index(), damaged)
      else rmSync(index(), { force: true })
    }
    restore(undefined)
    const expected = await interrogate(count, open(3_000))
    restore(indexBytes)
    expect(await interrogate(count, open(3_000))).toEqual(expected)
    for (let position = 0; position < indexBytes.length; position += position > indexBytes.length - 400 ? 1 : 97) {
      const damaged = Buffer.from(indexBytes)
      damaged[position] = (damaged[position] ?? 0) ^ (1 << (position % 8))
      restore(damaged)
      expect(await interrogate(count, open(3_000)), `byte ${position}`).toEqual(expected)
    }
    for (let size = 0; size < indexBytes.length; size += 211) {
      restore(indexBytes.subarray(0, size))
      expect(await interrogate(count, open(3_000)), `cut at ${size}`).toEqual(expected)
    }
  })

  it("does not believe an index of another log, or of bytes that are gone", async () => {
    await write(0, 60, 1)
    const whole = readFileSync(log())
    const lines = whole.toString("utf8").split("\n")
    const cases: Record<string, () => void> = {
      "cut back": () => truncateSync(log(), whole.indexOf('"o40"') - 30),
      "cut back and grown again": () => {
        truncateSync(log(), whole.indexOf("\n", whole.indexOf('"o40"')) + 1)
        const rest = lines.slice(45).map((line) => line.replaceAll("says", "sayz"))
        appendFileSync(log(), rest.join("\n"))
      },
      "changed in the middle": () => writeFileSync(log(), whole.toString("utf8").replace('"o30"', '"p30"')),
    }
    for (const [name, damage] of Object.entries(cases)) {
      const kept = readFileSync(index())
      damage()
      const damaged = readFileSync(log())
      const answers: unknown[] = []
      for (const withIndex of [true, false]) {
        writeFileSync(log(), damaged)
        if (withIndex) writeFileSync(index(), kept)
        else rmSync(index(), { force: true })
        const store = open(1)
        const repeated = await store.append("c", [say("x", "e30")], { operation: "o30" }).catch((error: StoreError) => error.reason)
        answers.push([repeated, (await store.append("c", [say("next", "next")])).tip])
        answers.push(wordsOf((await store.load("c")).entries))
        await store.close()
      }
      expect(answers.slice(0, 2), name).toEqual(answers.slice(2))
      writeFileSync(log(), whole)
      writeFileSync(index(), kept)
    }
  })

  it("is made quick again by the next writer when the index was lost", async () => {
    await write(0, 60, 1_000)
    rmSync(index())
    await write(60, 61, 1_000)
    expect(existsSync(index())).toBe(true)
    const store = open(1_000)
    expect(await store.append("c", [say("x", "e3")], { operation: "o3" })).toMatchObject({ repeated: true })
    await store.close()
  })

  it("goes with the conversation, and a short one has no index", async () => {
    await write(0, 60, 1_000)
    const store = open(1 << 19)
    await store.remove("c")
    expect(existsSync(index())).toBe(false)
    await store.create({ id: "c" })
    for (let number = 0; number < 60; number++) await store.append("c", [say("x")])
    expect(existsSync(index())).toBe(false)
    await store.close()
  })

  it("leaves an index that is a small part of the log, however often it is extended", async () => {
    await write(0, 3_000, 1_000)
    const before = statSync(index()).size
    expect(before).toBeLessThan(statSync(log()).size * 3)
    copyFileSync(index(), join(folder, "copy"))
    const store = open(1_000)
    expect(await store.append("c", [say("x", "e5")], { operation: "o5" })).toMatchObject({ repeated: true })
    await store.close()
  })
})
