/** What one record does, for readers that see the file once and keep little of it. */
import { isWire, type Wire } from "../../model/index.ts"
import type { RecordPulse } from "../../formats/engine/session.ts"
import { callFamilyOf, callIdOf, isPrompt, outputFamilyOf } from "./items.ts"
import { payloadOf } from "./records.ts"

const nothing: RecordPulse = {}

export const pulseOfItem = (item: Wire): RecordPulse => {
  if (isPrompt(item)) return { starts: true }
  const called = callFamilyOf(item)
  const family = called ?? outputFamilyOf(item)
  // Searches for tools are paired by their span, not as calls.
  const id = family === undefined || family === "search" ? undefined : callIdOf(item)
  if (id === undefined) return nothing
  return called ? { calls: [id] } : { results: [id] }
}

/**
 * A turn begins with its own event where the version writes one, and with the prompt in any case. The event that
 * repeats the prompt is no beginning: read without the item in front of it, it would be taken for a second prompt.
 */
export const pulse = (record: unknown): RecordPulse => {
  const item = payloadOf(record, "response_item")
  if (item) return pulseOfItem(item)
  if (!isWire(record) || record["type"] !== "event_msg") return nothing
  const type = payloadOf(record, "event_msg")?.["type"]
  return type === "task_started" || type === "turn_started" ? { starts: true } : nothing
}
