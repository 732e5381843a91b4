/**
 * The lease of the summary slot: one compaction per conversation at a time, in one process or in many. It is renewed
 * while the work goes on; whoever dies loses it when it runs out, or at once where another process of the same machine
 * can see it.
 */
import type { Lease, Store } from "../../../store/index.ts"
import { StoreError } from "../../../store/store-error.ts"
import { longestLeaseMs } from "../../../store/lease.ts"
import { isDeadOwner } from "../platform/owner.ts"
import { timerMs } from "../platform/surroundings.ts"

export const summarySlot = "summary"

/** How long the lease runs without being renewed, in milliseconds, by default. */
export const summaryLeaseMs = 30_000

interface SummaryLeaseTerms {
  readonly store: Store
  readonly conversation: string
  readonly owner: string
  readonly leaseMs: number
}

export type Leased<Result> =
  /** `lost`: the lease went to somebody else while the work went on. */
  | { readonly type: "done"; readonly result: Result; readonly lost: boolean }
  | { readonly type: "held"; readonly holder: string; readonly expires: number }
  | { readonly type: "lost"; readonly error: StoreError }

const isReason = (error: unknown, reason: StoreError["reason"]): error is StoreError =>
  error instanceof StoreError && error.reason === reason

const acquire = async ({ store, conversation, owner, leaseMs }: SummaryLeaseTerms): Promise<Lease | StoreError> => {
  const request = { owner, durationMs: leaseMs, slot: summarySlot }
  for (let tries = 0; ; tries++) {
    try {
      return await store.acquire(conversation, request)
    } catch (error) {
      if (!isReason(error, "held")) throw error
      const { holder = "" } = error
      if (tries > 0 || !isDeadOwner(holder)) return error
      // Given back in the name of the dead; whoever is fastest then takes it.
      try {
        await store.release(conversation, await store.acquire(conversation, { ...request, owner: holder }))
      } catch (failed) {
        if (!isReason(failed, "held")) throw failed
      }
    }
  }
}

/** Runs the work under the lease. `assertLease` renews it, and throws `lease-lost` when it went to somebody else. */
export const withSummaryLease = async <Result>(
  given: SummaryLeaseTerms,
  work: (assertLease: () => Promise<void>, lost: AbortSignal) => Promise<Result>,
): Promise<Leased<Result>> => {
  // It is renewed as long as the work goes on, so that none has to last longer.
  const terms = { ...given, leaseMs: Math.min(given.leaseMs, longestLeaseMs) }
  const { store, conversation, leaseMs } = terms
  const acquired = await acquire(terms)
  if (acquired instanceof StoreError) return {
    type: "held",
    holder: acquired.holder ?? "",
    expires: acquired.expires ?? 0,
  }
  let lease = acquired
  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    lease = await store.renew(conversation, lease, leaseMs)
  }
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renew().catch((error: unknown) => {
      // A store that cannot be written now may be the next time; before anything is appended it is asked again.
      if (isReason(error, "lease-lost")) lost.abort()
    })
  }, Math.max(1, timerMs(leaseMs / 3)))
  timer.unref()
  try {
    const result = await work(renew, lost.signal)
    return { type: "done", result, lost: lost.signal.aborted }
  } catch (error) {
    if (!isReason(error, "lease-lost")) throw error
    return { type: "lost", error }
  } finally {
    clearInterval(timer)
    await renewing
    // A lease that cannot be given back runs out.
    await store.release(conversation, lease).catch(() => undefined)
  }
}
