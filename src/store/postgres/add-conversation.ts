/** A new conversation, with the entries of the one it is a copy of: all of it in one transaction. */
import { formatVersion, type Operation } from "../entry.ts"
import { recordOfRow, type RecordRow, storedOrNull, storedText } from "../entry-rows.ts"
import { newConversationId } from "../new-id.ts"
import type { ConversationRecord } from "../store.ts"
import { existingConversation } from "../store-error.ts"
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
}

const mostRowsAtOnce = 200
/** A new conversation must not look like a removed one of the same name. */
const firstRevision = (): number => Math.floor(Math.random() * 2 ** 50)

/**
 * Prepares it once, and gives what writes it, as often as connections break. Without an operation it gets one of its own,
 * so that the store recognises what it wrote itself.
 */
export const addConversation = (
  id: string,
  { title, operation = newConversationId(), forkedFrom }: NewConversation,
  operations: readonly Operation[],
): ((session: Session, statements: Statements, time: number | null) => Promise<ConversationRecord>) => {
  insistOnLength(id, [operation])
  const log = new PendingLog(id)
  for (const one of operations) log.accept(one)
  const { tipNumber, last, updated, rows } = log
  const key = storedText(id)
  const origin = [storedOrNull(forkedFrom?.conversation), storedOrNull(forkedFrom?.entry)]
  const newTitle = log.title ?? storedOrNull(title)
  return (session, statements, time) =>
    session.transaction("read committed", async () => {
      const times = [time, operations.length > 0 ? updated : null]
      const place = [tipNumber, last, firstRevision(), formatVersion, storedText(operation)]
      const [made] = await session.rows(statements.create, [key, newTitle, ...times, ...place, ...origin])
      if (!made) {
        const known = await conversationRow(session, statements, id)
        if (known["operation"] === storedText(operation)) return recordOfRow(known as unknown as RecordRow)
        throw existingConversation(id)
      }
      for (let from = 0; from < rows.length; from += mostRowsAtOnce) {
        await session.rows(statements.addEntries, [key, ...columnsOf(rows.slice(from, from + mostRowsAtOnce))])
      }
      return recordOfRow(made as unknown as RecordRow)
    })
}
