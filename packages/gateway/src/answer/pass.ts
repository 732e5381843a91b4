/**
 * An answer that goes on as it came: bytes, encoding, headers. Slow readers slow the upstream down. One that breaks off is
 * broken off: a connection that is reset makes most clients ask again, a polite end makes some of them take half for whole.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { flat, forwarded } from "../upstream/headers.ts"
import type { AnswerTap } from "../record/tap.ts"
import type { Wire } from "../wires/wire.ts"

export type Ended = "complete" | "upstream-broke" | "client-left"

export interface PassOptions {
  readonly headers: readonly (readonly [string, string])[]
  readonly wire: Wire
  /** Listens, and may hold back the end until the answer is stored. */
  readonly tap?: AnswerTap | undefined
}

/** An error in a stream whose last event is whole. Within one, or in a compressed stream, nobody could read it. */
const lastWords = (answer: IncomingMessage, wire: Wire): (() => string | undefined) => {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = answer.headers
  if (wire.broken !== "error" || encoding !== "identity" || !/event-stream/i.test(type)) return () => undefined
  let end = ""
  answer.on("data", (chunk: Buffer) => {
    end = (end + chunk.toString("latin1", Math.max(0, chunk.length - 4))).slice(-4)
  })
  const error = wire.errorBody({ status: 502, message: "The answer of the provider broke off" })
  return () => (/(?:\n\n|\r\r|\r\n\r\n)$/.test(end) ? `data: ${JSON.stringify(error)}\n\n` : undefined)
}

/**
 * Whether the stream has said that it is over. Some servers that fail end a stream politely in the middle: then its end must
 * not be passed on. Only the bytes are searched, for marks that no text of an event can have. The event with the mark has to be
 * whole: its line ends, or is a value.
 */
const overIn = (answer: IncomingMessage, wire: Wire): (() => boolean) => {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = answer.headers
  if (answer.statusCode !== 200 || encoding !== "identity") return () => true
  const isStream = /event-stream/i.test(type)
  if (!isStream && !/\bjson\b/i.test(type)) return () => true
  let isOver = !isStream
  let before = ""
  let line: Buffer[] = []
  let bytes = 0
  answer.on("data", (chunk: Buffer) => {
    isOver ||= wire.endMarks.some((mark) => chunk.includes(mark) || (before + chunk.toString("latin1", 0, mark.length)).includes(mark))
    before = (before + chunk.toString("latin1", Math.max(0, chunk.length - 32))).slice(-32)
    if (!isStream) return
    const end = chunk.lastIndexOf(lineEnd)
    if (end >= 0) [line, bytes] = [[], 0]
    if (bytes < mostLineBytes) line.push(chunk.subarray(end + 1))
    bytes += chunk.length - end - 1
  })
  // A body that is no stream is not looked into: one that is cut does not end like one.
  return () => isOver && (isStream ? isWholeLine(line) : /(?:[\]}]|^)\s*$/.test(before))
}

const lineEnd = 10

/** A last line without an end is kept up to this size. */
const mostLineBytes = 4 << 20

/** What comes after the last end of a line: nothing, or all of a value whose end of line is missing. */
const isWholeLine = (line: readonly Buffer[]): boolean => {
  const data = Buffer.concat(line)
    .toString("utf8")
    .replace(/^data:/, "")
    .trim()
  if (data === "" || data === "[DONE]") return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}

export const passAnswer = (answer: IncomingMessage, response: ServerResponse, { headers, wire, tap }: PassOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const kept = forwarded(answer.rawHeaders, () => false)
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", flat([...kept, ...headers]))
    if (/event-stream/i.test(answer.headers["content-type"] ?? "")) response.flushHeaders()
    const wordsOfBreak = lastWords(answer, wire)
    const isOver = overIn(answer, wire)
    let ended = false
    const conclude = (how: Ended): void => {
      if (how === "upstream-broke") {
        const words = wordsOfBreak()
        if (words === undefined) response.destroy()
        else response.end(words)
      }
      resolve(how)
    }
    const end = (how: Ended): void => {
      if (ended) return
      ended = true
      if (how === "client-left") answer.destroy()
      const after = (): void => conclude(how)
      // Where it is complete, the tap was told before the response ended.
      if (tap && how !== "complete") void tap.end(how).then(after, after)
      else after()
    }
    const last = (held?: Buffer): void => {
      if (!isOver()) return end("upstream-broke")
      response.end(held)
    }
    if (tap) forwardThrough(tap, answer, response, last)
    else {
      answer.pipe(response, { end: false })
      answer.once("end", () => last())
    }
    answer.once("error", () => end("upstream-broke"))
    answer.once("close", () => {
      if (!answer.complete) end("upstream-broke")
    })
    response.once("finish", () => end("complete"))
    response.once("close", () => end(response.writableFinished ? "complete" : "client-left"))
  })

const forwardThrough = (tap: AnswerTap, answer: IncomingMessage, response: ServerResponse, last: (held?: Buffer) => void): void => {
  const put = (bytes: Buffer | undefined): void => {
    if (!bytes || response.destroyed || response.write(bytes)) return
    answer.pause()
    response.once("drain", () => answer.resume())
  }
  let waiting: Promise<void> | undefined
  answer.on("data", (chunk: Buffer) => {
    const taken = tap.take(chunk)
    if (!waiting && !(taken instanceof Promise)) return put(taken)
    waiting = Promise.all([taken, waiting]).then(([bytes]) => put(bytes))
  })
  answer.once("end", () => {
    void Promise.all([tap.end("complete"), waiting]).then(
      ([held]) => last(held),
      () => response.destroy(),
    )
  })
}
