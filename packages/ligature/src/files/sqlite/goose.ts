/** Goose (`sessions.db`): read as the records of its JSON lines, metadata first. */
import type { Database, Row } from "./database.ts"
import { has, type Schema } from "./schema.ts"
import { parsed, type Reading, withoutNulls } from "./stored.ts"

export const isGoose = (schema: Schema): boolean =>
  has(schema, "sessions", "id") && has(schema, "messages", "session_id", "role", "content_json")

const metadataOf = (session: Row, count: number): Row => {
  const row = withoutNulls(session)
  return {
    ...row,
    working_dir: row["working_dir"] ?? "",
    description: row["description"] ?? row["name"] ?? "",
    message_count: count,
  }
}

const recordOf = (row: Row): Row => {
  const id = row["message_id"]
  const metadata = parsed(row["metadata_json"])
  return {
    ...(typeof id === "string" && { id }),
    role: row["role"],
    created: row["created_timestamp"],
    content: parsed(row["content_json"]),
    ...(metadata !== null && metadata !== undefined && { metadata }),
  }
}

export const readGoose = (database: Database, reading: Reading, schema: Schema): void => {
  const order = has(schema, "messages", "created_timestamp") ? "created_timestamp, rowid" : "rowid"
  for (const session of database.rows("SELECT * FROM sessions ORDER BY rowid")) {
    const id = String(session["id"])
    const messages = database.rows(`SELECT * FROM messages WHERE session_id = ? ORDER BY ${order}`, id).map(recordOf)
    reading.sessions.push({ format: "goose", value: [metadataOf(session, messages.length), ...messages], name: id })
  }
}
