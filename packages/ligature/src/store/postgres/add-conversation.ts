/** A new conversation, with the entries of the one it is a copy of: all of it in one transaction. */
import { formatVersion, type Operation } from "../entry.ts"
import { recordOfRow, type RecordRow, storedOrNull, storedText } from "../entry-rows.ts"
import { newConversationId } from "../new-id.ts"
import type { ConversationRecord } from "../store.ts"
import { existingConversation } from "../store-error.ts"
import type { KnownState } from "./known-states.ts"
import { columnsOf, PendingLog } from "./pending-log.ts"
import { conversationRow } from "./read.ts"
import type { Session } from "./sessions.ts"
import { insistOnLength } from "./state.ts"
import type { Statements } from "./statements.ts"

export interface NewConversation {
  readonly title: string | undefined
  /** Recognises a create that is repeated. */
  readonly operation: string | undefined
  readonly forkedFrom: ConversationRecord["forkedFrom"]
  readonly parent: ConversationRecord["parent"]
}

export interface Added {
  readonly record: ConversationRecord
  /** What is known of the conversation; absent when it was there already. */
  readonly state?: KnownState
}

const mostRowsAtOnce = 200
/** Many rows go out in several statements; `key` is the id of the conversation as stored. */
export const addRows = async (session: Session, statements: Statements, key: string, rows: PendingLog["rows"]): Promise<void> => {
  for (let from = 0; from < rows.length; from += mostRowsAtOnce) {
    await session.rows(statements.addEntries, [key, ...columnsOf(rows.slice(from, from + mostRowsAtOnce))])
  }
}

/** A new conversation must not look like a removed one of the same name. */
const firstRevision = (): number => Math.floor(Math.random() * 2 ** 50)

/**
 * Prepares it once, and gives what writes it, as often as connections break. Without an operation it gets one of its own,
 * so that the store recognises what it wrote itself.
 */
export const addConversation = (
  id: string,
  { title, operation = newConversationId(), forkedFrom, parent }: NewConversation,
  operations: readonly Operation[],
): ((session: Session, statements: Statements, time: number | null) => Promise<Added>) => {
  insistOnLength(id, [operation, ...(parent ? [parent.conversation] : [])])
  const log = new PendingLog(id)
  for (const one of operations) log.accept(one)
  const { tipNumber, last, updated, rows } = log
  const key = storedText(id)
  const origin = [forkedFrom?.conversation, forkedFrom?.entry, parent?.conversation, parent?.call].map(storedOrNull)
  const newTitle = log.title ?? storedOrNull(title)
  return (session, statements, time) =>
    session.transaction("read committed", async () => {
      const times = [time, operations.length > 0 ? updated : null]
      const revision = firstRevision()
      const place = [tipNumber, last, revision, formatVersion, storedText(operation)]
      const [made] = await session.rows(statements.create, [key, newTitle, ...times, ...place, ...origin])
      if (!made) {
        const known = await conversationRow(session, statements, id)
        if (known["operation"] === storedText(operation)) return { record: recordOfRow(known as unknown as RecordRow) }
        throw existingConversation(id)
      }
      await addRows(session, statements, key, rows)
      return { record: recordOfRow(made as unknown as RecordRow), state: log.leaves(String(revision), []) }
    })
}
