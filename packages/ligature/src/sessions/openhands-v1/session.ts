/** How event logs of OpenHands are recognised, and what they say beside their messages. */
import { isWire } from "../../model/index.ts"
import type { Recognised, RecordPulse, SessionCompaction, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { textAt } from "../engine/fields.ts"
import { eventsOf, silentKinds } from "./event.ts"
import { isKnownKind, readEvent } from "./read-event.ts"

/** The kind alone is no mark: every event also says who sent it and when. */
const isEvent = (record: unknown): boolean =>
  isWire(record) &&
  typeof record["id"] === "string" &&
  typeof record["timestamp"] === "string" &&
  (isKnownKind(record["kind"]) || silentKinds.has(record["kind"])) &&
  typeof record["source"] === "string"

export const recognise = ({ records }: SessionSample): Recognised | undefined => {
  const list = records.length === 1 ? eventsOf(Array.isArray(records[0]) ? records[0] : records) : records
  if (!list.slice(0, 16).some(isEvent)) return undefined
  return { certainty: "certain", why: "its records are events with a kind such as ActionEvent and a source" }
}

export const pulse = (record: unknown): RecordPulse => {
  if (!isWire(record)) return {}
  const kind = record["kind"]
  if (kind === "MessageEvent") return record["source"] === "user" ? { starts: true } : {}
  const id = textAt(record, "tool_call_id")
  if (id === undefined) return {}
  return kind === "ActionEvent" || kind === "NonExecutableActionEvent" ? { calls: [id] } : { results: [id] }
}

const firstPrompt = (events: readonly unknown[]): string | undefined => {
  for (const event of events) {
    if (!isWire(event) || event["kind"] !== "MessageEvent" || event["source"] !== "user") continue
    const said = readEvent(event)
    const first = said?.type === "message" ? said.blocks[0] : undefined
    return first?.type === "text" ? first.text.trim().slice(0, 80) : undefined
  }
  return undefined
}

export const outline = (value: unknown): SessionOutline => {
  const events = eventsOf(value)
  const compactions: SessionCompaction[] = []
  let messages = 0
  events.forEach((event, index) => {
    if (!isWire(event)) return
    const kind = event["kind"]
    if (kind === "Condensation") {
      const summary = textAt(event, "summary")
      compactions.push({ record: index, kind: summary ? "summary" : "truncation", ...(summary && { summary }) })
    } else if (isKnownKind(kind)) messages++
  })
  const title = firstPrompt(events)
  const [first] = events
  const startedAt = isWire(first) ? textAt(first, "timestamp") : undefined
  const last = events.at(-1)
  return {
    ...(title !== undefined && title !== "" && { title }),
    ...(startedAt !== undefined && { startedAt }),
    paths: [{ id: (isWire(last) && textAt(last, "id")) || "events", kind: "active", messages, first: 0 }],
    compactions,
  }
}
