/** Commits the appends of one conversation that wait at the same time: one question, one statement that writes. */
import type { NewEntry } from "../entry.ts"
import { storedText } from "../entry-rows.ts"
import { newId } from "../new-id.ts"
import { type AppendRequest, planAppend } from "../plan-append.ts"
import type { Appended } from "../store.ts"
import { StoreError } from "../store-error.ts"
import type { Session } from "./sessions.ts"
import { claiming, readState, type State } from "./state.ts"
import type { Statements } from "./statements.ts"

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

/** The ids an entry speaks of, which have to be looked for. */
const namedBy = (entry: NewEntry): readonly string[] => {
  const own = entry.id === undefined ? [] : [entry.id]
  if (entry.kind === "tip") return entry.to === null ? own : [...own, entry.to]
  return entry.kind === "hide" || entry.kind === "summary" ? [...own, ...entry.covers.map(({ id }) => id)] : own
}

/** Plans one append on top of those before it, and says how to answer once everything is written. */
const judge = ({ log, slots, now }: State, one: Waiting): { readonly answer: () => void; readonly writes: boolean } => {
  const { request, freshIds, resolve, reject } = one
  try {
    let used = 0
    const nextId = (): string => freshIds[used++] ?? newId()
    const plan = planAppend(log, request, { slots, now, newId: nextId })
    if (plan.type === "repeated") {
      const outcome = one.sent ? { ...plan.outcome, repeated: false } : plan.outcome
      return { answer: () => resolve(outcome), writes: false }
    }
    log.accept(plan.operation)
    const ids = plan.operation.entries.map(({ id }) => id)
    const outcome = { tip: log.tip, ids, operation: request.operation, repeated: false }
    return { answer: () => resolve(outcome), writes: true }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { answer: () => reject(error), writes: false }
  }
}

/** Gives the answers, to be told when the commit is known to be through. */
export const commitAppends = (
  session: Session,
  statements: Statements,
  id: string,
  waiting: readonly Waiting[],
  time: () => number | null,
  durable: boolean,
): Promise<readonly (() => void)[]> => {
  const ids = waiting.flatMap(({ request, freshIds }) => [...freshIds, ...request.entries.flatMap(namedBy)])
  const operations = waiting.map(({ request }) => request.operation)
  return claiming(session, statements, id, async () => {
    const state = await readState(session, statements, id, time(), ids, operations)
    const { log } = state
    const judged = waiting.map((one) => ({ ...judge(state, one), one }))
    const result = judged.map(({ answer }) => answer)
    if (log.rows.length === 0) {
      // An operation that is repeated may not have reached the server's disk the first time.
      if (durable) await session.rows(statements.touch, [[storedText(id)]])
      return { result }
    }
    for (const { one, writes } of judged) if (writes) one.sent = true
    const [row] = await session.rows(statements.append, [storedText(id), state.revision, ...log.values(durable)])
    if (Number(row?.["claimed"]) === 1) return { result }
    // Somebody else was quicker, so none of it was written.
    for (const { one, writes } of judged) if (writes) one.sent = false
    return undefined
  })
}
