/**
 * Crush (`.crush/crush.db`) and opencode in its Go days (`.opencode/opencode.db`): tables sessions, messages, files.
 */
import type { Database } from "./database.ts"
import { has, type Schema } from "./schema.ts"
import { parsed, type Reading } from "./stored.ts"

export const isCrush = (schema: Schema): boolean =>
  has(schema, "sessions", "id", "title") && has(schema, "messages", "session_id", "role", "parts")

/** Times are in seconds although the schema says otherwise: rows of one second stand in the order they were written. */
const messagesSql = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid"

export const readCrush = (database: Database, reading: Reading): void => {
  for (const session of database.rows("SELECT * FROM sessions ORDER BY created_at, rowid")) {
    const id = String(session["id"])
    const messages = database.rows(messagesSql, id).map((row) => ({ ...row, parts: parsed(row["parts"]) }))
    reading.sessions.push({ format: "crush", value: { session: { ...session }, messages }, name: id })
  }
}
