/**
 * Ids as this agent makes them: a prefix, twelve hexadecimal digits of time, fourteen letters. It orders messages and
 * parts by them, so a new id must sort where the thing it names stands.
 */
import { shortHash } from "../../model/index.ts"

export type Prefix = "ses" | "msg" | "prt"

const places = 2 ** 48

/** `ordinal` counts what was made in the same millisecond, below 4096. Sessions sort newest first. */
export const timedId = (prefix: Prefix, milliseconds: number, ordinal: number, seed: string): string => {
  const time = (Math.max(0, Math.floor(milliseconds)) * 4096 + ordinal) % places
  const shown = prefix === "ses" ? places - 1 - time : time
  return `${prefix}_${shown.toString(16).padStart(12, "0")}${shortHash(`${prefix} ${seed} ${ordinal}`, 14)}`
}

const timed = /^[a-z]{3}_[0-9a-f]{12}/

/** An id that sorts right behind another one: no letter comes after z. */
export const idAfter = (prefix: Prefix, previous: string, ordinal: number): string => {
  const time = timed.test(previous) ? previous.slice(4, 16) : "0".repeat(12)
  return `${prefix}_${time}zzzz${String(ordinal).padStart(10, "0")}`
}
