/**
 * The text of a response body → the events a recorder takes. Events of a stream are JSON; a text that is none (the
 * `[DONE]` of chat streams, the page of a proxy) is handed on as it is, and the recorder says what it thinks of it.
 */
import { isWire, parseJson } from "../../model/index.ts"
import { EventStreamReader, type ServerSentEvent } from "./event-stream.ts"
import { JsonArrayReader } from "./json-array.ts"
import { JsonLinesReader } from "./json-lines.ts"

/** How a response body is written: `text/event-stream`, one JSON value per line, or a JSON array of all of them. */
export type StreamSyntax = "event-stream" | "json-lines" | "json-array"

export interface StreamText {
  push(chunk: string): readonly unknown[]
  /** No more text will come: what the last piece left open, if anything. */
  end(): readonly unknown[]
}

const valueOf = (text: string): unknown => {
  const value = parseJson(text)
  return value === undefined ? text : value
}

/** Some gateways name the type of an event only in its head. */
const eventOf = ({ data, event }: ServerSentEvent): unknown => {
  const value = valueOf(data)
  return event !== undefined && isWire(value) && value["type"] === undefined ? { type: event, ...value } : value
}

/** Reads a body piece by piece, cut anywhere: `data: {"n":` gives nothing, then `1}` and a blank line `{ n: 1 }`. */
export const streamText = (syntax: StreamSyntax): StreamText => {
  if (syntax !== "event-stream") {
    const values = syntax === "json-lines" ? new JsonLinesReader() : new JsonArrayReader()
    return { push: (chunk) => values.push(chunk).map(valueOf), end: () => values.end().map(valueOf) }
  }
  const events = new EventStreamReader()
  return { push: (chunk) => events.push(chunk).map(eventOf), end: () => events.end().map(eventOf) }
}
