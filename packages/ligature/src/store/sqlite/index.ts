/** Conversations in one SQLite file, with the engine inside Node 22.13 and newer. */
export { sqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts"
