/**
 * Appends to a conversation whose state is known from the commit before: one statement, one trip to the server. It claims
 * the revision that is known, and looks on the way whether any of the operations or ids was used before. The time is put in
 * by the server. Whatever needs more than that, or would be refused, is left to the way that reads the state first.
 */
import { storedOrNull, storedText } from "../entry-rows.ts"
import { writeSlot } from "../lease.ts"
import { type KnownState, nextRevision } from "./known-states.ts"
import { PendingLog } from "./pending-log.ts"
import type { Session } from "./sessions.ts"
import type { Statements } from "./statements.ts"
import { judge, sendJudged, type Waiting } from "./waiting.ts"

/** Nothing in it speaks of entries that were written before. */
const isPlain = ({ request }: Waiting): boolean =>
  request.entries.every(({ kind }) => kind !== "tip" && kind !== "hide" && kind !== "summary")

/** Without a lease of its own it depends on the server's clock whether somebody else's still runs. */
const needsClock = ({ request }: Waiting, { slots }: KnownState): boolean =>
  request.options.lease === undefined && slots.some(({ slot, owner }) => slot === writeSlot && owner !== null)

export interface AppendedKnown {
  readonly answers: readonly (() => void)[]
  readonly state: KnownState
}

/** Undefined when nothing was written. */
export const appendKnown = async (
  session: Session,
  statements: Statements,
  id: string,
  waiting: readonly Waiting[],
  known: KnownState,
  time: number | null,
  durable: boolean,
): Promise<AppendedKnown | undefined> => {
  if (!waiting.every((one) => isPlain(one) && !needsClock(one, known))) return undefined
  const log = new PendingLog(id)
  log.goOn(known)
  const judged = waiting.map((one) => judge({ log, slots: known.slots, now: 0 }, one))
  if (log.rows.length === 0 || judged.some(({ outcome }) => outcome === "refused")) return undefined
  const operations = waiting.map(({ request }) => storedText(request.operation))
  const found = [known.revision, storedOrNull(known.tip), known.last]
  const values = [storedText(id), ...found, time, operations, ...log.values(durable)]
  const taken = await sendJudged(judged, async () => {
    const [row] = await session.rows(statements.appendKnown, values)
    return Number(row?.["claimed"]) === 1
  })
  if (!taken) return undefined
  return { answers: judged.map(({ answer }) => answer), state: log.leaves(nextRevision(known.revision), known.slots) }
}
