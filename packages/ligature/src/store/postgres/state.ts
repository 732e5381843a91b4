/** The state of a conversation as one statement reads it, and changes that hold only while it is still the same. */
import { formatVersion } from "../entry.ts"
import { newerEntries, storedText } from "../entry-rows.ts"
import type { LeaseSlots } from "../lease.ts"
import { missingConversation, StoreError } from "../store-error.ts"
import { PendingLog, readLeases } from "./pending-log.ts"
import { lastTip } from "./read.ts"
import type { Session } from "./sessions.ts"
import type { Statements } from "./statements.ts"

export interface State {
  readonly revision: string
  readonly now: number
  readonly slots: LeaseSlots
  readonly log: PendingLog
}

export const readState = async (
  session: Session,
  statements: Statements,
  id: string,
  time: number | null,
  ids: readonly string[] = [],
  operations: readonly string[] = [],
): Promise<State> => {
  const values = [storedText(id), ids.map(storedText), operations.map(storedText), time]
  const [row] = await session.rows(statements.state, values)
  if (!row) throw missingConversation(id)
  const version = Number(row["version"])
  if (version > formatVersion) throw newerEntries(id, version)
  const log = new PendingLog(id)
  log.read(row)
  if (log.tip === null && log.tipNumber !== null) log.tip = await lastTip(session, statements, storedText(id))
  return { revision: String(row["revision"]), now: Number(row["now"]), slots: readLeases(row["leases"]), log }
}

/**
 * Repeats an attempt that gave nothing because somebody else changed the conversation in the meantime. The second time the
 * row is locked first, so that nobody can be quicker again.
 */
export const claiming = async <Result>(
  session: Session,
  statements: Statements,
  id: string,
  attempt: () => Promise<{ readonly result: Result } | undefined>,
): Promise<Result> => {
  const quick = await attempt()
  if (quick) return quick.result
  const done = await session.transaction("read committed", async () => {
    await session.rows(statements.lock, [storedText(id)])
    return attempt()
  })
  if (done) return done.result
  const message = "The conversation changed while its row was locked; another program writes its tables"
  throw new StoreError("unwritable", message, { conversation: id })
}

/** Together they must fit into an entry of an index, which PostgreSQL limits to 2,704 bytes. */
const mostBytesOfId = 1_250

/** Throws when an id is too long to be looked up by. */
export const insistOnLength = (conversation: string, names: readonly string[]): void => {
  for (const name of [conversation, ...names]) {
    const bytes = Buffer.byteLength(storedText(name))
    if (bytes <= mostBytesOfId) continue
    const message = `Expected ids of at most ${mostBytesOfId} bytes, got one of ${bytes}: PostgreSQL cannot look up longer ones`
    throw new StoreError("bad-entry", message, { conversation })
  }
}
