/** How event logs of old are recognised, and what they say beside their messages. */
import { isWire } from "../../model/index.ts"
import type { Path } from "../../json/json-value.ts"
import type { Recognised, RecordPulse, SessionCompaction, SessionOutline, SessionSample } from "../../formats/engine/session.ts"
import { textAt } from "../engine/fields.ts"
import { eventsOf, isEvaluation, isEvent } from "./event.ts"
import { readAction } from "./read-action.ts"

const lookedAt = 16

const isLog = (value: unknown): boolean => {
  const events = eventsOf(value).slice(0, lookedAt)
  return events.filter(isEvent).length * 2 > events.length
}

export const recognise = ({ syntax, records }: SessionSample): Recognised | undefined => {
  const [root] = records
  const runs: readonly unknown[] = Array.isArray(root) ? root : records
  // Lines of evaluations are sessions each, and no events of one.
  if (syntax === "value" && runs.slice(0, lookedAt).some(isEvaluation)) {
    return { certainty: "certain", why: "its records hold the history of a run, in events of agent and environment" }
  }
  if (!isLog(syntax === "lines" ? records : root)) return undefined
  return { certainty: "certain", why: "its records are actions and observations with a source" }
}

/** An evaluation has one run per line. */
export const sessionsIn = (root: unknown): readonly { readonly path: Path; readonly value: unknown }[] => {
  if (isEvaluation(root)) return [{ path: ["history"], value: root["history"] }]
  if (!Array.isArray(root)) return []
  const runs = (root as readonly unknown[]).flatMap((value, index) =>
    isEvaluation(value) ? [{ path: [index, "history"], value: value["history"] }] : [],
  )
  return runs.length > 0 || !isLog(root) ? runs : [{ path: [], value: root }]
}

export const pulse = (record: unknown): RecordPulse => {
  if (!isWire(record)) return {}
  if (record["action"] === "message") return record["source"] === "user" ? { starts: true } : {}
  const id = textAt(record["tool_call_metadata"], "tool_call_id")
  if (id === undefined || record["action"] === "finish") return {}
  return typeof record["action"] === "string" ? { calls: [id] } : { results: [id] }
}

export const outline = (value: unknown): SessionOutline => {
  const events = eventsOf(value)
  const compactions: SessionCompaction[] = []
  let title: string | undefined
  let messages = 0
  events.forEach((event, index) => {
    if (!isWire(event) || typeof event["action"] !== "string") return
    const said = readAction(event)
    if (said?.type === "condensation") {
      const { summary } = said
      if (summary === undefined) compactions.push({ record: index, kind: "truncation" })
      else compactions.push({ record: index, kind: "summary", summary })
    } else if (said) messages++
    if (title === undefined && event["action"] === "message" && event["source"] === "user") {
      title = textAt(event["args"], "content")?.trim().slice(0, 80)
    }
  })
  const id = textAt(value, "instance_id")
  const startedAt = textAt(events[0], "timestamp")
  return {
    ...(id !== undefined && { id }),
    ...(title !== undefined && title !== "" && { title }),
    ...(startedAt !== undefined && { startedAt }),
    paths: [{ id: id ?? "events", kind: "active", messages, first: 0 }],
    compactions,
  }
}
