/**
 * Reads conversations, each as it is at one moment. A path is read newest entry first, some rows at a time. The rows of a
 * conversation mostly are one path, so they are asked for in their order; where the path left others behind, the next
 * question begins at its next entry. No row is read twice.
 */
import type { Diagnostic } from "../../model/index.ts"
import { type Entry, formatVersion } from "../entry.ts"
import {
  type EntryRow,
  newerEntries,
  PathReader,
  readText,
  recordOfRow,
  type RecordRow,
  storedText,
} from "../entry-rows.ts"
import { loadedFrom } from "../loaded.ts"
import { Outline, type OutlineRow } from "../outline.ts"
import type { Branch, Loaded, LoadOptions } from "../store.ts"
import { missingConversation, missingEntry } from "../store-error.ts"
import type { Row } from "./pool.ts"
import type { Session } from "./sessions.ts"
import type { Statements } from "./statements.ts"

const mostAtOnce = 500

const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

/** However the client gives large numbers. */
export const entryRowOf = (row: Row): EntryRow => ({
  ...(row as unknown as EntryRow),
  number: Number(row["number"]),
  parent: numberOrNull(row["parent"]),
  sum: Number(row["sum"]),
})

/** All entries of a conversation without what they say; `key` is its id as stored. */
export const readOutline = async (session: Session, statements: Statements, key: string): Promise<Outline> => {
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
