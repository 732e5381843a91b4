/**
 * Events of OpenHands before its SDK → Transcript. Default view: `whole`, every event in the order of the log, with the
 * summary of a condensation where the condensation stands; `effective` leaves out what condensations forgot.
 */
import { type Diagnostic, isWire, type Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { assemble, type Told } from "../openhands-v1/assemble.ts"
import { eventsOf, format } from "./event.ts"
import { readAction } from "./read-action.ts"
import { readObservation } from "./read-observation.ts"

/** More of one kind say nothing new. */
const mostFindings = 100

export const tell = (
  events: readonly unknown[],
  options: DecodeOptions,
  diagnostics: Diagnostic[],
): readonly Told[] => {
  const told: Told[] = []
  const causes = new Set<unknown>()
  events.forEach((event, index) => {
    const line = options.lines?.[index]
    const place = line === undefined ? { path: `history[${index}]` } : { line }
    const isAction = isWire(event) && typeof event["action"] === "string"
    if (!isWire(event) || !(isAction || typeof event["observation"] === "string")) {
      if (diagnostics.length < mostFindings) {
        diagnostics.push(anomaly("malformed-record", place, "An event is neither an action nor an observation"))
      }
      return
    }
    const saying = isAction ? readAction(event) : readObservation(event, causes)
    if (!saying) return
    const { id } = event
    const isNamed = typeof id === "number" || typeof id === "string"
    if (isNamed && saying.type === "calls" && !isWire(event["tool_call_metadata"])) causes.add(id)
    told.push({ event, id, index, saying })
  })
  return told
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const diagnostics: Diagnostic[] = []
  const told = tell(eventsOf(value), options, diagnostics)
  return {
    format,
    messages: assemble(told, { format, view: options.view ?? "whole", lines: options.lines }),
    native: { [format]: value },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
