/**
 * An answer that goes on as it came: bytes, encoding, headers. Slow readers slow the upstream down. One that breaks off is
 * broken off: a connection that is reset makes most clients ask again, a polite end makes some of them take half for whole.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { flat, forwarded } from "../upstream/headers.ts"
import type { Wire } from "../wires/wire.ts"

export type Ended = "complete" | "upstream-broke" | "client-left"

export interface PassOptions {
  readonly headers: readonly (readonly [string, string])[]
  readonly wire: Wire
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

export const passAnswer = (answer: IncomingMessage, response: ServerResponse, { headers, wire }: PassOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const kept = forwarded(answer.rawHeaders, () => false)
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", flat([...kept, ...headers]))
    if (/event-stream/i.test(answer.headers["content-type"] ?? "")) response.flushHeaders()
    const wordsOfBreak = lastWords(answer, wire)
    let ended = false
    const end = (how: Ended): void => {
      if (ended) return
      ended = true
      const words = how === "upstream-broke" ? wordsOfBreak() : undefined
      if (words !== undefined) response.end(words)
      else if (how === "upstream-broke") response.destroy()
      if (how === "client-left") answer.destroy()
      resolve(how)
    }
    answer.pipe(response)
    answer.once("error", () => end("upstream-broke"))
    answer.once("close", () => {
      if (!answer.complete) end("upstream-broke")
    })
    response.once("finish", () => end("complete"))
    response.once("close", () => end(response.writableFinished ? "complete" : "client-left"))
  })
