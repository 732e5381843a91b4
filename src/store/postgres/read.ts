/**
 * Reads conversations, each as it is at one moment. A path is read newest entry first, some rows at a time. The rows of a
 * conversation mostly are one path, so they are asked for in their order; where the path left others behind, the next
 * question begins at its next entry. No row is read twice.
 */
import type { Diagnostic } from "../../model/index.ts"
import { type Entry, formatVersion } from "../entry.ts"
import {
  branchesOfRows,
  type EntryRow,
  newerEntries,
  PathReader,
  readText,
  recordOfRow,
  type RecordRow,
  storedText,
} from "../entry-rows.ts"
import { loadedFrom } from "../loaded.ts"
import type { Branch, Loaded, LoadOptions } from "../store.ts"
import { missingConversation, missingEntry } from "../store-error.ts"
import type { Row } from "./pool.ts"
import type { Session } from "./sessions.ts"
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
  let next = start
  let count = 0
  while (next !== null && count < last) {
    const wanted = Math.min(mostAtOnce, last - count)
    const rows: readonly Row[] = await session.rows(statements.entries, [key, next, wanted])
    const first: number = next
    for (const row of rows) {
      if (Number(row["number"]) !== next) continue
      const entry = entryRowOf(row)
      reader.take(entry)
      count++
      next = reader.parentOf(entry)
      if (next === null) break
    }
    if (next === first) {
      reader.miss(first)
      next = null
    }
  }
  const [before] = next === null ? [] : await session.rows(statements.entryId, [key, next])
  const parent = typeof before?.["id"] === "string" ? readText(before["id"]) : null
  return { entries: reader.finish(parent), whole: next === null, damage: reader.damage }
}

/** Throws when there is none, or when a newer program wrote to it. */
export const conversationRow = async (session: Session, statements: Statements, id: string): Promise<Row> => {
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
    const tipId = typeof newest?.["id"] === "string" ? readText(newest["id"]) : null
    return loadedFrom({ record: recordOfRow(row as unknown as RecordRow), tip: tipId, ...path })
  })

export const branchesFrom = (session: Session, statements: Statements, id: string): Promise<readonly Branch[]> =>
  session.transaction(atOneMoment, async () => {
    const row = await conversationRow(session, statements, id)
    const rows = await session.rows(statements.outline, [storedText(id)])
    const outline = rows.map((one) => ({
      ...(one as unknown as EntryRow),
      number: Number(one["number"]),
      parent: numberOrNull(one["parent"]),
    }))
    return branchesOfRows(outline, numberOrNull(row["tip"]))
  })
