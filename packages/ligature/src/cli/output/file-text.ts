/** Values as the text of a file. */
import { fileValueOf, hasLines, type SessionCodec } from "../../convert/index.ts"

/** Indented; without white space only if the result would be too long for one string. */
export const pretty = (value: unknown): string => {
  try {
    return `${JSON.stringify(value, undefined, 2)}\n`
  } catch (error) {
    if (error instanceof RangeError) return `${JSON.stringify(value)}\n`
    throw error
  }
}

/** A session file in the form its agent reads; anything else is a request body. */
export const fileText = (value: unknown, session: SessionCodec | undefined): string => {
  if (session === undefined) return pretty(value)
  const whole = fileValueOf(session, value)
  if (!hasLines(session, value) || !Array.isArray(whole)) return pretty(whole)
  return whole.map((record) => `${JSON.stringify(record)}\n`).join("")
}
