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
