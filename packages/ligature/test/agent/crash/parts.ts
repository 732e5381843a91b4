/** What an agent in a process of its own is made of; bundled into one file, so that it starts fast. */
export { run } from "../../../src/agent/run.ts"
export { nodeFiles } from "../../../src/store/jsonl/files.ts"
export { jsonlStore } from "../../../src/store/jsonl/jsonl-store.ts"
export { postgresStore } from "../../../src/store/postgres/index.ts"
export { sqliteStore } from "../../../src/store/sqlite/index.ts"
