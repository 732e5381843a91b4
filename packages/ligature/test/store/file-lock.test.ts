/** Locks that were left behind, held by the living, or held on another machine; and file systems without links. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

const locks = (files: Files = nodeFiles, waitMs = 30): FileLocks => new FileLocks(files, folder, waitMs)

const acquired = async (owner: FileLocks): Promise<boolean> => (await owner.acquire(lock)) ?? false

const inContainer = (system: string): string => `${system.split(" ").slice(0, 2).join(" ")} pid:[1]`
const inEarlierBoot = (system: string): string => system.replace(/ [^ ]+ /, " earlier ")
const hasBootId = existsSync("/proc/sys/kernel/random/boot_id")

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
    expect(error.message).toContain("It is running")
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
    let told = 0
    await Promise.all(
      heirs.map(async (heir) => {
        if (await acquired(heir)) told++
        expect(++holders).toBe(1)
        await new Promise((resolve) => setTimeout(resolve, 1))
        holders--
        heir.release(lock)
      }),
    )
    expect(told).toBe(1)
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

  it("of another container is never taken away, however long it stays; a person can break it", async () => {
    const holder = locks()
    await holder.acquire(lock)
    const badge = JSON.parse(readFileSync(lock, "utf8")) as { readonly system: string }
    // As it would look from a container: the same kernel, other processes.
    writeFileSync(lock, JSON.stringify({ ...badge, host: "a container", system: inContainer(badge.system), pid: 7 }))
    const other = locks()
    for (const again of [1, 2]) {
      const error = await refusal(acquired(other))
      expect([error.reason, error.holder], String(again)).toEqual(["held", "process 7 on a container"])
      expect(error.message).toContain("ligature log unlock ID --force")
    }
    expect(other.holderOf(lock)).toEqual({ name: "process 7 on a container", life: "unknown" })
    await other.breakLock(lock)
    expect(other.holderOf(lock)?.life).toBe("alive")
    expect(await acquired(other)).toBe(true)
    other.release(lock)
    expect([other.holderOf(lock), await acquired(locks())]).toEqual([undefined, false])
  })

  it("of a living process of this machine is not broken by a person either", async () => {
    const [holder, other] = [locks(), locks()]
    await holder.acquire(lock)
    expect(other.holderOf(lock)?.life).toBe("alive")
    await other.breakLock(lock)
    expect(existsSync(lock)).toBe(true)
  })

  it.runIf(hasBootId)("of a process that ran before this machine was started is removed, on a disk of its own", async () => {
    const dead = locks()
    await dead.acquire(lock)
    const badge = JSON.parse(readFileSync(lock, "utf8")) as { readonly system: string }
    const earlier = { ...badge, system: inEarlierBoot(badge.system), pid: process.pid }
    writeFileSync(lock, JSON.stringify({ ...earlier, disk: "shared" }))
    expect((await refusal(acquired(locks()))).reason).toBe("held")
    writeFileSync(lock, JSON.stringify({ ...earlier, disk: "own" }))
    await locks().acquire(lock)
  })

  it.runIf(hasBootId)(
    "that lost its contents in a power cut is removed, and where files cannot be linked it may be one that is just written",
    async () => {
      writeFileSync(lock, "")
      const error = await refusal(acquired(locks(noLinks)))
      expect([error.reason, error.holder]).toEqual(["held", "an unknown process"])
      mkdirSync(join(folder, ".owners"), { recursive: true })
      writeFileSync(join(folder, ".owners", "lost"), "")
      await locks().acquire(lock)
      expect(readdirSync(join(folder, ".owners"))).not.toContain("lost")
    },
  )

  it("that was broken while its holder took long is not released again, and what was written is not acknowledged", async () => {
    let stalls = false
    const stall = (): void => {
      if (!stalls) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120)
      writeFileSync(lock, JSON.stringify({ badge: "successor", host: "h", system: "s", pid: 1 }))
    }
    const files: Files = {
      ...nodeFiles,
      flushNow: (file) => {
        stall()
        return nodeFiles.flushNow(file)
      },
      flush: (file) => {
        stall()
        return nodeFiles.flush(file)
      },
    }
    const store = jsonlStore({ folder, files })
    await store.create({ id: "c" })
    await store.append("c", [say("a", "a")])
    stalls = true
    const error = await refusal(store.append("c", [say("b", "b")], { operation: "b" }))
    expect([error.reason, error.message]).toEqual(["unwritable", expect.stringContaining("repeat it with its operation id")])
    expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({ badge: "successor" })
    expect(wordsOf((await store.load("c")).entries)).toEqual(["a", "b"])
    stalls = false
    rmSync(lock)
    expect(await store.append("c", [say("b", "b")], { operation: "b" })).toMatchObject({ repeated: true })
    await store.close()
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

describe("a folder that another machine writes to", () => {
  const elsewhere = (name: string): void => {
    mkdirSync(join(folder, ".owners"), { recursive: true })
    const badge = { badge: name, host: "another machine", system: "another-machine boot pid:[1]", pid: 12, disk: "shared" }
    writeFileSync(join(folder, ".owners", name), JSON.stringify(badge))
  }

  it("can be read and not written, and the refusal names the machine and the ways out", async () => {
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    await store.append("c", [say("a")])
    await store.close()
    elsewhere("far")
    const late = jsonlStore({ folder })
    expect(wordsOf((await late.load("c")).entries)).toEqual(["a"])
    for (const write of [
      () => late.append("c", [say("b")]),
      () => late.create({ id: "d" }),
      () => late.acquire("c", { owner: "x", durationMs: 9 }),
    ]) {
      const error = await refusal(write())
      expect([error.reason, error.holder]).toEqual(["held", "process 12 on another machine"])
      expect(error.message).toContain("PostgreSQL")
      expect(error.message).toContain("ligature log unlock ID --force")
    }
    expect(readdirSync(join(folder, ".owners"))).toEqual(["far"])
    rmSync(join(folder, ".owners", "far"))
    await late.append("c", [say("b")])
    await late.close()
  })

  it("is written again when that machine is known to be gone", async () => {
    elsewhere("far")
    const here = locks()
    await refusal((async () => here.acquire(lock))())
    expect(here.otherMachines()).toEqual(["process 12 on another machine"])
    here.forgetMachines()
    await here.acquire(lock)
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
      expect(
        conversations.map(({ id }) => id),
        String(again),
      ).toEqual(["c"])
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
    expect(await store.unlock("c")).toEqual([{ type: "lease", holder: "unknown (the lease file is corrupt)" }])
    await store.unlock("c", { force: true })
    await store.append("c", [say("b")])
    // Whoever held a lease before can have had a generation that was counted from 1, and no later one.
    expect((await store.acquire("c", { owner: "x", durationMs: 1 })).generation).toBeGreaterThan(1_000_000)
    await store.close()
  })
})
