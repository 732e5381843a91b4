/** Locks that were left behind, held by the living, or held on another machine; and file systems without links. */
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { FileLocks } from "../../src/store/jsonl/file-lock.ts"
import { type Files, nodeFiles } from "../../src/store/jsonl/files.ts"
import { jsonlStore, StoreError } from "../../src/store/index.ts"
import { refusal, say, wordsOf } from "./conformance.ts"
import { deadPid, killOwners } from "./faulty-files.ts"

let folder = ""
let lock = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ligature-lock-"))
  lock = join(folder, "c.lock")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const locks = (files: Files = nodeFiles, waitMs = 30, foreignMs = 40): FileLocks => new FileLocks(files, folder, { waitMs, foreignMs })

const acquired = async (owner: FileLocks): Promise<void> => owner.acquire(lock)

const systemOf = (path: string): string => (JSON.parse(readFileSync(path, "utf8")) as { readonly system: string }).system

const noLinks: Files = {
  ...nodeFiles,
  link: () => {
    throw Object.assign(new Error("EPERM: no links here"), { code: "EPERM" })
  },
}

describe("a lock", () => {
  it("belongs to one at a time, and the refusal names the holder and the way out", async () => {
    const [first, second] = [locks(), locks()]
    await first.acquire(lock)
    const error = await refusal(acquired(second))
    expect([error.reason, error.holder?.startsWith(`process ${process.pid} on `)]).toEqual(["held", true])
    expect(error.message).toContain("delete that file")
    first.release(lock)
    await second.acquire(lock)
    second.release(lock)
    first.close()
    second.close()
    expect(readdirSync(join(folder, ".owners"))).toEqual([])
  })

  it("is handed on as soon as it is free", async () => {
    const [first, second] = [locks(nodeFiles, 5_000), locks(nodeFiles, 5_000)]
    await first.acquire(lock)
    const waiting = second.acquire(lock)
    setTimeout(() => first.release(lock), 20)
    await waiting
    second.release(lock)
  })

  it("of a dead process is removed, by one of many", async () => {
    const dead = locks()
    await dead.acquire(lock)
    killOwners(folder, deadPid())
    const heirs = Array.from({ length: 6 }, () => locks(nodeFiles, 5_000))
    let holders = 0
    await Promise.all(
      heirs.map(async (heir) => {
        await heir.acquire(lock)
        expect(++holders).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 1))
        holders--
        heir.release(lock)
      }),
    )
    expect(readdirSync(folder)).toEqual([".owners"])
  })

  it("of a process whose number was given to another is removed", async () => {
    const dead = locks()
    await dead.acquire(lock)
    const badge = JSON.parse(readFileSync(lock, "utf8")) as { started?: string }
    if (badge.started === undefined) return
    writeFileSync(lock, JSON.stringify({ ...badge, started: "1" }))
    await locks().acquire(lock)
  })

  it("whose remover died as well is removed in turn", async () => {
    const dead = locks()
    await dead.acquire(lock)
    const { badge } = JSON.parse(readFileSync(lock, "utf8")) as { badge: string }
    const remover = locks()
    await remover.acquire(`${lock}.${badge}`)
    killOwners(folder, deadPid())
    const heir = locks()
    await heir.acquire(lock)
    heir.release(lock)
    expect(readdirSync(folder)).toEqual([".owners"])
  })

  it("of another machine is respected while it moves, and removed when it stands still", async () => {
    const far = join(folder, "far")
    const badge = { badge: "far", host: "another machine", system: "another machine", pid: 1 }
    writeFileSync(far, JSON.stringify(badge))
    linkSync(far, lock)
    const moving = setInterval(() => {
      rmSync(lock, { force: true })
      linkSync(far, lock)
    }, 5)
    const error = await refusal(acquired(locks(nodeFiles, 60, 400)))
    clearInterval(moving)
    expect([error.reason, error.holder]).toEqual(["held", "process 1 on another machine"])
    if (!existsSync(lock)) linkSync(far, lock)
    await locks(nodeFiles, 60, 40).acquire(lock)
  })

  it("that cannot be read is removed when it stands still", async () => {
    writeFileSync(lock, "")
    await locks(nodeFiles, 60, 40).acquire(lock)
  })

  it("works where the file system has no links", async () => {
    const [first, second] = [locks(noLinks), locks(noLinks)]
    await first.acquire(lock)
    expect((await refusal(acquired(second))).reason).toBe("held")
    first.release(lock)
    await second.acquire(lock)
    second.release(lock)
    const store = jsonlStore({ folder, files: noLinks })
    await store.create({ id: "c" })
    await store.append("c", [say("a")])
    expect((await refusal(store.create({ id: "c" }))).reason).toBe("exists")
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a"])
    await store.close()
  })

  it("that could not be released is taken again by its own store, and an append that was written stays acknowledged", async () => {
    let stuck = false
    const files: Files = {
      ...nodeFiles,
      unlink: (path) => {
        if (stuck && path.endsWith(".lock")) throw Object.assign(new Error("EIO"), { code: "EIO" })
        nodeFiles.unlink(path)
      },
    }
    const store = jsonlStore({ folder, files })
    await store.create({ id: "c" })
    stuck = true
    await store.append("c", [say("a")])
    expect(existsSync(lock)).toBe(true)
    stuck = false
    await store.append("c", [say("b")])
    expect(existsSync(lock)).toBe(false)
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
    await store.close()
  })
})

describe("what lies beside the logs", () => {
  it("is swept up when its owner died", async () => {
    const owners = join(folder, ".owners")
    mkdirSync(owners)
    const badge = (name: string, pid: number): void =>
      writeFileSync(join(owners, name), JSON.stringify({ badge: name, host: "h", system: systemOf(lock), pid }))
    const living = locks()
    await living.acquire(lock)
    badge("gone", deadPid())
    badge("here", process.pid)
    writeFileSync(join(owners, "gone.3.tmp"), "half")
    writeFileSync(join(owners, "here.3.tmp"), "half")
    await locks().acquire(join(folder, "other.lock"))
    const names = readdirSync(owners)
    expect([names.includes("gone"), names.includes("gone.3.tmp"), names.includes("here"), names.includes("here.3.tmp")]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it("may be lost: the index is made again, also when it is nonsense", async () => {
    const store = jsonlStore({ folder, now: () => 1 })
    for (const id of ["a", "b"]) await store.create({ id, title: id })
    const before = await store.list()
    await store.close()
    expect(readdirSync(folder)).toContain(".index.json")
    const nonsense = ["", "{", "[]", '{"version":1,"logs":[["a.jsonl",{"record":{}}],7]}', '{"version":99,"logs":[]}']
    for (const text of nonsense) {
      writeFileSync(join(folder, ".index.json"), text)
      const again = jsonlStore({ folder, now: () => 1 })
      expect(await again.list()).toEqual(before)
      await again.append("a", [{ kind: "rename", title: `after ${text}` }])
      await again.append("a", [{ kind: "rename", title: "a" }])
      expect(await again.list()).toEqual(before)
      await again.close()
    }
    rmSync(join(folder, ".index.json"))
    const last = jsonlStore({ folder })
    expect(await last.list()).toEqual(before)
    await last.close()
  })

  it("lists a conversation once, and names a copy of its log that goes by another name", async () => {
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    copyFileSync(join(folder, "c.jsonl"), join(folder, "d.jsonl"))
    for (const again of [1, 2]) {
      const { conversations, unreadable } = await store.list()
      expect(conversations.map(({ id }) => id), String(again)).toEqual(["c"])
      expect(unreadable).toEqual([{ name: "d.jsonl", why: 'it is of another conversation, "c"' }])
    }
    await store.close()
  })

  it("is made again when somebody took it away while the store was open", async () => {
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    rmSync(folder, { recursive: true })
    await store.create({ id: "d" })
    await store.append("d", [say("a")])
    expect((await store.list()).conversations.map(({ id }) => id)).toEqual(["d"])
    await store.close()
  })

  it("is named where the system does not say which file it could not read", async () => {
    mkdirSync(join(folder, "c.jsonl"))
    const error = await refusal(jsonlStore({ folder }).load("c"))
    expect([error.reason, error.message]).toEqual(["unreadable", expect.stringContaining(`EISDIR`)])
    expect(error.message).toContain(folder)
  })

  it("names leases that cannot be read instead of guessing", async () => {
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    await store.append("c", [say("a")])
    writeFileSync(join(folder, "c.lease"), '[{"slot":"write"}]')
    const error = await refusal(store.append("c", [say("b")]))
    expect(error).toBeInstanceOf(StoreError)
    expect([error.reason, error.message.includes("c.lease")]).toEqual(["unreadable", true])
    rmSync(join(folder, "c.lease"))
    await store.append("c", [say("b")])
    await store.close()
  })
})
