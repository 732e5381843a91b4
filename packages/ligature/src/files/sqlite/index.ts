/** Databases of other agents. */
export { isSqliteFile } from "./database.ts"
export { openSqliteSessions, type SqliteSessions } from "./open-sqlite-sessions.ts"
export type { StoredSession } from "./stored.ts"
