/** What the readers of all databases need: the session they give, and JSON that lies in a column. */
import type { DocumentPart } from "../../document/index.ts"
import type { Row } from "./database.ts"

/** One session of a database: `value` is what the codec of `format` decodes. */
export interface StoredSession {
  readonly format: DocumentPart["format"]
  readonly value: unknown
  /** The id by which its agent knows it. */
  readonly name: string
}

export interface Reading {
  readonly sessions: StoredSession[]
  /** Sessions, or parts of one, that could not be read, as sentences. */
  readonly problems: string[]
}

/** JSON of a column; text that is none stays text, for the codec to report. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** Columns without a value are left out: in JSON nobody writes them. */
export const withoutNulls = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** Rows of one table by the value of a column, in the order they came. */
export const grouped = (rows: readonly Row[], column: string): ReadonlyMap<unknown, readonly Row[]> => {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) {
    const group = groups.get(row[column])
    if (group) group.push(row)
    else groups.set(row[column], [row])
  }
  return groups
}
