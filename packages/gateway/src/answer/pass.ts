/**
 * An answer that goes on as it came: bytes, encoding, headers. Slow readers slow the upstream down. One that breaks off is
 * broken off: a connection that is reset makes every client ask again, a polite end makes some of them take half for whole.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { flat, forwarded } from "../upstream/headers.ts"
import type { AnswerTap } from "../record/tap.ts"

export type Ended = "complete" | "upstream-broke" | "client-left"

export interface PassOptions {
  readonly headers: readonly (readonly [string, string])[]
  /** Listens, and may hold back the end until the answer is stored. */
  readonly tap?: AnswerTap | undefined
}

export const passAnswer = (answer: IncomingMessage, response: ServerResponse, { headers, tap }: PassOptions): Promise<Ended> =>
  new Promise((resolve) => {
    const kept = forwarded(answer.rawHeaders, () => false)
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", flat([...kept, ...headers]))
    if (/event-stream/i.test(answer.headers["content-type"] ?? "")) response.flushHeaders()
    let ended = false
    const end = (how: Ended): void => {
      if (ended) return
      ended = true
      if (how === "client-left") answer.destroy()
      const conclude = (): void => {
        if (how === "upstream-broke") response.destroy()
        resolve(how)
      }
      // Where it is complete, the tap was told before the response ended.
      if (tap && how !== "complete") void tap.end(how).then(conclude, conclude)
      else conclude()
    }
    if (tap) forwardThrough(tap, answer, response)
    else answer.pipe(response)
    answer.once("error", () => end("upstream-broke"))
    answer.once("close", () => {
      if (!answer.complete) end("upstream-broke")
    })
    response.once("finish", () => end("complete"))
    response.once("close", () => end(response.writableFinished ? "complete" : "client-left"))
  })

const forwardThrough = (tap: AnswerTap, answer: IncomingMessage, response: ServerResponse): void => {
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
      ([held]) => {
        put(held)
        response.end()
      },
      () => response.destroy(),
    )
  })
}
