/**
 * opencode since 1.2: tables session, message and part, each with its JSON in `data`; read as what `opencode export`
 * gives.
 */
import { isWire } from "../../model/index.ts"
import type { Database, Row } from "./database.ts"
import { has, type Schema } from "./schema.ts"
import { grouped, parsed, type Reading } from "./stored.ts"

export const isOpencode = (schema: Schema): boolean =>
  has(schema, "session", "id") &&
  has(schema, "message", "session_id", "data") &&
  has(schema, "part", "message_id", "data")

/** Columns that are fields of their own name in the export. */
const names: ReadonlyMap<string, string> = new Map([
  ["id", "id"],
  ["slug", "slug"],
  ["project_id", "projectID"],
  ["workspace_id", "workspaceID"],
  ["parent_id", "parentID"],
  ["directory", "directory"],
  ["title", "title"],
  ["version", "version"],
  ["revert", "revert"],
  ["permission", "permission"],
])

const jsonColumns: ReadonlySet<string> = new Set(["revert", "permission"])

const group = (row: Row, prefix: string): Row | undefined => {
  const found: Record<string, unknown> = {}
  for (const column in row) {
    if (column.startsWith(prefix) && row[column] !== null) found[column.slice(prefix.length)] = parsed(row[column])
  }
  return Object.keys(found).length === 0 ? undefined : found
}

const infoOf = (row: Row): Row => {
  const info: Record<string, unknown> = {}
  for (const [column, name] of names) {
    const value = row[column]
    if (value !== null && value !== undefined) info[name] = jsonColumns.has(column) ? parsed(value) : value
  }
  const share = row["share_url"]
  const summary = group(row, "summary_")
  const time = group(row, "time_")
  return {
    ...info,
    ...(typeof share === "string" && { share: { url: share } }),
    ...(summary && { summary }),
    ...(time && { time }),
  }
}

const fieldsOf = (row: Row): Row => {
  const value = parsed(row["data"])
  return isWire(value) ? value : { type: "unreadable", text: String(value) }
}

/** Ids sort by time, which the order of rows does not. */
const partsSql = "SELECT * FROM part WHERE session_id = ? ORDER BY id"
const partsByMessageSql =
  "SELECT * FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = ?) ORDER BY id"

export const readOpencode = (database: Database, reading: Reading, schema: Schema): void => {
  const sql = has(schema, "part", "session_id") ? partsSql : partsByMessageSql
  for (const session of database.rows("SELECT * FROM session ORDER BY id")) {
    const id = String(session["id"])
    const parts = grouped(database.rows(sql, id), "message_id")
    const messages = database.rows("SELECT * FROM message WHERE session_id = ? ORDER BY id", id).map((row) => ({
      info: { ...fieldsOf(row), id: row["id"], sessionID: id },
      parts: (parts.get(row["id"]) ?? []).map((part) => ({
        ...fieldsOf(part),
        id: part["id"],
        messageID: row["id"],
        sessionID: id,
      })),
    }))
    reading.sessions.push({ format: "opencode-export", value: { info: infoOf(session), messages }, name: id })
  }
}
