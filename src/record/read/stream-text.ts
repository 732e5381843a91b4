/**
 * The text of a response body → the events a recorder takes. Events of a stream are JSON; a text that is none (the
 * `[DONE]` of chat streams, the page of a proxy) is handed on as it is, and the recorder says what it thinks of it.
 */
import { isWire } from "../../model/index.ts"
import { parseJson } from "../arguments.ts"
import { EventStreamReader, type ServerSentEvent } from "./event-stream.ts"
import { JsonLinesReader } from "./json-lines.ts"

/** How a response body is written: `text/event-stream`, or one JSON value per line. */
export type StreamSyntax = "event-stream" | "json-lines"

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

/** Reads a body piece by piece, cut anywhere: `data: {"n":` gives nothing yet, `1}` and a blank line then `{ n: 1 }`. */
export const streamText = (syntax: StreamSyntax): StreamText => {
  if (syntax === "json-lines") {
    const lines = new JsonLinesReader()
    return { push: (chunk) => lines.push(chunk).map(valueOf), end: () => lines.end().map(valueOf) }
  }
  const events = new EventStreamReader()
  return { push: (chunk) => events.push(chunk).map(eventOf), end: () => events.end().map(eventOf) }
}
