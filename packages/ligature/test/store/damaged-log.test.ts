/** Logs that something else damaged: what can be read is used, what cannot is named and kept, and the next append works. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonlStore } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { encodeHeader } from "../../src/store/jsonl/line.ts"
import { refusal, say, wordsOf } from "./conformance.ts"

const conversationId = "c"
let root = ""
let count = 0
const folder = (): string => {
  const path = join(root, String(count++))
  mkdirSync(path)
  return path
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-damaged-"))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const now = (): number => 1_000
const logOf = (path: string): string => join(path, `${conversationId}.jsonl`)

describe("a log that was damaged", () => {
  const prepare = async (): Promise<string> => {
    const path = folder()
    const store = jsonlStore({ folder: path, now })
    await store.create({ id: conversationId })
    for (const words of ["a", "b", "c", "d"]) await store.append(conversationId, [say(words, words)])
    await store.close()
    return path
  }

  const change = (path: string, edit: (lines: readonly string[]) => readonly string[]): void => {
    const lines = readFileSync(logOf(path), "utf8").split("\n")
    writeFileSync(logOf(path), edit(lines).join("\n"))
  }

  const reopen = async (path: string) => {
    const store = jsonlStore({ folder: path, now })
    const loaded = await store.load(conversationId)
    await store.append(conversationId, [say("next", "next")], { expectedTip: loaded.tip })
    const after = await store.load(conversationId)
    expect(wordsOf(after.entries)).toEqual([...wordsOf(loaded.entries), "next"])
    await store.close()
    return { words: wordsOf(loaded.entries), rules: loaded.damage.map(({ rule }) => rule), plan: recoveryPlan(loaded) }
  }

  it("reads lines that were glued together", async () => {
    const path = await prepare()
    change(path, ([head = "", a = "", b = "", ...rest]) => [head, a + b, ...rest])
    const { words, rules, plan } = await reopen(path)
    expect([words, rules, plan.state]).toEqual([["a", "b", "c", "d"], ["glued-lines"], "clean"])
  })

  it("reads a line that was glued to a torn one", async () => {
    const path = await prepare()
    change(path, ([head = "", a = "", b = "", ...rest]) => [head, a, b.slice(0, 70) + b, ...rest])
    const { words, rules, plan } = await reopen(path)
    expect([words, rules, plan.state]).toEqual([["a", "b", "c", "d"], ["glued-lines", "torn-line"], "clean"])
  })

  it("goes around a line that cannot be read, and asks the user", async () => {
    const path = await prepare()
    change(path, ([head = "", a = "", b = "", ...rest]) => [head, a, b.replace('"text"', '"te'), ...rest])
    const { words, rules, plan } = await reopen(path)
    expect([words, rules]).toEqual([
      ["a", "c", "d"],
      ["unreadable-line", "missing-parent"],
    ])
    expect([plan.state, plan.confirm, plan.lost.length]).toEqual(["damaged", true, 2])
  })

  it("notices a line that was changed, and uses what it says now", async () => {
    const path = await prepare()
    change(path, (lines) => lines.map((line) => line.replace('"text":"b"', '"text":"edited"')))
    const { words, rules, plan } = await reopen(path)
    expect([words, rules, plan.confirm]).toEqual([["a", "edited", "c", "d"], ["changed-line"], true])
  })

  it("reads a line in which one bit has flipped as it was written, and says so", async () => {
    const path = await prepare()
    change(path, (lines) => lines.map((line) => line.replace('"text":"b"', '"text":"B"')))
    const { words, rules, plan } = await reopen(path)
    expect([words, rules, plan.confirm]).toEqual([["a", "b", "c", "d"], ["changed-line"], true])
    expect(plan.lost[0]?.what).toContain("one bit has flipped; it is read as it was written")
  })

  it(
    "keeps every entry that is not damaged itself, whichever bit of the file flips, and can be written",
    { timeout: 240_000 },
    async () => {
      const path = await prepare()
      const bytes = readFileSync(logOf(path))
      const starts = [0, ...[...bytes.entries()].flatMap(([index, byte]) => (byte === 0x0a ? [index + 1] : []))]
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const damaged = Buffer.from(bytes)
        const position = bit >> 3
        damaged[position] = (damaged[position] ?? 0) ^ (1 << (bit & 7))
        writeFileSync(logOf(path), damaged)
        rmSync(join(path, ".index.json"), { force: true })
        const line = starts.findLastIndex((start) => start <= position)
        const isNewline = bytes[position] === 0x0a
        // A line with a flipped bit is read as it was written, unless the bit made two lines of it.
        const mayBeGone = !isNewline && damaged[position] === 0x0a && line > 0 ? ["a", "b", "c", "d"][line - 1] : undefined
        const store = jsonlStore({ folder: path, now, durability: "none" })
        const loaded = await store.load(conversationId)
        const what = `bit ${bit}, line ${line + 1}`
        expect(wordsOf(loaded.entries), what).toEqual(["a", "b", "c", "d"].filter((words) => words !== mayBeGone))
        expect(loaded.damage, what).not.toEqual([])
        expect(loaded.created, what).toBe(1_000)
        // What follows takes longest: for the first line each time, for the others now and then.
        if (line === 0 || bit % 16 === position % 16) {
          const { conversations, unreadable } = await store.list()
          expect([conversations.map(({ id }) => id), unreadable], what).toEqual([[conversationId], []])
          await store.append(conversationId, [say("next", "next")], { expectedTip: loaded.tip })
          await store.close()
          const again = jsonlStore({ folder: path, now })
          expect(wordsOf((await again.load(conversationId)).entries), what).toEqual([...wordsOf(loaded.entries), "next"])
          await again.close()
          expect(readFileSync(logOf(path)).subarray(0, damaged.length).equals(damaged), what).toBe(true)
        } else await store.close()
      }
    },
  )

  it("without a first line that can be read keeps its entries, and the next append says anew whose they are", async () => {
    const path = folder()
    const before = jsonlStore({ folder: path, now: () => 500 })
    await before.create({ id: conversationId, title: "Two files" })
    await before.close()
    const writer = jsonlStore({ folder: path, now })
    for (const words of ["a", "b"]) await writer.append(conversationId, [say(words, words)])
    await writer.close()
    change(path, ([, ...rest]) => ["\u0000\u0000 not what it was", ...rest])
    const { words, rules, plan } = await reopen(path)
    expect([words, rules, plan.state, plan.salvaged.length]).toEqual([["a", "b"], ["damaged-header"], "clean", 1])
    const store = jsonlStore({ folder: path, now })
    expect(await store.load(conversationId)).toMatchObject({
      id: conversationId,
      created: 1_000,
      damage: [{ rule: "damaged-header", place: { line: 1 } }],
    })
    expect((await store.list()).conversations).toMatchObject([{ id: conversationId, created: 1_000 }])
    await store.append(conversationId, [say("again")])
    const headers = readFileSync(logOf(path), "utf8")
      .split("\n")
      .filter((line) => line.includes('"ligature":1'))
    expect(headers).toEqual([expect.stringContaining('"id":"c"')])
    await store.close()
  })

  it("whose first line was changed so that it still can be read belongs to the conversation it is named after", async () => {
    const path = await prepare()
    change(path, ([head = "", ...rest]) => [head.replace('"id":"c"', '"id":"other"'), ...rest])
    const { words, rules } = await reopen(path)
    expect([words, rules]).toEqual([["a", "b", "c", "d"], ["damaged-header"]])
  })

  it("survives torn UTF-8 in the middle of a line", async () => {
    const path = await prepare()
    const bytes = readFileSync(logOf(path))
    bytes[bytes.indexOf('"text":"b"') + 8] = 0xe4
    writeFileSync(logOf(path), bytes)
    const { words, rules } = await reopen(path)
    expect([words, rules]).toEqual([["a", "\ufffd", "c", "d"], ["changed-line"]])
  })

  it("counts a repeated line once", async () => {
    const path = await prepare()
    change(path, ([head = "", a = "", b = "", ...rest]) => [head, a, b, b, ...rest])
    const { words, rules } = await reopen(path)
    expect([words, rules]).toEqual([["a", "b", "c", "d"], ["duplicate-entry"]])
  })

  it("has no cycles: a parent that comes later is a missing one", async () => {
    const path = await prepare()
    change(path, (lines) => lines.map((line) => line.replace('"parent":"a"', '"parent":"d"')))
    const { words, rules } = await reopen(path)
    expect([words, rules]).toEqual([
      ["a", "b", "c", "d"],
      ["changed-line", "missing-parent"],
    ])
  })

  it("keeps an entry of an unknown kind on the path, and lines that say nothing", async () => {
    const path = await prepare()
    change(path, (lines) => {
      const made = '{"operation":"x","at":1,"parent":"d","entries":[{"id":"x","kind":"hologram","depth":3}]}'
      return [...lines.slice(0, -1), "", '{"unknown":true}', "[]", made, ""]
    })
    const { words, rules } = await reopen(path)
    const expected = ["changed-line", "unknown-line", "unreadable-line", "changed-line"]
    expect([words, rules]).toEqual([["a", "b", "c", "d", "note"], expected])
  })

  it("may take back what a reader has seen, when the append of another process failed", async () => {
    const path = await prepare()
    const before = readFileSync(logOf(path))
    const [reader, writer] = [jsonlStore({ folder: path, now }), jsonlStore({ folder: path, now })]
    await writer.append(conversationId, [say("taken back", "x")])
    expect(wordsOf((await reader.load(conversationId)).entries).at(-1)).toBe("taken back")
    writeFileSync(logOf(path), before)
    const third = jsonlStore({ folder: path, now })
    await third.append(conversationId, [say("another, and longer than the first one was", "y")])
    for (const store of [reader, third]) {
      const { entries, damage } = await store.load(conversationId)
      expect([entries.map(({ id }) => id), damage]).toEqual([["a", "b", "c", "d", "y"], []])
    }
    await reader.append(conversationId, [say("z", "z")], { expectedTip: "y" })
    for (const store of [reader, writer, third]) await store.close()
  })

  it("is left alone when it is of a newer version, or of another conversation", async () => {
    const path = await prepare()
    const original = readFileSync(logOf(path), "utf8")
    const expectLeftAlone = async (reason: string): Promise<void> => {
      const bytes = readFileSync(logOf(path))
      const store = jsonlStore({ folder: path, now })
      expect((await refusal(store.load(conversationId))).reason).toBe(reason)
      expect((await refusal(store.append(conversationId, [say("x")]))).reason).toBe(reason)
      await store.close()
      expect(readFileSync(logOf(path)).equals(bytes)).toBe(true)
    }
    writeFileSync(logOf(path), original.replace('"ligature":1', '"ligature":2'))
    await expectLeftAlone("newer-version")
    const [, ...entries] = original.split("\n")
    const header = encodeHeader({ ligature: 1, id: "other", created: 1_000 }).toString("utf8")
    writeFileSync(logOf(path), header + entries.join("\n"))
    await expectLeftAlone("unreadable")
    writeFileSync(logOf(path), original)
    appendFileSync(logOf(path), '{"ligature":7}\n{"something":"new"}\n')
    await expectLeftAlone("newer-version")
    writeFileSync(logOf(path), "something else entirely\n")
    await expectLeftAlone("unreadable")
  })

  it("never makes the store throw anything but its own errors, whatever bytes change", async () => {
    const path = await prepare()
    const bytes = readFileSync(logOf(path))
    const first = bytes.indexOf(0x0a)
    for (let round = 0; round < 400; round++) {
      const damaged = Buffer.from(bytes)
      const position = first + 1 + ((round * 7919) % (bytes.length - first - 1))
      damaged[position] = (round * 31) % 256
      writeFileSync(logOf(path), damaged)
      const store = jsonlStore({ folder: path, now })
      const loaded = await store.load(conversationId)
      const { entries } = loaded
      expect(entries.length).toBeGreaterThanOrEqual(1)
      const noticed = damaged.equals(bytes) || loaded.damage.length > 0
      expect(noticed, `byte ${position} changed unnoticed`).toBe(true)
      await store.append(conversationId, [say("next")])
      await store.close()
    }
  })
})
