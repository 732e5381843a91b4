/** Where conversations are kept: a folder, a SQLite file, a PostgreSQL server, as the settings say. */
import type { Durability, Store } from "ligature/store"

/** Of the store on a PostgreSQL server: see its options. */
export interface PostgresSettings {
  readonly schema?: string
  readonly connections?: number
  readonly partitions?: number
  readonly together?: boolean
}

export interface StoreSettings {
  /** A folder, `FILE.db` or `sqlite:FILE`, `postgres://…`. */
  readonly place: string
  /** What survives a power cut; everything survives the death of the process. */
  readonly durability: Durability
  /** A request is refused with 503 where it cannot be stored. */
  readonly required: boolean
  /** Conversations that were silent for longer are removed. */
  readonly keepMs?: number
  /** Texts that are replaced before anything is stored. */
  readonly redact: readonly RegExp[]
  readonly postgres?: PostgresSettings
}

export const openStore = async ({ place, durability, required, postgres }: StoreSettings): Promise<Store> => {
  if (/^postgres(?:ql)?:\/\//.test(place)) {
    const { postgresStore } = await import("ligature/store/postgres")
    // Who must have it stored waits for a server that is started again; nobody else waits long.
    return postgresStore({ connectionString: place, durability, retryForMs: required ? 5_000 : 1_000, ...postgres })
  }
  if (place.startsWith("sqlite:") || /\.(?:db|sqlite3?)$/i.test(place)) {
    const { sqliteStore } = await import("ligature/store/sqlite")
    return sqliteStore({ file: place.replace(/^sqlite:(?:\/\/)?/, ""), durability })
  }
  const { jsonlStore } = await import("ligature/store")
  return jsonlStore({ folder: place, durability })
}
