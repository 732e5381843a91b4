/**
 * An answer that has to change its wire: recorded as its provider wrote it, written as the client's provider would have.
 * Every event is handed on as soon as the client's wire can say it. A stream that carried an error ends with the error of
 * the client's wire; one that broke off is broken off, because half an answer must never look like a whole one.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ToolSettings } from "ligature"
import { createRecorder, createStreamWriter, type Recorded, replyOf, sseText, type StreamEvent, streamText } from "ligature/record"
import type { Ask, Wire, WireName } from "../wires/wire.ts"
import { UpstreamError } from "../upstream/send.ts"
import { inOwnNames } from "./names.ts"
import type { Ended } from "./pass.ts"
import { mostBytes, readWhole, unpacked } from "./read-answer.ts"

export interface ConvertOptions {
  readonly from: WireName
  readonly wire: Wire
  readonly ask: Ask
  /** The model, as the client calls it. */
  readonly model: string
  readonly tools: ReadonlyMap<string, ToolSettings>
  /** The client asked for a last event with nothing but the usage. */
  readonly usageEvent: boolean
  readonly headers: readonly (readonly [string, string])[]
  readonly now: number
  /** Stores what was answered; the end of the answer waits for it. */
  readonly store?: ((recorded: Recorded, ended: Ended) => Promise<void>) | undefined
}

export interface Converted {
  readonly ended: Ended
  /** As the upstream wrote it. */
  readonly recorded: Recorded
  /** The same in the terms of the client. */
  readonly own: Recorded
  /** The id the client knows it by. */
  readonly id: string
}

/** A sign of life is due when a stream was silent for so long. */
const pingMs = 15_000

const idFor = (wire: Wire): string => wire.answerId(randomUUID().replaceAll("-", ""))

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamError(502, `The provider answered with what is no JSON: ${text.slice(0, 200)}`)
  }
}

/** Throws an `UpstreamError` where the answer cannot be read; nothing was written then. */
export const convertWhole = async (answer: IncomingMessage, response: ServerResponse, options: ConvertOptions): Promise<Converted> => {
  const { from, wire, model, tools, headers, now } = options
  const text = (await readWhole(answer)).toString("utf8")
  const recorder = createRecorder(from, { events: false })
  recorder.push(valueOf(text))
  const id = idFor(wire)
  const recorded = recorder.end()
  const own = inOwnNames(recorder, tools).end()
  const { body } = replyOf(own, wire.name, { id, model, created: Math.floor(now / 1000) })
  const status = recorded.complete ? 200 : 502
  await options.store?.(recorded, recorded.complete ? "complete" : "upstream-broke")
  const written = Buffer.from(
    JSON.stringify(
      recorded.complete
        ? body
        : wire.errorBody({ status, message: recorded.error?.message ?? "The answer of the provider is not complete" }),
    ),
  )
  response.writeHead(status, [...headers.flat(), "content-type", "application/json", "content-length", String(written.length)])
  response.end(written)
  return { ended: "complete", recorded, own, id }
}

/** How events are put on the line: server-sent, or as elements of one list. */
const framer = ({ ask, usageEvent, wire }: ConvertOptions) => {
  let count = 0
  const isWanted = ({ data }: StreamEvent): boolean => {
    if (usageEvent || wire.name !== "openai-chat") return true
    const choices = (data as { readonly choices?: unknown }).choices
    return !(Array.isArray(choices) && choices.length === 0)
  }
  return {
    text: (events: readonly StreamEvent[]): string => {
      const wanted = events.filter(isWanted)
      if (ask.array !== true) return wanted.map(sseText).join("")
      return wanted.map(({ data }) => `${count++ === 0 ? "[" : ",\r\n"}${JSON.stringify(data)}`).join("")
    },
    end: (): string => (ask.array === true ? (count === 0 ? "[]" : "]") : ""),
  }
}

export const convertStream = (answer: IncomingMessage, response: ServerResponse, options: ConvertOptions): Promise<Converted> =>
  new Promise((resolve) => {
    const { from, wire, ask, model, tools, headers, now } = options
    const id = idFor(wire)
    const recorder = createRecorder(from)
    const teller = inOwnNames(recorder, tools)
    const writer = createStreamWriter(wire.name, { id, model, created: Math.floor(now / 1000) })
    const reader = streamText("event-stream")
    const frames = framer(options)
    const decoder = new TextDecoder()
    const body = unpacked(answer)
    const type = ask.array === true ? "application/json" : "text/event-stream; charset=utf-8"
    response.writeHead(200, [...headers.flat(), "content-type", type, "cache-control", "no-cache"])
    response.flushHeaders()
    let ended = false
    let sinceEvent = 0

    const ping = setInterval(() => {
      if (ask.array !== true && !response.writableNeedDrain) response.write(wire.ping)
    }, pingMs)
    ping.unref()

    const put = (text: string): void => {
      if (text === "" || response.destroyed) return
      ping.refresh()
      if (!response.write(text)) {
        body.pause()
        response.once("drain", () => body.resume())
      }
    }
    const finish = (how: Ended): void => {
      if (ended) return
      ended = true
      clearInterval(ping)
      const recorded = recorder.end(how === "complete" ? "complete" : how === "client-left" ? "abort" : "cut")
      const own = teller.end()
      const done = how === "complete" && !recorded.complete ? "upstream-broke" : how
      if (how === "client-left") answer.destroy()
      const conclude = (): void => {
        if (how === "client-left") {
          // Nobody is there to be told.
        } else if (recorded.complete || recorded.error || wire.broken === "error") {
          // An error that the upstream told in words is told on; a line that broke is broken.
          put(frames.text(writer.end(own)) + frames.end())
          response.end()
        } else response.destroy()
        resolve({ ended: done, recorded, own, id })
      }
      if (options.store) void options.store(recorded, done).then(conclude, conclude)
      else conclude()
    }
    const take = (events: readonly unknown[]): void => {
      if (events.length > 0) sinceEvent = 0
      let text = ""
      for (const event of events) text += frames.text(writer.write(teller.push(event), teller))
      put(text)
    }

    body.on("data", (chunk: Buffer) => {
      sinceEvent += chunk.length
      if (sinceEvent > mostBytes) return void answer.destroy(new Error("An event without an end"))
      take(reader.push(decoder.decode(chunk, { stream: true })))
    })
    body.once("end", () => {
      take(reader.push(decoder.decode()))
      take(reader.end())
      finish("complete")
    })
    body.once("error", () => finish("upstream-broke"))
    body.once("close", () => finish("upstream-broke"))
    response.once("close", () => finish("client-left"))
  })
