/**
 * The store in one SQLite file: nothing to install where Node has the engine, safe for several processes on one machine.
 * For many conversations one file is handier than a folder of them.
 *
 * Appends that wait at the same time share a transaction and its flush. Reading needs no transaction, so that a long path
 * is read in pieces between which other tasks go on.
 */
import { assertOptions } from "../../model/index.ts"
import { resolve } from "node:path"
import {
  checkedClock,
  createNames,
  forkNames,
  givenParent,
  loadNames,
  newConversationId,
  newId,
  pageOfSorted,
  readListOptions,
  removeNames,
} from "../inputs.ts"
import type { Dump, Restored, RestoreOptions } from "../dump.ts"
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
import type { NewEntry, Operation } from "../entry.ts"
import { recordOfRow } from "../entry-rows.ts"
import {
  acquireLease,
  breakLeases,
  guardRemoval,
  holdingsOf,
  type Lease,
  type LeaseRequest,
  type LeaseSlots,
  orShorten,
  refusing,
  releaseLease,
  renewLease,
  shortenLeases,
} from "../lease.ts"
import { copyOfPath } from "../view.ts"
import { type AppendRequest, insistAppend } from "../log-index.ts"
import { insistNamed, insistOpen, insistUnused, StoreError } from "../store-error.ts"
import { inMemory, sqliteError } from "./connection.ts"
import { Home } from "./home.ts"
import { operationNamedAfter } from "./schema.ts"
import { addConversation, appendTo, conversationOf, dumpFrom, loadFrom, type NewConversation, restoreTo } from "./paths.ts"
import type { Tables } from "./tables.ts"

export interface SqliteStoreOptions {
  /** The database; made when it does not exist, with the folder it is in. */
  readonly file: string
  /** What survives a power cut. Default `turn`. */
  readonly durability?: Durability
  /** Milliseconds since 1970. Default: the clock of the system. */
  readonly now?: () => number
  /** How long a call waits while other processes write, in milliseconds. Default 10,000. */
  readonly busyWaitMs?: number
  /** The file grows no further than this; appends that would need more are refused. Default: as far as the disk allows. */
  readonly mostBytes?: number
}

interface Waiting {
  readonly request: AppendRequest
  readonly durable: boolean
  readonly resolve: (outcome: Appended) => void
  readonly reject: (error: unknown) => void
}

class SqliteStore implements Store {
  readonly #home: Home
  readonly #durability: Durability
  readonly #now: () => number
  #waiting: Waiting[] = []
  #closed = false

  constructor(options: SqliteStoreOptions) {
    const { file, durability = "turn", now = Date.now, busyWaitMs = 10_000, mostBytes } = options
    // The program may go to another folder before the first call. What the engine keeps in memory has no place.
    this.#home = new Home({ file: file === inMemory ? file : resolve(file), busyWaitMs, mostBytes })
    this.#durability = durability
    this.#now = checkedClock(now)
  }

  async create(options: CreateOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, createNames)
    const { id = newConversationId(), title, operation } = options
    const { parent } = givenParent(options.parent, id)
    return this.#add(id, { created: this.#now(), title, operation, forkedFrom: undefined, parent }, [])
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#insistUsable(id)
      insistAppend(id, entries, options)
      const { operation = operationNamedAfter(newId()), durable = mustFlush(this.#durability, entries) } = options
      const refuse = refusing(reject, () => this.#shorten(id))
      this.#waiting.push({ request: { conversation: id, entries, options, operation }, durable, resolve, reject: refuse })
      if (this.#waiting.length === 1) void this.#home.inTurn(() => this.#commit())
    })
  }

  async #commit(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    const durable = waiting.some((one) => one.durable)
    try {
      const answers = await this.#home.write((tables) => {
        const all = waiting.map((one) => this.#judge(tables, one))
        // An operation that is repeated may not have reached the disk the first time.
        if (durable && !tables.changed) tables.touch()
        return all
      }, durable)
      for (const answer of answers) answer()
    } catch (error) {
      for (const { request, reject } of waiting) {
        reject(sqliteError(error, this.#home.file, "unwritable", request.conversation))
      }
    }
  }

  /** How to answer when the commit is through. A refusal concerns who asked; an error of the engine ends the whole commit. */
  #judge(tables: Tables, { request, resolve, reject }: Waiting): () => void {
    try {
      const outcome = appendTo(tables, request, this.#now())
      return () => resolve(outcome)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      return () => reject(error)
    }
  }

  async load(id: string, options: LoadOptions = {}): Promise<Loaded> {
    assertOptions(options, loadNames)
    return this.#read(id, (tables) => loadFrom(tables, id, options))
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  branches(id: string): Promise<readonly Branch[]> {
    return this.#read(id, (tables) => {
      const { number, tip } = conversationOf(tables, id)
      return tables.outline(number).branches(tip)
    })
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, forkNames)
    const { at, id: copy = newConversationId(), title, operation } = options
    this.#insistUsable(copy)
    const { entries, title: original } = await this.load(id, at === undefined ? {} : { at })
    const forkedFrom = { conversation: id, entry: entries.at(-1)?.id ?? null }
    const header = { created: this.#now(), title: title ?? original, operation, forkedFrom, parent: undefined }
    return this.#add(copy, header, copyOfPath(entries))
  }

  #add(id: string, header: NewConversation, operations: readonly Operation[]): Promise<ConversationRecord> {
    return this.#change(id, true, (tables) => addConversation(tables, id, header, operations))
  }

  list(options: ListOptions = {}): Promise<Page> {
    return this.#read("list", (tables) => {
      const { count, cursor, parents } = readListOptions(options)
      return pageOfSorted(tables.list(count, cursor, parents).map(recordOfRow), count)
    })
  }

  dump(id: string): Promise<Dump> {
    return this.#read(id, (tables) => dumpFrom(tables, id))
  }

  restore(dump: Dump, options: RestoreOptions = {}): Promise<Restored> {
    return this.#change(dump.id, true, (tables) => restoreTo(tables, dump, options, this.#now()))
  }

  acquire(id: string, request: LeaseRequest): Promise<Lease> {
    const acquired = this.#changeLeases(id, true, (slots) => {
      const change = acquireLease(slots, request, this.#now(), id)
      return { slots: change.slots, result: change.lease }
    })
    return orShorten(acquired, () => this.#shorten(id))
  }

  #shorten(id: string): Promise<void> {
    return this.#changeLeases(id, false, (slots) => ({ slots: shortenLeases(slots, this.#now()), result: undefined }))
  }

  renew(id: string, lease: Lease, durationMs: number): Promise<Lease> {
    return this.#changeLeases(id, false, (slots) => {
      const change = renewLease(slots, lease, durationMs, this.#now(), id)
      return { slots: change.slots, result: change.lease }
    })
  }

  release(id: string, lease: Lease): Promise<void> {
    return this.#changeLeases(id, false, (slots) => ({ slots: releaseLease(slots, lease), result: undefined }))
  }

  #changeLeases<Result>(
    id: string,
    durable: boolean,
    change: (slots: LeaseSlots) => { readonly slots: LeaseSlots; readonly result: Result },
  ): Promise<Result> {
    return this.#change(id, durable, (tables) => {
      const { number } = conversationOf(tables, id)
      const before = tables.leases(number)
      const { slots, result } = change(before)
      for (const slot of slots) if (!before.includes(slot)) tables.putLease(number, slot)
      return result
    })
  }

  unlock(id: string, { force = false }: UnlockOptions = {}): Promise<readonly Holding[]> {
    if (!force) return this.#read(id, (tables) => holdingsOf(tables.leases(conversationOf(tables, id).number)))
    return this.#changeLeases(id, true, (slots) => ({ slots: breakLeases(slots), result: holdingsOf(slots) }))
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    assertOptions(options, removeNames)
    const { lease, updatedBefore } = options
    const removed = this.#change(id, true, (tables) => {
      const { number, updated } = conversationOf(tables, id)
      guardRemoval(tables.leases(number), lease, this.#now(), id)
      insistUnused(id, updated, updatedBefore)
      tables.remove(number)
    })
    await orShorten(removed, () => this.#shorten(id))
    await this.#home.erase(id)
  }

  async flush(): Promise<void> {
    insistOpen(this.#closed)
    await this.#home.flush()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#home.close()
  }

  #insistUsable(id: string): void {
    insistOpen(this.#closed)
    insistNamed(id)
  }

  async #change<Result>(id: string, durable: boolean, work: (tables: Tables) => Result): Promise<Result> {
    this.#insistUsable(id)
    return this.#home.change(id, durable, work)
  }

  async #read<Result>(id: string, work: (tables: Tables) => Result | Promise<Result>): Promise<Result> {
    this.#insistUsable(id)
    return this.#home.read(id, work)
  }
}

/** Opens a database of conversations. Nothing is read or written until the first call. Needs Node 22.13 or newer. */
export const sqliteStore = (options: SqliteStoreOptions): Store => {
  assertOptions(options, { file: true, durability: ["turn", "entry", "none"], now: true, busyWaitMs: true, mostBytes: true })
  return new SqliteStore(options)
}
