/**
 * What a removed conversation leaves in a database, and how it is taken out.
 *
 *   pages   The engine overwrites what it deletes (secure_delete), but not the copies that stay in the free space of a page
 *           when rows move to another one, as they do when their neighbours are deleted. So the file is rewritten (vacuum):
 *           about a second for 100 MB. Removals that wait share it.
 *   log     Every page as it was written stays in the log (-wal) until that is copied into the database and cut to nothing.
 *
 * A removal notes that this is pending, in its own transaction: whoever dies before it is done leaves it to the next who opens
 * the file.
 */
import { StoreError } from "../store-error.ts"
import { busyError, type Connection } from "./connection.ts"
import type { Tables } from "./tables.ts"

export interface Opened {
  readonly connection: Connection
  readonly tables: Tables
}

/** Throws `busy` while another process reads what would be cut off. */
export const erase = ({ connection, tables }: Opened): void => {
  if (!tables.hasResidue()) return
  const { database } = connection
  database.exec("vacuum")
  // Gives three numbers: whether it was kept from it, pages in the log, pages copied.
  const [kept] = Object.values(database.prepare("pragma wal_checkpoint(truncate)").get() ?? {})
  if (kept === 1) throw busyError(`${connection.file}-wal is being read`)
  connection.transact(() => tables.erased(), false)
}

export const notErased = (cause: StoreError, file: string): StoreError => {
  const { conversation } = cause
  const message = `The conversation was removed, but what it held may still be in ${file} or ${file}-wal: ${cause.message}`
  const way = "It is erased by the next program that opens the database or removes a conversation"
  return new StoreError("unwritable", `${message}. ${way}`, { cause, ...(conversation !== undefined && { conversation }) })
}
