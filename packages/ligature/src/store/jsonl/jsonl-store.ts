/**
 * The embedded store: a folder with one append-only file per conversation. Needs nothing but a file system, can be read
 * with any text tool, and is safe for several processes at once.
 *
 *   <folder>/<id>.jsonl     the log: see line.ts
 *   <folder>/<id>.lease     who holds its leases
 *   <folder>/<id>.lock      exists for the moment of a commit
 *   <folder>/<id>.index     of a long log: lets an append begin without reading all of it; can be deleted at any time
 *   <folder>/.index.json    what `list` remembers; can be deleted at any time
 *   <folder>/.owners/       one small file per process that writes
 */
import { assertOptions } from "../../model/index.ts"
import { basename, join, resolve } from "node:path"
import type { Dump, Restored, RestoreOptions } from "../dump.ts"
import type { NewEntry, Operation } from "../entry.ts"
import {
  type Appended,
  type AppendOptions,
  type Branch,
  type ConversationRecord,
  type CreateOptions,
  type Durability,
  type ForkOptions,
  type Holding,
  type ListOptions,
  type Loaded,
  type LoadOptions,
  mustFlush,
  type Page,
  type RemoveOptions,
  type Store,
  type UnlockOptions,
} from "../store.ts"
import { checkedClock, createNames, forkNames, givenParent, loadNames, newConversationId, newId, pageOf, removeNames } from "../inputs.ts"
import {
  acquireLease,
  type Lease,
  type LeaseRequest,
  type LeaseSlots,
  orShorten,
  releaseLease,
  renewLease,
  shortenLeases,
} from "../lease.ts"
import { copyOfPath } from "../view.ts"
import { insistAppend } from "../log-index.ts"
import { asStoreError, existingConversation, insistNamed, insistOpen } from "../store-error.ts"
import { ConversationFile, type ConversationPaths, type Surroundings } from "./conversation-file.ts"
import { createLog } from "./create-log.ts"
import { FileLocks } from "./file-lock.ts"
import { fileNameOf, FolderIndex, logSuffix, sweepLeftovers } from "./folder-index.ts"
import { type Files, Flusher, nodeFiles } from "./files.ts"
import { type Header, recordOfHeader } from "./log-reader.ts"

export interface JsonlStoreOptions {
  /** Made when it does not exist. */
  readonly folder: string
  /** What survives a power cut. Default `turn`. */
  readonly durability?: Durability
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number
  /** How long an append waits while another process writes, in milliseconds. Default 10,000. */
  readonly lockWaitMs?: number
  /** How many conversations stay open. Default 64; more are closed and opened as needed. */
  readonly openLimit?: number
  /** How much of a long log is read before the first append, in bytes; the rest is looked up in an index. Default 1,048,576. */
  readonly checkpointBytes?: number
  /** The calls to the operating system; tests let them fail. */
  readonly files?: Files
}

class JsonlStore implements Store {
  readonly #folder: string
  readonly #durability: Durability
  readonly #now: () => number
  readonly #files: Files
  readonly #locks: FileLocks
  readonly #list: FolderIndex
  readonly #surroundings: Surroundings
  readonly #openLimit: number
  /** In the order of their last use. */
  readonly #open = new Map<string, ConversationFile>()
  #removed = false
  #closed = false

  constructor(options: JsonlStoreOptions) {
    const { durability = "turn", files = nodeFiles } = options
    const now = checkedClock(options.now ?? Date.now)
    // The program may go to another folder while the store is open; the conversations stay where they are.
    const folder = resolve(options.folder)
    const { lockWaitMs = 10_000, openLimit = 64, checkpointBytes = 1 << 20 } = options
    this.#folder = folder
    this.#durability = durability
    this.#now = now
    this.#files = files
    this.#openLimit = openLimit
    this.#locks = new FileLocks(files, folder, lockWaitMs)
    this.#list = new FolderIndex(files, folder)
    this.#surroundings = { files, flusher: new Flusher(files), locks: this.#locks, now, newId, checkpointBytes }
  }

  async create(options: CreateOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, createNames)
    const { id = newConversationId(), title, operation, parent } = options
    this.#insistUsable(id)
    const created = this.#now()
    const named = { ...(title !== undefined && { title }), ...(operation !== undefined && { operation }) }
    return this.#create({ id, created, ...named, ...givenParent(parent, id) }, [])
  }

  async #create(header: Header, operations: readonly Operation[]): Promise<ConversationRecord> {
    const { id, created, operation } = header
    if (await this.#makeLog(header, operations)) {
      const updated = Math.max(created, operations.at(-1)?.at ?? created)
      return recordOfHeader(header, updated)
    }
    const { operation: first, ...record } = await this.#conversation(id).record()
    if (operation !== undefined && first === operation) return record
    throw existingConversation(id)
  }

  /** False when there is a log of that name. */
  #makeLog(header: Header, operations: readonly Operation[]): Promise<boolean> {
    const temporary = (): string => this.#locks.temporaryPath()
    return createLog(this.#files, { folder: this.#folder, path: this.#pathsOf(header.id).log, temporary }, header, operations)
  }

  async append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    this.#insistUsable(id)
    insistAppend(id, entries, options)
    const { operation = newId(), durable = mustFlush(this.#durability, entries) } = options
    return this.#conversation(id).append({ conversation: id, entries, options, operation }, durable, () => this.#shorten(id))
  }

  async load(id: string, options: LoadOptions = {}): Promise<Loaded> {
    assertOptions(options, loadNames)
    return this.#conversation(id).load(options)
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  async branches(id: string): Promise<readonly Branch[]> {
    return this.#conversation(id).branches()
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, forkNames)
    const { at, id: copy = newConversationId(), operation } = options
    this.#insistUsable(copy)
    const { entries, title: original } = await this.#conversation(id).load(at === undefined ? {} : { at })
    const title = options.title ?? original
    const header = {
      id: copy,
      created: this.#now(),
      ...(title !== undefined && { title }),
      ...(operation !== undefined && { operation }),
      forkedFrom: { conversation: id, entry: entries.at(-1)?.id ?? null },
    }
    return this.#create(header, copyOfPath(entries))
  }

  async list(options: ListOptions = {}): Promise<Page> {
    insistOpen(this.#closed)
    try {
      const { records, unreadable } = await this.#list.list(() => this.#locks.temporaryPath())
      return pageOf(records, options, unreadable)
    } catch (error) {
      throw asStoreError(error, "unreadable", undefined, this.#folder)
    }
  }

  async dump(id: string): Promise<Dump> {
    return this.#conversation(id).dump()
  }

  async restore(dump: Dump, options: RestoreOptions = {}): Promise<Restored> {
    const { operations, damage: _, ...header } = dump
    this.#insistUsable(dump.id)
    return (await this.#makeLog(header, operations)) ? "made" : this.#conversation(dump.id).restore(dump, options)
  }

  async acquire(id: string, request: LeaseRequest): Promise<Lease> {
    const acquired = this.#conversation(id).changeLeases((slots, now) => {
      const { slots: next, lease } = acquireLease(slots, request, now, id)
      return { slots: next, result: lease, flush: true }
    })
    return orShorten(acquired, () => this.#shorten(id))
  }

  async #shorten(id: string): Promise<void> {
    const change = (slots: LeaseSlots, now: number) => ({ slots: shortenLeases(slots, now), result: undefined, flush: false })
    return this.#conversation(id).changeLeases(change)
  }

  async renew(id: string, lease: Lease, durationMs: number): Promise<Lease> {
    return this.#conversation(id).changeLeases((slots, now) => {
      const change = renewLease(slots, lease, durationMs, now, id)
      return { slots: change.slots, result: change.lease, flush: false }
    })
  }

  async release(id: string, lease: Lease): Promise<void> {
    return this.#conversation(id).changeLeases((slots) => ({ slots: releaseLease(slots, lease), result: undefined, flush: false }))
  }

  async unlock(id: string, { force = false }: UnlockOptions = {}): Promise<readonly Holding[]> {
    return this.#conversation(id).unlock(force)
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    assertOptions(options, removeNames)
    const log = basename(this.#pathsOf(id).log)
    await orShorten(
      this.#conversation(id).remove(options, () => this.#list.forget(log)),
      () => this.#shorten(id),
    )
    this.#removed = true
    // A process that died may have left an unfinished copy of it.
    this.#locks.sweep()
  }

  async flush(): Promise<void> {
    insistOpen(this.#closed)
    await Promise.all([...this.#open.values()].map((conversation) => conversation.flush()))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const open = [...this.#open.values()]
    this.#open.clear()
    try {
      await Promise.all(open.map((conversation) => conversation.flush()))
    } finally {
      await Promise.all(open.map((conversation) => conversation.close()))
      if (this.#removed) await this.#tidy()
      this.#locks.close()
    }
  }

  /** What only costs time or room when it is left undone. */
  async #tidy(): Promise<void> {
    try {
      this.#list.close(() => this.#locks.temporaryPath())
      await sweepLeftovers(this.#files, this.#folder, this.#locks)
    } catch {
      // The next store that removes something does it.
    }
  }

  #pathsOf(id: string): ConversationPaths {
    const base = join(this.#folder, fileNameOf(id))
    return { log: `${base}${logSuffix}`, checkpoint: `${base}.index`, lock: `${base}.lock`, lease: `${base}.lease` }
  }

  #insistUsable(id: string): void {
    insistOpen(this.#closed)
    insistNamed(id)
  }

  #conversation(id: string): ConversationFile {
    this.#insistUsable(id)
    const open = this.#open
    const conversation = open.get(id) ?? new ConversationFile(this.#surroundings, this.#pathsOf(id), id)
    open.delete(id)
    open.set(id, conversation)
    if (open.size > this.#openLimit) this.#closeIdle()
    return conversation
  }

  /** Lets go of those that were not used for the longest time, once what they hold is flushed and still nobody wants them. */
  #closeIdle(): void {
    let surplus = this.#open.size - this.#openLimit
    for (const [id, conversation] of this.#open) {
      if (surplus-- <= 0) return
      if (!conversation.isIdle) continue
      const leave = async (): Promise<void> => {
        await conversation.flush()
        if (!conversation.isIdle || this.#open.get(id) !== conversation) return
        this.#open.delete(id)
        await conversation.close()
      }
      // One that cannot be flushed stays open, and the next flush or close says why.
      leave().catch(() => {})
    }
  }
}

/** Opens a folder of conversations. Nothing is read or written until the first call. */
export const jsonlStore = (options: JsonlStoreOptions): Store => {
  assertOptions(options, {
    folder: true,
    durability: ["turn", "entry", "none"],
    now: true,
    lockWaitMs: true,
    openLimit: true,
    checkpointBytes: true,
    files: true,
  })
  return new JsonlStore(options)
}
