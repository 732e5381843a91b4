/** A database of any known agent → its sessions, each as the value that its codec decodes. Read-only, always. */
import type { DocumentPart } from "../../document/index.ts"
import { isWire, LigatureError } from "../../model/index.ts"
import {
  type Database,
  grouped,
  has,
  openDatabase,
  parsed,
  type Reading,
  readSchema,
  type Row,
  type Schema,
  type StoredSession,
  unreadable,
  withoutNulls,
} from "./database.ts"
import { isLanggraph, readLanggraph } from "./langgraph.ts"

// Databases of Cursor and Kiro: keys and JSON values. And databases of agents that nobody here reads, by their names.

const decoder = new TextDecoder()

const valueOf = (stored: unknown): unknown => parsed(stored instanceof Uint8Array ? decoder.decode(stored) : stored)

const isCursor = (schema: Schema): boolean => has(schema, "cursorDiskKV", "key", "value")

const between = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"

/** Keys are `composerData:ID` and `bubbleId:ID:BUBBLE`; a semicolon is what comes after a colon. */
const readCursor = (database: Database, reading: Reading): void => {
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

const isKiro = (schema: Schema): boolean => kiroTables.some((table) => has(schema, table, "key", "value"))

const readKiro = (database: Database, reading: Reading, schema: Schema): void => {
  for (const table of kiroTables) {
    if (!has(schema, table, "key", "value")) continue
    for (const row of database.rows(`SELECT * FROM ${table} ORDER BY rowid`)) {
      const value = valueOf(row["value"])
      if (isWire(value)) reading.sessions.push({ format: "kiro", value, name: String(value["conversation_id"] ?? row["key"]) })
    }
  }
}

/** Why a database of a known agent is not read. */
const unreadDatabases: readonly { readonly agent: string; readonly matches: (schema: Schema) => boolean; readonly why: string }[] = [
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

/** Crush (`.crush/crush.db`) and opencode in its Go days (`.opencode/opencode.db`): tables sessions, messages, files. */
export const isCrush = (schema: Schema): boolean =>
  has(schema, "sessions", "id", "title") && has(schema, "messages", "session_id", "role", "parts")

/** Times are in seconds although the schema says otherwise: rows of one second are in the order they were written. */
const messagesSql = "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid"

export const readCrush = (database: Database, reading: Reading): void => {
  for (const session of database.rows("SELECT * FROM sessions ORDER BY created_at, rowid")) {
    const id = String(session["id"])
    const messages = database.rows(messagesSql, id).map((row) => ({ ...row, parts: parsed(row["parts"]) }))
    reading.sessions.push({ format: "crush", value: { session: { ...session }, messages }, name: id })
  }
}

/** Goose (`sessions.db`): read as the records of its JSON lines, metadata first. */
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

/** Open WebUI (`webui.db`): each row of `chat` is an element of its export. */
export const isOpenWebui = (schema: Schema): boolean => has(schema, "chat", "id", "title", "chat")

export const readOpenWebui = (database: Database, reading: Reading): void => {
  for (const row of database.rows("SELECT * FROM chat ORDER BY created_at, rowid")) {
    const meta = parsed(row["meta"])
    const more = meta === null || meta === undefined ? {} : { meta }
    const value = { ...withoutNulls(row), chat: parsed(row["chat"]), ...more }
    reading.sessions.push({ format: "open-webui", value, name: String(row["id"]) })
  }
}

// opencode since 1.2: tables session, message and part, each with its JSON in `data`; read as what `opencode export`
// gives.

export const isOpencode = (schema: Schema): boolean =>
  has(schema, "session", "id") && has(schema, "message", "session_id", "data") && has(schema, "part", "message_id", "data")

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
const partsByMessageSql = "SELECT * FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = ?) ORDER BY id"

/** Kilo CLI keeps its sessions in the same tables, beside some of its own. */
export const isKilo = (schema: Schema): boolean => isOpencode(schema) && [...schema.keys()].some((table) => table.startsWith("kilo_"))

export const readOpencode = (database: Database, reading: Reading, schema: Schema): void => {
  const format = isKilo(schema) ? "kilo-cli" : "opencode-export"
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
    reading.sessions.push({ format, value: { info: infoOf(session), messages }, name: id })
  }
}

export interface SqliteSessions {
  /** The agent whose database it is. */
  readonly agent: string
  /** The format of its sessions, as codecs name it. */
  readonly format: DocumentPart["format"]
  readonly sessions: readonly StoredSession[]
  /** What could not be read, as sentences. The other sessions are there. */
  readonly problems: readonly string[]
}

interface Kind {
  readonly agent: string
  readonly format: DocumentPart["format"]
  readonly matches: (schema: Schema) => boolean
  readonly read: (database: Database, reading: Reading, schema: Schema) => void
}

const kinds: readonly Kind[] = [
  { agent: "Crush", format: "crush", matches: isCrush, read: readCrush },
  { agent: "Kilo CLI", format: "kilo-cli", matches: isKilo, read: readOpencode },
  { agent: "opencode", format: "opencode-export", matches: isOpencode, read: readOpencode },
  { agent: "Goose", format: "goose", matches: isGoose, read: readGoose },
  { agent: "LangGraph", format: "langgraph", matches: isLanggraph, read: readLanggraph },
  { agent: "Open WebUI", format: "open-webui", matches: isOpenWebui, read: readOpenWebui },
  { agent: "Cursor", format: "cursor-vscdb", matches: isCursor, read: readCursor },
  { agent: "Kiro", format: "kiro", matches: isKiro, read: readKiro },
]

/**
 * Throws a `LigatureError` where the file cannot be opened, is no database, is damaged, or belongs to no agent we know.
 *
 */
export const openSqliteSessions = async (path: string): Promise<SqliteSessions> => {
  const database = await openDatabase(path)
  const reading: Reading = { sessions: [], problems: [] }
  try {
    const schema = readSchema(database)
    const kind = kinds.find(({ matches }) => matches(schema))
    if (!kind) {
      const unread = unreadDatabases.find(({ matches }) => matches(schema))
      if (unread)
        throw new LigatureError(
          "unknown-format",
          `${path} is a database of ${unread.agent}, which is not supported yet, because ${unread.why}.`,
        )
      const tables = [...schema.keys()].slice(0, 12).join(", ")
      const known = kinds.map(({ agent }) => agent).join(", ")
      throw new LigatureError(
        "unknown-format",
        `${path} holds no sessions of a known agent (${known}); its tables are: ${tables === "" ? "none" : tables}`,
      )
    }
    try {
      kind.read(database, reading, schema)
    } catch (cause) {
      // A damaged page ends the reading there. What came before it is whole.
      if (reading.sessions.length === 0) throw cause
      reading.problems.push(unreadable(path, cause).message)
    }
    return { agent: kind.agent, format: kind.format, ...reading }
  } catch (cause) {
    throw unreadable(path, cause)
  } finally {
    database.close()
  }
}
