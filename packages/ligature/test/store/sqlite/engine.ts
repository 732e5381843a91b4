/** Whether this Node has the engine; where it has not, one line says what is skipped. Damage is done with the engine itself. */
import { loadEngine, type Database } from "../../../src/store/sqlite/schema.ts"

export const hasEngine = process.getBuiltinModule("node:sqlite") !== undefined

export const sayIfMissing = (what: string): void => {
  if (!hasEngine) process.stdout.write(`skipped: ${what} needs Node 22.13 or newer, this is ${process.versions.node}\n`)
}

/** Opens a database beside the store, for one thing. */
export const within = <Result>(file: string, task: (database: Database) => Result): Result => {
  const { DatabaseSync } = loadEngine()
  const database = new DatabaseSync(file)
  try {
    return task(database)
  } finally {
    database.close()
  }
}
