/** The clock of a store. Times are compared and written down, so one that is no time is refused before it can do harm. */
import { StoreError } from "./store-error.ts"

/** The last moment that a Date can hold. */
const latest = 8.64e15

/** A clock that gives whole milliseconds since 1970, or throws. */
export const checkedClock = (now: () => number): (() => number) => () => {
  const time: unknown = now()
  if (typeof time === "number" && time >= 0 && time <= latest) return Math.floor(time)
  throw new StoreError("bad-entry", `Expected \`now\` to give milliseconds since 1970, got ${String(time)}`)
}
