/**
 * An answer that goes on as it came: bytes, encoding, headers. Slow readers slow the upstream down. One that breaks off is
 * broken off: a connection that is reset makes every client ask again, a polite end makes some of them take half for whole.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { flat, forwarded } from "../upstream/headers.ts"

export type Ended = "complete" | "upstream-broke" | "client-left"

export interface PassOptions {
  readonly headers: readonly (readonly [string, string])[]
}

export const passAnswer = (answer: IncomingMessage, response: ServerResponse, { headers }: PassOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const kept = forwarded(answer.rawHeaders, () => false)
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", flat([...kept, ...headers]))
    if (/event-stream/i.test(answer.headers["content-type"] ?? "")) response.flushHeaders()
    let ended = false
    const end = (how: Ended): void => {
      if (ended) return
      ended = true
      if (how === "upstream-broke") response.destroy()
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
