/**
 * The HTTP server: who may ask, what is asked for, how it stops. Requests for answers go to exchange/; what is answered here
 * are questions about the gateway itself.
 */
import { randomBytes } from "node:crypto"
import http, { type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Config } from "../config/config.ts"
import { ownerOf } from "../conversation/identity.ts"
import { type ExchangeRecord, Exchanges } from "../exchange/exchange.ts"
import { openaiResponses } from "../wires/openai-responses.ts"
import type { Ask } from "../wires/wire.ts"
import { writeFailure } from "../exchange/turn.ts"
import { answerLive } from "../live/answer-live.ts"
import { Feed } from "../live/feed.ts"
import { compactionOf } from "../compaction/open-compaction.ts"
import { openJobs } from "../jobs/open-jobs.ts"
import { openHistory } from "../record/open-history.ts"
import { Metrics } from "../metrics.ts"
import type { GatewayTracer } from "../telemetry.ts"
import { UpstreamError } from "../upstream/send.ts"
import { askOf, wireNear, wires } from "../wires/index.ts"
import { Readiness } from "./readiness.ts"
import { guardAddress, guardKey } from "./guard.ts"
import { Refusal } from "./read-body.ts"
import { Sockets } from "./socket.ts"
import { targetOf } from "./target.ts"

export interface Gateway {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  readonly port: number
  /** Sees everything that can be watched (`/-/`): for the address of a page, and for nobody else. */
  readonly secret: string
  /**
   * Goes on with other settings. Requests that are being answered keep theirs. Host, port, store and the limits on headers and
   * memory are those it started with.
   */
  reload(config: Config): void
  /** Takes no more requests, lets running answers end within the grace time, then closes everything. */
  stop(): Promise<void>
}

/** Something else that is served on the same port, behind the same checks. */
export interface Mount {
  /** `/-/view`: that path, and what is below it. */
  readonly path: string
  /** False: anybody who may reach the port. */
  readonly needsKey: boolean
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void
}

export interface GatewayOptions {
  /** Told of every request when it is over. */
  readonly onExchange?: (record: ExchangeRecord) => void
  /** Told of what went wrong in the gateway itself. */
  readonly onError?: (error: unknown) => void
  /** Told of every request in the conventions of OpenTelemetry. `findTracer()` gives that of the process. */
  readonly tracer?: GatewayTracer | undefined
  readonly mounts?: readonly Mount[]
}

const textType = ["content-type", "text/plain; charset=utf-8"] as const

/** The list of models, and one of them. */
const models = /^\/v1(?:beta)?\/models(?:\/.+)?$/

export const startGateway = async (given: Config, options: GatewayOptions = {}): Promise<Gateway> => {
  let config = given
  const metrics = new Metrics()
  const history = config.store && (await openHistory(config.store, metrics, options.onError))
  const compaction = compactionOf(config, history, metrics, options.onError)
  const jobs =
    config.jobs && compaction && history
      ? await openJobs({
          settings: config.jobs,
          store: history.store,
          metrics,
          onError: (error) => options.onError?.(error),
          compact: (conversation, besideTokens, terms) => compaction.once(conversation, besideTokens, terms),
        })
      : undefined
  if (jobs && compaction) compaction.later = jobs.add
  const feed = new Feed()
  const secret = randomBytes(24).toString("base64url")
  const exchanges = new Exchanges({
    get config() {
      return config
    },
    metrics,
    onExchange: options.onExchange,
    tracer: options.tracer,
    feed,
    history,
    compaction,
  })
  const forget = (id: string): void => exchanges.forget(id)
  const readiness = history && new Readiness(history.store)
  const active = new Map<string, number>()
  let running = 0
  let stopping = false
  let idle: (() => void) | undefined

  const write = (response: ServerResponse, status: number, text: string): void => {
    response.writeHead(status, [...textType, "content-length", String(Buffer.byteLength(text))])
    response.end(text)
  }

  const answerReady = async (response: ServerResponse): Promise<void> => {
    const problem = stopping ? "stopping" : await readiness?.problem()
    write(response, problem === undefined ? 200 : 503, `${problem ?? "ready"}\n`)
  }

  /** Questions about the gateway; false where it is something else. */
  const answerOwn = (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    if (request.method !== "GET" && request.method !== "HEAD") return false
    if (path === "/healthz") write(response, 200, "ok\n")
    else if ((path === "/" || path === "/api/hello") && request.method === "HEAD") write(response, 200, "")
    else if (path === "/readyz") void answerReady(response)
    else if (path === "/metrics") {
      guardKey(request.headers, config)
      metrics.set("ligature_active", running)
      write(response, 200, metrics.text())
    } else return false
    return true
  }

  const refuse = (request: IncomingMessage, response: ServerResponse, path: string, error: unknown): void => {
    if (response.destroyed) return
    // Something of an answer was sent: only breaking it off says that it is not whole.
    if (response.headersSent) return void response.destroy()
    const wire = wires[askOf(path, new URLSearchParams())?.wire ?? wireNear(path, request.headers).name]
    const known = error instanceof Refusal || error instanceof UpstreamError
    if (!known) options.onError?.(error)
    const failure = known ? { status: error.status, message: error.message } : { status: 500, message: "The gateway failed" }
    const retry = known && error.retryAfter !== undefined ? [["retry-after", String(error.retryAfter)] as const] : []
    // A request that was not read to its end leaves its connection in the middle of something.
    const close = request.complete ? [] : [["connection", "close"] as const]
    writeFailure(response, wire, failure, [...retry, ...close])
    if (!request.complete) request.resume()
  }

  /** Runs a request that counts: against the limit of its key, and among those that a stop waits for. */
  const counted = async (owner: string, work: () => Promise<void>): Promise<void> => {
    if (stopping) throw new Refusal(503, "This gateway is stopping", 1)
    const count = active.get(owner) ?? 0
    if (count >= config.limits.concurrent) throw new Refusal(429, `More than ${config.limits.concurrent} requests at the same time`, 1)
    active.set(owner, count + 1)
    running++
    try {
      await work()
    } finally {
      running--
      const left = (active.get(owner) ?? 1) - 1
      if (left === 0) active.delete(owner)
      else active.set(owner, left)
      if (running === 0) idle?.()
    }
  }

  /** What is under `/-/` is about the gateway, for people who look at it. */
  const answerBeside = async (request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): Promise<void> => {
    const mount = options.mounts?.find((each) => path === each.path || path.startsWith(`${each.path}/`))
    if (!mount) return answerLive(request, response, { path, query }, { config, feed, store: history && history.store, secret, forget })
    if (mount.needsKey) guardKey(request.headers, config)
    await mount.handle(request, response)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, query } = targetOf(request.url)
    try {
      guardAddress(request.headers, config)
      if (answerOwn(request, response, path)) return
      if (path.startsWith("/-/")) return await answerBeside(request, response, path, query)
      guardKey(request.headers, config)
      if (request.method === "GET" && models.test(path)) return await exchanges.models(request, response, wireNear(path, request.headers))
      const ask = request.method === "POST" ? askOf(path, query) : undefined
      if (!ask) throw new Refusal(404, `Nothing is answered at ${request.method ?? "GET"} ${path}`)
      await counted(ownerOf(request.headers), () => exchanges.answer(request, response, ask))
    } catch (error) {
      refuse(request, response, path, error)
    }
  }

  const { headerBytes, headersMs, requestMs } = config.limits
  const server = http.createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(headersMs, requestMs, 30_000),
      keepAliveTimeout: 75_000,
      noDelay: true,
    },
    (request, response) => {
      void handle(request, response)
    },
  )
  const responses: Ask = { wire: "openai-responses", kind: "generate" }
  const sockets = new Sockets({
    limits: config.limits,
    answer: (request, response, body) => counted(ownerOf(request.headers), () => exchanges.answer(request, response, responses, body)),
    onError: (error) => options.onError?.(error),
  })
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy())
    const decline = (status: string): void => {
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      request.resume()
    }
    const { path, query } = targetOf(request.url)
    // The one status on which clients go on over plain requests at once.
    if (!config.websocket || stopping || openaiResponses.match(path, query)?.kind !== "generate") return decline("426 Upgrade Required")
    try {
      guardAddress(request.headers, config)
      guardKey(request.headers, config)
    } catch (error) {
      return decline(error instanceof Refusal && error.status === 401 ? "401 Unauthorized" : "403 Forbidden")
    }
    sockets.upgrade(request, socket, head)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(config.port, config.host, () => resolve())
  })
  const { port } = server.address() as AddressInfo
  const shown = config.host.includes(":") ? `[${config.host}]` : config.host

  return {
    url: `http://${shown}:${port}`,
    port,
    secret,
    reload: (next) => {
      config = { ...next, host: given.host, port: given.port }
    },
    stop: async () => {
      stopping = true
      feed.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const answered = running === 0 ? undefined : new Promise<void>((resolve) => (idle = resolve))
      const grace = new Promise<void>((resolve) => setTimeout(resolve, config.limits.graceMs).unref())
      await Promise.race([Promise.all([sockets.stop(), answered]), grace])
      sockets.close()
      server.closeAllConnections()
      exchanges.close()
      await jobs?.close()
      await history?.close()
      await closed
    },
  }
}
