/**
 * `text/event-stream`, in whatever pieces it arrives. Follows the HTML standard: lines end in LF, CR or CRLF, several
 * `data` lines are one text, lines that begin with a colon are comments, a blank line ends an event. Beyond the
 * standard, which drops it, an event whose blank line never came is given by `end`: many servers leave that line out.
 *
 * Text comes in as strings. Whoever reads bytes decodes them with one TextDecoder and `{ stream: true }`, so that a
 * character split between two chunks stays whole.
 */

/** One event. `event` is absent where the stream did not name it. */
export interface ServerSentEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
}

const byteOrderMark = "\uFEFF"

/** The next line break at or after `from`; -1 where there is none. */
const nextBreak = (text: string, from: number): number => {
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 10 || code === 13) return index
  }
  return -1
}

export class EventStreamReader {
  /** Pieces of a line whose end has not come. */
  #line: string[] = []
  /** The last text ended in CR: an LF before the next one belongs to it. */
  #afterReturn = false
  #begun = false
  #data: string[] = []
  #event: string | undefined
  #id: string | undefined

  /** Takes the next piece of text; gives the events that are now whole. */
  push(chunk: string): readonly ServerSentEvent[] {
    if (chunk === "") return []
    const events: ServerSentEvent[] = []
    let start = 0
    if (!this.#begun) {
      this.#begun = true
      if (chunk.startsWith(byteOrderMark)) start = 1
    }
    if (this.#afterReturn && chunk.charCodeAt(start) === 10) start++
    this.#afterReturn = false
    for (;;) {
      const at = nextBreak(chunk, start)
      if (at < 0) break
      this.#line.push(chunk.slice(start, at))
      this.#endLine(events)
      start = at + 1
      if (chunk.charCodeAt(at) !== 13) continue
      if (start === chunk.length) this.#afterReturn = true
      else if (chunk.charCodeAt(start) === 10) start++
    }
    if (start < chunk.length) this.#line.push(chunk.slice(start))
    return events
  }

  /** No more text will come. */
  end(): readonly ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    if (this.#line.length > 0) this.#endLine(events)
    this.#dispatch(events)
    return events
  }

  #endLine(events: ServerSentEvent[]): void {
    const line = this.#line.length === 1 ? (this.#line[0] as string) : this.#line.join("")
    this.#line = []
    if (line === "") return this.#dispatch(events)
    const colon = line.indexOf(":")
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const space = line.charCodeAt(colon + 1) === 32 ? 1 : 0
    const value = colon < 0 ? "" : line.slice(colon + 1 + space)
    if (field === "data") this.#data.push(value)
    else if (field === "event") this.#event = value
    else if (field === "id" && !value.includes("\0")) this.#id = value
  }

  #dispatch(events: ServerSentEvent[]): void {
    const [event, id] = [this.#event, this.#id]
    if (this.#data.length > 0) {
      const data = this.#data.length === 1 ? (this.#data[0] as string) : this.#data.join("\n")
      events.push({ data, ...(event && { event }), ...(id !== undefined && { id }) })
      this.#data = []
    }
    this.#event = undefined
  }
}
