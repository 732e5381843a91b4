/**
 * Appends to conversations whose states are known from the commits before: one call for all of them, see append-function.ts.
 * It claims the revisions that are known, and looks on the way whether any of the operations or ids was used before. The time
 * is put in by the server. Whatever needs more than that, or would be refused, is left to the way that reads the state first.
 */
import { formatVersion } from "../entry.ts"
import { storedOrNull, storedText } from "../entry-rows.ts"
import { writeSlot } from "../lease.ts"
import { type KnownState, nextRevision } from "./known-states.ts"
import { PendingLog } from "./pending-log.ts"
import type { Session } from "./sessions.ts"
import type { Statements } from "./statements.ts"
import { judge, type Judged, type Waiting } from "./waiting.ts"

/** The appends of one conversation, planned behind what is known of it. */
export interface Claim {
  readonly conversation: string
  readonly waiting: readonly Waiting[]
  readonly known: KnownState
  readonly judged: readonly Judged[]
  readonly log: PendingLog
  /** What is known of the conversation once this is written. */
  readonly leaves: KnownState
  /** About how much it makes a call longer. */
  readonly bytes: number
}

/** Nothing in it speaks of entries that were written before. */
const isPlain = ({ request }: Waiting): boolean =>
  request.entries.every(({ kind }) => kind !== "tip" && kind !== "hide" && kind !== "summary")

/** Without a lease of its own it depends on the server's clock whether somebody else's still runs. */
const needsClock = ({ request }: Waiting, { slots }: KnownState): boolean =>
  request.options.lease === undefined && slots.some(({ slot, owner }) => slot === writeSlot && owner !== null)

/** Undefined when the state has to be read first. */
export const claimOf = (
  conversation: string,
  waiting: readonly Waiting[],
  known: KnownState | undefined,
): Claim | undefined => {
  if (!known || !waiting.every((one) => isPlain(one) && !needsClock(one, known))) return undefined
  const log = new PendingLog(conversation)
  log.goOn(known)
  const judged = waiting.map((one) => judge({ log, slots: known.slots, now: 0 }, one))
  if (log.rows.length === 0 || judged.some(({ outcome }) => outcome === "refused")) return undefined
  const leaves = log.leaves(nextRevision(known.revision), known.slots)
  const bytes = log.rows.reduce((sum, { body }) => sum + body.length, 0)
  return { conversation, waiting, known, judged, log, leaves, bytes }
}

const byId = (left: Claim, right: Claim): number => (left.conversation < right.conversation ? -1 : 1)

/** Gives the claims that were written; of the others nothing was. */
export const appendAll = async (
  session: Session,
  statements: Statements,
  claims: readonly Claim[],
  time: number | null,
  durable: boolean,
): Promise<ReadonlySet<Claim>> => {
  const sorted = claims.toSorted(byId)
  const rows = sorted.flatMap(({ log }) => log.rows)
  const columns = [
    sorted.map(({ conversation }) => storedText(conversation)),
    sorted.map(({ known }) => known.revision),
    sorted.map(({ known }) => storedOrNull(known.tip)),
    sorted.map(({ known }) => known.last),
    sorted.map(({ log }) => log.tipNumber),
    sorted.map(({ log }) => log.title),
    sorted.map(({ log }) => log.rows.length),
    sorted.map(({ waiting }) => waiting.some(({ request }) => request.options.operation !== undefined)),
    sorted.map(({ waiting }) => waiting.some(({ request }) => request.entries.some(({ id }) => id !== undefined))),
    rows.map(({ parent }) => parent),
    rows.map(({ sum }) => sum),
    rows.map(({ kind }) => kind),
    rows.map(({ id }) => id),
    rows.map(({ operation }) => operation),
    rows.map(({ body }) => body),
  ]
  const rest = [time, formatVersion, durable ? "on" : "off"]
  const [row] =
    rows.length === 1
      ? await session.rows(statements.appendOne, [...columns.map(([value]) => value), ...rest])
      : await session.rows(statements.appendAll, [...columns, ...rest])
  const written = JSON.parse(String(row?.["written"] ?? "[]")) as readonly number[]
  return new Set(written.flatMap((place) => sorted[place - 1] ?? []))
}
