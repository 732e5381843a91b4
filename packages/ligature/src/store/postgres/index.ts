/** Conversations on a PostgreSQL server, for many processes on many machines. Needs the package `pg`. */
export type { PostgresClient, PostgresPool, PostgresQuery } from "./server.ts"
export { postgresStore } from "./postgres-store.ts"
export type { PostgresStoreOptions } from "./server.ts"
