/** What the tables mean: how an append becomes rows after the tip, and how the rows of a path become a conversation again. */
import { setImmediate as giveWay } from "node:timers/promises"
import {
  DumpReader,
  type EntryRow,
  newerEntries,
  outcomeOfRows,
  type Outline,
  PathReader,
  recordOfRow,
  rowOf,
  storedOrNull,
  storedText,
} from "../entry-rows.ts"
import { type Dump, operationsToAdd, type Restored, type RestoreOptions } from "../dump.ts"
import { type Entry, formatVersion, type Operation } from "../entry.ts"
import { guardAppend } from "../lease.ts"
import { loadedFrom } from "../view.ts"
import { newId } from "../inputs.ts"
import { type AppendRequest, planAppend } from "../log-index.ts"
import type { Appended, ConversationRecord, Loaded, LoadOptions } from "../store.ts"
import { existingConversation, missingConversation, missingEntry } from "../store-error.ts"
import { entryNaming } from "./schema.ts"
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
  readonly parent: ConversationRecord["parent"]
}

/** Runs inside a transaction. */
export const addConversation = (
  tables: Tables,
  id: string,
  { created, title, operation, forkedFrom, parent }: NewConversation,
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
    parent: storedOrNull(parent?.conversation),
    parent_call: storedOrNull(parent?.call),
  }
  const number = tables.addConversation(row)
  if (operations.length > 0) addEntries(tables, { ...row, number, tip: null }, null, operations)
  return recordOfRow(tables.conversation(id) ?? row)
}

/**
 * Writes operations, and moves the tip. `tipId` names the tip: an entry that goes elsewhere, as in a copy of a log with gaps, is
 * put there.
 */
const addEntries = (tables: Tables, conversation: ConversationRow, tipId: string | null, operations: readonly Operation[]): void => {
  const { number, id } = conversation
  const entries = operations.flatMap((operation) => operation.entries)
  // All are written as JSON before any is added: what cannot be written leaves nothing behind.
  const rows = entries.map((entry) => ({ entry, row: rowOf(entry, id) }))
  let { tip, updated } = conversation
  // SQLite gives the number of a newest row that is gone once more; the tip must not name another entry then.
  const gone = tip !== null && tables.entryId(number, tip) === undefined ? tip : undefined
  let title: string | null = null
  let expected = tipId
  const parentOf = ({ parent }: Entry): number | null => {
    if (parent === expected) return tip
    return parent === null ? null : (tables.entryNumber(number, parent) ?? tip)
  }
  for (const { entry, row } of rows) {
    const added = tables.addEntry(number, parentOf(entry), row, gone)
    updated = Math.max(updated, entry.at)
    if (entry.kind === "rename") title = storedText(entry.title)
    else if (entry.kind !== "tip") [tip, expected] = [added, entry.id]
    else {
      const target = entry.to === null ? null : tables.entryNumber(number, entry.to)
      if (target !== undefined) [tip, expected] = [target, entry.to]
    }
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
  addEntries(tables, row, known.tip, [plan.operation])
  const { operation, entries } = plan.operation
  return { tip: tipBehind(entries, known.tip), ids: entries.map(({ id }) => id), operation, repeated: false }
}

/** The tip after entries that were planned: each is where the next one goes, or says where that is. */
const tipBehind = (entries: Operation["entries"], before: string | null): string | null => {
  const last = entries.at(-1)
  if (!last) return before
  if (last.kind === "tip") return last.to
  return last.kind === "rename" ? last.parent : last.id
}

const entriesPerPiece = 1_000

/** Throws where the conversation was removed since its row was read. */
const insistThere = (tables: Tables, id: string, number: number): void => {
  if (tables.conversation(id)?.number !== number) throw missingConversation(id)
}

const readAll = (tables: Tables, id: string, row: ConversationRow, numbers: readonly number[], reader: DumpReader): void => {
  for (const number of numbers) {
    const entry = tables.entry(row.number, number)
    if (entry) reader.take(entry)
    else insistThere(tables, id, row.number)
  }
}

/** All at once, for whoever has a transaction. */
const dumpAtOnce = (tables: Tables, id: string): Dump => {
  const row = conversationOf(tables, id)
  const reader = new DumpReader(id)
  readAll(tables, id, row, tables.numbers(row.number), reader)
  return reader.finish(recordOfRow(row), row.operation)
}

/** The whole conversation as it is when this is called, and gives way to other tasks now and then. */
export const dumpFrom = async (tables: Tables, id: string): Promise<Dump> => {
  const row = conversationOf(tables, id)
  const numbers = tables.numbers(row.number)
  const reader = new DumpReader(id)
  for (let from = 0; from < numbers.length; from += entriesPerPiece) {
    readAll(tables, id, row, numbers.slice(from, from + entriesPerPiece), reader)
    await giveWay()
  }
  return reader.finish(recordOfRow(row), row.operation)
}

/** Runs inside a transaction. */
export const restoreTo = (tables: Tables, dump: Dump, options: RestoreOptions, now: number): Restored => {
  const { id, created, title, operation, forkedFrom, parent, operations } = dump
  const row = tables.conversation(id)
  if (!row) {
    addConversation(tables, id, { created, title, operation, forkedFrom, parent }, operations)
    return "made"
  }
  const rest = operationsToAdd(dumpAtOnce(tables, id), dump, options)
  if (rest.length === 0) return "same"
  guardAppend(tables.leases(row.number), undefined, now, id)
  addEntries(tables, row, tipOf(tables, row), rest)
  return "extended"
}

/** Walks from the end of the path back, and gives way to other tasks now and then. */
export const loadFrom = async (tables: Tables, id: string, { at, last = Number.POSITIVE_INFINITY }: LoadOptions): Promise<Loaded> => {
  const row = conversationOf(tables, id)
  const { number } = row
  const tip = tipOf(tables, row)
  const start = at === undefined ? row.tip : at === null ? null : tables.entryNumber(number, at)
  if (start === undefined) throw missingEntry(at ?? "", id)
  const insistStill = (): void => insistThere(tables, id, number)
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
