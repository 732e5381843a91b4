/** Whole conversations out of the tables and into them, each in one transaction. */
import { DumpReader } from "../dump-rows.ts"
import { type Dump, operationsToAdd, type Restored, type RestoreOptions } from "../dump.ts"
import { recordOfRow, type RecordRow, storedText } from "../entry-rows.ts"
import { guardAppend } from "../lease.ts"
import { StoreError } from "../store-error.ts"
import { addConversation, addRows } from "./add-conversation.ts"
import { conversationRow, entryRowOf } from "./read.ts"
import type { Session } from "./sessions.ts"
import { insistOnLength, readState } from "./state.ts"
import type { Statements } from "./statements.ts"

const mostAtOnce = 500

/** For whoever has a transaction that sees one moment, or the lock of the conversation. */
const readAll = async (session: Session, statements: Statements, id: string): Promise<Dump> => {
  const key = storedText(id)
  const row = await conversationRow(session, statements, id)
  const reader = new DumpReader(id)
  for (let last = 0; ; ) {
    const rows = await session.rows(statements.entriesAfter, [key, last, mostAtOnce])
    for (const each of rows) {
      const entry = entryRowOf(each)
      reader.take(entry)
      last = entry.number
    }
    if (rows.length < mostAtOnce) break
  }
  return reader.finish(recordOfRow(row as unknown as RecordRow), String(row["operation"]))
}

export const dumpFrom = (session: Session, statements: Statements, id: string): Promise<Dump> =>
  session.transaction("repeatable read read only", () => readAll(session, statements, id))

/** Adds what the dump has beyond the conversation that is there. */
const extendTo = (
  session: Session,
  statements: Statements,
  dump: Dump,
  options: RestoreOptions,
  time: number | null,
): Promise<Restored> =>
  session.transaction("read committed", async () => {
    const key = storedText(dump.id)
    await session.rows(statements.lock, [key])
    const rest = operationsToAdd(await readAll(session, statements, dump.id), dump, options)
    if (rest.length === 0) return "same"
    const named = rest.flatMap(({ entries }) => entries.flatMap(({ parent }) => parent ?? []))
    const targets = rest.flatMap(({ entries }) => entries.flatMap((entry) => (entry.kind === "tip" ? (entry.to ?? []) : [])))
    const { log, slots, now, revision } = await readState(session, statements, dump.id, time, [...named, ...targets])
    guardAppend(slots, undefined, now, dump.id)
    for (const operation of rest) log.accept(operation)
    await session.rows(statements.append, [key, revision, ...log.values(true, [])])
    await addRows(session, statements, key, log.rows)
    return "extended"
  })

/** Prepares it once, and gives what writes it, as often as connections break: what was written is found to be the same. */
export const restoreTo = (
  dump: Dump,
  options: RestoreOptions,
): ((session: Session, statements: Statements, time: number | null) => Promise<Restored>) => {
  const { id, created, title, operation, forkedFrom, parent, operations } = dump
  insistOnLength(id, operations.flatMap(({ operation: name, entries }) => [name, ...entries.map((entry) => entry.id)]))
  const write = addConversation(id, { title, operation, forkedFrom, parent }, operations)
  return async (session, statements, time) => {
    try {
      const { state } = await write(session, statements, created)
      if (state) return "made"
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== "exists") throw error
    }
    return extendTo(session, statements, dump, options, time)
  }
}
