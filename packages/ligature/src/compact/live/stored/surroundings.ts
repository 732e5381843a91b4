/** What a compaction needs of the platform: clock, timers and ids, which tests replace; names of owners; the lease of a summary. */
import { hexHash } from "../../../model/index.ts"
import type { Lease, Store } from "../../../store/index.ts"
import { longestLeaseMs } from "../../../store/lease.ts"
import { StoreError } from "../../../store/store-error.ts"

/** Clock, timers and ids of a compaction, in one place, so that a test can replace each of them. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waits; ends early, without an error, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Unique in the store, for operations and owners. */
  readonly newId: () => string
}

/** Timers of the platform take 24.8 days at most: a longer time, and Infinity, would make them fire at once. */
const longestMs = 2 ** 31 - 1

/** How long a timer is set for. */
export const timerMs = (ms: number): number => Math.min(ms, longestMs)

const sleep: Surroundings["sleep"] = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, timerMs(ms))
    signal.addEventListener("abort", end, { once: true })
  })

export const platform: Surroundings = {
  now: () => Date.now(),
  sleep,
  newId: () => globalThis.crypto.randomUUID(),
}

// Who holds a lease, as a name that identifies its process: so that nobody has to wait for the lease of a process that
// died on this machine. On another machine nothing can be asked, and the lease has to run out. The modules of Node are
// asked for at run time and not imported, so that this bundles for browsers and edge runtimes, where a name is only unique.

const { process: node } = globalThis as { readonly process?: Partial<NodeJS.Process> }
const fs = node?.getBuiltinModule?.("node:fs")
const os = node?.getBuiltinModule?.("node:os")

const readOr = (read: () => string | undefined): string => {
  try {
    return read()?.trim() ?? ""
  } catch {
    return ""
  }
}

const host = readOr(() => os?.hostname()) || "-"

/** Where process ids mean the same: one machine since it was started, outside or inside of one container. */
const system = hexHash(
  [
    host,
    readOr(() => fs?.readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    readOr(() => fs?.readlinkSync("/proc/self/ns/pid")),
  ].join(" "),
  12,
)

/** When a process started, where the system shows it: process ids are reused. */
const startOf = (pid: number | "self"): string => {
  const text = readOr(() => fs?.readFileSync(`/proc/${pid}/stat`, "latin1"))
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

export const newOwner = (unique: string): string => `ligature ${host} ${node?.pid ?? "-"} ${startOf("self") || "-"} ${system} ${unique}`

/** True only when it is certain that this process no longer runs. */
export const isDeadOwner = (owner: string): boolean => {
  const [mark, , number, started, where] = owner.split(" ")
  const pid = Number(number)
  if (mark !== "ligature" || where !== system || !Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    node?.kill?.(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  const now = startOf(pid)
  return started !== undefined && started !== "-" && now !== "" && now !== started
}

// The lease of the summary slot: one compaction per conversation at a time, in one process or in many. It is renewed
// while the work goes on; whoever dies loses it when it runs out, or at once where another process of the same machine
// can see it.

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
  if (acquired instanceof StoreError)
    return {
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
  const timer = setInterval(
    () => {
      renewing = renew().catch((error: unknown) => {
        // A store that cannot be written now may be the next time; before anything is appended it is asked again.
        if (isReason(error, "lease-lost")) lost.abort()
      })
    },
    Math.max(1, timerMs(leaseMs / 3)),
  )
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
