/**
 * The envelope of an event: `{ id, timestamp, source, message, cause?, action + args | observation + content + extras,
 * tool_call_metadata? }`. A conversation is the list of them: a trajectory file, the `history` of an evaluation's
 * line, or the joined files of a session.
 */
import { isWire, type Wire } from "../../model/index.ts"

export const format = "openhands-v0"

const sources: ReadonlySet<unknown> = new Set(["agent", "user", "environment"])

export const isEvent = (value: unknown): value is Wire => {
  if (!isWire(value) || !(sources.has(value["source"]) || "cause" in value)) return false
  if (typeof value["action"] === "string") return isWire(value["args"])
  return typeof value["observation"] === "string" && ("content" in value || "extras" in value)
}

const isPair = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length === 2

/** The oldest evaluations wrote pairs of an action and its observation. */
const flattened = (list: readonly unknown[]): readonly unknown[] => (list.some(isPair) ? list.flat() : list)

export const eventsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return flattened(value)
  if (!isWire(value)) return []
  const list = value["history"] ?? value["records"] ?? value["events"]
  return Array.isArray(list) ? flattened(list) : []
}

/** A line of an evaluation's output: `{ instance_id, history, … }`. */
export const isEvaluation = (value: unknown): value is Wire => {
  if (!isWire(value) || !Array.isArray(value["history"])) return false
  return flattened(value["history"].slice(0, 8)).some(isEvent)
}
