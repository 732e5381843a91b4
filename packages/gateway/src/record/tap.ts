/**
 * Listens to an answer that passes as it comes. The end of it is held back until the answer is stored: a client acts on the
 * end marker of a stream, or on the last byte of a body, and what it acts on must not be lost.
 */
import type { IncomingMessage } from "node:http"
import { createRecorder, type Recorded, type Recorder, streamText, type StreamText } from "ligature/record"
import type { Ended } from "../answer/pass.ts"
import { unpacked } from "../answer/read-answer.ts"
import type { Ask, WireName } from "../wires/wire.ts"

export interface AnswerTap {
  /** Gives what may go on now: the bytes, later, or nothing yet. */
  take(chunk: Buffer): Buffer | Promise<Buffer> | undefined
  /** The answer is over, and how. Resolves when it is stored, with what was held back. */
  end(how: Ended): Promise<Buffer | undefined>
}

/** Beyond this an answer that is no stream is passed on and not recorded. */
const mostBytes = 64 << 20

type Event = Readonly<Record<string, unknown>>

/** The event after which a client acts, by wire. */
const isLast: Readonly<Record<WireName, (event: Event) => boolean>> = {
  anthropic: ({ type }) => type === "message_stop" || type === "error",
  "openai-chat": () => false,
  "openai-responses": ({ type }) => type === "response.completed" || type === "response.incomplete" || type === "response.failed",
  gemini: ({ candidates }) => Array.isArray(candidates) && candidates.some((each: Event | null) => each?.["finishReason"] !== undefined),
}

const isEnd = (wire: WireName, event: unknown): boolean =>
  typeof event === "string" ? event.trim() === "[DONE]" : typeof event === "object" && event !== null && isLast[wire](event as Event)

const causes = { complete: "complete", "client-left": "abort", "upstream-broke": "cut" } as const

class StreamTap implements AnswerTap {
  readonly #wire: WireName
  readonly #recorder: Recorder
  readonly #reader: StreamText
  readonly #decoder = new TextDecoder()
  readonly #store: (recorded: Recorded, how: Ended) => Promise<void>
  #stored: Promise<void> | undefined
  /** Bytes of an event whose end has not come. */
  #open = 0
  /** An event without an end is passed on, and not read. */
  #isDeaf = false

  constructor(wire: WireName, syntax: "event-stream" | "json-array", store: (recorded: Recorded, how: Ended) => Promise<void>) {
    this.#wire = wire
    this.#recorder = createRecorder(wire, { events: false })
    this.#reader = streamText(syntax)
    this.#store = store
  }

  take(chunk: Buffer): Buffer | Promise<Buffer> {
    if (this.#stored) return this.#stored.then(() => chunk)
    this.#open += chunk.length
    if (this.#isDeaf || this.#open > mostBytes) {
      this.#isDeaf = true
      return chunk
    }
    let isOver = false
    for (const event of this.#reader.push(this.#decoder.decode(chunk, { stream: true }))) {
      this.#open = 0
      this.#recorder.push(event)
      isOver ||= isEnd(this.#wire, event)
    }
    if (!isOver) return chunk
    this.#stored = this.#store(this.#recorder.end("complete"), "complete")
    return this.#stored.then(() => chunk)
  }

  async end(how: Ended): Promise<undefined> {
    if (!this.#stored) {
      for (const event of this.#reader.push(this.#decoder.decode())) this.#recorder.push(event)
      for (const event of this.#reader.end()) this.#recorder.push(event)
      const recorded = this.#recorder.end(causes[how])
      this.#stored = this.#store(recorded, how === "complete" && !recorded.complete ? "upstream-broke" : how)
    }
    await this.#stored
  }
}

/** The last chunk of a body waits until the body is stored. */
class BodyTap implements AnswerTap {
  readonly #wire: WireName
  readonly #chunks: Buffer[] = []
  readonly #store: (recorded: Recorded, how: Ended) => Promise<void>
  #bytes = 0
  #held: Buffer | undefined

  constructor(wire: WireName, store: (recorded: Recorded, how: Ended) => Promise<void>) {
    this.#wire = wire
    this.#store = store
  }

  take(chunk: Buffer): Buffer | undefined {
    const before = this.#held
    this.#held = chunk
    this.#bytes += chunk.length
    if (this.#bytes <= mostBytes) this.#chunks.push(chunk)
    else this.#chunks.length = 0
    return before
  }

  async end(how: Ended): Promise<Buffer | undefined> {
    const held = this.#held
    this.#held = undefined
    if (how === "complete" && this.#chunks.length > 0) {
      let value: unknown
      try {
        value = JSON.parse(Buffer.concat(this.#chunks).toString("utf8"))
      } catch {
        return held
      }
      const recorder = createRecorder(this.#wire, { events: false })
      recorder.push(value)
      await this.#store(recorder.end(), "complete")
    }
    return held
  }
}

/** The answer is packed: it is read beside its way to the client, whose end waits. */
class PackedTap implements AnswerTap {
  readonly #inner: AnswerTap
  readonly #read: Promise<unknown>
  #held: Buffer | undefined

  constructor(answer: IncomingMessage, inner: AnswerTap) {
    this.#inner = inner
    const body = unpacked(answer)
    body.on("data", (chunk: Buffer) => void inner.take(chunk))
    this.#read = new Promise((resolve) => {
      body.once("end", resolve)
      body.once("error", resolve)
      body.once("close", resolve)
    })
  }

  take(chunk: Buffer): Buffer | undefined {
    const before = this.#held
    this.#held = chunk
    return before
  }

  async end(how: Ended): Promise<Buffer | undefined> {
    const held = this.#held
    this.#held = undefined
    if (how === "complete") await this.#read
    await this.#inner.end(how)
    return held
  }
}

/** Undefined: it is no answer of a model. */
export const tapOf = (
  answer: IncomingMessage,
  wire: WireName,
  ask: Ask,
  store: (recorded: Recorded, how: Ended) => Promise<void>,
): AnswerTap | undefined => {
  const { statusCode = 0, headers } = answer
  if (statusCode < 200 || statusCode >= 300) return undefined
  const type = headers["content-type"] ?? ""
  const inner = /event-stream/i.test(type)
    ? new StreamTap(wire, "event-stream", store)
    : ask.array === true
      ? new StreamTap(wire, "json-array", store)
      : /json/i.test(type)
        ? new BodyTap(wire, store)
        : undefined
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (!inner || encoding === "identity" || encoding === "") return inner
  return encoding === "gzip" || encoding === "br" || encoding === "deflate" ? new PackedTap(answer, inner) : undefined
}
