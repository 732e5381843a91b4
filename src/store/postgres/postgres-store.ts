/**
 * The store on a PostgreSQL server: for many processes on many machines.
 *
 * A change reads the state of its conversation, decides by the same rules as every other store, and writes with one
 * statement that goes through only if the conversation is still at the revision that was read. A try that came too late is
 * repeated under the row's lock, so that a crowd cannot keep it from writing. Without a crowd no transaction stays open, and
 * appends behind each other need not read the state: see known-states.ts.
 *
 * A connection may break when a change was written and before that was acknowledged. The store then asks again: operations
 * are recognised by their ids, a create by its operation, a lease by its owner.
 */
import { type Durability, mustFlush } from "../durability.ts"
import type { NewEntry, Operation } from "../entry.ts"
import { recordOfRow, type RecordRow, storedText } from "../entry-rows.ts"
import { acquireLease, guardAppend, type Lease, type LeaseRequest, type LeaseSlots, releaseLease, renewLease } from "../lease.ts"
import { pageOfSorted, readListOptions } from "../list-page.ts"
import { copyOfPath } from "../loaded.ts"
import { newConversationId, newId } from "../new-id.ts"
import { insistAppend } from "../plan-append.ts"
import type {
  AppendOptions,
  Appended,
  Branch,
  ConversationRecord,
  CreateOptions,
  ForkOptions,
  ListOptions,
  Loaded,
  LoadOptions,
  Page,
  Store,
} from "../store.ts"
import { insistNamed, insistOpen, StoreError } from "../store-error.ts"
import { addConversation, type NewConversation } from "./add-conversation.ts"
import { commitAppends } from "./commit-appends.ts"
import { postgresError } from "./errors.ts"
import { KnownStates } from "./known-states.ts"
import { Lanes } from "./lanes.ts"
import { branchesFrom, loadFrom } from "./read.ts"
import { type PostgresStoreOptions, Server } from "./server.ts"
import type { Session } from "./sessions.ts"
import { claiming, insistOnLength, readState, type State } from "./state.ts"
import { makeStatements, type Statements } from "./statements.ts"
import { makeWaiting, type Waiting } from "./waiting.ts"

class PostgresStore implements Store {
  readonly #server: Server
  readonly #durability: Durability
  readonly #now: (() => number) | undefined
  readonly #statements: Statements
  readonly #lanes: Lanes<Waiting>
  readonly #states = new KnownStates()
  /** Conversations whose last appends may not be on the server's disk, as stored. */
  readonly #unflushed = new Set<string>()
  #closed = false

  constructor(options: PostgresStoreOptions) {
    this.#server = new Server(options)
    this.#durability = options.durability ?? "entry"
    this.#now = options.now
    this.#statements = makeStatements(this.#server.schema)
    this.#lanes = new Lanes((id, items) => this.#commit(id, items))
  }

  get #time(): number | null {
    return this.#now?.() ?? null
  }

  async create({ id = newConversationId(), title, operation }: CreateOptions = {}): Promise<ConversationRecord> {
    return this.#add(id, { title, operation, forkedFrom: undefined }, [])
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#insistUsable(id)
      insistAppend(id, entries, options)
      const { operation = newId(), durable = mustFlush(this.#durability, entries) } = options
      insistOnLength(id, [operation, ...entries.flatMap((entry) => entry.id ?? [])])
      const request = { conversation: id, entries, options, operation }
      this.#lanes.add(id, makeWaiting(request, durable, resolve, reject))
    })
  }

  async #commit(id: string, waiting: readonly Waiting[]): Promise<void> {
    const durable = waiting.some((one) => one.durable)
    const key = storedText(id)
    try {
      const terms = { statements: this.#statements, states: this.#states, time: () => this.#time, durable }
      const answers = await this.#server.use((session, again) => commitAppends(session, id, waiting, { ...terms, again }))
      if (durable) this.#unflushed.delete(key)
      else this.#unflushed.add(key)
      for (const answer of answers) answer()
    } catch (error) {
      const failure = postgresError(error, this.#server.schema, "unwritable", id)
      for (const { reject } of waiting) reject(failure)
    }
  }

  load(id: string, options: LoadOptions = {}): Promise<Loaded> {
    return this.#do(id, "unreadable", (session) => loadFrom(session, this.#statements, id, options))
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  branches(id: string): Promise<readonly Branch[]> {
    return this.#do(id, "unreadable", (session) => branchesFrom(session, this.#statements, id))
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    const { at, id: copy = newConversationId(), title, operation } = options
    this.#insistUsable(copy)
    const { entries, title: original } = await this.load(id, at === undefined ? {} : { at })
    const forkedFrom = { conversation: id, entry: entries.at(-1)?.id ?? null }
    return this.#add(copy, { title: title ?? original, operation, forkedFrom }, copyOfPath(entries))
  }

  async #add(id: string, header: NewConversation, operations: readonly Operation[]): Promise<ConversationRecord> {
    const write = addConversation(id, header, operations)
    return this.#do(id, "unwritable", (session) => write(session, this.#statements, this.#time))
  }

  list(options: ListOptions = {}): Promise<Page> {
    return this.#do("list", "unreadable", async (session) => {
      const { count, cursor } = readListOptions(options)
      const rows = cursor
        ? await session.rows(this.#statements.listBehind, [count + 1, cursor.updated, storedText(cursor.id)])
        : await session.rows(this.#statements.list, [count + 1])
      return pageOfSorted((rows as unknown as readonly RecordRow[]).map(recordOfRow), count)
    })
  }

  acquire(id: string, request: LeaseRequest): Promise<Lease> {
    return this.#changeLeases(id, ({ slots, now }) => {
      const change = acquireLease(slots, request, now, id)
      return { slots: change.slots, result: change.lease }
    })
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

  #changeLeases<Result>(
    id: string,
    change: (state: State) => { readonly slots: LeaseSlots; readonly result: Result },
  ): Promise<Result> {
    this.#states.forget(id)
    return this.#do(id, "unwritable", (session) =>
      claiming(session, this.#statements, id, async () => {
        const state = await readState(session, this.#statements, id, this.#time)
        const { slots, result } = change(state)
        const changed = slots.filter((slot) => !state.slots.includes(slot))
        insistOnLength(id, changed.map(({ slot }) => slot))
        if (changed.length === 0) return { result }
        const columns = [
          changed.map(({ slot }) => storedText(slot)),
          changed.map(({ owner }) => (owner === null ? null : storedText(owner))),
          changed.map(({ generation }) => generation),
          changed.map(({ expires }) => expires),
        ]
        const [row] = await session.rows(this.#statements.putLeases, [storedText(id), state.revision, ...columns])
        return Number(row?.["claimed"]) === 1 ? { result } : undefined
      }),
    )
  }

  remove(id: string, { lease }: { readonly lease?: Lease } = {}): Promise<void> {
    return this.#do(id, "unwritable", async (session, again) => {
      try {
        await claiming(session, this.#statements, id, async () => {
          const { slots, now, revision } = await readState(session, this.#statements, id, this.#time)
          guardAppend(slots, lease, now, id)
          const [row] = await session.rows(this.#statements.remove, [storedText(id), revision])
          return Number(row?.["claimed"]) === 1 ? { result: undefined } : undefined
        })
      } catch (error) {
        // Gone, and the connection broke while it was being removed: it was removed.
        if (!again || !(error instanceof StoreError) || error.reason !== "missing-conversation") throw error
      }
      this.#unflushed.delete(storedText(id))
    })
  }

  async flush(): Promise<void> {
    insistOpen(this.#closed)
    await this.#flush()
  }

  async #flush(): Promise<void> {
    await this.#lanes.idle()
    const keys = [...this.#unflushed]
    if (keys.length === 0) return
    try {
      await this.#server.use((session) => session.rows(this.#statements.touch, [keys]))
    } catch (error) {
      throw postgresError(error, this.#server.schema, "unwritable")
    }
    for (const key of keys) this.#unflushed.delete(key)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#flush()
    } finally {
      await this.#server.close()
    }
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
export const postgresStore = (options: PostgresStoreOptions): Store => new PostgresStore(options)
