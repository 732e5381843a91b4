/** Clock, chance and network of a run, in one place, so that a test can replace each of them. */
import { timerMs } from "./timer-ms.ts"

export type Fetch = typeof globalThis.fetch

export interface Surroundings {
  /** Default: the `fetch` of the platform. */
  readonly fetch: Fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1, for the jitter of back-off. */
  readonly random: () => number
  /** Waits; ends early, without an error, when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Unique in the store, for operations and owners. */
  readonly newId: () => string
}

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
  fetch: (input, init) => globalThis.fetch(input, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep,
  newId: () => globalThis.crypto.randomUUID(),
}
