/**
 * Entries as rows of a database table, alike for every store that has one.
 *
 * Columns hold what a query asks for, `body` holds the rest as JSON; nothing is kept twice. `number` counts up with every
 * entry and `parent` is the number of the entry before it on the path, so that a path is walked with whole numbers.
 * `version` is the format version the body was written in, `sum` the CRC-32 of the body.
 *
 * Databases refuse or change some texts: NUL, and halves of surrogate pairs. JSON escapes both, so every text goes in as
 * the inside of a JSON string. Common ids look the same either way.
 */
import { crc32 } from "node:zlib"
import { type Diagnostic, isWire, type Wire } from "../model/index.ts"
import { asRead, type Dump, operationsOf } from "./dump.ts"
import { type Entry, formatVersion, onPath, readOperation } from "./entry.ts"
import { damageOf } from "./log-index.ts"
import { migrateLine } from "./migrations.ts"
import { StoreError } from "./store-error.ts"
import type { Branch, ConversationRecord } from "./store.ts"

// The rows of a conversation without what they say: which branches they form, and how a path goes on where one is gone.
//
// A row whose parent is missing is read after the entry that was the tip when it was written, as far as the rows that are
// left can tell: what was said before the gap stays in sight. A log of lines is read by the same rule, see log-index.ts.
// Finding that entry takes a look at all rows, so only who meets a gap makes an outline to cross it.

/** `target` is the body of a tip entry. */
export type OutlineRow = Pick<EntryRow, "number" | "parent" | "kind" | "id" | "at"> & { readonly target: string | null }

const isOnPath = (kind: string): boolean => !Object.hasOwn(onPath, kind) || onPath[kind as keyof typeof onPath]

/** Where a tip entry moves the tip, as stored; undefined when its body cannot be read. */
const targetOf = (body: string | null): string | null | undefined => {
  try {
    const value: unknown = JSON.parse(body ?? "")
    const to = isWire(value) ? value["to"] : undefined
    return typeof to === "string" ? storedText(to) : to === null ? null : undefined
  } catch {
    return undefined
  }
}

export class Outline {
  readonly #rows: readonly OutlineRow[]
  readonly #ids = new Map<number, string>()
  /** Per row the tip when it was written. */
  readonly #tips = new Map<number, number | null>()
  /** The tip after all rows. */
  readonly #tip: number | null

  /** `rows` are all rows of the conversation, in their order. */
  constructor(rows: readonly OutlineRow[]) {
    this.#rows = rows
    const numbers = new Map<string, number>()
    let tip: number | null = null
    for (const { number, kind, id, target } of rows) {
      this.#tips.set(number, tip)
      this.#ids.set(number, id)
      numbers.set(id, number)
      const to = kind === "tip" ? targetOf(target) : undefined
      if (to === null) tip = null
      else if (to !== undefined) tip = numbers.get(to) ?? tip
      else if (isOnPath(kind)) tip = number
    }
    this.#tip = tip
  }

  /** The number of the entry that was the tip when this row was written; without a row, of the one that is the tip now. */
  tipBefore(number?: number): number | null {
    return number === undefined ? this.#tip : (this.#tips.get(number) ?? null)
  }

  idOf(number: number | null): string | null {
    const id = number === null ? undefined : this.#ids.get(number)
    return id === undefined ? null : readText(id)
  }

  /** The ends of the branches. `tip` is what the conversation's own row says. */
  branches(tip: number | null): readonly Branch[] {
    const active = tip === null || this.#ids.has(tip) ? tip : this.#tip
    const standing = this.#rows.filter(({ kind }) => isOnPath(kind))
    const inner = new Set(standing.map((row) => this.#parentOf(row)))
    return standing.flatMap(({ number, id, at }) =>
      inner.has(number) && number !== active ? [] : [{ tip: readText(id), at, active: number === active }],
    )
  }

  #parentOf({ number, parent }: OutlineRow): number | null {
    return parent === null || (parent < number && this.#ids.has(parent)) ? parent : this.tipBefore(number)
  }
}

/** A text as it is stored. Different texts stay different. */
export const storedText = (text: string): string => JSON.stringify(text).slice(1, -1)

/** For columns that may be empty. */
export const storedOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : storedText(text)

/** One that something else changed is read as it is: a damaged title must not hide the list it is in. */
export const readText = (stored: string): string => {
  if (!stored.includes("\\")) return stored
  try {
    return JSON.parse(`"${stored}"`) as string
  } catch {
    return stored
  }
}

const readNullable = (stored: string | null): string | null => (stored === null ? null : readText(stored))

/** What a row says of an entry; texts are as stored. */
export interface EntryRow {
  readonly number: number
  readonly parent: number | null
  readonly at: number
  readonly version: number
  readonly sum: number
  readonly kind: string
  readonly id: string
  readonly operation: string
  readonly body: string
}

export type NewEntryRow = Omit<EntryRow, "number" | "parent">

/** Throws when JSON cannot say what an entry holds. */
export const rowOf = (entry: Entry, conversation: string): NewEntryRow => {
  const { id, parent: _, operation, at, kind, ...rest } = entry
  try {
    const body = JSON.stringify(rest)
    return { at, version: formatVersion, sum: crc32(body), kind, id: storedText(id), operation: storedText(operation), body }
  } catch (error) {
    const message = `Expected entries that can be written as JSON: ${String(error)}`
    throw new StoreError("bad-entry", message, { conversation, cause: error })
  }
}

export const newerEntries = (conversation: string, version: number): StoreError =>
  new StoreError(
    "newer-version",
    `The conversation has entries of version ${version}, and this program knows versions up to ${formatVersion}; ` +
      "it is left alone. Use the program that wrote it, or a newer one",
    { conversation },
  )

/** A row's body as it was written, brought to the current version; undefined when it is no entry. */
const readRow = (row: EntryRow): Entry | undefined => {
  try {
    const body: unknown = JSON.parse(row.body)
    if (typeof body !== "object" || body === null) return undefined
    const value = Object.assign(body, { id: readText(row.id), kind: row.kind })
    const line: Wire = { operation: readText(row.operation), at: row.at, parent: null, entries: [value] }
    return readOperation(migrateLine(line, row.version))?.entries[0]
  } catch {
    return undefined
  }
}

/** The entry of a row, with what is wrong with it; undefined when it cannot be used. */
const entryOfRow = (row: EntryRow, conversation: string, damage: Diagnostic[]): Entry | undefined => {
  if (row.version > formatVersion) throw newerEntries(conversation, row.version)
  const id = readText(row.id)
  const entry = readRow(row)
  if (entry === undefined) {
    const what = `Entry ${id} cannot be read; its row stays in the database and is not used`
    damage.push(damageOf("unreadable-entry", {}, what, [id]))
    return undefined
  }
  if (crc32(row.body) !== row.sum) {
    const what = `Entry ${id} does not say what was written: its sum is wrong; it is used as it is now`
    damage.push(damageOf("changed-entry", {}, what, [id]))
  }
  return entry
}

/** Collects the entries of a path whose rows come newest first, as a walk from the tip finds them. */
export class PathReader {
  readonly damage: Diagnostic[] = []
  readonly #entries: Entry[] = []
  readonly #conversation: string
  /** The entry whose parent comes next. */
  #child: { parent: string | null } | undefined
  /** The row that was taken last. */
  #last: { readonly number: number; readonly id: string } | undefined
  /** Where the last bridge led. */
  #bridged = Number.POSITIVE_INFINITY
  /** How many rows were taken. */
  count = 0

  constructor(conversation: string) {
    this.#conversation = conversation
  }

  take(row: EntryRow): void {
    const id = readText(row.id)
    this.#last = { number: row.number, id }
    this.count++
    if (this.#child) this.#child.parent = id
    this.#child = undefined
    const entry = entryOfRow(row, this.#conversation, this.damage)
    if (!entry) return
    this.#entries.push(entry)
    // The entry was made here and nobody else has it yet; its parent is the next row.
    this.#child = entry as { parent: string | null }
  }

  /** Whether a row may come next. A parent is always an earlier entry: a row that names a later one would lead in a circle. */
  mayTake(number: number): boolean {
    return this.#last === undefined || number < this.#last.number
  }

  /**
   * The row that comes next is not there: gives the one the path goes on with. In a damaged table rows may contradict each
   * other; every bridge leads further back, so that a walk ends.
   */
  bridge(missing: number, outline: Outline): number | null {
    const found = outline.tipBefore(this.#last?.number)
    const before = found !== null && found < this.#bridged && this.mayTake(found) ? found : null
    this.#bridged = before ?? 0
    const after = outline.idOf(before) ?? "the root"
    if (this.#last === undefined) {
      const what = `The newest entry is missing (row ${missing}); the conversation goes on after ${after}`
      this.damage.push(damageOf("missing-tip", {}, what))
    } else {
      const { id } = this.#last
      const what = `The parent of entry ${id} is missing (row ${missing}); it is read after ${after}`
      this.damage.push(damageOf("missing-parent", {}, what, [id]))
    }
    return before
  }

  /** Oldest first, and so is the damage. `parent` is what is before them, if they are not the whole path. */
  finish(parent: string | null): readonly Entry[] {
    if (this.#child) this.#child.parent = parent
    this.damage.reverse()
    return this.#entries.reverse()
  }
}

/** What has to be known of an entry to say what its operation came to. `target` is the body of a tip entry. */
export interface WrittenRow {
  readonly id: string
  readonly kind: string
  readonly target: string | null
  readonly parentId: string | null
}

/** What an operation wrote, from its rows in their order; undefined when there are none. */
export const outcomeOfRows = (
  rows: readonly WrittenRow[],
): { readonly ids: readonly string[]; readonly tip: string | null } | undefined => {
  const last = rows.at(-1)
  if (!last) return undefined
  const tipBehind = (): string | null => {
    if (last.kind === "tip") return (JSON.parse(last.target ?? '{"to":null}') as { readonly to: string | null }).to
    return readNullable(last.kind === "rename" ? last.parentId : last.id)
  }
  return { ids: rows.map(({ id }) => readText(id)), tip: tipBehind() }
}

export interface RecordRow {
  readonly id: string
  readonly title: string | null
  readonly created: number
  readonly updated: number
  readonly forked_from: string | null
  readonly forked_entry: string | null
  readonly parent: string | null
  readonly parent_call: string | null
}

/** What a list shows, in the order in which the tables are asked for it. */
export const recordColumns = "id, title, created, updated, forked_from, forked_entry, parent, parent_call"

export const recordOfRow = (row: RecordRow): ConversationRecord => {
  const { id, title, created, updated, forked_from, forked_entry, parent, parent_call } = row
  return {
    id: readText(id),
    ...(title !== null && { title: readText(title) }),
    created,
    updated,
    ...(forked_from !== null && { forkedFrom: { conversation: readText(forked_from), entry: readNullable(forked_entry) } }),
    ...(parent !== null && {
      parent: { conversation: readText(parent), ...(parent_call !== null && { call: readText(parent_call) }) },
    }),
  }
}

/** Collects all entries of a conversation, whose rows come in their order. */
export class DumpReader {
  readonly damage: Diagnostic[] = []
  readonly #entries: Entry[] = []
  readonly #ids = new Map<number, string>()
  readonly #conversation: string

  constructor(conversation: string) {
    this.#conversation = conversation
  }

  take(row: EntryRow): void {
    const entry = entryOfRow(row, this.#conversation, this.damage)
    if (!entry) return
    this.#ids.set(row.number, entry.id)
    // One that is missing has an id that no entry has: it is placed as in every other log with a gap.
    const parent = row.parent === null ? null : (this.#ids.get(row.parent) ?? "")
    if (parent === "") {
      const what = `The parent of entry ${entry.id} is missing (row ${row.parent}); it is read after the entry that was the tip then`
      this.damage.push(damageOf("missing-parent", {}, what, [entry.id]))
    }
    this.#entries.push({ ...entry, parent })
  }

  /** `title` is the one the conversation has by now. */
  finish(record: ConversationRecord, operation: string | null): Dump {
    const { updated: _, title, ...header } = record
    const operations = operationsOf(this.#entries)
    const isRenamed = this.#entries.some(({ kind }) => kind === "rename")
    return {
      ...header,
      ...(title !== undefined && !isRenamed && { title }),
      ...(operation !== null && { operation: readText(operation) }),
      operations: asRead(operations),
      damage: this.damage,
    }
  }
}
