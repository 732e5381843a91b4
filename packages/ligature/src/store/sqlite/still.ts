/**
 * Reads a database beside which the engine cannot keep its log, because this user may not write to the folder, or nobody may.
 * The engine then refuses even to read, unless it is told that the file never changes. Nobody can promise that: another user
 * may write. So the file is opened for one reading only, and if it changed meanwhile, it is read once more.
 */
import { statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { StoreError } from "../store-error.ts"
import { type Database, loadEngine } from "./engine.ts"
import { schemaVersion, versionOf } from "./schema.ts"
import { Tables } from "./tables.ts"

/** Undefined when the file is not alone, since what was written last is in its log; or when there is none. */
const stateOf = (file: string): string | undefined => {
  try {
    const { size, mtimeNs } = statSync(file, { bigint: true })
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
    return log === undefined || log.size === 0 ? `${size} ${mtimeNs}` : undefined
  } catch {
    return undefined
  }
}

const open = (file: string): Database => {
  const { DatabaseSync } = loadEngine()
  const database = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  try {
    const version = versionOf(database, file)
    if (version === schemaVersion) return database
    const message = `${file} has tables of version ${version}, and nothing can be written to bring them to version ${schemaVersion}`
    throw new StoreError("unreadable", `${message}. Copy it to a folder that this user may write to`)
  } catch (error) {
    database.close()
    throw error
  }
}

const mostTries = 5

/** Undefined when the file cannot be read in this way: it has a log, or somebody keeps writing. */
export const readStill = async <Result>(
  file: string,
  work: (tables: Tables) => Result | Promise<Result>,
): Promise<{ readonly result: Result } | undefined> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const before = stateOf(file)
    if (before === undefined) return undefined
    const database = open(file)
    try {
      const result = await work(new Tables(database))
      if (stateOf(file) === before) return { result }
    } catch (error) {
      if (stateOf(file) === before) throw error
    } finally {
      database.close()
    }
  }
  return undefined
}
