/** Open WebUI (`webui.db`): each row of `chat` is an element of its export. */
import type { Database } from "./database.ts"
import { has, type Schema } from "./schema.ts"
import { parsed, type Reading, withoutNulls } from "./stored.ts"

export const isOpenWebui = (schema: Schema): boolean => has(schema, "chat", "id", "title", "chat")

export const readOpenWebui = (database: Database, reading: Reading): void => {
  for (const row of database.rows("SELECT * FROM chat ORDER BY created_at, rowid")) {
    const meta = parsed(row["meta"])
    const more = meta === null || meta === undefined ? {} : { meta }
    const value = { ...withoutNulls(row), chat: parsed(row["chat"]), ...more }
    reading.sessions.push({ format: "open-webui", value, name: String(row["id"]) })
  }
}
