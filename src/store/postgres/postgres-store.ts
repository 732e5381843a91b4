/**
 * The store on a PostgreSQL server: for many processes on many machines.
 *
 * A change reads the state of its conversation, decides by the same rules as every other store, and writes with one
 * statement that goes through only if the conversation is still at the revision that was read. A try that came too late is
 * repeated under the row's lock, so that a crowd cannot keep it from writing. Without a crowd no transaction stays open.
 *
 * A connection may break when a change was written and before that was acknowledged. The store then asks again: operations
 * are recognised by their ids, a create by its operation, a lease by its owner.
 */
import { type Durability, mustFlush } from "../durability.ts"
import { formatVersion, type NewEntry, type Operation } from "../entry.ts"
import {
  branchesOfRows,
  type EntryRow,
  newerEntries,
  readText,
  recordOfRow,
  type RecordRow,
  storedOrNull,
  storedText,
} from "../entry-rows.ts"
import { acquireLease, guardAppend, type Lease, type LeaseRequest, type LeaseSlots, releaseLease, renewLease } from "../lease.ts"
import { pageOfSorted, readListOptions } from "../list-page.ts"
import { copyOfPath, loadedFrom } from "../loaded.ts"
import { newConversationId, newId } from "../new-id.ts"
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
import { missingConversation, missingEntry, StoreError } from "../store-error.ts"
import { commitAppends, makeWaiting, type Waiting } from "./commit-appends.ts"
import { postgresError } from "./errors.ts"
import { Lanes } from "./lanes.ts"
import { columnsOf, PendingLog } from "./pending-log.ts"
import { makePool, type PostgresPool, type Row } from "./pool.ts"
import { numberOrNull, readPath } from "./read-path.ts"
import { prepareSchema } from "./schema.ts"
import { type Session, Sessions } from "./sessions.ts"
import { claiming, insistOnLength, readState, type State } from "./state.ts"
import { makeStatements, type Statements } from "./statements.ts"

export interface PostgresStoreOptions {
  /** A pool of the package `pg`. It stays yours: `close` does not end it. */
  readonly pool?: PostgresPool
  /** Instead of a pool: `postgres://user@host/database`. The store makes a pool of its own and ends it on `close`. */
  readonly connectionString?: string
  /** Where the tables are; made when it does not exist. Default `ligature`. */
  readonly schema?: string
  /** When the server must have it on its disk. Default `entry`: a server that dies forgets more than a process that dies. */
  readonly durability?: Durability
  /** Milliseconds since 1970. Default: the clock of the server, which is one for all machines. */
  readonly now?: () => number
  /** How long one statement may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** For how long a call tries again when connections break, in milliseconds. Default 5,000. */
  readonly retryForMs?: number
  /** How many connections a pool of the store's own may have. Default 10. */
  readonly connections?: number
  /** Whether the server keeps the plans of statements. Default true; false for poolers that cannot. */
  readonly prepare?: boolean
}

interface Header {
  readonly title: string | undefined
  readonly operation: string | undefined
  readonly forkedFrom: ConversationRecord["forkedFrom"]
}

const mostRowsAtOnce = 200
/** A new conversation must not look like a removed one of the same name. */
const firstRevision = (): number => Math.floor(Math.random() * 2 ** 50)

class PostgresStore implements Store {
  readonly #options: PostgresStoreOptions
  readonly #schema: string
  readonly #statements: Statements
  readonly #lanes: Lanes<Waiting>
  #sessions: Promise<Sessions> | undefined
  /** Conversations whose last appends may not be on the server's disk, as stored. */
  readonly #unflushed = new Set<string>()
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor(options: PostgresStoreOptions) {
    if ((options.pool === undefined) === (options.connectionString === undefined)) {
      throw new StoreError("bad-entry", "Expected either a pool or a connectionString")
    }
    this.#options = options
    this.#schema = options.schema ?? "ligature"
    this.#statements = makeStatements(this.#schema)
    this.#lanes = new Lanes((id, items) => this.#commit(id, items))
  }

  get #time(): number | null {
    return this.#options.now?.() ?? null
  }

  async create({ id = newConversationId(), title, operation }: CreateOptions = {}): Promise<ConversationRecord> {
    return this.#add(id, { title, operation, forkedFrom: undefined }, [])
  }

  append(id: string, entries: readonly NewEntry[], options: AppendOptions = {}): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#insistUsable(id)
      const { operation = newId(), durable = mustFlush(this.#options.durability ?? "entry", entries) } = options
      insistOnLength(id, [operation, ...entries.flatMap((entry) => entry.id ?? [])])
      const request = { conversation: id, entries, options, operation }
      this.#lanes.add(id, makeWaiting(request, durable, resolve, reject))
    })
  }

  async #commit(id: string, waiting: readonly Waiting[]): Promise<void> {
    const durable = waiting.some((one) => one.durable)
    const key = storedText(id)
    try {
      const time = (): number | null => this.#time
      const answers = await this.#use((session) => commitAppends(session, this.#statements, id, waiting, time, durable))
      if (durable) this.#unflushed.delete(key)
      else this.#unflushed.add(key)
      for (const answer of answers) answer()
    } catch (error) {
      const failure = postgresError(error, this.#schema, "unwritable", id)
      for (const { reject } of waiting) reject(failure)
    }
  }

  load(id: string, { at, last = Number.POSITIVE_INFINITY }: LoadOptions = {}): Promise<Loaded> {
    return this.#do(id, "unreadable", (session) =>
      session.transaction("repeatable read read only", async () => {
        const key = storedText(id)
        const row = await this.#conversation(session, id)
        const tip = numberOrNull(row["tip"])
        const start = at === undefined ? tip : at === null ? null : await this.#numberOf(session, id, at)
        const path = await readPath(session, this.#statements, { conversation: id, key }, start, last)
        const [newest] = tip === null ? [] : await session.rows(this.#statements.entryId, [key, tip])
        const tipId = typeof newest?.["id"] === "string" ? readText(newest["id"]) : null
        return loadedFrom({ record: recordOfRow(row as unknown as RecordRow), tip: tipId, ...path })
      }),
    )
  }

  async #conversation(session: Session, id: string): Promise<Row> {
    const [row] = await session.rows(this.#statements.conversation, [storedText(id)])
    if (!row) throw missingConversation(id)
    const version = Number(row["version"])
    if (version > formatVersion) throw newerEntries(id, version)
    return row
  }

  async #numberOf(session: Session, id: string, entry: string): Promise<number> {
    const [row] = await session.rows(this.#statements.entryNumber, [storedText(id), storedText(entry)])
    if (!row) throw missingEntry(entry, id)
    return Number(row["number"])
  }

  async moveTip(id: string, to: string | null, options: AppendOptions = {}): Promise<Appended> {
    return this.append(id, [{ kind: "tip", to }], options)
  }

  branches(id: string): Promise<readonly Branch[]> {
    return this.#do(id, "unreadable", (session) =>
      session.transaction("repeatable read read only", async () => {
        const row = await this.#conversation(session, id)
        const rows = await session.rows(this.#statements.outline, [storedText(id)])
        const outline = rows.map((one) => ({
          ...(one as unknown as EntryRow),
          number: Number(one["number"]),
          parent: numberOrNull(one["parent"]),
        }))
        return branchesOfRows(outline, numberOrNull(row["tip"]))
      }),
    )
  }

  async fork(id: string, options: ForkOptions = {}): Promise<ConversationRecord> {
    const { at, id: copy = newConversationId(), title, operation } = options
    this.#insistUsable(copy)
    const { entries, title: original } = await this.load(id, at === undefined ? {} : { at })
    const forkedFrom = { conversation: id, entry: entries.at(-1)?.id ?? null }
    return this.#add(copy, { title: title ?? original, operation, forkedFrom }, copyOfPath(entries))
  }

  /** Without an operation it gets one of its own, so that the store recognises what it wrote itself. */
  async #add(id: string, header: Header, operations: readonly Operation[]): Promise<ConversationRecord> {
    const { title, operation = newConversationId(), forkedFrom } = header
    insistOnLength(id, [operation])
    const log = new PendingLog(id)
    for (const one of operations) log.accept(one)
    const { tipNumber, last, updated, rows } = log
    const origin = [storedOrNull(forkedFrom?.conversation), storedOrNull(forkedFrom?.entry)]
    const newTitle = log.title ?? storedOrNull(title)
    return this.#do(id, "unwritable", (session) =>
      session.transaction("read committed", async () => {
        const key = storedText(id)
        const times = [this.#time, operations.length > 0 ? updated : null]
        const place = [tipNumber, last, firstRevision(), formatVersion, storedText(operation)]
        const [made] = await session.rows(this.#statements.create, [key, newTitle, ...times, ...place, ...origin])
        if (!made) {
          const known = await this.#conversation(session, id)
          if (known["operation"] === storedText(operation)) return recordOfRow(known as unknown as RecordRow)
          throw new StoreError("exists", `There is a conversation ${JSON.stringify(id)} already`, { conversation: id })
        }
        for (let from = 0; from < rows.length; from += mostRowsAtOnce) {
          await session.rows(this.#statements.addEntries, [key, ...columnsOf(rows.slice(from, from + mostRowsAtOnce))])
        }
        return recordOfRow(made as unknown as RecordRow)
      }),
    )
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
    this.#insistUsable("flush")
    await this.#flush()
  }

  async #flush(): Promise<void> {
    await this.#lanes.idle()
    const keys = [...this.#unflushed]
    if (keys.length === 0) return
    try {
      await this.#use((session) => session.rows(this.#statements.touch, [keys]))
    } catch (error) {
      throw postgresError(error, this.#schema, "unwritable")
    }
    for (const key of keys) this.#unflushed.delete(key)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#flush()
    } finally {
      await Promise.allSettled(this.#running)
      const sessions = await this.#sessions?.catch(() => undefined)
      await sessions?.close(this.#options.pool === undefined)
    }
  }

  #insistUsable(id: string): void {
    if (this.#closed) throw new StoreError("closed", "The store was closed")
    if (id === "") throw new StoreError("bad-entry", "Expected a conversation id that is not empty")
  }

  async #do<Result>(
    id: string,
    reason: "unreadable" | "unwritable",
    work: (session: Session, again: boolean) => Promise<Result>,
  ): Promise<Result> {
    this.#insistUsable(id)
    const running = this.#use(work)
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw postgresError(error, this.#schema, reason, id)
    } finally {
      this.#running.delete(running)
    }
  }

  async #use<Result>(work: (session: Session, again: boolean) => Promise<Result>): Promise<Result> {
    this.#sessions ??= this.#open()
    const opening = this.#sessions
    try {
      const sessions = await opening
      return await sessions.use(work)
    } catch (error) {
      // What could not be opened is tried afresh with the next call.
      if (await opening.then(() => false, () => true)) this.#sessions = undefined
      throw error
    }
  }

  async #open(): Promise<Sessions> {
    const { pool: given, connectionString = "", connections = 10 } = this.#options
    const { timeoutMs = 30_000, retryForMs = 5_000, prepare = true } = this.#options
    const pool = given ?? (await makePool({ connectionString, connections, timeoutMs }))
    const sessions = new Sessions(pool, { timeoutMs, retryForMs, prepare })
    try {
      await sessions.use((session) => prepareSchema(session, this.#schema))
      return sessions
    } catch (error) {
      await sessions.close(given === undefined)
      throw error
    }
  }
}

/** Opens conversations on a server. Nothing is asked of it until the first call. */
export const postgresStore = (options: PostgresStoreOptions): Store => new PostgresStore(options)
