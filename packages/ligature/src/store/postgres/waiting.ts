/** An append that waits for the next commit of its conversation, and how it is judged on top of those before it. */
import type { LeaseSlots } from "../lease.ts"
import { newId } from "../new-id.ts"
import { type AppendRequest, planAppend } from "../plan-append.ts"
import type { Appended } from "../store.ts"
import { StoreError } from "../store-error.ts"
import type { PendingLog } from "./pending-log.ts"

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

export interface Judged {
  readonly one: Waiting
  /** To be told when everything is written. */
  readonly answer: () => void
  readonly outcome: "written" | "repeated" | "refused"
}

export interface Grounds {
  readonly log: PendingLog
  readonly slots: LeaseSlots
  readonly now: number
}

/** Plans one append on top of those before it, and says how to answer once everything is written. */
export const judge = ({ log, slots, now }: Grounds, one: Waiting): Judged => {
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
export const sendJudged = async (judged: readonly Judged[], send: () => Promise<boolean>): Promise<boolean> => {
  const first = judged.filter(({ one, outcome }) => outcome === "written" && !one.sent)
  for (const { one } of first) one.sent = true
  const taken = await send()
  if (!taken) for (const { one } of first) one.sent = false
  return taken
}
