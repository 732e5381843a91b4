/**
 * One open conversation: does one thing at a time, and lets appends that come meanwhile share the next commit. What it
 * keeps in memory is the index; contents are read when asked for.
 */
import { dirname } from "node:path"
import { guardAppend, type Lease, type LeaseSlots } from "../lease.ts"
import { loadedFrom } from "../loaded.ts"
import { damageOf } from "../log-index.ts"
import type { AppendRequest } from "../plan-append.ts"
import type { Appended, Branch, ConversationRecord, Loaded, LoadOptions } from "../store.ts"
import { asStoreError, missingEntry } from "../store-error.ts"
import { commit, type Waiting } from "./commit.ts"
import type { FileLocks } from "./file-lock.ts"
import { attempt, type Files } from "./files.ts"
import type { Flusher } from "./flusher.ts"
import { LeaseFile } from "./lease-file.ts"
import { LogReader } from "./log-reader.ts"

export interface ConversationPaths {
  readonly log: string
  readonly lock: string
  readonly lease: string
}

export interface Surroundings {
  readonly files: Files
  readonly flusher: Flusher
  readonly locks: FileLocks
  readonly now: () => number
  readonly newId: () => string
}

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

  constructor(surroundings: Surroundings, paths: ConversationPaths, id: string) {
    this.#surroundings = surroundings
    this.#paths = paths
    this.#reader = new LogReader(surroundings.files, paths.log, id)
    this.#leases = new LeaseFile(surroundings.files, paths.lease, () => surroundings.locks.temporaryPath())
  }

  get isIdle(): boolean {
    return this.#busy === 0
  }

  append(request: AppendRequest, flush: boolean): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, flush, resolve, reject })
      if (this.#waiting.length === 1) void this.#inTurn(() => this.#commit())
    })
  }

  async #commit(): Promise<void> {
    let waiting: readonly Waiting[] = []
    try {
      const { unflushed, tell } = await this.#locked((slots) => {
        waiting = this.#waiting
        this.#waiting = []
        const { files, flusher, newId, now } = this.#surroundings
        const writing = (): number => this.#openForWriting()
        const unflushed = this.#unflushed
        return commit(this.#reader, waiting, { files, flusher, writing, slots, now: now(), newId, unflushed })
      })
      this.#unflushed = unflushed
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
      const { index, scanner } = this.#reader
      const damage = [...index.damage]
      if (scanner.fragment > 0) {
        const what = `The log ends in ${scanner.fragment} bytes of an append that was never acknowledged; they are not used`
        damage.push(damageOf("torn-tail", {}, what, [], "info"))
      }
      return loadedFrom({ record: this.#record(), tip: index.tip, ...path, damage })
    })
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
    const { title, updated } = index
    const { id, created, forkedFrom } = header
    return { id, created, updated, ...(title !== undefined && { title }), ...(forkedFrom && { forkedFrom }) }
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
        if (next !== slots) await this.#leases.write(next, { flush })
        return result
      })
    return this.#inTurn(task, "unwritable")
  }

  remove(lease: Lease | undefined): Promise<void> {
    const task = (): Promise<void> =>
      this.#locked(async (slots) => {
        const { files, now } = this.#surroundings
        guardAppend(slots, lease, now(), this.#reader.id)
        files.unlink(this.#paths.log)
        attempt(() => files.unlink(this.#paths.lease))
        this.#letGo()
        files.flushFolder(dirname(this.#paths.log))
      })
    return this.#inTurn(task, "unwritable")
  }

  flush(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#unflushed) return
      // Removed by another store: there is nothing left to keep.
      const { files, flusher } = this.#surroundings
      if (files.exists(this.#paths.log)) await flusher.flush(this.#openForWriting())
      this.#unflushed = false
    }, "unwritable")
  }

  close(): Promise<void> {
    return this.#inTurn(async () => this.#letGo())
  }

  /** Under the lock, with an index that says what the file says. */
  async #locked<Result>(task: (slots: LeaseSlots) => Promise<Result>): Promise<Result> {
    const { locks } = this.#surroundings
    // A long log is read before the lock is taken; what others add while it is open is little.
    if (!this.#reader.isOpen) await this.#reader.refresh()
    const waiting = locks.acquire(this.#paths.lock)
    if (waiting) await waiting
    try {
      this.#reader.catchUp()
      return await task(this.#leases.read())
    } finally {
      locks.release(this.#paths.lock)
    }
  }

  #inTurn<Result>(task: () => Promise<Result>, reason: "unreadable" | "unwritable" = "unreadable"): Promise<Result> {
    this.#busy++
    const result = this.#queue.then(task).catch((error: unknown) => {
      throw asStoreError(error, reason, this.#reader.id, dirname(this.#reader.path))
    })
    const done = (): void => void this.#busy--
    this.#queue = result.then(done, done)
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
    this.#unflushed = false
  }
}
