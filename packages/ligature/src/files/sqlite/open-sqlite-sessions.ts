/** A database of any known agent → its sessions, each as the value that its codec decodes. Read-only, always. */
import type { DocumentPart } from "../../document/index.ts"
import { LigatureError } from "../../model/index.ts"
import { isCrush, readCrush } from "./crush.ts"
import { type Database, openDatabase, unreadable } from "./database.ts"
import { isGoose, readGoose } from "./goose.ts"
import { isLanggraph, readLanggraph } from "./langgraph.ts"
import { isOpencode, readOpencode } from "./opencode.ts"
import { isOpenWebui, readOpenWebui } from "./open-webui.ts"
import { readSchema, type Schema } from "./schema.ts"
import type { Reading, StoredSession } from "./stored.ts"

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
  { agent: "opencode", format: "opencode-export", matches: isOpencode, read: readOpencode },
  { agent: "Goose", format: "goose", matches: isGoose, read: readGoose },
  { agent: "LangGraph", format: "langgraph", matches: isLanggraph, read: readLanggraph },
  { agent: "Open WebUI", format: "open-webui", matches: isOpenWebui, read: readOpenWebui },
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
