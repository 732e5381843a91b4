/**
 * An answer on its way into a WebSocket: the part of a `ServerResponse` that exchanges use. Events of a stream become frames
 * as they are; an answer that is not a stream is an error, in one frame with its status. A client that reads slowly slows
 * the answer down, as a connection of its own would.
 */
import { Writable } from "node:stream"
import { EventStreamReader } from "ligature/record"
import type { WebSocket } from "ws"

type Headers = Readonly<Record<string, string>>

/** Pairs of a raw list. */
const named = (raw: readonly string[]): Headers => {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < raw.length; at += 2) headers[String(raw[at]).toLowerCase()] = String(raw[at + 1])
  return headers
}

const mostErrorBytes = 1 << 20
const mostEventBytes = 64 << 20

export class SocketResponse extends Writable {
  headersSent = false
  statusCode = 0
  readonly #socket: WebSocket
  readonly #onEvent: (data: string) => void
  readonly #events = new EventStreamReader()
  readonly #decoder = new TextDecoder()
  #headers: Headers = {}
  /** The body of an answer that is no stream. */
  readonly #whole: Buffer[] = []
  #size = 0
  /** Bytes of an event whose end has not come. */
  #open = 0

  /** `onEvent` is told of the data of every event before it is sent. */
  constructor(socket: WebSocket, onEvent: (data: string) => void) {
    super({ decodeStrings: true })
    this.#socket = socket
    this.#onEvent = onEvent
  }

  writeHead(status: number, ...rest: readonly unknown[]): this {
    this.statusCode = status
    const raw = rest.at(-1)
    if (Array.isArray(raw)) this.#headers = named(raw as string[])
    this.headersSent = true
    return this
  }

  flushHeaders(): void {}

  get #isStream(): boolean {
    return this.statusCode < 400 && /event-stream/i.test(this.#headers["content-type"] ?? "")
  }

  #send(frames: readonly string[], done: (error?: Error | null) => void): void {
    const last = frames.at(-1)
    if (last === undefined) return done()
    for (const frame of frames.slice(0, -1)) this.#socket.send(frame)
    this.#socket.send(last, (error) => done(error ?? null))
  }

  #frames(events: readonly { readonly data: string }[]): readonly string[] {
    return events.flatMap(({ data }) => {
      // What is no JSON is the half of an event that broke off.
      if (!data.startsWith("{") || !data.endsWith("}")) return []
      this.#onEvent(data)
      return [data]
    })
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isStream) {
      this.#open += chunk.length
      if (this.#open > mostEventBytes) return done(new Error("An event without an end"))
      const events = this.#events.push(this.#decoder.decode(chunk, { stream: true }))
      if (events.length > 0) this.#open = 0
      return this.#send(this.#frames(events), done)
    }
    this.#size += chunk.length
    if (this.#size <= mostErrorBytes) this.#whole.push(chunk)
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isStream) return this.#send(this.#frames(this.#events.end()), done)
    this.#send([this.#errorFrame()], done)
  }

  #errorFrame(): string {
    const text = Buffer.concat(this.#whole).toString("utf8")
    let error: unknown
    try {
      error = (JSON.parse(text) as { readonly error?: unknown }).error
    } catch {
      error = undefined
    }
    const status = this.statusCode < 400 ? 502 : this.statusCode
    const wait = this.#headers["retry-after"]
    const shown = error ?? { type: "server_error", code: null, message: text.slice(0, 2000) }
    return JSON.stringify({ type: "error", status, error: shown, ...(wait !== undefined && { headers: { "retry-after": wait } }) })
  }
}
