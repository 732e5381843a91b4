/**
 * The store on a PostgreSQL server: for many processes on many machines.
 *
 * A change reads the state of its conversation, decides by the same rules as every other store, and writes with one
 * statement that goes through only if the conversation is still at the revision that was read. A try that came too late is
 * repeated under the row's lock, so that a crowd cannot keep it from writing. Without a crowd no transaction stays open, and
 * consecutive appends need not read the state: see state.ts.
 *
 * A connection may break when a change was written and before that was acknowledged. The store then asks again: operations
 * are recognised by their ids, a create by its operation, a lease by its owner.
 */
import { assertOptions } from "../../model/index.ts"
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
import { recordOfRow, type RecordRow, storedText } from "../entry-rows.ts"
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
import { insistAppend } from "../log-index.ts"
import { insistNamed, insistOpen, insistUnused, StoreError } from "../store-error.ts"
import { addConversation, branchesFrom, dumpFrom, loadFrom, type NewConversation, restoreTo } from "./read.ts"
import { postgresError, type PostgresStoreOptions, Server, type Session } from "./server.ts"
import { GroupCommit, type GroupLimits } from "./group-commit.ts"
import { claiming, insistOnLength, KnownStates, nextRevision, readState, type State } from "./state.ts"
import { quoted } from "./schema.ts"
import { makeStatements, type Statements } from "./statements.ts"
import { makeWaiting } from "./append.ts"

/** With more writers, fewer appends go together; with fewer, the server does nothing while one of them is being answered. */
const together: GroupLimits = { writers: 3, conversations: 256 }
const oneByOne: GroupLimits = { writers: 100, conversations: 1 }

class PostgresStore implements Store {
  readonly #server: Server
  readonly #durability: Durability
  readonly #now: (() => number) | undefined
  readonly #statements: Statements
  readonly #states = new KnownStates()
  readonly #appends: GroupCommit
  /** All conversations are on one machine. */
  readonly #isTogether: boolean
  #removed = false
  #closed = false

  constructor(options: PostgresStoreOptions) {
    this.#server = new Server(options)
    this.#durability = options.durability ?? "entry"
    this.#now = options.now && checkedClock(options.now)
    this.#statements = makeStatements(this.#server.schema)
    const terms = { statements: this.#statements, states: this.#states, time: () => this.#time }
    this.#isTogether = options.together !== false
    this.#appends = new GroupCommit(this.#server, terms, this.#isTogether ? together : oneByOne)
  }

  get #time(): number | null {
    return this.#now?.() ?? null
  }

  async create(options: CreateOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, createNames)
    const { id = newConversationId(), title, operation } = options
    const { parent } = givenParent(options.parent, id)
    return this.#add(id, { title, operation, forkedFrom: undefined, parent }, [])
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#insistUsable(id)
      insistAppend(id, entries, options)
      const { operation = newId(), durable = mustFlush(this.#durability, entries) } = options
      insistOnLength(id, [operation, ...entries.flatMap((entry) => entry.id ?? [])])
      const request = { conversation: id, entries, options, operation }
      this.#appends.add(
        makeWaiting(
          request,
          durable,
          resolve,
          refusing(reject, () => this.#shorten(id)),
        ),
      )
    })
  }

  async load(id: string, options: LoadOptions = {}): Promise<Loaded> {
    assertOptions(options, loadNames)
    return this.#do(id, "unreadable", (session) => loadFrom(session, this.#statements, id, options))
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  branches(id: string): Promise<readonly Branch[]> {
    return this.#do(id, "unreadable", (session) => branchesFrom(session, this.#statements, id))
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    assertOptions(options, forkNames)
    const { at, id: copy = newConversationId(), title, operation } = options
    this.#insistUsable(copy)
    const { entries, title: original } = await this.load(id, at === undefined ? {} : { at })
    const forkedFrom = { conversation: id, entry: entries.at(-1)?.id ?? null }
    return this.#add(copy, { title: title ?? original, operation, forkedFrom, parent: undefined }, copyOfPath(entries))
  }

  async #add(id: string, header: NewConversation, operations: readonly Operation[]): Promise<ConversationRecord> {
    const write = addConversation(id, header, operations)
    const { record, state } = await this.#do(id, "unwritable", (session) => write(session, this.#statements, this.#time))
    if (state) this.#states.begin(id, state)
    return record
  }

  list(options: ListOptions = {}): Promise<Page> {
    return this.#do("list", "unreadable", async (session) => {
      const { count, cursor, parents } = readListOptions(options)
      const { list, listBehind, children, childrenBehind } = this.#statements
      const above = parents ? [parents.map(storedText)] : []
      const rows = cursor
        ? await session.rows(parents ? childrenBehind : listBehind, [count + 1, cursor.updated, storedText(cursor.id), ...above])
        : await session.rows(parents ? children : list, [count + 1, ...above])
      return pageOfSorted((rows as unknown as readonly RecordRow[]).map(recordOfRow), count)
    })
  }

  dump(id: string): Promise<Dump> {
    return this.#do(id, "unreadable", (session) => dumpFrom(session, this.#statements, id))
  }

  async restore(dump: Dump, options: RestoreOptions = {}): Promise<Restored> {
    const write = restoreTo(dump, options)
    this.#states.forget(dump.id)
    return this.#do(dump.id, "unwritable", (session) => write(session, this.#statements, this.#time))
  }

  acquire(id: string, request: LeaseRequest): Promise<Lease> {
    const acquired = this.#changeLeases(id, ({ slots, now }) => {
      const change = acquireLease(slots, request, now, id)
      return { slots: change.slots, result: change.lease }
    })
    return orShorten(acquired, () => this.#shorten(id))
  }

  #shorten(id: string): Promise<void> {
    return this.#changeLeases(id, ({ slots, now }) => ({ slots: shortenLeases(slots, now), result: undefined }))
  }

  renew(id: string, lease: Lease, durationMs: number): Promise<Lease> {
    return this.#changeLeases(id, ({ slots, now }) => {
      const change = renewLease(slots, lease, durationMs, now, id)
      return { slots: change.slots, result: change.lease }
    })
  }

  release(id: string, lease: Lease): Promise<void> {
    return this.#changeLeases(id, ({ slots }) => ({ slots: releaseLease(slots, lease), result: undefined }))
  }

  #changeLeases<Result>(id: string, change: (state: State) => { readonly slots: LeaseSlots; readonly result: Result }): Promise<Result> {
    this.#states.forget(id)
    return this.#do(id, "unwritable", (session) =>
      claiming(session, this.#statements, id, async () => {
        const state = await readState(session, this.#statements, id, this.#time)
        const { slots, result } = change(state)
        const changed = slots.filter((slot) => !state.slots.includes(slot))
        insistOnLength(
          id,
          changed.map(({ slot }) => slot),
        )
        if (changed.length === 0) return { result }
        const columns = [
          changed.map(({ slot }) => storedText(slot)),
          changed.map(({ owner }) => (owner === null ? null : storedText(owner))),
          changed.map(({ generation }) => generation),
          changed.map(({ expires }) => expires),
        ]
        const [row] = await session.rows(this.#statements.putLeases, [storedText(id), state.revision, ...columns])
        if (Number(row?.["claimed"]) !== 1) return undefined
        this.#states.left(id, state.log.leaves(nextRevision(state.revision), slots), state.revision)
        return { result }
      }),
    )
  }

  unlock(id: string, { force = false }: UnlockOptions = {}): Promise<readonly Holding[]> {
    return this.#changeLeases(id, ({ slots }) => ({ slots: force ? breakLeases(slots) : slots, result: holdingsOf(slots) }))
  }

  async remove(id: string, options: RemoveOptions = {}): Promise<void> {
    assertOptions(options, removeNames)
    const { lease, updatedBefore } = options
    const removed = this.#do(id, "unwritable", async (session, again) => {
      try {
        await claiming(session, this.#statements, id, async () => {
          const { slots, now, revision, log } = await readState(session, this.#statements, id, this.#time)
          guardRemoval(slots, lease, now, id)
          insistUnused(id, log.updated, updatedBefore)
          const [row] = await session.rows(this.#statements.remove, [storedText(id), revision])
          return Number(row?.["claimed"]) === 1 ? { result: undefined } : undefined
        })
      } catch (error) {
        // Gone, and the connection broke while it was being removed: it was removed.
        if (!again || !(error instanceof StoreError) || error.reason !== "missing-conversation") throw error
      }
      this.#appends.unflushed.delete(storedText(id))
      this.#removed = true
    })
    return orShorten(removed, () => this.#shorten(id))
  }

  async flush(): Promise<void> {
    insistOpen(this.#closed)
    await this.#flush()
  }

  async #flush(): Promise<void> {
    await this.#appends.idle()
    const { unflushed } = this.#appends
    const keys = [...unflushed]
    if (keys.length === 0) return
    try {
      await this.#server.use((session) => session.rows(this.#isTogether ? this.#statements.touchOne : this.#statements.touch, [keys]))
    } catch (error) {
      throw postgresError(error, this.#server.schema, "unwritable")
    }
    for (const key of keys) unflushed.delete(key)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#flush()
      if (this.#removed) await this.#vacuum()
    } finally {
      await this.#server.close()
    }
  }

  /**
   * Lets the server take deleted rows out of its tables now. Where it refuses or takes too long, it does so by itself some
   * time later: nobody has to hear about it.
   */
  async #vacuum(): Promise<void> {
    const schema = quoted(this.#server.schema)
    const tables = ["entry", "conversation", "lease"].map((name) => `${schema}.${name}`).join(", ")
    await this.#server.use((session) => session.run(`vacuum ${tables}`)).catch(() => {})
  }

  #insistUsable(id: string): void {
    insistOpen(this.#closed)
    insistNamed(id)
  }

  async #do<Result>(
    id: string,
    reason: "unreadable" | "unwritable",
    work: (session: Session, again: boolean) => Promise<Result>,
  ): Promise<Result> {
    this.#insistUsable(id)
    return this.#server.do(id, reason, work)
  }
}

/** Opens conversations on a server. Nothing is asked of it until the first call. */
export const postgresStore = (options: PostgresStoreOptions): Store => {
  assertOptions(options, {
    pool: true,
    connectionString: true,
    schema: true,
    durability: ["turn", "entry", "none"],
    now: true,
    timeoutMs: true,
    retryForMs: true,
    connections: true,
    together: [true, false],
    prepare: [true, false],
    partitions: true,
  })
  return new PostgresStore(options)
}
