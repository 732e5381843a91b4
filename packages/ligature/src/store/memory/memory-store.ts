/**
 * A store that forgets when the process ends: for tests, and for conversations that are kept elsewhere. It keeps what
 * JSON would keep, so that code that works with it works with the durable ones.
 */
import { assertOptions } from "../../model/index.ts"
import { checkedClock, createNames, forkNames, givenParent, loadNames, newConversationId, newId, pageOf, removeNames } from "../inputs.ts"
import { asRead, type Dump, operationsToAdd, type Restored, type RestoreOptions } from "../dump.ts"
import type { Entry, NewEntry, Operation } from "../entry.ts"
import {
  acquireLease,
  breakLeases,
  guardAppend,
  guardRemoval,
  holdingsOf,
  type Lease,
  type LeaseRequest,
  type LeaseSlots,
  orShorten,
  releaseLease,
  renewLease,
  shortenLeases,
} from "../lease.ts"
import { copyOfPath, linked, loadedFrom } from "../view.ts"
import { insistAppend, LogIndex, planAppend } from "../log-index.ts"
import type {
  AppendOptions,
  Appended,
  Branch,
  ConversationRecord,
  CreateOptions,
  ForkOptions,
  Holding,
  ListOptions,
  Loaded,
  LoadOptions,
  Page,
  RemoveOptions,
  Store,
  UnlockOptions,
} from "../store.ts"
import {
  existingConversation,
  insistNamed,
  insistOpen,
  insistUnused,
  missingConversation,
  missingEntry,
  StoreError,
} from "../store-error.ts"

interface Kept {
  /** The one it was made with. */
  readonly title: string | undefined
  readonly index: LogIndex
  readonly operations: Operation[]
  readonly header: Omit<ConversationRecord, "updated" | "title"> & { readonly operation?: string }
  slots: LeaseSlots
}

export interface MemoryStoreOptions {
  readonly now?: () => number
  /** Where the conversations are kept, `new Map()`: memory stores share one as several processes share a folder. Default: one of its own. */
  readonly home?: Map<string, unknown>
}

const copy = <Value>(value: Value, conversation: string): Value => {
  try {
    return JSON.parse(JSON.stringify(value)) as Value
  } catch (error) {
    throw new StoreError("bad-entry", `Expected entries that can be written as JSON: ${String(error)}`, { conversation, cause: error })
  }
}

class MemoryStore implements Store {
  readonly #conversations: Map<string, Kept>
  readonly #now: () => number
  #closed = false

  constructor({ now = Date.now, home = new Map() }: MemoryStoreOptions) {
    this.#now = checkedClock(now)
    this.#conversations = home as Map<string, Kept>
  }

  #insistUsable(id: string): void {
    insistOpen(this.#closed)
    insistNamed(id)
  }

  #get(id: string): Kept {
    this.#insistUsable(id)
    const kept = this.#conversations.get(id)
    if (!kept) throw missingConversation(id)
    return kept
  }

  #recordOf({ header, index }: Kept): ConversationRecord {
    const { operation: _, ...rest } = header
    return { ...rest, updated: index.updated, ...(index.title !== undefined && { title: index.title }) }
  }

  #add(header: Kept["header"], title: string | undefined, operations: readonly Operation[]): ConversationRecord {
    const known = this.#conversations.get(header.id)
    if (known) {
      if (header.operation !== undefined && known.header.operation === header.operation) return this.#recordOf(known)
      throw existingConversation(header.id)
    }
    const kept: Kept = { title, index: new LogIndex(title, header.created), operations: [], header, slots: [] }
    for (const operation of operations) {
      kept.operations.push(operation)
      kept.index.accept(operation)
    }
    this.#conversations.set(header.id, kept)
    return this.#recordOf(kept)
  }

  async create(options: CreateOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, createNames)
    const { id = newConversationId(), title, operation, parent } = options
    this.#insistUsable(id)
    const header = { id, created: this.#now(), ...givenParent(parent, id), ...(operation !== undefined && { operation }) }
    return this.#add(header, title, [])
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return orShorten(this.#append(id, entries, options), () => this.#shorten(id))
  }

  async #append(id: string, entries: readonly NewEntry[], options: AppendOptions): Promise<Appended> {
    const kept = this.#get(id)
    insistAppend(id, entries, options)
    const { operation = newId() } = options
    const request = { conversation: id, entries, options, operation }
    const plan = planAppend(kept.index, request, { slots: kept.slots, now: this.#now(), newId })
    if (plan.type === "repeated") return plan.outcome
    const written = copy(plan.operation, id)
    kept.operations.push(written)
    kept.index.accept(written)
    return { tip: kept.index.tip, ids: written.entries.map((entry) => entry.id), operation, repeated: false }
  }

  async load(id: string, options: LoadOptions = {}): Promise<Loaded> {
    assertOptions(options, loadNames)
    const { at, last } = options
    const kept = this.#get(id)
    const path = kept.index.path(at, last)
    if (!path) throw missingEntry(at ?? "", id)
    const entries = path.places.map(({ line, slot }) => copy(kept.operations[line]?.entries[slot] as Entry, id))
    const { tip, damage } = kept.index
    const { before } = path
    const whole = before === null
    return loadedFrom({ record: this.#recordOf(kept), tip, entries: linked(entries, before), whole, damage: [...damage] })
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  async branches(id: string): Promise<readonly Branch[]> {
    return this.#get(id).index.branches()
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, forkNames)
    const { at, id: target = newConversationId(), operation } = options
    this.#insistUsable(target)
    const { entries, title } = await this.load(id, at === undefined ? {} : { at })
    const forkedFrom = { conversation: id, entry: entries.at(-1)?.id ?? null }
    const header = { id: target, created: this.#now(), forkedFrom, ...(operation !== undefined && { operation }) }
    return this.#add(header, options.title ?? title, copyOfPath(entries))
  }

  async list(options: ListOptions = {}): Promise<Page> {
    this.#insistUsable("list")
    return pageOf(
      [...this.#conversations.values()].map((kept) => this.#recordOf(kept)),
      options,
    )
  }

  async dump(id: string): Promise<Dump> {
    const kept = this.#get(id)
    const { title } = kept
    const operations = asRead(copy(kept.operations, id))
    return { ...kept.header, ...(title !== undefined && { title }), operations, damage: [...kept.index.damage] }
  }

  async restore(dump: Dump, options: RestoreOptions = {}): Promise<Restored> {
    const { operations, damage: _, title, ...header } = copy(dump, dump.id)
    this.#insistUsable(dump.id)
    const known = this.#conversations.get(dump.id)
    if (!known) {
      this.#add(header, title, operations)
      return "made"
    }
    const rest = operationsToAdd(await this.dump(dump.id), dump, options)
    if (rest.length === 0) return "same"
    guardAppend(known.slots, undefined, this.#now(), dump.id)
    for (const operation of copy(rest, dump.id)) {
      known.operations.push(operation)
      known.index.accept(operation)
    }
    return "extended"
  }

  acquire(id: string, request: LeaseRequest): Promise<Lease> {
    return orShorten(this.#acquire(id, request), () => this.#shorten(id))
  }

  async #acquire(id: string, request: LeaseRequest): Promise<Lease> {
    const kept = this.#get(id)
    const { slots, lease } = acquireLease(kept.slots, request, this.#now(), id)
    kept.slots = slots
    return lease
  }

  async #shorten(id: string): Promise<void> {
    const kept = this.#get(id)
    kept.slots = shortenLeases(kept.slots, this.#now())
  }

  async renew(id: string, lease: Lease, durationMs: number): Promise<Lease> {
    const kept = this.#get(id)
    const change = renewLease(kept.slots, lease, durationMs, this.#now(), id)
    kept.slots = change.slots
    return change.lease
  }

  async release(id: string, lease: Lease): Promise<void> {
    const kept = this.#get(id)
    kept.slots = releaseLease(kept.slots, lease)
  }

  async unlock(id: string, { force = false }: UnlockOptions = {}): Promise<readonly Holding[]> {
    const kept = this.#get(id)
    const holdings = holdingsOf(kept.slots)
    if (force) kept.slots = breakLeases(kept.slots)
    return holdings
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    assertOptions(options, removeNames)
    return orShorten(this.#remove(id, options), () => this.#shorten(id))
  }

  async #remove(id: string, { lease, updatedBefore }: RemoveOptions): Promise<void> {
    const { slots, index } = this.#get(id)
    guardRemoval(slots, lease, this.#now(), id)
    insistUnused(id, index.updated, updatedBefore)
    this.#conversations.delete(id)
  }

  async flush(): Promise<void> {
    this.#insistUsable("flush")
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}

export const memoryStore = (options: MemoryStoreOptions = {}): Store => {
  assertOptions(options, { now: true, home: true })
  return new MemoryStore(options)
}
