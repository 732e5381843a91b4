/**
 * One request to an upstream, as bytes. Redirects are not followed, answers are not decoded, nothing is retried but a
 * request on a kept connection that the other side had closed in the meantime: then no byte of it was read.
 */
import http, { type IncomingMessage } from "node:http"
import https from "node:https"
import type { Upstream } from "../config/config.ts"
import { flat } from "./headers.ts"

export interface Outgoing {
  readonly upstream: Upstream
  readonly method: string
  /** Path and query, below the upstream's address. */
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
  /** The last byte waits for it: nobody acts on a body without its end. Where it rejects, the request is given up. */
  readonly hold?: Promise<void> | undefined
  readonly idleMs: number
  readonly stop: Stop
}

/** Why there is no answer. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError"
  readonly status: number
  /** Seconds after which the client should ask again. */
  retryAfter: number | undefined

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }

  after(seconds: number | undefined): this {
    this.retryAfter = seconds
    return this
  }
}

/** Gives a request up. An `AbortController` costs as much as the look at a body that grew. */
export class Stop {
  isStopped = false
  #request: http.ClientRequest | undefined

  of(request: http.ClientRequest): void {
    this.#request = request
    if (this.isStopped) request.destroy(new UpstreamError(502, "The request was given up"))
  }

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    this.#request?.destroy(new UpstreamError(502, "The request was given up"))
  }
}

const version = /\/v\d[^/]*\/?$/

/** Base addresses come with and without the version that paths of a wire begin with. */
export const addressOf = (base: URL, path: string): string => {
  const root = base.pathname.replace(/\/+$/, "")
  return version.test(root) ? root + path.replace(/^\/v\d[^/]*(?=\/)/, "") : root + path
}

export class Connections {
  readonly #plain: http.Agent
  readonly #secure: https.Agent

  constructor() {
    const options = { keepAlive: true, scheduling: "lifo", maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256, timeout: 0 } as const
    this.#plain = new http.Agent(options)
    this.#secure = new https.Agent(options)
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }

  /** Resolves with the head of the answer. */
  async send(outgoing: Outgoing): Promise<IncomingMessage> {
    try {
      return await this.#attempt(outgoing)
    } catch (error) {
      if (error instanceof StaleConnection && !outgoing.stop.isStopped) return this.#attempt(outgoing)
      throw error
    }
  }

  #attempt({ upstream, method, path, headers, body, hold, idleMs, stop }: Outgoing): Promise<IncomingMessage> {
    const { url } = upstream
    const isSecure = url.protocol === "https:"
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request({
        agent: isSecure ? this.#secure : this.#plain,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
        method,
        path: addressOf(url, path),
        headers: flat([["host", url.host], ...headers, ...(method === "GET" ? [] : [["content-length", String(body.length)] as const])]),
      })
      stop.of(request)
      let answered = false
      request.setTimeout(idleMs, () => request.destroy(new UpstreamError(504, `The provider was silent for ${idleMs} ms`)))
      request.once("response", (response) => {
        answered = true
        if (response.statusCode !== undefined && response.statusCode >= 300 && response.statusCode < 400 && response.statusCode !== 304) {
          request.destroy()
          return reject(new UpstreamError(502, `The provider answered with a redirect (${response.statusCode}), which is not followed`))
        }
        resolve(response)
      })
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (answered) return
        if (error instanceof UpstreamError) return reject(error)
        if (request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE")) return reject(new StaleConnection(error))
        reject(new UpstreamError(502, `The provider cannot be reached (${error.code ?? error.message})`, error))
      })
      const now = hold ? body.length - 1 : body.length
      for (let at = 0; at < now; at += pieceBytes) request.write(body.subarray(at, Math.min(at + pieceBytes, now)))
      if (!hold) return void request.end()
      hold.then(
        () => {
          if (!request.destroyed) request.end(body.subarray(now))
        },
        (error: unknown) => {
          reject(error)
          request.destroy()
        },
      )
    })
  }
}

/** A body goes out in pieces: who waits for it can begin to read while the rest is written. */
const pieceBytes = 1 << 16

class StaleConnection extends UpstreamError {
  constructor(cause: unknown) {
    super(502, "The provider closed the connection", cause)
  }
}
