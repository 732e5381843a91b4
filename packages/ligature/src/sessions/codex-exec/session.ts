/** The facet of `codex exec --json` beside its messages: how it is recognised, what it says of itself, its pulse. */
import { isWire } from "../../model/index.ts"
import type { Recognised, RecordPulse, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { recordsOf, textField } from "../codex-rollout/records.ts"
import { itemOf, otherEvents } from "./decode.ts"
import { callReaderOf } from "./items.ts"

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  let items = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (record["type"] === "thread.started" && typeof record["thread_id"] === "string") {
      return { certainty: "certain", why: "it has a thread.started record" }
    }
    if (itemOf(record)) items++
    else if (!otherEvents.has(record["type"])) return undefined
  }
  return items > 0 ? { certainty: "likely", why: "its records are items that start and complete" } : undefined
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const started = records.find((record) => isWire(record) && record["type"] === "thread.started")
  const id = isWire(started) ? textField(started, "thread_id") : undefined
  const said = records.filter((record) => itemOf(record)?.["type"] === "agent_message")
  const first = Math.max(0, records.findIndex((record) => itemOf(record)))
  return {
    ...(id !== undefined && { id }),
    paths: [{ id: "active", kind: "active", messages: said.length, first }],
    compactions: [],
  }
}

/** A completed call names itself both ways: older versions never say that it started. */
export const pulse = (record: unknown): RecordPulse => {
  if (isWire(record) && record["type"] === "turn.started") return { starts: true }
  const item = itemOf(record)
  const id = textField(item, "id")
  if (!item || id === undefined || !callReaderOf(item)) return {}
  return isWire(record) && record["type"] === "item.completed" ? { calls: [id], results: [id] } : { calls: [id] }
}
