/**
 * A session as its database holds it: `{ session: row, messages: rows }`, each message row with its `parts` parsed
 * into a list of `{ type, data }`. Parts that would not parse stay the text that they are.
 */
import { isWire, type Wire } from "../../model/index.ts"

export const format = "crush"

export interface CrushValue {
  readonly session: Wire
  readonly messages: readonly unknown[]
}

export const valueOf = (value: unknown): CrushValue => {
  const wire = isWire(value) ? value : {}
  const list = Array.isArray(value) ? value : wire["messages"]
  return { session: isWire(wire["session"]) ? wire["session"] : {}, messages: Array.isArray(list) ? list : [] }
}

/** The payload of a part. */
export const payloadOf = (part: Wire): Wire => (isWire(part["data"]) ? part["data"] : {})

/** SQLite has no booleans. */
export const isSet = (value: unknown): boolean => value === true || value === 1

export const isPart = (part: unknown): part is Wire => isWire(part) && typeof part["type"] === "string"

export const hasFinish = (parts: readonly unknown[]): boolean =>
  parts.some((part) => isPart(part) && part["type"] === "finish")

export const isSummary = (row: Wire, session: Wire): boolean =>
  isSet(row["is_summary_message"]) || (typeof row["id"] === "string" && row["id"] === session["summary_message_id"])
