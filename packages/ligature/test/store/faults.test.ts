/**
 * The jsonl store when the system fails: every call it makes fails once, or is the last one before the process dies; and
 * its files are cut at every byte. Each time the same must hold: see scenario.ts.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { user } from "../../src/model/index.ts"
import { type Durability, jsonlStore, StoreError } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { refusal, say, wordsOf } from "./conformance.ts"
import { deadPid, type Fault, faultyFiles, killOwners } from "./faulty-files.ts"
import { conversationId, expectRecovered, runScenario, steps } from "./scenario.ts"

let root = ""
let dead = 0
let count = 0
const folder = (): string => {
  const path = join(root, String(count++))
  mkdirSync(path)
  return path
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-faults-"))
  dead = deadPid()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const now = (): number => 1_000
const logOf = (path: string): string => join(path, `${conversationId}.jsonl`)

const countCalls = async (durability: Durability): Promise<readonly string[]> => {
  const { files, names } = faultyFiles()
  const store = jsonlStore({ folder: folder(), files, now, durability })
  expect(await runScenario(store)).toHaveLength(steps.length + 1)
  const made = [...names]
  await store.close()
  return made
}

const tryFault = async (fault: Fault, durability: Durability, what: string): Promise<void> => {
  const path = folder()
  const { files } = faultyFiles(fault)
  const store = jsonlStore({ folder: path, files, now, durability, lockWaitMs: 200 })
  const acknowledged = await runScenario(store)
  if (fault.lasts === "once") {
    // The same store goes on, and another one beside it sees the same.
    await expectRecovered(store, acknowledged, what)
    await store.close()
  } else if (readdirSync(path).includes(".owners")) killOwners(path, dead)
  const reopened = jsonlStore({ folder: path, now, lockWaitMs: 200 })
  if (fault.lasts === "dead") await expectRecovered(reopened, acknowledged, what)
  const { entries, damage } = await reopened.load(conversationId)
  expect(
    entries.map(({ id }) => id),
    what,
  ).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "end"])
  expect(
    damage.filter(({ rule }) => rule !== "torn-line"),
    what,
  ).toEqual([])
  await reopened.close()
  const left = readdirSync(path).filter((name) => name.endsWith(".lock") || name.endsWith(".tmp"))
  expect(left, what).toEqual([])
  rmSync(path, { recursive: true })
}

/** `LIGATURE_FAULTS=all` tries every error in every call; by default they take turns. */
const codes = ["EIO", "ENOSPC", "EROFS"] as const
const tryAll = process.env["LIGATURE_FAULTS"] === "all"

describe("every call to the system", () => {
  it("may fail once", async () => {
    const names = await countCalls("turn")
    for (const [call, name] of names.entries()) {
      for (const code of tryAll ? codes : [codes[call % 3] ?? "EIO"]) {
        await tryFault({ call, code, lasts: "once" }, "turn", `${code} in call ${call} (${name})`)
      }
    }
  })

  it("may fail once when every entry is flushed", async () => {
    const names = await countCalls("entry")
    for (const [call, name] of names.entries()) {
      if (!tryAll && !name.startsWith("flush") && name !== "write") continue
      await tryFault({ call, code: "EIO", lasts: "once" }, "entry", `EIO in call ${call} (${name})`)
    }
  })

  it("may be the last one before the process dies", async () => {
    const names = await countCalls("turn")
    for (const [call, name] of names.entries()) {
      await tryFault({ call, code: "EIO", lasts: "dead" }, "turn", `death at call ${call} (${name})`)
    }
  })

  it("may write less than it was asked to, with and without an error", async () => {
    const names = await countCalls("turn")
    for (const [call, name] of names.entries()) {
      if (name !== "write") continue
      for (const share of tryAll ? [0, 0.1, 0.5, 0.9, 0.99] : [0.5]) {
        await tryFault({ call, code: "SHORT", lasts: "once", share }, "turn", `short write ${call}`)
        await tryFault({ call, code: "ENOSPC", lasts: "once", share }, "turn", `disk full in write ${call}`)
        await tryFault({ call, code: "EIO", lasts: "dead", share }, "turn", `death in write ${call}`)
      }
    }
  })

  it("may fail in pairs: an append that fails and cannot be cut back is never half there", async () => {
    for (const share of [0, 0.3, 0.9, 1]) {
      const path = folder()
      let broken = false
      const { files: real } = faultyFiles()
      const files: typeof real = {
        ...real,
        write: (file, bytes, from) => {
          if (!broken) return real.write(file, bytes, from)
          const length = Math.floor(bytes.length * share)
          if (length > 0) real.write(file, bytes.subarray(0, length), 0)
          throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
        },
        truncate: (file, size) => {
          if (broken) throw Object.assign(new Error("EIO"), { code: "EIO" })
          real.truncate(file, size)
        },
      }
      const store = jsonlStore({ folder: path, files, now })
      await store.create({ id: "c" })
      await store.append("c", [say("a", "a")])
      broken = true
      const error = await refusal(store.append("c", [say("b", "b")], { operation: "b" }))
      expect([error.reason, error.message.includes("repeat it with its operation id")]).toEqual(["unwritable", true])
      broken = false
      const again = await store.append("c", [say("b", "b")], { operation: "b" })
      expect(again).toMatchObject({ tip: "b", repeated: share === 1 })
      await store.append("c", [say("c", "c")], { expectedTip: "b" })
      const loaded = await store.load("c")
      expect(wordsOf(loaded.entries)).toEqual(["a", "b", "c"])
      expect(recoveryPlan(loaded)).toMatchObject({ state: "clean", lost: [] })
      await store.close()
    }
  })
})

describe("an append that fails", () => {
  it("leaves the file and the memory as they were, and the next one works", async () => {
    const path = folder()
    let full = false
    const { files: real } = faultyFiles()
    const files: typeof real = {
      ...real,
      write: (file, bytes, from) => {
        if (!full) return real.write(file, bytes, from)
        real.write(file, bytes.subarray(0, 20), 0)
        throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" })
      },
    }
    const store = jsonlStore({ folder: path, files, now })
    await store.create({ id: "c" })
    await store.append("c", [say("a", "a")])
    const before = readFileSync(logOf(path))
    full = true
    const failed = await Promise.allSettled([
      store.append("c", [say("b", "b")], { operation: "b" }),
      store.append("c", [{ kind: "rename", title: "t" }]),
      store.append("c", [say("x", "a")]),
    ])
    const reasons = failed.map((outcome) => (outcome.status === "rejected" ? (outcome.reason as { reason: string }).reason : ""))
    expect(reasons).toEqual(["unwritable", "unwritable", "bad-entry"])
    expect(readFileSync(logOf(path))).toEqual(before)
    const loaded = await store.load("c")
    expect([loaded.tip, loaded.title, wordsOf(loaded.entries)]).toEqual(["a", undefined, ["a"]])
    full = false
    expect(await store.append("c", [say("b", "b")], { operation: "b" })).toMatchObject({ repeated: false, tip: "b" })
    await store.close()
  })

  it("because a flush failed keeps the log to its process until there is a copy, which whoever takes over from the dead makes", async () => {
    const path = folder()
    let broken = false
    const { files: real } = faultyFiles()
    const fail = (): void => {
      if (broken) throw Object.assign(new Error("EIO"), { code: "EIO" })
    }
    const failing: typeof real = {
      ...real,
      flushNow: (file) => (fail(), real.flushNow(file)),
      flush: async (file) => (fail(), real.flush(file)),
    }
    const [store, other] = [jsonlStore({ folder: path, files: failing, now }), jsonlStore({ folder: path, now, lockWaitMs: 30 })]
    await store.create({ id: "c" })
    await store.append("c", [say("a", "a")], { durable: false })
    const log = statSync(logOf(path)).ino
    broken = true
    expect((await refusal(store.append("c", [say("b", "b")], { durable: true }))).reason).toBe("unwritable")
    // A flush of the other process would succeed, whatever became of the first entry.
    expect((await refusal(other.append("c", [say("b", "b")], { durable: true }))).reason).toBe("held")
    expect(wordsOf((await other.load("c")).entries)).toEqual(["a"])
    killOwners(path, dead)
    await other.append("c", [say("b", "b")], { durable: true })
    expect(statSync(logOf(path)).ino).not.toBe(log)
    expect(wordsOf((await other.load("c")).entries)).toEqual(["a", "b"])
    await other.close()
  })

  it("because a flush failed leaves the log in a new file, also where that works only later", async () => {
    for (const failures of [1, 2, 3]) {
      const path = folder()
      let left = 0
      let replaced = 0
      const { files: real } = faultyFiles()
      const fail = (): void => {
        if (left === 0) return
        left--
        throw Object.assign(new Error("EIO: flush"), { code: "EIO" })
      }
      const files: typeof real = {
        ...real,
        flushNow: (file) => {
          fail()
          return real.flushNow(file)
        },
        flush: async (file) => {
          fail()
          return real.flush(file)
        },
        rename: (from, to) => {
          if (to === logOf(path)) replaced++
          real.rename(from, to)
        },
      }
      const [store, other] = [jsonlStore({ folder: path, files, now }), jsonlStore({ folder: path, now })]
      await store.create({ id: "c" })
      await store.append("c", [say("a", "a")], { durable: false })
      await other.append("c", [say("b", "b")], { durable: false })
      left = failures
      const reasons: string[] = []
      for (let tries = 0; tries < 4; tries++) {
        const outcome = await store.append("c", [say("c", "c")], { operation: "c", durable: true }).catch((error: StoreError) => error)
        if (!(outcome instanceof StoreError)) break
        reasons.push(outcome.reason)
      }
      expect([failures, reasons.length, replaced, left]).toEqual([failures, Math.max(1, failures - 1), 1, 0])
      await other.append("c", [say("d", "d")], { expectedTip: "c" })
      for (const one of [store, other]) expect(wordsOf((await one.load("c")).entries)).toEqual(["a", "b", "c", "d"])
      await Promise.all([store.close(), other.close()])
    }
  })

  it("in a folder that cannot be written to says so, and reading goes on", async () => {
    const path = folder()
    const writer = jsonlStore({ folder: path, now })
    await writer.create({ id: "c" })
    await writer.append("c", [say("a")])
    await writer.close()
    const { files: real } = faultyFiles()
    const refuse = (): never => {
      throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" })
    }
    const open: typeof real.open = (file, how) => (how === "read" ? real.open(file, how) : refuse())
    const files: typeof real = { ...real, open, link: refuse, rename: refuse, unlink: refuse, makeFolder: refuse }
    const store = jsonlStore({ folder: path, files, now })
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
    expect((await store.list()).conversations).toHaveLength(1)
    await expect(store.append("c", [say("b")])).rejects.toThrow("EROFS")
    await expect(store.create({ id: "d" })).rejects.toThrow("EROFS")
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
    await store.close()
  })
})

describe("a log that was cut", () => {
  it("at any byte of its last operations keeps every whole operation and goes on", async () => {
    const path = folder()
    const store = jsonlStore({ folder: path, now })
    await runScenario(store)
    await store.close()
    const bytes = readFileSync(logOf(path))
    const ends = [...bytes.entries()].flatMap(([index, byte]) => (byte === 0x0a ? [index + 1] : []))
    const last = join(root, "cut")
    const whole = (size: number): readonly string[] => {
      const lines = ends.filter((end) => end <= size || end === size + 1).length
      return ["create", ...steps.slice(0, lines - 1).map(({ operation }) => operation)]
    }
    for (let size = (tryAll ? ends[0] : ends.at(-4)) ?? 0; size <= bytes.length; size++) {
      rmSync(last, { recursive: true, force: true })
      mkdirSync(last)
      copyFileSync(logOf(path), logOf(last))
      truncateSync(logOf(last), size)
      const reopened = jsonlStore({ folder: last, now, durability: "none" })
      const present = (await reopened.load(conversationId)).entries.length
      const expected = steps.slice(0, whole(size).length - 1).flatMap(({ entries }) => entries.filter(({ id }) => id !== undefined))
      expect(present, `cut at ${size}`).toBe(expected.length)
      await reopened.append(conversationId, [{ kind: "message", id: "new", message: user("on") }])
      const { entries, damage } = await reopened.load(conversationId)
      expect(entries).toHaveLength(expected.length + 1)
      // The torn line is ended, not merged with what follows, and its bytes are kept.
      const isWhole = ends.includes(size) || ends.includes(size + 1)
      expect(
        damage.map(({ rule }) => rule),
        `cut at ${size}`,
      ).toEqual(isWhole ? [] : ["torn-line"])
      const after = readFileSync(logOf(last))
      expect(after.subarray(0, size).equals(bytes.subarray(0, size))).toBe(true)
      if (!ends.includes(size)) expect(after[size], `cut at ${size}`).toBe(0x0a)
      await reopened.close()
      const fresh = jsonlStore({ folder: last, now })
      expect((await fresh.load(conversationId)).damage, `cut at ${size}`).toEqual(damage)
      await fresh.close()
    }
  })

  it("in its first line is left alone", async () => {
    const path = folder()
    const store = jsonlStore({ folder: path, now })
    await runScenario(store)
    await store.close()
    const bytes = readFileSync(logOf(path))
    const end = bytes.indexOf(0x0a)
    for (let size = 0; size < end; size++) {
      writeFileSync(logOf(path), bytes.subarray(0, size))
      const reopened = jsonlStore({ folder: path, now })
      expect((await refusal(reopened.load(conversationId))).reason).toBe("unreadable")
      expect((await refusal(reopened.append(conversationId, [say("x")]))).reason).toBe("unreadable")
      expect((await refusal(reopened.create({ id: conversationId }))).reason).toBe("unreadable")
      expect((await reopened.list()).unreadable).toHaveLength(1)
      await reopened.close()
      expect(readFileSync(logOf(path)).equals(bytes.subarray(0, size))).toBe(true)
    }
  })
})
