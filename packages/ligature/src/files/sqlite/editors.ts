/** Databases of Cursor and Kiro: keys and JSON values. And databases of agents that nobody here reads, by their names. */
import { isWire } from "../../model/index.ts"
import { type Database, has, parsed, type Reading, type Schema } from "./database.ts"

const decoder = new TextDecoder()

const valueOf = (stored: unknown): unknown => parsed(stored instanceof Uint8Array ? decoder.decode(stored) : stored)

export const isCursor = (schema: Schema): boolean => has(schema, "cursorDiskKV", "key", "value")

const between = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"

/** Keys are `composerData:ID` and `bubbleId:ID:BUBBLE`; a semicolon is what comes after a colon. */
export const readCursor = (database: Database, reading: Reading): void => {
  for (const row of database.rows(between, "composerData:", "composerData;")) {
    const id = String(row["key"]).slice("composerData:".length)
    const composer = valueOf(row["value"])
    if (!isWire(composer)) continue
    const bubbles = database.rows(between, `bubbleId:${id}:`, `bubbleId:${id};`).flatMap((bubble) => {
      const value = valueOf(bubble["value"])
      return isWire(value) ? [{ ...value, key: String(bubble["key"]).slice(`bubbleId:${id}:`.length) }] : []
    })
    const isEmpty = bubbles.length === 0 && !Array.isArray(composer["conversation"])
    if (!isEmpty) reading.sessions.push({ format: "cursor-vscdb", value: { composer: { composerId: id, ...composer }, bubbles }, name: id })
  }
}

const kiroTables = ["conversations_v2", "conversations"] as const

export const isKiro = (schema: Schema): boolean => kiroTables.some((table) => has(schema, table, "key", "value"))

export const readKiro = (database: Database, reading: Reading, schema: Schema): void => {
  for (const table of kiroTables) {
    if (!has(schema, table, "key", "value")) continue
    for (const row of database.rows(`SELECT * FROM ${table} ORDER BY rowid`)) {
      const value = valueOf(row["value"])
      if (isWire(value)) reading.sessions.push({ format: "kiro", value, name: String(value["conversation_id"] ?? row["key"]) })
    }
  }
}

/** Why a database of a known agent is not read. */
export const unreadDatabases: readonly { readonly agent: string; readonly matches: (schema: Schema) => boolean; readonly why: string }[] = [
  {
    agent: "Cursor's agent (store.db)",
    matches: (schema) => has(schema, "blobs", "id", "data") && has(schema, "meta", "key", "value"),
    why: "its blobs are in a format that is not published",
  },
  {
    agent: "an editor of the VS Code family (state.vscdb)",
    matches: (schema) => has(schema, "ItemTable", "key", "value"),
    why: "chats of VS Code are in the files beside it, chatSessions/*.json",
  },
  {
    agent: "Zed",
    matches: (schema) => has(schema, "threads", "id", "data_type", "data"),
    why: "its threads are compressed in a format of its own",
  },
  {
    agent: "Warp",
    matches: (schema) => has(schema, "agent_conversations"),
    why: "it keeps metadata, and the conversation in a format of its own",
  },
]
