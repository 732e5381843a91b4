/** How the files are told apart: by the event that starts a session, or by any event of its own kind with its data. */
import { isWire, type Wire } from "../../model/index.ts"
import type { Recognised, SessionSample } from "../../formats/engine/session.ts"
import { dataOf } from "./format.ts"

const isStart = (record: Wire): boolean =>
  record["type"] === "session.start" && typeof dataOf(record)["sessionId"] === "string"

const marks: ReadonlyMap<unknown, string> = new Map([
  ["assistant.message", "toolRequests"],
  ["assistant.turn_start", "turnId"],
  ["tool.execution_start", "toolCallId"],
  ["tool.execution_complete", "toolCallId"],
  ["user.message", "content"],
  ["hook.start", "hookInvocationId"],
])

const isEvent = (record: Wire): boolean => {
  const mark = marks.get(record["type"])
  return mark !== undefined && isWire(record["data"]) && mark in record["data"] && "parentId" in record
}

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  if (syntax !== "lines" && records.length > 1) return undefined
  let events = 0
  for (const record of records) {
    if (!isWire(record)) continue
    if (isStart(record)) return { certainty: "certain", why: "a record is the session.start event with its session id" }
    if (isEvent(record)) events++
  }
  if (events === 0) return undefined
  return { certainty: events > 1 ? "certain" : "likely", why: "its records are events of a Copilot session" }
}
