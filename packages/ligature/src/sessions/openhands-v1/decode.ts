/**
 * Events of an OpenHands conversation (SDK, since 2025) → Transcript. Default view: `whole`, every event in the order
 * of the log, with the summary of a condensation where the condensation stands. `effective` leaves out what
 * condensations forgot and shows the latest summary where the agent would. A result without its action (a late event
 * in a fresh folder) is an ordinary result here: the laws find that it answers nothing.
 */
import { type Diagnostic, isWire, pushAll, type Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { assemble, type Told } from "./assemble.ts"
import { eventsOf, format, silentKinds } from "./event.ts"
import { isKnownKind, readEvent } from "./read-event.ts"

/** More of one kind say nothing new. */
const mostFindings = 100

export const tell = (
  events: readonly unknown[],
  options: DecodeOptions,
  diagnostics: Diagnostic[],
): readonly Told[] => {
  const told: Told[] = []
  const unknown = new UnknownRecords("events")
  events.forEach((event, index) => {
    const line = options.lines?.[index]
    const place = { path: `records[${index}]`, ...(line !== undefined && { line }) }
    const saying = isWire(event) ? readEvent(event) : undefined
    if (isWire(event) && saying) {
      told.push({ event, id: event["id"], index, saying })
      return
    }
    if (!isWire(event) || isKnownKind(event["kind"])) {
      if (diagnostics.length >= mostFindings) return
      diagnostics.push(anomaly("malformed-record", place, "An event does not have the shape of its kind"))
    } else if (!silentKinds.has(event["kind"])) unknown.add(event["kind"], place)
  })
  pushAll(diagnostics, unknown.diagnostics)
  return told
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const events = eventsOf(value)
  const diagnostics: Diagnostic[] = []
  const told = tell(events, options, diagnostics)
  return {
    format,
    messages: assemble(told, { format, view: options.view ?? "whole", lines: options.lines }),
    native: { [format]: value },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
