/**
 * The text of a response body → the events a recorder takes. Events of a stream are JSON; a text that is none (the
 * `[DONE]` of chat streams, the page of a proxy) is handed on as it is, and the recorder says what it thinks of it.
 */
import { assertOptions, isWire, parseJson } from "../../model/index.ts"
import { EventStreamReader, type ServerSentEvent } from "./event-stream.ts"

// A JSON array that arrives in pieces, element by element: Gemini streams one where nobody asks for server-sent events.
// Only brackets and quotes are looked at; whether an element is sound is for JSON.parse to say. A body that is one
// object (an error) is one element.

const quote = 34
const comma = 44
const backslash = 92
const list = 0x5b

const opens = (code: number): boolean => code === 0x7b || code === list
const closes = (code: number): boolean => code === 0x7d || code === 0x5d

export class JsonArrayReader {
  /** Pieces of an element whose end has not come. */
  #element: string[] = []
  #depth = 0
  /** How deep the commas are that part elements; 0: there is no list around them. */
  #level = 0
  #inText = false
  #escaped = false

  /** Takes the next piece of text; gives the elements that are now whole, as text. */
  push(chunk: string): readonly string[] {
    const elements: string[] = []
    let start = 0
    const finish = (end: number): void => {
      this.#element.push(chunk.slice(start, end))
      this.#finish(elements)
      start = end
    }
    for (let index = 0; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (this.#inText) this.#inside(code)
      else if (code === quote) this.#inText = true
      else if (opens(code)) {
        if (this.#depth++ === 0 && code === list) {
          this.#level = 1
          this.#element = []
          start = index + 1
        }
      } else if (code === comma && this.#depth === 1 && this.#level === 1) {
        finish(index)
        start = index + 1
      } else if (closes(code)) {
        this.#depth--
        if (this.#depth > 0) continue
        finish(index + 1 - this.#level)
        start = index + 1
      }
    }
    if (start < chunk.length) this.#element.push(chunk.slice(start))
    return elements
  }

  /** No more text will come: an element without its end is given as it is. */
  end(): readonly string[] {
    const elements: string[] = []
    this.#finish(elements)
    return elements
  }

  #inside(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === backslash) this.#escaped = true
    else if (code === quote) this.#inText = false
  }

  #finish(elements: string[]): void {
    const element = this.#element.join("").trim()
    this.#element = []
    if (element !== "") elements.push(element)
  }
}

// Newline-delimited JSON in whatever pieces it arrives: one value per line, blank lines aside.

export class JsonLinesReader {
  #line: string[] = []

  /** Takes the next piece of text; gives the lines that are now whole, as they are. */
  push(chunk: string): readonly string[] {
    const lines: string[] = []
    let start = 0
    for (;;) {
      const at = chunk.indexOf("\n", start)
      if (at < 0) break
      this.#line.push(chunk.slice(start, at))
      this.#endLine(lines)
      start = at + 1
    }
    if (start < chunk.length) this.#line.push(chunk.slice(start))
    return lines
  }

  /** No more text will come: a last line without its end is a line. */
  end(): readonly string[] {
    const lines: string[] = []
    if (this.#line.length > 0) this.#endLine(lines)
    return lines
  }

  #endLine(lines: string[]): void {
    const line = this.#line.join("").trim()
    this.#line = []
    if (line !== "") lines.push(line)
  }
}

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
  assertOptions({ syntax }, { syntax: ["event-stream", "json-lines", "json-array"] })
  if (syntax !== "event-stream") {
    const values = syntax === "json-lines" ? new JsonLinesReader() : new JsonArrayReader()
    return { push: (chunk) => values.push(chunk).map(valueOf), end: () => values.end().map(valueOf) }
  }
  const events = new EventStreamReader()
  return { push: (chunk) => events.push(chunk).map(eventOf), end: () => events.end().map(eventOf) }
}
