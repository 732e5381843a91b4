/**
 * Reads conversations, each as it is at one moment. A path is read newest entry first, some rows at a time. The rows of a
 * conversation mostly are one path, so they are asked for in their order; where the path left others behind, the next
 * question begins at its next entry. No row is read twice.
 */
import type { Diagnostic } from "../../model/index.ts"
import { type Dump, operationsToAdd, type Restored, type RestoreOptions } from "../dump.ts"
import {
  DumpReader,
  type EntryRow,
  newerEntries,
  Outline,
  type OutlineRow,
  PathReader,
  readText,
  recordOfRow,
  type RecordRow,
  storedOrNull,
  storedText,
} from "../entry-rows.ts"
import { type Entry, formatVersion, type Operation } from "../entry.ts"
import { newConversationId } from "../inputs.ts"
import { guardAppend } from "../lease.ts"
import { existingConversation, missingConversation, missingEntry, StoreError } from "../store-error.ts"
import type { Branch, ConversationRecord, Loaded, LoadOptions } from "../store.ts"
import { loadedFrom } from "../view.ts"
import type { Row, Session } from "./server.ts"
import { columnsOf, insistOnLength, type KnownState, PendingLog, readState } from "./state.ts"
import type { Statements } from "./statements.ts"

const mostAtOnce = 500

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

/** However the client gives large numbers. */
const entryRowOf = (row: Row): EntryRow => ({
  ...(row as unknown as EntryRow),
  number: Number(row["number"]),
  parent: numberOrNull(row["parent"]),
  sum: Number(row["sum"]),
})

/** All entries of a conversation without what they say; `key` is its id as stored. */
const readOutline = async (session: Session, statements: Statements, key: string): Promise<Outline> => {
  const rows = await session.rows(statements.outline, [key])
  return new Outline(
    rows.map((row) => ({
      ...(row as unknown as OutlineRow),
      number: Number(row["number"]),
      parent: numberOrNull(row["parent"]),
    })),
  )
}

/** The id of the entry that is the tip where the row of the real one is gone. */
export const lastTip = async (session: Session, statements: Statements, key: string): Promise<string | null> => {
  const outline = await readOutline(session, statements, key)
  return outline.idOf(outline.tipBefore())
}

interface ReadPath {
  readonly entries: readonly Entry[]
  readonly whole: boolean
  readonly damage: readonly Diagnostic[]
}

/** `start` is the number of the entry the path ends at; `conversation` is the id itself, `key` the id as stored. */
const readPath = async (
  session: Session,
  statements: Statements,
  { conversation, key }: { readonly conversation: string; readonly key: string },
  start: number | null,
  last: number,
): Promise<ReadPath> => {
  const reader = new PathReader(conversation)
  let outline: Outline | undefined
  const bridge = async (missing: number): Promise<number | null> =>
    reader.bridge(missing, (outline ??= await readOutline(session, statements, key)))
  let next = start
  while (next !== null && reader.count < last) {
    const wanted = Math.min(mostAtOnce, last - reader.count)
    const rows: readonly Row[] = reader.mayTake(next) ? await session.rows(statements.entries, [key, next, wanted]) : []
    const first: number = next
    for (const row of rows) {
      if (Number(row["number"]) !== next) continue
      const entry = entryRowOf(row)
      reader.take(entry)
      next = entry.parent
      if (next === null || !reader.mayTake(next)) break
    }
    if (next === first) next = await bridge(first)
  }
  const [row] = next === null || !reader.mayTake(next) ? [] : await session.rows(statements.entryId, [key, next])
  const before = typeof row?.["id"] === "string" ? readText(row["id"]) : undefined
  if (next !== null && before === undefined) next = await bridge(next)
  const entries = reader.finish(before ?? outline?.idOf(next) ?? null)
  return { entries, whole: next === null, damage: reader.damage }
}

/** Throws when there is none, or when a newer program wrote to it. */
const conversationRow = async (session: Session, statements: Statements, id: string): Promise<Row> => {
  const [row] = await session.rows(statements.conversation, [storedText(id)])
  if (!row) throw missingConversation(id)
  const version = Number(row["version"])
  if (version > formatVersion) throw newerEntries(id, version)
  return row
}

const numberOf = async (session: Session, statements: Statements, id: string, entry: string): Promise<number> => {
  const [row] = await session.rows(statements.entryNumber, [storedText(id), storedText(entry)])
  if (!row) throw missingEntry(entry, id)
  return Number(row["number"])
}

const atOneMoment = "repeatable read read only"

export const loadFrom = (
  session: Session,
  statements: Statements,
  id: string,
  { at, last = Number.POSITIVE_INFINITY }: LoadOptions,
): Promise<Loaded> =>
  session.transaction(atOneMoment, async () => {
    const key = storedText(id)
    const row = await conversationRow(session, statements, id)
    const tip = numberOrNull(row["tip"])
    const start = at === undefined ? tip : at === null ? null : await numberOf(session, statements, id, at)
    const path = await readPath(session, statements, { conversation: id, key }, start, last)
    const [newest] = tip === null ? [] : await session.rows(statements.entryId, [key, tip])
    const known = typeof newest?.["id"] === "string" ? readText(newest["id"]) : undefined
    const tipId = known ?? (tip === null ? null : await lastTip(session, statements, key))
    return loadedFrom({ record: recordOfRow(row as unknown as RecordRow), tip: tipId, ...path })
  })

export const branchesFrom = (session: Session, statements: Statements, id: string): Promise<readonly Branch[]> =>
  session.transaction(atOneMoment, async () => {
    const row = await conversationRow(session, statements, id)
    const outline = await readOutline(session, statements, storedText(id))
    return outline.branches(numberOrNull(row["tip"]))
  })

/** A new conversation, with the entries of the one it is a copy of: all of it in one transaction. */
export interface NewConversation {
  readonly title: string | undefined
  /** Recognises a create that is repeated. */
  readonly operation: string | undefined
  readonly forkedFrom: ConversationRecord["forkedFrom"]
  readonly parent: ConversationRecord["parent"]
}

interface Added {
  readonly record: ConversationRecord
  /** What is known of the conversation; absent when it was there already. */
  readonly state?: KnownState
}

const mostRowsAtOnce = 200
/** Many rows go out in several statements; `key` is the id of the conversation as stored. */
const addRows = async (session: Session, statements: Statements, key: string, rows: PendingLog["rows"]): Promise<void> => {
  for (let from = 0; from < rows.length; from += mostRowsAtOnce) {
    await session.rows(statements.addEntries, [key, ...columnsOf(rows.slice(from, from + mostRowsAtOnce))])
  }
}

/** A new conversation must not look like a removed one of the same name. */
const firstRevision = (): number => Math.floor(Math.random() * 2 ** 50)

/**
 * Prepares it once, and gives what writes it, as often as connections break. Without an operation it gets one of its own,
 * so that the store recognises what it wrote itself.
 */
export const addConversation = (
  id: string,
  { title, operation = newConversationId(), forkedFrom, parent }: NewConversation,
  operations: readonly Operation[],
): ((session: Session, statements: Statements, time: number | null) => Promise<Added>) => {
  insistOnLength(id, [operation, ...(parent ? [parent.conversation] : [])])
  const log = new PendingLog(id)
  for (const one of operations) log.accept(one)
  const { tipNumber, last, updated, rows } = log
  const key = storedText(id)
  const origin = [forkedFrom?.conversation, forkedFrom?.entry, parent?.conversation, parent?.call].map(storedOrNull)
  const newTitle = log.title ?? storedOrNull(title)
  return (session, statements, time) =>
    session.transaction("read committed", async () => {
      const times = [time, operations.length > 0 ? updated : null]
      const revision = firstRevision()
      const place = [tipNumber, last, revision, formatVersion, storedText(operation)]
      const [made] = await session.rows(statements.create, [key, newTitle, ...times, ...place, ...origin])
      if (!made) {
        const known = await conversationRow(session, statements, id)
        if (known["operation"] === storedText(operation)) return { record: recordOfRow(known as unknown as RecordRow) }
        throw existingConversation(id)
      }
      await addRows(session, statements, key, rows)
      return { record: recordOfRow(made as unknown as RecordRow), state: log.leaves(String(revision), []) }
    })
}

/** For whoever has a transaction that sees one moment, or the lock of the conversation. */
const readAll = async (session: Session, statements: Statements, id: string): Promise<Dump> => {
  const key = storedText(id)
  const row = await conversationRow(session, statements, id)
  const reader = new DumpReader(id)
  for (let last = 0; ;) {
    const rows = await session.rows(statements.entriesAfter, [key, last, mostAtOnce])
    for (const each of rows) {
      const entry = entryRowOf(each)
      reader.take(entry)
      last = entry.number
    }
    if (rows.length < mostAtOnce) break
  }
  return reader.finish(recordOfRow(row as unknown as RecordRow), String(row["operation"]))
}

export const dumpFrom = (session: Session, statements: Statements, id: string): Promise<Dump> =>
  session.transaction("repeatable read read only", () => readAll(session, statements, id))

/** Adds what the dump has beyond the conversation that is there. */
const extendTo = (session: Session, statements: Statements, dump: Dump, options: RestoreOptions, time: number | null): Promise<Restored> =>
  session.transaction("read committed", async () => {
    const key = storedText(dump.id)
    await session.rows(statements.lock, [key])
    const rest = operationsToAdd(await readAll(session, statements, dump.id), dump, options)
    if (rest.length === 0) return "same"
    const named = rest.flatMap(({ entries }) => entries.flatMap(({ parent }) => parent ?? []))
    const targets = rest.flatMap(({ entries }) => entries.flatMap((entry) => (entry.kind === "tip" ? (entry.to ?? []) : [])))
    const { log, slots, now, revision } = await readState(session, statements, dump.id, time, [...named, ...targets])
    guardAppend(slots, undefined, now, dump.id)
    for (const operation of rest) log.accept(operation)
    await session.rows(statements.append, [key, revision, ...log.values(true, [])])
    await addRows(session, statements, key, log.rows)
    return "extended"
  })

/** Prepares it once, and gives what writes it, as often as connections break: what was written is found to be the same. */
export const restoreTo = (
  dump: Dump,
  options: RestoreOptions,
): ((session: Session, statements: Statements, time: number | null) => Promise<Restored>) => {
  const { id, created, title, operation, forkedFrom, parent, operations } = dump
  insistOnLength(
    id,
    operations.flatMap(({ operation: name, entries }) => [name, ...entries.map((entry) => entry.id)]),
  )
  const write = addConversation(id, { title, operation, forkedFrom, parent }, operations)
  return async (session, statements, time) => {
    try {
      const { state } = await write(session, statements, created)
      if (state) return "made"
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== "exists") throw error
    }
    return extendTo(session, statements, dump, options, time)
  }
}
