/**
 * A store that fails once is asked again: connections break, disks are full for a moment, a server restarts. How often and
 * how long is bounded, so that a run ends while its lease still lasts.
 */
import { StoreError } from "../../store/index.ts"
import { asStoreError } from "../../store/store-error.ts"
import type { Surroundings } from "./surroundings.ts"

/** Waits between tries, in milliseconds. */
const pausesMs: readonly number[] = [20, 200, 1_000, 3_000]

/** What hardly ever passes is tried again for a moment only. */
const stubborn: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"])
const stubbornTries = 2

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** Whether the same call may work the next time. A store that refuses does so for a reason; one that failed may not. */
const mayPass = (error: unknown): boolean => {
  if (!(error instanceof StoreError) || error.reason === "unwritable") return true
  return error.reason === "unreadable" && error.cause !== undefined
}

/** How long to wait after so many tries ended in this error; undefined: it is final. */
export const pauseAfter = (error: unknown, tries: number): number | undefined => {
  const isStubborn = stubborn.has(codeOf(error instanceof StoreError ? error.cause : error))
  return mayPass(error) && (!isStubborn || tries < stubbornTries) ? pausesMs[tries] : undefined
}

/** What is half-way stored must be stored: no signal ends the waiting. */
const never = new AbortController().signal

export const waitAfter = (pauseMs: number, { sleep }: Surroundings): Promise<void> => sleep(pauseMs, never)

/** Asks a store, again if it fails. Whatever a store throws for good is one of its errors. */
export const patiently = async <Result>(
  surroundings: Surroundings,
  reason: "unreadable" | "unwritable",
  work: () => Promise<Result>,
): Promise<Result> => {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = pauseAfter(error, tries)
      if (pauseMs === undefined) throw asStoreError(error, reason)
      await waitAfter(pauseMs, surroundings)
    }
  }
}
