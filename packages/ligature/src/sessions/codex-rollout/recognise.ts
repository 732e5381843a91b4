/** Tells a rollout by its records: a known type around a payload. The first line may be torn or missing. */
import { isWire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { recordTypes } from "./records.ts"

/** Names that no other agent's files use for a record with a payload. */
const marks: ReadonlySet<unknown> = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"])

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  let found = 0
  let other = 0
  for (const record of records) {
    if (!isWire(record)) continue
    const { type, payload } = record
    if (!isWire(payload) || !recordTypes.has(type)) other++
    else if (type === "session_meta") return { certainty: "certain", why: "it has a session_meta record" }
    else if (marks.has(type)) found++
  }
  if (found === 0 || other > found) return undefined
  const why = "its records are response items and events with a payload"
  return { certainty: found > 1 ? "certain" : "likely", why }
}
