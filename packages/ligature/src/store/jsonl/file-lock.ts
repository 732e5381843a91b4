/**
 * The lock around one commit, so that two processes cannot interleave. It is held for the moment of a write, not while a
 * conversation is open; who may write over a longer time is said by leases.
 *
 * A process describes itself once, in a file of its own (the badge). To lock is to link the badge under the lock's name,
 * which is atomic, fails when the name exists, and never shows a lock without its owner. To unlock is to unlink.
 *
 * A holder that died leaves its lock behind. Such a lock is taken away where it is certain that the holder is dead (see
 * host.ts), and never otherwise: a file system has no way to refuse the late write of a holder that was only paused, so
 * time says nothing. Where it is not certain, a person has to say so (`breakLock`).
 *
 * Between machines a file system promises less than a lock needs: what one wrote may lie in its cache while another one
 * reads. So a folder is written from one machine at a time. The badges say which; whoever finds one of another machine
 * that may still be there does not write.
 *
 * Taking over a dead lock is itself a race: two may see it, and the slower one could take away the lock the faster one has
 * just got. So whoever takes over the lock of badge B must first hold the lock `<lock>.<B>`, and looks again. B is dead and
 * never comes back, so while that second lock is held nobody else replaces the first. If that process dies too, the second
 * lock is a dead lock like any other, taken over in the same way.
 *
 * The dead lock is replaced, not removed: its holder died at work, and only whoever holds the lock next is told so.
 */
import { dirname, join } from "node:path"
import { StoreError } from "../store-error.ts"
import { attempt, errorCode, type Files, writeAll } from "./files.ts"
import { type Badge, isElsewhere, type Life, lifeOf, nameOf, ownBadge, readBadge } from "./host.ts"

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const badgeFolder = ".owners"

/** Where files cannot be linked. */
const cannotLink: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** Sooner than this nobody breaks a lock by hand. */
const doubtMs = 100

/** Whose lock it is, as far as it says so. */
interface Holder {
  readonly name: string
  readonly life: Life
}

interface Held {
  readonly badge: Badge | undefined
  readonly life: Life
}

/** The lock that whoever removes a lock must hold. */
const secondOf = (path: string, { badge }: Held): string => `${path}.${badge?.badge ?? "unreadable"}`

/** Takes and gives back the locks of one store. */
export class FileLocks {
  readonly #files: Files
  readonly #folder: string
  /** How long to wait for a living holder, in milliseconds. */
  readonly #waitMs: number
  #own: Badge | undefined
  #badgePath = ""
  #written = false
  #temporaries = 0
  /** When each lock was taken. */
  readonly #taken = new Map<string, number>()

  constructor(files: Files, folder: string, waitMs: number) {
    this.#files = files
    this.#folder = join(folder, badgeFolder)
    this.#waitMs = waitMs
  }

  /**
   * Takes the lock, at once when it is free. Throws `held` with the holder when it does not come free in time. True: it was left
   * behind, by a process that died or by ourselves, so that what was done under it may not be finished.
   */
  acquire(path: string): Promise<boolean> | undefined {
    return this.#take(path) ? undefined : this.#wait(path)
  }

  async #wait(path: string): Promise<boolean> {
    const start = performance.now()
    let isLeft = false
    for (let round = 0; round === 0 || !this.#take(path); round++) {
      const held = this.#look(path)
      // Our own: within a store, one conversation does one thing at a time.
      isLeft = held?.badge?.badge === this.#badge.badge || (held?.life === "dead" && (await this.#takeOver(path, held)))
      if (isLeft) break
      if (held?.life === "dead") continue
      const waited = performance.now() - start
      if (waited > this.#waitMs) throw heldBy(path, held, waited)
      await pause(Math.min(20, 0.5 + round * Math.random() * 2))
    }
    this.#taken.set(path, performance.now())
    return isLeft
  }

  /**
   * Never throws: what was done under the lock is done. A lock that cannot be taken away is taken again by its own store,
   * and by others once this process is gone.
   */
  release(path: string): void {
    const mine = this.holds(path)
    this.#taken.delete(path)
    if (!mine) return
    for (let tries = 0; tries < 3; tries++) if (attempt(() => this.#files.unlink(path))) return
  }

  /** Whether the lock that was taken is still ours. Only a person can have broken it, and only if we took very long. */
  holds(path: string): boolean {
    const since = this.#taken.get(path)
    if (since === undefined) return false
    return performance.now() - since < doubtMs || this.#look(path)?.badge?.badge === this.#badge.badge
  }

  /** Who holds a lock, if anybody does. */
  holderOf(path: string): Holder | undefined {
    const held = this.#look(path)
    return held && { name: held.badge ? nameOf(held.badge) : "an unknown process", life: held.life }
  }

  /**
   * Takes a lock over from a holder of whom nothing is known: the next `acquire` finds it as our own. For a person who knows that
   * the holder is gone.
   */
  async breakLock(path: string): Promise<void> {
    const held = this.#look(path)
    if (!held || held.life === "alive") return
    // Somebody may have died while taking it over.
    await this.breakLock(secondOf(path, held))
    await this.#takeOver(path, held)
  }

  /** Other machines that may write to this folder. */
  otherMachines(): readonly string[] {
    return this.#badges().flatMap(({ badge }) => (badge && this.#isForeign(badge) ? [nameOf(badge)] : []))
  }

  /** Forgets other machines; as for `breakLock`. */
  forgetMachines(): void {
    for (const { name, badge } of this.#badges()) {
      if (badge && this.#isForeign(badge)) attempt(() => this.#files.unlink(join(this.#folder, name)))
    }
  }

  /** A name for a file that is not finished; swept up when this process dies. */
  temporaryPath(): string {
    // Somebody may have emptied the folder since.
    if (!this.#written || !this.#files.exists(this.#badgePath)) this.#writeBadge()
    return join(this.#folder, `${this.#badge.badge}.${this.#temporaries++}.tmp`)
  }

  /** Takes the own badge away. */
  close(): void {
    if (this.#written) attempt(() => this.#files.unlink(this.#badgePath))
    this.#written = false
  }

  get #badge(): Badge {
    if (this.#own) return this.#own
    const own = ownBadge(this.#files.exists(this.#folder) ? this.#folder : dirname(this.#folder))
    this.#badgePath = join(this.#folder, own.badge)
    return (this.#own = own)
  }

  #isForeign(other: Badge): boolean {
    return isElsewhere(other, this.#badge) && lifeOf(other, this.#badge) === "unknown"
  }

  /** Undefined: there is no such lock. */
  #look(path: string): Held | undefined {
    try {
      const badge = readBadge(this.#files.readWhole(path).toString("utf8"))
      return { badge, life: lifeOf(badge, this.#badge) }
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined
      throw error
    }
  }

  #take(path: string): boolean {
    if (!this.#written) this.#writeBadge()
    if (!this.#link(path)) return false
    this.#taken.set(path, performance.now())
    return true
  }

  #link(path: string): boolean {
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
      if (cannotLink.has(code)) return this.#create(path)
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
      writeAll(this.#files, file, Buffer.from(JSON.stringify(this.#badge)))
    } catch (error) {
      attempt(() => this.#files.unlink(path))
      throw error
    } finally {
      this.#files.close(file)
    }
    return true
  }

  /** Of two machines that begin at the same time, at least one sees the badge of the other: each looks after writing its own. */
  #writeBadge(): void {
    this.#files.makeFolder(this.#folder)
    this.#putBadge(this.#badge)
    const other = this.#sweep()
    if (other) {
      attempt(() => this.#files.unlink(this.#badgePath))
      throw heldElsewhere(this.#folder, other, this.#badge)
    }
    this.#written = true
  }

  /** It appears whole, by a link. Where files cannot be linked, nothing follows from a badge or lock that cannot be read. */
  #putBadge(own: Badge): void {
    const temporary = `${this.#badgePath}.badge.tmp`
    this.#create(temporary)
    try {
      this.#files.link(temporary, this.#badgePath)
    } catch (error) {
      const code = errorCode(error)
      if (code === "EEXIST") return
      if (!cannotLink.has(code)) throw error
      this.#own = { ...own, disk: "shared" }
      this.#create(this.#badgePath)
    } finally {
      attempt(() => this.#files.unlink(temporary))
    }
  }

  /** Takes away badges and unfinished files of processes that died without doing it. */
  sweep(): void {
    attempt(() => this.#sweep())
  }

  /** What others left. One that is gone by now, or cannot be opened, is left out. */
  #badges(): readonly { readonly name: string; readonly badge: Badge | undefined; readonly life: Life }[] {
    if (!this.#files.exists(this.#folder)) return []
    const names = this.#files.names(this.#folder).filter((name) => !name.endsWith(".tmp") && name !== this.#badge.badge)
    return names.flatMap((name) => {
      let held: Held | undefined
      attempt(() => void (held = this.#look(join(this.#folder, name))))
      return held ? [{ name, badge: held.badge, life: held.life }] : []
    })
  }

  /** Removes what processes left that died. Gives the badge of another machine, if there is one. */
  #sweep(): Badge | undefined {
    const badges = this.#badges()
    const dead = new Set(badges.flatMap(({ name, life }) => (life === "dead" ? [name] : [])))
    if (dead.size > 0) {
      for (const name of this.#files.names(this.#folder)) {
        if (dead.has(name.split(".")[0] ?? "")) attempt(() => this.#files.unlink(join(this.#folder, name)))
      }
    }
    return badges.find(({ badge }) => badge && this.#isForeign(badge))?.badge
  }

  /** Puts our lock in the place of one that nobody will use any more; see above. False: somebody else was faster. */
  async #takeOver(path: string, held: Held): Promise<boolean> {
    const { badge } = held
    const second = secondOf(path, held)
    await this.acquire(second)
    const temporary = this.temporaryPath()
    try {
      const now = this.#look(path)
      if (!now || now.life === "alive" || now.badge?.badge !== badge?.badge || !this.#link(temporary)) return false
      this.#files.rename(temporary, path)
      return true
    } catch (error) {
      attempt(() => this.#files.unlink(temporary))
      throw error
    } finally {
      this.release(second)
    }
  }
}

/** For a person who knows what cannot be seen from here. */
const wayOut = "If that process is gone, run `ligature log unlock ID --force`"

const heldBy = (path: string, held: Held | undefined, waitedMs: number): StoreError => {
  const who = held?.badge ? nameOf(held.badge) : "an unknown process"
  const rest = held?.life === "alive" ? "It is running" : `Whether it is running cannot be seen from here. ${wayOut}`
  return new StoreError("held", `${path} is held by ${who}; waited ${Math.round(waitedMs)} ms. ${rest}`, { holder: who })
}

const heldElsewhere = (folder: string, other: Badge, own: Badge): StoreError => {
  const who = nameOf(other)
  return new StoreError(
    "held",
    `${dirname(folder)} is in use by ${who}, and this is ${own.host}. A folder of conversations can be written from one machine at a time; ` +
      `several machines need the PostgreSQL store. ${wayOut}`,
    { holder: who },
  )
}
