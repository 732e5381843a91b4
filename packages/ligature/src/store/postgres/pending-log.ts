/**
 * What is known of a conversation while appends to it are planned: the state that was read, and on top of it what was
 * planned since. All of it is written at once, or none.
 */
import { type Entry, formatVersion, type Operation } from "../entry.ts"
import { type NewEntryRow, outcomeOfRows, readText, rowOf, storedText, type WrittenRow } from "../entry-rows.ts"
import type { LeaseSlots } from "../lease.ts"
import type { KnownLog } from "../plan-append.ts"
import type { KnownState } from "./known-states.ts"
import type { Row } from "./pool.ts"

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

  /** What the `append` statement needs behind the revision. */
  values(durable: boolean, rows = this.rows): unknown[] {
    const { tipNumber, last, updated, title } = this
    return [tipNumber, last, updated, title, formatVersion, durable ? "on" : "off", ...columnsOf(rows)]
  }
}

const readList = <Item>(text: unknown): readonly Item[] =>
  (typeof text === "string" ? (JSON.parse(text) as readonly Item[]) : [])

export const readLeases = (text: unknown): LeaseSlots =>
  readList<readonly [string, string | null, number, number]>(text).map(([slot, owner, generation, expires]) => ({
    slot: readText(slot),
    owner: owner === null ? null : readText(owner),
    generation,
    expires,
  }))
