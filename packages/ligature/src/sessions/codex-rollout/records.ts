/**
 * The lines of a rollout: `{ timestamp, ordinal?, type, payload }`. A record says a thing once for the model
 * (`response_item`) and often once more for the screen (`event_msg`); the rest is bookkeeping.
 */
import { isWire, type Wire } from "../../model/index.ts"

export const format = "codex-rollout"

/** Every type of record that versions known to us write. */
export const recordTypes: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "compacted",
  "turn_context",
  "event_msg",
  "world_state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "security_risk_score",
])

/** The records of a session's value: the list itself, or the one under `records`. */
export const recordsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (isWire(value) && Array.isArray(value["records"])) return value["records"]
  return value === undefined || value === null ? [] : [value]
}

export const payloadOf = (record: unknown, type: string): Wire | undefined => {
  if (!isWire(record) || record["type"] !== type) return undefined
  const { payload } = record
  return isWire(payload) ? payload : undefined
}

/** The payload of an event of one type. */
export const eventOf = (record: unknown, type: string): Wire | undefined => {
  const payload = payloadOf(record, "event_msg")
  return payload?.["type"] === type ? payload : undefined
}

export const textField = (wire: Wire | undefined, key: string): string | undefined => {
  const value = wire?.[key]
  return typeof value === "string" && value !== "" ? value : undefined
}
