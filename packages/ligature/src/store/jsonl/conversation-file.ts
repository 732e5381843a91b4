/**
 * One open conversation: does one thing at a time, and lets appends that come meanwhile share the next commit. What it
 * keeps in memory is the index; contents are read when asked for.
 */
import { dirname } from "node:path"
import type { Diagnostic } from "../../model/index.ts"
import { asRead, type Dump, operationsToAdd, type Restored, type RestoreOptions } from "../dump.ts"
import { formatVersion } from "../entry.ts"
import { breakLeases, guardAppend, guardRemoval, holdingsOf, type LeaseSlots, refusing, writeSlot } from "../lease.ts"
import { loadedFrom } from "../view.ts"
import { type AppendRequest, damageOf } from "../log-index.ts"
import type { Appended, Branch, ConversationRecord, Holding, Loaded, LoadOptions, RemoveOptions } from "../store.ts"
import { asStoreError, insistUnused, missingConversation, missingEntry } from "../store-error.ts"
import { commit, putFreshCopy, type Waiting } from "./commit.ts"
import { writeOperations } from "./create-log.ts"
import type { FileLocks } from "./file-lock.ts"
import { attempt, type Files, type Flusher } from "./files.ts"
import { LeaseFile } from "./lease-file.ts"
import { encodeHeader } from "./line.ts"
import { LogReader, recordOfHeader } from "./log-reader.ts"

export interface ConversationPaths {
  readonly log: string
  readonly checkpoint: string
  readonly lock: string
  readonly lease: string
}

export interface Surroundings {
  readonly files: Files
  readonly flusher: Flusher
  readonly locks: FileLocks
  readonly now: () => number
  readonly newId: () => string
  readonly checkpointBytes: number
}

const leasesIn = (slots: LeaseSlots | undefined): readonly Holding[] =>
  slots ? holdingsOf(slots) : [{ type: "lease", holder: "unknown (the lease file is corrupt)" }]

export class ConversationFile {
  readonly #surroundings: Surroundings
  readonly #paths: ConversationPaths
  readonly #reader: LogReader
  readonly #leases: LeaseFile
  #waiting: Waiting[] = []
  #queue: Promise<unknown> = Promise.resolve()
  #busy = 0
  #writing: { readonly file: number; readonly epoch: number } | undefined
  #unflushed = false
  /** How much of the file that was open then is known to be on the disk. */
  #flushed = { epoch: -1, to: 0 }
  /** What was written since the last flush may never reach the disk: the log has to be copied, and until then the lock is kept. */
  #isDoubtful = false

  constructor(surroundings: Surroundings, paths: ConversationPaths, id: string) {
    this.#surroundings = surroundings
    this.#paths = paths
    const { log: path, checkpoint } = paths
    this.#reader = new LogReader(surroundings.files, { path, checkpoint, stretchBytes: surroundings.checkpointBytes }, id)
    this.#leases = new LeaseFile(surroundings.files, paths.lease, () => surroundings.locks.temporaryPath())
  }

  get isIdle(): boolean {
    return this.#busy === 0
  }

  /** `shorten` is for a lease that refuses it and is too long. */
  append(request: AppendRequest, flush: boolean, shorten: () => Promise<void>): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, flush, resolve, reject: refusing(reject, shorten) })
      if (this.#waiting.length > 1) return
      this.#busy++
      this.#queue = this.#queue.then(this.#commit).then(this.#done)
    })
  }

  readonly #done = (): void => void this.#busy--

  /** Never throws: whoever waits is told. */
  readonly #commit = async (): Promise<void> => {
    let waiting: readonly Waiting[] = []
    try {
      const { unflushed, flushedTo, tell } = await this.#locked(async (slots) => {
        waiting = this.#waiting
        this.#waiting = []
        const { files, flusher, locks, newId, now } = this.#surroundings
        const writing = (): number => this.#openForWriting()
        const holdsLock = (): boolean => locks.holds(this.#paths.lock)
        const temporary = (): string => locks.temporaryPath()
        const unflushed = this.#unflushed
        const flushedTo = this.#flushed.epoch === this.#reader.epoch ? this.#flushed.to : 0
        const surroundings = { files, flusher, writing, slots, now: now(), newId, unflushed, flushedTo, holdsLock, temporary }
        const committed = await commit(this.#reader, waiting, surroundings)
        this.#isDoubtful = committed.isDoubtful
        return committed
      })
      this.#unflushed = unflushed
      this.#flushed = { epoch: this.#reader.epoch, to: flushedTo }
      tell()
    } catch (error) {
      // Before the lock was taken nothing was tried; whoever waited by now hears about it.
      const all = [...waiting, ...this.#waiting]
      this.#waiting = []
      for (const { reject } of all) reject(asStoreError(error, "unwritable", this.#reader.id, dirname(this.#reader.path)))
    }
  }

  load({ at, last }: LoadOptions): Promise<Loaded> {
    return this.#inTurn(async () => {
      const path = await this.#reader.load(at, last)
      if (!path) throw missingEntry(at ?? "", this.#reader.id)
      return loadedFrom({ record: this.#record(), tip: this.#reader.index.tip, ...path, damage: this.#damage() })
    })
  }

  #damage(): readonly Diagnostic[] {
    const { index, scanner } = this.#reader
    if (scanner.fragment === 0) return [...index.damage]
    const what = `The log ends in ${scanner.fragment} bytes of an append that was never acknowledged; they are not used`
    return [...index.damage, damageOf("torn-tail", {}, what, [], "info")]
  }

  dump(): Promise<Dump> {
    return this.#inTurn(() => this.#dump())
  }

  async #dump(): Promise<Dump> {
    const operations = asRead(await this.#reader.operations())
    return { ...this.#reader.header, operations, damage: this.#damage() }
  }

  /** Writes what the dump has beyond the log, and flushes it. A write that fails leaves a part of it, or nothing. */
  restore(dump: Dump, options: RestoreOptions): Promise<Restored> {
    const task = (): Promise<Restored> =>
      this.#locked(async (slots) => {
        const { files, now } = this.#surroundings
        const rest = operationsToAdd(await this.#dump(), dump, options)
        if (rest.length === 0) return "same"
        guardAppend(slots, undefined, now(), dump.id)
        this.#reader.catchUp()
        const { unterminated, version } = this.#reader.scanner
        const before = [
          ...(unterminated ? [Buffer.from("\n")] : []),
          ...(version < formatVersion ? [encodeHeader({ ligature: formatVersion })] : []),
        ]
        const file = this.#openForWriting()
        try {
          writeOperations(files, file, rest, before)
          await this.#flushOrDoubt(file)
        } finally {
          this.#letGo()
        }
        return "extended"
      })
    return this.#inTurn(task, "unwritable")
  }

  record(): Promise<ConversationRecord & { readonly operation?: string }> {
    return this.#inTurn(async () => {
      await this.#reader.refresh()
      const { operation } = this.#reader.header
      return { ...this.#record(), ...(operation !== undefined && { operation }) }
    })
  }

  #record(): ConversationRecord {
    const { index, header } = this.#reader
    return recordOfHeader(header, index.updated, index.title)
  }

  branches(): Promise<readonly Branch[]> {
    return this.#inTurn(async () => {
      await this.#reader.refresh()
      return this.#reader.index.branches()
    })
  }

  /** `change` gets the leases as they are and gives what they shall be; the same object: nothing to write. */
  changeLeases<Result>(
    change: (slots: LeaseSlots, now: number) => { readonly slots: LeaseSlots; readonly result: Result; readonly flush: boolean },
  ): Promise<Result> {
    const task = (): Promise<Result> =>
      this.#locked(async (slots) => {
        const { slots: next, result, flush } = change(slots, this.#surroundings.now())
        if (next === slots) return result
        await this.#leases.write(next)
        if (flush) await this.#leases.flush()
        return result
      })
    return this.#inTurn(task, "unwritable")
  }

  /** What keeps others out; with `force` it is taken away, as far as it is not certain that its holder is at work. */
  unlock(force: boolean): Promise<readonly Holding[]> {
    return this.#inTurn(async () => {
      const { files, locks } = this.#surroundings
      const { lock, log } = this.#paths
      if (!files.exists(log)) throw missingConversation(this.#reader.id)
      const machines = locks.otherMachines().map((holder): Holding => ({ type: "machine", holder }))
      const holder = locks.holderOf(lock)
      const held: readonly Holding[] = holder && holder.life !== "dead" ? [{ type: "lock", holder: holder.name }] : []
      if (!force) return [...machines, ...held, ...leasesIn(this.#leases.look())]
      locks.forgetMachines()
      await locks.breakLock(lock)
      const leases = await this.#underLock(async () => {
        const slots = this.#leases.look()
        const next = slots ? breakLeases(slots) : this.#newLeases()
        if (next !== slots) await this.#leases.write(next)
        await this.#leases.flush()
        return leasesIn(slots)
      })
      return [...machines, ...held, ...leases]
    }, "unwritable")
  }

  /** `forget` takes the conversation out of what is remembered beside the log. */
  remove({ lease, updatedBefore }: RemoveOptions, forget: () => void): Promise<void> {
    const task = (): Promise<void> =>
      this.#locked(async (slots) => {
        const { files, now } = this.#surroundings
        const { id, index } = this.#reader
        guardRemoval(slots, lease, now(), id)
        insistUnused(id, index.updated, updatedBefore)
        forget()
        files.unlink(this.#paths.log)
        for (const path of [this.#paths.lease, this.#paths.checkpoint]) attempt(() => files.unlink(path))
        this.#letGo()
        this.#isDoubtful = false
        // Somebody may have looked at the folder before the log was gone.
        forget()
        await files.flushFolder(dirname(this.#paths.log))
      }, "ignore")
    return this.#inTurn(task, "unwritable")
  }

  flush(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#unflushed) return
      // Removed by another store: there is nothing left to keep.
      const { files } = this.#surroundings
      if (files.exists(this.#paths.log)) await this.#flush()
      this.#unflushed = false
    }, "unwritable")
  }

  /** Under the lock: a flush that fails concerns everybody who writes to this file. */
  #flush(): Promise<void> {
    return this.#underLock(() => this.#flushOrDoubt(this.#openForWriting()).catch(() => this.#copyLog()))
  }

  async #flushOrDoubt(file: number): Promise<void> {
    this.#isDoubtful = true
    await this.#surroundings.flusher.flush(file)
    this.#isDoubtful = false
  }

  /** After a flush that failed, see `putFreshCopy`. Under the lock. */
  async #copyLog(): Promise<void> {
    const { files, locks } = this.#surroundings
    const holdsLock = (): boolean => locks.holds(this.#paths.lock)
    const size = this.#reader.scanner.scanned
    await putFreshCopy(files, { path: this.#paths.log, temporary: locks.temporaryPath(), size, holdsLock })
    this.#isDoubtful = false
    this.#reader.reset()
    this.#reader.catchUp()
  }

  close(): Promise<void> {
    return this.#inTurn(async () => this.#letGo())
  }

  /** In place of leases that cannot be read: nobody has been given this generation, nor any that follows. */
  #newLeases(): LeaseSlots {
    return [{ slot: writeSlot, owner: null, generation: this.#surroundings.now(), expires: 0 }]
  }

  #locked<Result>(task: (slots: LeaseSlots) => Promise<Result>, inDoubt?: "copy" | "ignore"): Promise<Result> {
    return this.#underLock(() => task(this.#leases.read()), inDoubt)
  }

  /** Under the lock, with an index that says what the file says. `inDoubt`: what becomes first of a log whose flush failed. */
  async #underLock<Result>(task: () => Promise<Result>, inDoubt: "copy" | "ignore" = "copy"): Promise<Result> {
    const { locks } = this.#surroundings
    // A long log is read before the lock is taken; what others add while it is open is little.
    if (!this.#reader.isOpen) await this.#reader.openEnd()
    const waiting = locks.acquire(this.#paths.lock)
    // Whoever left the lock behind may have died of, or after, a flush that failed.
    if (waiting && (await waiting)) this.#isDoubtful = true
    try {
      this.#reader.catchUp()
      if (this.#isDoubtful && inDoubt === "copy") await this.#copyLog()
      return await task()
    } finally {
      if (!this.#isDoubtful) locks.release(this.#paths.lock)
    }
  }

  #inTurn<Result>(task: () => Promise<Result>, reason: "unreadable" | "unwritable" = "unreadable"): Promise<Result> {
    this.#busy++
    const result = this.#queue.then(task).catch((error: unknown) => {
      throw asStoreError(error, reason, this.#reader.id, dirname(this.#reader.path))
    })
    this.#queue = result.then(this.#done, this.#done)
    return result
  }

  #openForWriting(): number {
    const { epoch } = this.#reader
    if (this.#writing?.epoch === epoch) return this.#writing.file
    this.#closeWriting()
    const file = this.#surroundings.files.open(this.#paths.log, "append")
    this.#writing = { file, epoch }
    return file
  }

  #closeWriting(): void {
    const file = this.#writing?.file
    if (file !== undefined) attempt(() => this.#surroundings.files.close(file))
    this.#writing = undefined
  }

  #letGo(): void {
    this.#closeWriting()
    this.#reader.reset()
    this.#leases.close()
    this.#unflushed = false
  }
}
