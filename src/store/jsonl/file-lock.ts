/**
 * The lock around one commit, so that two processes cannot interleave. It is held for the moment of a write, not while a
 * conversation is open; who may write over a longer time is said by leases.
 *
 * A process describes itself once, in a file of its own (the badge). To lock is to link the badge under the lock's name,
 * which is atomic, fails when the name exists, and never shows a lock without its owner. To unlock is to unlink.
 *
 * A holder that died leaves its lock behind. On the same machine it is known to be dead when its process is gone, or when
 * its number belongs to a process that started at another time. On another machine nothing can be asked: there, a lock
 * that does not move for `foreignMs` while we look is taken for dead. A living holder on this machine is never robbed.
 *
 * Removing a dead lock is itself a race: two may see it, and the slower one could remove the lock the faster one has just
 * taken. So whoever removes the lock of badge B must first hold the lock `<lock>.<B>`, and looks again. B is dead and
 * never comes back, so while that second lock is held nobody else removes or replaces the first. If the remover dies too,
 * the second lock is a dead lock like any other, removed in the same way.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { isWire } from "../../model/index.ts"
import { newConversationId } from "../new-id.ts"
import { StoreError } from "../store-error.ts"
import { attempt, errorCode, type Files, writeAll } from "./files.ts"

export interface LockOptions {
  /** How long to wait for a living holder, in milliseconds. */
  readonly waitMs: number
  /** How long the lock of another machine must stand still before it counts as dead. */
  readonly foreignMs: number
}

interface Badge {
  readonly badge: string
  /** For people. */
  readonly host: string
  /** Where process numbers mean the same: one machine, since it was started, outside or inside of one container. */
  readonly system: string
  readonly pid: number
  /** When the process started, where the system tells. */
  readonly started: string | undefined
}

/** The 22nd field of /proc/<pid>/stat; the name in front of it may hold spaces and parentheses. */
const startOf = (pid: number | "self"): string | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

const systemHere = (): string => {
  const parts = [hostname()]
  attempt(() => void parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()))
  attempt(() => void parts.push(readlinkSync("/proc/self/ns/pid")))
  return parts.join(" ")
}

const isAlive = ({ pid, started }: Badge): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false
  }
  const now = startOf(pid)
  return started === undefined || now === undefined || now === started
}

const readBadge = (files: Files, path: string): Badge | undefined => {
  try {
    const value: unknown = JSON.parse(files.readWhole(path).toString("utf8"))
    if (!isWire(value)) return undefined
    const { badge, host, system, pid, started } = value
    if (typeof badge !== "string" || typeof host !== "string" || typeof pid !== "number") return undefined
    return {
      badge,
      host,
      system: typeof system === "string" ? system : "",
      pid,
      started: typeof started === "string" ? started : undefined,
    }
  } catch {
    return undefined
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const badgeFolder = ".owners"

/** Takes and gives back the locks of one store. */
export class FileLocks {
  readonly #files: Files
  readonly #folder: string
  readonly #options: LockOptions
  readonly #own: Badge = {
    badge: newConversationId(),
    host: hostname(),
    system: systemHere(),
    pid: process.pid,
    started: startOf("self"),
  }
  readonly #badgePath: string
  #written = false
  #temporaries = 0

  constructor(files: Files, folder: string, options: LockOptions) {
    this.#files = files
    this.#folder = join(folder, badgeFolder)
    this.#badgePath = join(this.#folder, this.#own.badge)
    this.#options = options
  }

  /** Takes the lock, at once when it is free. Throws `held` with the holder when it does not come free in time. */
  acquire(path: string): Promise<void> | undefined {
    return this.#take(path) ? undefined : this.#wait(path)
  }

  async #wait(path: string): Promise<void> {
    const start = performance.now()
    let watched = ""
    let watchedSince = start
    for (let round = 0; round === 0 || !this.#take(path); round++) {
      const holder = readBadge(this.#files, path)
      // Left behind by a release that failed: within a store, one conversation does one thing at a time.
      if (holder?.badge === this.#own.badge) return
      const mark = this.#files.stateAt(path)?.mark ?? ""
      if (mark !== watched) [watched, watchedSince] = [mark, performance.now()]
      const still = performance.now() - watchedSince
      const isForeign = holder?.system !== this.#own.system
      const isDead = isForeign ? mark !== "" && still > this.#options.foreignMs : !isAlive(holder)
      if (isDead && (await this.#remove(path, holder, mark))) continue
      const waited = performance.now() - start
      if (waited > this.#options.waitMs + (isForeign ? this.#options.foreignMs : 0)) throw heldBy(path, holder, waited)
      await pause(Math.min(20, 0.5 + round * Math.random() * 2))
    }
  }

  /**
   * Never throws: what was done under the lock is done. A lock that cannot be taken away is taken again by its own store,
   * and by others once this process is gone.
   */
  release(path: string): void {
    for (let tries = 0; tries < 3; tries++) if (attempt(() => this.#files.unlink(path))) return
  }

  /** A name for a file that is not finished; swept up when this process dies. */
  temporaryPath(): string {
    // Somebody may have emptied the folder since.
    if (!this.#written || !this.#files.exists(this.#badgePath)) this.#writeBadge()
    return join(this.#folder, `${this.#own.badge}.${this.#temporaries++}.tmp`)
  }

  /** Takes the own badge away. */
  close(): void {
    if (this.#written) attempt(() => this.#files.unlink(this.#badgePath))
    this.#written = false
  }

  #take(path: string): boolean {
    if (!this.#written) this.#writeBadge()
    try {
      this.#files.link(this.#badgePath, path)
      return true
    } catch (error) {
      const code = errorCode(error)
      if (code === "EEXIST") return false
      if (code === "ENOENT" && !this.#files.exists(this.#badgePath)) {
        this.#written = false
        this.#writeBadge()
        return false
      }
      if (code === "EPERM" || code === "ENOTSUP" || code === "EOPNOTSUPP" || code === "ENOSYS" || code === "EMLINK") {
        return this.#create(path)
      }
      throw error
    }
  }

  /** Where the file system has no links: a file of its own. Whoever reads it before it is written waits. */
  #create(path: string): boolean {
    let file: number
    try {
      file = this.#files.open(path, "create")
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false
      throw error
    }
    try {
      writeAll(this.#files, file, Buffer.from(JSON.stringify(this.#own)))
    } catch (error) {
      attempt(() => this.#files.unlink(path))
      throw error
    } finally {
      this.#files.close(file)
    }
    return true
  }

  #writeBadge(): void {
    this.#files.makeFolder(this.#folder)
    this.#sweep()
    this.#create(this.#badgePath)
    this.#written = true
  }

  /** Badges and unfinished files of processes that died without taking them away. */
  #sweep(): void {
    const names = this.#files.names(this.#folder)
    const dead = new Set<string>()
    for (const name of names) {
      if (name.endsWith(".tmp")) continue
      const badge = readBadge(this.#files, join(this.#folder, name))
      if (badge && badge.system === this.#own.system && !isAlive(badge)) dead.add(name)
    }
    for (const name of names) {
      const [owner = ""] = name.split(".")
      if (dead.has(owner)) attempt(() => this.#files.unlink(join(this.#folder, name)))
    }
  }

  /** Removes a dead lock; see above. True when the caller should try again at once. */
  async #remove(path: string, dead: Badge | undefined, mark: string): Promise<boolean> {
    const second = `${path}.${dead?.badge ?? "unreadable"}`
    await this.acquire(second)
    try {
      const now = readBadge(this.#files, path)
      const same = now?.badge === dead?.badge && (dead !== undefined || this.#files.stateAt(path)?.mark === mark)
      if (same && this.#files.exists(path)) this.#files.unlink(path)
    } finally {
      this.release(second)
    }
    return true
  }
}

const heldBy = (path: string, holder: Badge | undefined, waitedMs: number): StoreError => {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : "somebody unknown"
  return new StoreError("held", `${path} is held by ${who}; waited ${Math.round(waitedMs)} ms. If it is gone, delete that file`, {
    holder: who,
  })
}
