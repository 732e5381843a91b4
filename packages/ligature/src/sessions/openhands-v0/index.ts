/**
 * OpenHands before its SDK, and OpenDevin: a trajectory file, the `history` of an evaluation's line, or the joined files of a
 * session, each a list of events. Default view: `whole`, every event in the order of the log, with the summary of a
 * condensation where the condensation is; `effective` leaves out what condensations hide.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, wireOf } from "../engine/fields.ts"
import type { RecordReading, SessionFormat, View, WriteChange } from "../engine/session-format.ts"
import { type Condensation, condensationOf, hiddenBy, withoutHidden } from "../openhands-v1/events.ts"
import { openhandsV1 } from "../openhands-v1/index.ts"
import { format, isOldCall, readEvent, responseOf } from "./read-event.ts"
import { silenced, writeEvent } from "./write-event.ts"

const lookedAt = 16

const sources: ReadonlySet<unknown> = new Set(["agent", "user", "environment"])

const isEvent = (value: unknown): value is Wire => {
  if (!isWire(value) || !(sources.has(value["source"]) || "cause" in value)) return false
  if (typeof value["action"] === "string") return isWire(value["args"])
  return typeof value["observation"] === "string" && ("content" in value || "extras" in value)
}

const isPair = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length === 2

/** The oldest evaluations wrote pairs of an action and its observation. */
const flattened = (list: readonly unknown[]): readonly unknown[] => (list.some(isPair) ? list.flat() : list)

const eventsOf = (value: unknown): readonly unknown[] => {
  const { history, records, events } = wireOf(value)
  return flattened(Array.isArray(value) ? value : listOf(history ?? records ?? events))
}

/** A line of an evaluation's output: `{ instance_id, history, … }`. */
const isEvaluation = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["history"]) && flattened(value["history"].slice(0, 8)).some(isEvent)

const isLog = (value: unknown): boolean => {
  const events = eventsOf(value).slice(0, lookedAt)
  return events.filter(isEvent).length * 2 > events.length
}

/** An evaluation has one run per line. */
const sessionsIn: SessionFormat["sessionsIn"] = (root) => {
  if (isEvaluation(root)) return [{ path: ["history"], value: root["history"] }]
  const runs = listOf(root).flatMap((value, index) => (isEvaluation(value) ? [{ path: [index, "history"], value: value["history"] }] : []))
  return runs.length > 0 || !Array.isArray(root) || !isLog(root) ? runs : [{ path: [], value: root }]
}

const condensationIn = ({ action, args }: Wire): Condensation | undefined =>
  action === "condensation" ? condensationOf(wireOf(args)) : undefined

/** Events of a response that come after another one of it: they repeat its text. */
const repeatersIn = (records: readonly unknown[], isHidden: (id: unknown) => boolean): ReadonlySet<number> => {
  const repeaters = new Set<number>()
  let open: string | undefined
  records.forEach((record, index) => {
    if (!isWire(record) || isHidden(record["id"])) return
    const response = responseOf(record)
    if (response !== undefined && response === open) repeaters.add(index)
    else if (response !== undefined) open = response
    else if (readEvent(record, { isCause: () => false, isRepeated: false }).messages?.some(({ role }) => role !== "tool")) open = undefined
  })
  return repeaters
}

const reader = (records: readonly unknown[], _path: readonly number[], view: View): ((record: Wire, index: number) => RecordReading) => {
  const causes = new Map<unknown, number>()
  records.forEach((record, index) => {
    const { id } = wireOf(record)
    if (isWire(record) && (typeof id === "number" || typeof id === "string") && isOldCall(record) && !causes.has(id)) causes.set(id, index)
  })
  const condensations = view === "whole" ? [] : records.flatMap((record) => (isWire(record) ? (condensationIn(record) ?? []) : []))
  const repeaters = repeatersIn(records, hiddenBy(condensations))
  return (record, index) => readEvent(record, { isCause: (id) => (causes.get(id) ?? index) < index, isRepeated: repeaters.has(index) })
}

/** Where the event that had the text of its response is gone or changed, the next one would say it a second time. */
const silenceRepeaters = (records: readonly unknown[], { before, places }: WriteChange): readonly unknown[] => {
  const never = (): boolean => false
  const now = repeatersIn(records, never)
  const stale = new Set([...repeatersIn(before, never)].flatMap((index) => places[index] ?? -1).filter((at) => at >= 0 && !now.has(at)))
  return records.map((record, index) => (stale.has(index) && isWire(record) ? silenced(record) : record))
}

export const openhandsV0 = defineSession({
  format,
  title: "OpenHands trajectory",
  agent: "OpenHands",
  noun: "events",
  aliases: ["opendevin", "openhands-trajectory", "openhands-events"],
  capabilities: openhandsV1.capabilities,
  layout: "list",
  listKey: "history",
  orLines: true,
  view: "whole",
  idsRepeat: true,
  records: eventsOf,
  wrap: (value, records, change) => {
    if (!isWire(value)) return { history: Array.isArray(value) && !change ? value : records }
    return change ? { ...value, history: records } : value
  },
  read: (record) => readEvent(record, { isCause: (id) => id !== undefined, isRepeated: false }),
  reader,
  effective: (path) => withoutHidden(path, condensationIn),
  write: writeEvent,
  afterWrite: silenceRepeaters,
  facts: (record) => ({ startedAt: textAt(record, "timestamp") }),
  about: (value) => ({ id: textAt(value, "instance_id") }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its records hold the history of a run, in events of agent and environment",
      // Lines of evaluations are sessions each, and no events of one.
      isOn: (value, syntax) => syntax === "value" && (Array.isArray(value) ? value : [value]).slice(0, lookedAt).some(isEvaluation),
    },
    { certainty: "certain", evidence: "its records are actions and observations with a source", isOn: isLog },
  ],
  sessionsIn,
})
