/**
 * Reads a path, newest entry first, some rows at a time. The rows of a conversation mostly are one path, so they are
 * asked for in their order; where the path left others behind, the next question begins at its next entry. No row is read
 * twice.
 */
import { type EntryRow, PathReader, readText } from "../entry-rows.ts"
import type { Entry } from "../entry.ts"
import type { Diagnostic } from "../../model/index.ts"
import type { Row } from "./pool.ts"
import type { Session } from "./sessions.ts"
import type { Statements } from "./statements.ts"

const mostAtOnce = 500

export const numberOrNull = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

/** However the client gives large numbers. */
const entryRowOf = (row: Row): EntryRow => ({
  ...(row as unknown as EntryRow),
  number: Number(row["number"]),
  parent: numberOrNull(row["parent"]),
  sum: Number(row["sum"]),
})

export interface ReadPath {
  readonly entries: readonly Entry[]
  readonly whole: boolean
  readonly damage: readonly Diagnostic[]
}

/** `start` is the number of the entry the path ends at; `conversation` is the id itself, `key` the id as stored. */
export const readPath = async (
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
      next = entry.parent
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
