/** The state of a conversation as one statement reads it, and changes that hold only while it is still the same. */
import { type NewEntryRow, newerEntries, outcomeOfRows, readText, rowOf, storedText, type WrittenRow } from "../entry-rows.ts"
import { type Entry, formatVersion, type Operation } from "../entry.ts"
import type { LeaseSlots } from "../lease.ts"
import type { KnownLog } from "../log-index.ts"
import { missingConversation, StoreError } from "../store-error.ts"
import { lastTip } from "./read.ts"
import type { Row, Session } from "./server.ts"
import type { Statements } from "./statements.ts"

// What the last commits left of their conversations, so that the next append need not ask: it claims the revision it
// remembers, and if the conversation is still there, nothing else has changed either, the leases included. Where it is not,
// nothing is written, and the state is read. A conversation that others write to is not guessed at again until a reading
// finds it as it was left.
//
// A server that lost its last commits, or a replica that took its place, may come to the same revision in another way.
// So the claim names the tip by its id as well, and the number of entries.

export interface KnownState {
  readonly revision: string
  readonly tip: string | null
  readonly tipNumber: number | null
  readonly last: number
  readonly slots: LeaseSlots
}

const mostConversations = 10_000

export const nextRevision = (revision: string): string => String(BigInt(revision) + 1n)

export class KnownStates {
  /** In the order of their last use. A text is the revision of a state that others have changed. */
  readonly #states = new Map<string, KnownState | string>()

  /** The state a commit may count on. */
  get(conversation: string): KnownState | undefined {
    const state = this.#states.get(conversation)
    return typeof state === "string" ? undefined : state
  }

  /** A commit that is through has left this state. `before`: the revision it found. */
  left(conversation: string, state: KnownState, before: string): void {
    const known = this.#states.get(conversation)
    const found = typeof known === "string" ? known : known?.revision
    this.#states.delete(conversation)
    this.#states.set(conversation, found === undefined || found === before ? state : state.revision)
    if (this.#states.size <= mostConversations) return
    for (const oldest of this.#states.keys()) {
      this.#states.delete(oldest)
      return
    }
  }

  /** Made by this store: whatever was known under its name was another conversation. */
  begin(conversation: string, state: KnownState): void {
    this.forget(conversation)
    this.left(conversation, state, state.revision)
  }

  /** Changed by this store in another way than by an append. */
  forget(conversation: string): void {
    this.#states.delete(conversation)
  }
}

// What is known of a conversation while appends to it are planned: the state that was read, and on top of it what was
// planned since. All of it is written at once, or none.

interface NumberedRow extends NewEntryRow {
  readonly number: number
  readonly parent: number | null
}

/** The columns of new entries, in the order of the statements. */
export const columnsOf = (rows: readonly NumberedRow[]): unknown[] => [
  rows.map(({ number }) => number),
  rows.map(({ parent }) => parent),
  rows.map(({ at }) => at),
  rows.map(({ version }) => version),
  rows.map(({ sum }) => sum),
  rows.map(({ kind }) => kind),
  rows.map(({ id }) => id),
  rows.map(({ operation }) => operation),
  rows.map(({ body }) => body),
]

/** Operation, id, kind, body of a tip entry, id of the parent. */
type WrittenColumns = readonly [string, string, string, string | null, string | null]

export class PendingLog implements KnownLog {
  readonly rows: NumberedRow[] = []
  tip: string | null = null
  updated = 0
  /** As stored; null when it stays as it is. */
  title: string | null = null
  tipNumber: number | null = null
  last = 0
  readonly #conversation: string
  readonly #numbers = new Map<string, number>()
  readonly #outcomes = new Map<string, ReturnType<KnownLog["outcomeOf"]>>()

  constructor(conversation: string) {
    this.#conversation = conversation
  }

  has(this: PendingLog, id: string): boolean {
    return this.#numbers.has(id)
  }

  outcomeOf(this: PendingLog, operation: string): ReturnType<KnownLog["outcomeOf"]> {
    return this.#outcomes.get(operation)
  }

  /** Starts from what the commit before has left. Older entries and operations are not known by it. */
  goOn({ tip, tipNumber, last }: KnownState): void {
    this.tip = tip
    this.tipNumber = tipNumber
    this.last = last
  }

  /** What is known of the conversation once this is written. */
  leaves(revision: string, slots: LeaseSlots): KnownState {
    const { tip, tipNumber, last } = this
    return { revision, tip, tipNumber, last, slots }
  }

  /** Starts from the answer to the `state` statement. */
  read(row: Row): void {
    const { tip, tip_id, last, updated, known, written } = row
    this.tipNumber = tip === null ? null : Number(tip)
    this.tip = typeof tip_id === "string" ? readText(tip_id) : null
    this.last = Number(last)
    this.updated = Number(updated)
    for (const [id, number] of readList<readonly [string, number]>(known)) this.#numbers.set(readText(id), Number(number))
    const operations = new Map<string, WrittenRow[]>()
    for (const [operation, id, kind, target, parentId] of readList<WrittenColumns>(written)) {
      const rows = operations.get(operation)
      if (rows) rows.push({ id, kind, target, parentId })
      else operations.set(operation, [{ id, kind, target, parentId }])
    }
    for (const [operation, rows] of operations) this.#outcomes.set(readText(operation), outcomeOfRows(rows))
  }

  /** Puts a planned operation on top. Throws before anything is changed when JSON cannot say what it holds. */
  accept({ operation, at, entries }: Operation): void {
    const rows = entries.map((entry) => rowOf(entry, this.#conversation))
    for (const [index, entry] of entries.entries()) {
      const row = rows[index]
      if (!row) continue
      const number = ++this.last
      this.rows.push({ ...row, number, parent: this.#parentOf(entry) })
      this.#numbers.set(entry.id, number)
      if (entry.kind === "rename") this.title = storedText(entry.title)
      else if (entry.kind !== "tip") [this.tip, this.tipNumber] = [entry.id, number]
      else if (entry.to === null) [this.tip, this.tipNumber] = [null, null]
      else if (this.has(entry.to)) [this.tip, this.tipNumber] = [entry.to, this.#numbers.get(entry.to) ?? null]
    }
    this.updated = Math.max(this.updated, at)
    this.#outcomes.set(operation, { ids: entries.map(({ id }) => id), tip: this.tip })
  }

  /** An entry goes after the tip, unless it is a copy out of a log with gaps and says where else. */
  #parentOf({ parent }: Entry): number | null {
    if (parent === this.tip) return this.tipNumber
    return parent === null ? null : (this.#numbers.get(parent) ?? this.tipNumber)
  }

  /** What the `append` statement needs after the revision. */
  values(durable: boolean, rows = this.rows): unknown[] {
    const { tipNumber, last, updated, title } = this
    return [tipNumber, last, updated, title, formatVersion, durable ? "on" : "off", ...columnsOf(rows)]
  }
}

const readList = <Item>(text: unknown): readonly Item[] => (typeof text === "string" ? (JSON.parse(text) as readonly Item[]) : [])

const readLeases = (text: unknown): LeaseSlots =>
  readList<readonly [string, string | null, number, number]>(text).map(([slot, owner, generation, expires]) => ({
    slot: readText(slot),
    owner: owner === null ? null : readText(owner),
    generation,
    expires,
  }))

export interface State {
  readonly revision: string
  readonly now: number
  readonly slots: LeaseSlots
  readonly log: PendingLog
}

export const readState = async (
  session: Session,
  statements: Statements,
  id: string,
  time: number | null,
  ids: readonly string[] = [],
  operations: readonly string[] = [],
): Promise<State> => {
  const values = [storedText(id), ids.map(storedText), operations.map(storedText), time]
  const [row] = await session.rows(statements.state, values)
  if (!row) throw missingConversation(id)
  const version = Number(row["version"])
  if (version > formatVersion) throw newerEntries(id, version)
  const log = new PendingLog(id)
  log.read(row)
  if (log.tip === null && log.tipNumber !== null) log.tip = await lastTip(session, statements, storedText(id))
  return { revision: String(row["revision"]), now: Number(row["now"]), slots: readLeases(row["leases"]), log }
}

/**
 * Repeats an attempt that gave nothing because somebody else changed the conversation in the meantime. The second time the
 * row is locked first, so that nobody can be quicker again.
 */
export const claiming = async <Result>(
  session: Session,
  statements: Statements,
  id: string,
  attempt: () => Promise<{ readonly result: Result } | undefined>,
): Promise<Result> => {
  const quick = await attempt()
  if (quick) return quick.result
  const done = await session.transaction("read committed", async () => {
    await session.rows(statements.lock, [storedText(id)])
    return attempt()
  })
  if (done) return done.result
  const message = "The conversation changed while its row was locked; another program writes its tables"
  throw new StoreError("unwritable", message, { conversation: id })
}

/** Together they must fit into an entry of an index, which PostgreSQL limits to 2,704 bytes. */
const mostBytesOfId = 1_250

/** Throws when an id is too long to be looked up by. */
export const insistOnLength = (conversation: string, names: readonly string[]): void => {
  for (const name of [conversation, ...names]) {
    const bytes = Buffer.byteLength(storedText(name))
    if (bytes <= mostBytesOfId) continue
    const message = `Expected ids of at most ${mostBytesOfId} bytes, got one of ${bytes}: PostgreSQL cannot look up longer ones`
    throw new StoreError("bad-entry", message, { conversation })
  }
}
