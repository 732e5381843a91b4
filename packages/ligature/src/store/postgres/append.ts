/** Writes appends that wait: those of conversations whose state is known with one statement, the others one by one under a lock. */
import { storedOrNull, storedText } from "../entry-rows.ts"
import { formatVersion, type NewEntry } from "../entry.ts"
import { newId } from "../inputs.ts"
import { type LeaseSlots, writeSlot } from "../lease.ts"
import { type AppendRequest, planAppend } from "../log-index.ts"
import { StoreError } from "../store-error.ts"
import type { Appended } from "../store.ts"
import type { Session } from "./server.ts"
import { claiming, type KnownState, type KnownStates, nextRevision, PendingLog, readState } from "./state.ts"
import type { Statements } from "./statements.ts"

/** An append that waits for the next commit of its conversation, and how it is judged on top of those before it. */
export interface Waiting {
  readonly request: AppendRequest
  readonly durable: boolean
  /** Ids for entries that have none, the same in every try. */
  readonly freshIds: readonly string[]
  /** It was sent to the server by this call: if it is found there later, that was it. */
  sent: boolean
  readonly resolve: (outcome: Appended) => void
  readonly reject: (error: unknown) => void
}

export const makeWaiting = (
  request: AppendRequest,
  durable: boolean,
  resolve: (outcome: Appended) => void,
  reject: (error: unknown) => void,
): Waiting => ({ request, durable, freshIds: request.entries.map(() => newId()), sent: false, resolve, reject })

interface Judged {
  readonly one: Waiting
  /** To be told when everything is written. */
  readonly answer: () => void
  readonly outcome: "written" | "repeated" | "refused"
}

interface Grounds {
  readonly log: PendingLog
  readonly slots: LeaseSlots
  readonly now: number
}

/** Plans one append on top of those before it, and says how to answer once everything is written. */
const judge = ({ log, slots, now }: Grounds, one: Waiting): Judged => {
  const { request, freshIds, resolve, reject } = one
  try {
    let used = 0
    const nextId = (): string => freshIds[used++] ?? newId()
    const plan = planAppend(log, request, { slots, now, newId: nextId })
    if (plan.type === "repeated") {
      const outcome = one.sent ? { ...plan.outcome, repeated: false } : plan.outcome
      return { one, answer: () => resolve(outcome), outcome: "repeated" }
    }
    log.accept(plan.operation)
    const ids = plan.operation.entries.map(({ id }) => id)
    const outcome = { tip: log.tip, ids, operation: request.operation, repeated: false }
    return { one, answer: () => resolve(outcome), outcome: "written" }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { one, answer: () => reject(error), outcome: "refused" }
  }
}

/**
 * Sends what was judged. When the server did not take it because somebody else was quicker, none of it was written: what
 * an earlier try may have written over a connection that broke is another matter.
 */
const sendJudged = async (judged: readonly Judged[], send: () => Promise<boolean>): Promise<boolean> => {
  const first = judged.filter(({ one, outcome }) => outcome === "written" && !one.sent)
  for (const { one } of first) one.sent = true
  const taken = await send()
  if (!taken) for (const { one } of first) one.sent = false
  return taken
}

// Appends to conversations whose states are known from the commits before: one call for all of them, see append-function.ts.
// It claims the revisions that are known, and looks on the way whether any of the operations or ids was used before. The time
// is put in by the server. Whatever needs more than that, or would be refused, is left to the way that reads the state first.

/** The appends of one conversation, planned after what is known of it. */
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
export const claimOf = (conversation: string, waiting: readonly Waiting[], known: KnownState | undefined): Claim | undefined => {
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

/** The ids an entry speaks of, which have to be looked for. */
const namedBy = (entry: NewEntry): readonly string[] => {
  const own = entry.id === undefined ? [] : [entry.id]
  if (entry.kind === "tip") return entry.to === null ? own : [...own, entry.to]
  return entry.kind === "hide" || entry.kind === "summary" ? [...own, ...entry.covers.map(({ id }) => id)] : own
}

export interface CommitTerms {
  readonly statements: Statements
  readonly states: KnownStates
  readonly time: () => number | null
}

type Answers = readonly (() => void)[]

interface Through {
  readonly answers: Answers
  /** What it left, and the revision it found; absent when nothing had to be written. */
  readonly left?: { readonly state: KnownState; readonly before: string }
}

/** Gives the answers, to be told when the commit is known to be through. */
export const readAndAppend = async (
  session: Session,
  id: string,
  waiting: readonly Waiting[],
  { statements, states, time }: CommitTerms,
  durable: boolean,
): Promise<Answers> => {
  const ids = waiting.flatMap(({ request, freshIds }) => [...freshIds, ...request.entries.flatMap(namedBy)])
  const operations = [...new Set(waiting.map(({ request }) => request.operation))]
  const { answers, left } = await claiming<Through>(session, statements, id, async () => {
    const state = await readState(session, statements, id, time(), ids, operations)
    const { log, revision, slots } = state
    const judged = waiting.map((one) => judge(state, one))
    const answers = judged.map(({ answer }) => answer)
    if (log.rows.length === 0) {
      // An operation that is repeated may not have reached the server's disk the first time.
      if (durable) await session.rows(statements.touch, [[storedText(id)]])
      return { result: { answers } }
    }
    const taken = await sendJudged(judged, async () => {
      const [row] = await session.rows(statements.append, [storedText(id), revision, ...log.values(durable)])
      return Number(row?.["claimed"]) === 1
    })
    if (!taken) return undefined
    return { result: { answers, left: { state: log.leaves(nextRevision(revision), slots), before: revision } } }
  })
  if (left) states.left(id, left.state, left.before)
  return answers
}
