/**
 * Removal from a folder of conversations when the process dies at any moment of it, and while others look at the folder: the
 * conversation is there whole, or nothing of it is.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jsonlStore, type Store, StoreError } from "../../src/store/index.ts"
import { say, wordsOf } from "./conformance.ts"
import { deadPid, type Fault, faultyFiles, killOwners } from "./faulty-files.ts"
import { tracesOf } from "./traces.ts"

let root = ""
let dead = 0
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-removal-"))
  dead = deadPid()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const newFolder = (): string => {
  const path = join(root, String(count++))
  mkdirSync(path)
  return path
}

const now = (): number => 1_000

/** A folder with two conversations, one of them leased once, whose list was looked at. */
const filled = async (): Promise<string> => {
  const folder = newFolder()
  const store = jsonlStore({ folder, now, checkpointBytes: 1 })
  await store.create({ id: "other", title: "TITLE-other" })
  await store.append("other", [say("WORDS-other")], { durable: false })
  await store.create({ id: "c", title: "TITLE-c" })
  await store.append("c", [say("WORDS-c")])
  await store.release("c", await store.acquire("c", { owner: "somebody", durationMs: 10 }))
  await store.list()
  await store.close()
  return folder
}

const missing = async (store: Store, id: string): Promise<boolean> => {
  try {
    await store.load(id)
    return false
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") return true
    throw error
  }
}

/** Calls of a removal, and of closing the store after it. */
const callsOfRemoval = async (): Promise<readonly string[]> => {
  const { files, names } = faultyFiles()
  const store = jsonlStore({ folder: await filled(), files, now })
  await store.remove("c")
  await store.close()
  return names
}

const expectWholeOrNothing = async (folder: string, what: string): Promise<boolean> => {
  const store = jsonlStore({ folder, now, lockWaitMs: 200 })
  const isGone = await missing(store, "c")
  if (isGone) expect([tracesOf("WORDS-c", folder), tracesOf("TITLE-c", folder)], what).toEqual([[], []])
  else expect([(await store.load("c")).title, ...wordsOf((await store.load("c")).entries)], what).toEqual(["TITLE-c", "WORDS-c"])
  expect(wordsOf((await store.load("other")).entries), what).toEqual(["WORDS-other"])
  expect((await store.list()).conversations.map(({ id }) => id).toSorted(), what).toEqual(isGone ? ["other"] : ["c", "other"])
  if (!isGone) await store.remove("c")
  await store.create({ id: "last" })
  await store.remove("last")
  await store.close()
  // Whatever the dead one left is gone after the next removal, but for a badge it had not finished: that names no conversation.
  expect(readdirSync(folder).toSorted(), what).toEqual([".index.json", ".owners", "other.index", "other.jsonl"])
  expect(
    readdirSync(join(folder, ".owners")).filter((name) => /(?<!\.badge)\.tmp$/.test(name)),
    what,
  ).toEqual([])
  expect([tracesOf("WORDS-c", folder), tracesOf("TITLE-c", folder)], what).toEqual([[], []])
  return isGone
}

const tryFault = async (fault: Fault, what: string): Promise<boolean> => {
  const folder = await filled()
  const { files } = faultyFiles(fault)
  const store = jsonlStore({ folder, files, now, lockWaitMs: 200 })
  await store.remove("c").catch((error: unknown) => expect(error, what).toBeInstanceOf(StoreError))
  await store.close()
  if (fault.lasts === "dead" && readdirSync(folder).includes(".owners")) killOwners(folder, dead)
  return expectWholeOrNothing(folder, what)
}

describe("a removal", () => {
  it("that dies at any call leaves the conversation or nothing", async () => {
    const outcomes = new Set<boolean>()
    for (const [call, name] of (await callsOfRemoval()).entries()) {
      outcomes.add(await tryFault({ call, code: "EIO", lasts: "dead" }, `death at call ${call} (${name})`))
    }
    expect(outcomes.size).toBe(2)
  })

  it("in which any call fails once leaves the conversation or nothing", async () => {
    for (const [call, name] of (await callsOfRemoval()).entries()) {
      await tryFault({ call, code: "EIO", lasts: "once" }, `EIO in call ${call} (${name})`)
    }
  })

  it("takes away what a process that died left unfinished", async () => {
    const folder = await filled()
    const { files } = faultyFiles()
    // Dies after the writing of a copy, before that has its name.
    const link: typeof files.link = (from, to) => {
      if (to.endsWith("fork.jsonl")) throw Object.assign(new Error("EIO"), { code: "EIO" })
      files.link(from, to)
    }
    const unlink: typeof files.unlink = (path) => {
      if (!path.endsWith(".tmp")) files.unlink(path)
    }
    const dying = jsonlStore({ folder, files: { ...files, link, unlink }, now })
    const remover = jsonlStore({ folder, now })
    await remover.append("c", [say("more WORDS-c")])
    await dying.fork("c", { id: "fork" }).catch(() => {})
    expect(tracesOf("WORDS-c", join(folder, ".owners"))).toHaveLength(1)
    // Only the dying one is dead; the remover keeps its own badge.
    const [unfinished = ""] = tracesOf("WORDS-c", join(folder, ".owners"))
    const badge = join(folder, ".owners", unfinished.split(".")[0] ?? "")
    writeFileSync(badge, JSON.stringify({ ...(JSON.parse(readFileSync(badge, "utf8")) as object), pid: dead }))
    await remover.remove("c")
    expect(tracesOf("WORDS-c", folder)).toEqual([])
    await remover.close()
  })

  it("keeps the title out of the list that others write at the same time", async () => {
    const folder = newFolder()
    const stores = Array.from({ length: 3 }, () => jsonlStore({ folder, now }))
    const [remover, ...others] = stores as [Store, Store, Store]
    for (let round = 0; round < 30; round++) {
      await remover.create({ id: `c${round}`, title: `TITLE-${round}.` })
      await Promise.all([...others.map((store) => store.list()), remover.remove(`c${round}`), ...others.map((store) => store.list())])
      expect(tracesOf(`TITLE-${round}.`, folder), `round ${round}`).toEqual([])
    }
    await Promise.all(stores.map((store) => store.close()))
    expect(tracesOf("TITLE-", folder)).toEqual([])
  })

  it("of many conversations writes the list once", async () => {
    const folder = newFolder()
    const { files, names } = faultyFiles()
    const store = jsonlStore({ folder, files, now })
    for (let index = 0; index < 40; index++) await store.create({ id: `c${index}`, title: "t" })
    await store.list()
    const before = names.filter((name) => name === "rename").length
    for (let index = 0; index < 30; index++) await store.remove(`c${index}`)
    await store.close()
    expect(names.filter((name) => name === "rename").length - before).toBe(1)
    const again = jsonlStore({ folder, now })
    expect((await again.list()).conversations).toHaveLength(10)
    await again.close()
  })

  it("leaves the lease of a conversation whose name looks like a lock's alone", async () => {
    const folder = newFolder()
    const store = jsonlStore({ folder, now })
    for (const id of ["a.lock", "a.lock.unreadable", "b"]) await store.create({ id })
    for (const id of ["a.lock", "a.lock.unreadable"]) await store.acquire(id, { owner: "me", durationMs: 100 })
    await store.remove("b")
    await store.close()
    expect(readdirSync(folder).filter((name) => name.endsWith(".lease"))).toHaveLength(2)
  })
})
