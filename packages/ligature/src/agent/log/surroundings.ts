/** Clock, randomness and network of a run, in one place, so that a test can replace each of them. */
import { platform as clock, type Surroundings as Clock } from "../../compact/internal.ts"

export type Fetch = typeof globalThis.fetch

export interface Surroundings extends Clock {
  /** Default: the `fetch` of the platform. */
  readonly fetch: Fetch
  /** From 0 to 1, for the jitter of back-off. */
  readonly random: () => number
}

export const platform: Surroundings = {
  ...clock,
  fetch: (input, init) => globalThis.fetch(input, init),
  random: () => Math.random(),
}
