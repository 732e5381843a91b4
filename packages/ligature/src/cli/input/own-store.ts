/**
 * Files and folders of our own store, given where a file of another program is expected. They contain entries with
 * branches, not messages, so they are read through the store; the error names the command.
 */
import { open, readdir, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { isSqliteFile } from "../../files/sqlite/database.ts"
import { LigatureError, phrase, shellFile, shellNames, shellWord } from "../../model/index.ts"
import { logSuffix } from "../../store/jsonl/folder-index.ts"
import { newline, parseLine } from "../../store/jsonl/line.ts"
import type { Io } from "../frame/io.ts"

/** The first line of a log has an id and a title; a longer one is not ours. Table definitions are within this limit, too. */
const longestHeader = 65_536

const headerOf = async (path: string): Promise<Buffer> => {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeader), 0, longestHeader, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The id of the conversation whose log begins with these bytes. */
const idOfLog = (bytes: Buffer): string | undefined => {
  const end = bytes.indexOf(newline)
  const header = end < 0 ? undefined : parseLine(bytes.subarray(0, end))
  return typeof header?.["ligature"] === "number" && typeof header["id"] === "string" ? header["id"] : undefined
}

/** A table that only our stores have, as SQLite stores its definition. Read as bytes: not every Node can open the file. */
const ownTable = "CREATE TABLE flushed ("

/** The number of logs that are opened before a folder counts as not ours. */
const fewLogs = 8

const isStoreFolder = async (path: string): Promise<boolean> => {
  // Opening a pipe would block forever.
  const files = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile())
  const logs = files
    .map(({ name }) => name)
    .filter((name) => name.endsWith(logSuffix))
    .slice(0, fewLogs)
  for (const name of logs) {
    const header = await headerOf(join(path, name)).catch(() => undefined)
    if (header && idOfLog(header) !== undefined) return true
  }
  return false
}

interface StorePlace {
  readonly kind: "folder" | "database" | "log"
  readonly store: string
  /** Of a log; undefined for a whole store. */
  readonly id?: string
}

const placeOf = async (given: string, io: Io): Promise<StorePlace | undefined> => {
  const path = resolve(io.cwd, given)
  const found = await stat(path)
  if (found.isDirectory()) return (await isStoreFolder(path)) ? { kind: "folder", store: given } : undefined
  // Reading the first bytes of a pipe would take them from the next reader.
  if (!found.isFile()) return undefined
  const header = await headerOf(path)
  if (isSqliteFile(path) && header.includes(ownTable)) return { kind: "database", store: given }
  const id = idOfLog(header)
  return id === undefined ? undefined : { kind: "log", store: dirname(given), id }
}

/** Whether a file or folder belongs to one of our stores. */
export const isOwnStore = async (given: string, io: Io): Promise<boolean> => (await placeOf(given, io).catch(() => undefined)) !== undefined

/** Throws for a log, a file or a folder of our store. `instead`: the command that reads it, with ID for the conversation. */
export const assertNoStore = async (given: string, instead: string, io: Io): Promise<void> => {
  // A file that cannot be opened has its own error when it is read.
  const place = given === "-" ? undefined : await placeOf(given, io).catch(() => undefined)
  if (place === undefined) return
  const { kind, store, id } = place
  const where = `--store ${shellFile(store)}`
  const isOption = id?.startsWith("-") === true
  const named = id === undefined ? instead : instead.replace("ID", () => (isOption ? `${where} ${shellNames(id)}` : shellWord(id)))
  const command = isOption ? named : `${named} ${where}`
  const what =
    kind === "log"
      ? phrase`This is a conversation in a store. Use: ${command}`
      : kind === "folder"
        ? phrase`This is the folder of a store. Use: ${command}. The ids: ${`ligature log list ${where}`}`
        : phrase`This is a store. Use: ${command}. The ids: ${`ligature log list ${where}`}`
  throw new LigatureError("cannot-read", what)
}
