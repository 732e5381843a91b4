/** What the tables mean: how an append becomes rows behind the tip, and how the rows of a path become a conversation again. */
import { setImmediate as giveWay } from "node:timers/promises"
import { formatVersion, type Operation } from "../entry.ts"
import { type EntryRow, newerEntries, outcomeOfRows, PathReader, recordOfRow, rowOf, storedOrNull, storedText } from "../entry-rows.ts"
import { loadedFrom } from "../loaded.ts"
import { newId } from "../new-id.ts"
import type { Outline } from "../outline.ts"
import { type AppendRequest, planAppend } from "../plan-append.ts"
import type { Appended, ConversationRecord, Loaded, LoadOptions } from "../store.ts"
import { existingConversation, missingConversation, missingEntry } from "../store-error.ts"
import { entryNaming } from "./operation-name.ts"
import type { ConversationRow, Tables } from "./tables.ts"

/** Throws when there is none, or when a newer program wrote to it. */
export const conversationOf = (tables: Tables, id: string): ConversationRow => {
  const row = tables.conversation(id)
  if (!row) throw missingConversation(id)
  if (row.version > formatVersion) throw newerEntries(id, row.version)
  return row
}

/** The id of the tip; where its row is gone, of the entry that was the tip before. */
const tipOf = (tables: Tables, { number, tip }: ConversationRow): string | null => {
  if (tip === null) return null
  const id = tables.entryId(number, tip)
  if (id !== undefined) return id
  const outline = tables.outline(number)
  return outline.idOf(outline.tipBefore())
}

export interface NewConversation {
  readonly created: number
  readonly title: string | undefined
  /** Recognises a create that is repeated. */
  readonly operation: string | undefined
  readonly forkedFrom: ConversationRecord["forkedFrom"]
}

/** Runs inside a transaction. */
export const addConversation = (
  tables: Tables,
  id: string,
  { created, title, operation, forkedFrom }: NewConversation,
  operations: readonly Operation[],
): ConversationRecord => {
  const known = tables.conversation(id)
  if (known) {
    if (operation !== undefined && known.operation === storedText(operation)) return recordOfRow(known)
    throw existingConversation(id)
  }
  const row = {
    id: storedText(id),
    title: storedOrNull(title),
    created,
    updated: created,
    version: formatVersion,
    operation: storedOrNull(operation),
    forked_from: storedOrNull(forkedFrom?.conversation),
    forked_entry: storedOrNull(forkedFrom?.entry),
  }
  const number = tables.addConversation(row)
  if (operations.length > 0) addEntries(tables, { ...row, number, tip: null }, operations)
  return recordOfRow(tables.conversation(id) ?? row)
}

/** Writes operations behind the tip, and moves the tip. */
const addEntries = (tables: Tables, conversation: ConversationRow, operations: readonly Operation[]): void => {
  const { number, id } = conversation
  const entries = operations.flatMap((operation) => operation.entries)
  // All are written as JSON before any is added: what cannot be written leaves nothing behind.
  const rows = entries.map((entry) => ({ entry, row: rowOf(entry, id) }))
  let { tip, updated } = conversation
  // SQLite gives the number of a newest row that is gone once more; the tip must not name another entry then.
  const gone = tip !== null && tables.entryId(number, tip) === undefined ? tip : undefined
  let title: string | null = null
  for (const { entry, row } of rows) {
    const added = tables.addEntry(number, tip, row, gone)
    updated = Math.max(updated, entry.at)
    if (entry.kind === "rename") title = storedText(entry.title)
    else if (entry.kind !== "tip") tip = added
    else tip = entry.to === null ? null : (tables.entryNumber(number, entry.to) ?? tip)
  }
  tables.setTip(number, tip, updated, title, formatVersion)
}

/** Ids for entries that have none; the first is the one the operation is named after. */
const freshIds = (operation: string): (() => string) => {
  let first = entryNaming(operation)
  return () => {
    const id = first ?? newId()
    first = undefined
    return id
  }
}

/** Runs inside a transaction. */
export const appendTo = (tables: Tables, request: AppendRequest, now: number): Appended => {
  const row = conversationOf(tables, request.conversation)
  const { number } = row
  const known = {
    tip: tipOf(tables, row),
    updated: row.updated,
    has: (id: string) => tables.entryNumber(number, id) !== undefined,
    outcomeOf: (operation: string) => outcomeOfRows(tables.entriesOfOperation(number, operation)),
  }
  const plan = planAppend(known, request, { slots: tables.leases(number), now, newId: freshIds(request.operation) })
  if (plan.type === "repeated") return plan.outcome
  addEntries(tables, row, [plan.operation])
  const { operation, entries } = plan.operation
  return { tip: tipBehind(entries, known.tip), ids: entries.map(({ id }) => id), operation, repeated: false }
}

/** The tip behind entries that were planned: each is where the next one goes, or says where that is. */
const tipBehind = (entries: Operation["entries"], before: string | null): string | null => {
  const last = entries.at(-1)
  if (!last) return before
  if (last.kind === "tip") return last.to
  return last.kind === "rename" ? last.parent : last.id
}

const entriesPerPiece = 1_000

/** Walks from the end of the path back, and gives way to other tasks now and then. */
export const loadFrom = async (
  tables: Tables,
  id: string,
  { at, last = Number.POSITIVE_INFINITY }: LoadOptions,
): Promise<Loaded> => {
  const row = conversationOf(tables, id)
  const { number } = row
  const tip = tipOf(tables, row)
  const start = at === undefined ? row.tip : at === null ? null : tables.entryNumber(number, at)
  if (start === undefined) throw missingEntry(at ?? "", id)
  const insistStill = (): void => {
    if (tables.conversation(id)?.number !== number) throw missingConversation(id)
  }
  const reader = new PathReader(id)
  let outline: Outline | undefined
  const bridge = (missing: number): number | null => {
    insistStill()
    return reader.bridge(missing, (outline ??= tables.outline(number)))
  }
  let next = start
  while (next !== null && reader.count < last) {
    if (reader.count % entriesPerPiece === entriesPerPiece - 1) {
      await giveWay()
      insistStill()
    }
    const entry: EntryRow | undefined = reader.mayTake(next) ? tables.entry(number, next) : undefined
    if (entry) reader.take(entry)
    next = entry ? entry.parent : bridge(next)
  }
  const before = next === null || !reader.mayTake(next) ? undefined : tables.entryId(number, next)
  if (next !== null && before === undefined) next = bridge(next)
  const entries = reader.finish(before ?? outline?.idOf(next) ?? null)
  return loadedFrom({ record: recordOfRow(row), tip, entries, whole: next === null, damage: reader.damage })
}
