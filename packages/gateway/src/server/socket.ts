/**
 * The Responses wire over a WebSocket, as its clients use it: each `response.create` is a request, answered by the events of
 * its stream as frames. A client sends only what is new and names the response it goes on from; what led to that response is
 * kept here for the life of the connection, as text, so that the request that goes on has the bytes of the one before it.
 * One that is not here any more is refused in the words on which clients open a connection and send everything again.
 *
 * A frame with `generate: false` prepares a conversation and asks for nothing: it is answered here.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Limits } from "../config/config.ts"
import { membersFrom, skipBlanks, type Span } from "../conversation/slices.ts"
import { UpstreamError } from "../upstream/send.ts"
import { pairsOf } from "../upstream/headers.ts"
import { openaiResponses } from "../wires/openai-responses.ts"
import type { Failure } from "../wires/wire.ts"
import { Refusal } from "./read-body.ts"
import { SocketResponse } from "./socket-response.ts"

export interface SocketOptions {
  readonly limits: Limits
  /** Answers one request; the counting of requests is its part. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Responses that a client may go on from. */
const mostChains = 4
/** Requests that may wait for the one before them. */
const mostWaiting = 16
const pingMs = 30_000

const list = "input"
const own: ReadonlySet<string> = new Set(["type", "generate", "previous_response_id", "stream", "stream_id", "background", list])

/** Headers that are about the connection, and not about what is asked. */
const isOfSocket = (name: string, value: string): boolean =>
  name.startsWith("sec-websocket-") ||
  name === "upgrade" ||
  name === "connection" ||
  (name === "openai-beta" && /responses_websockets/.test(value))

/** The request to upgrade, as the POST that each frame stands for. */
const requestOf = ({ headers, rawHeaders, url }: IncomingMessage): IncomingMessage => {
  const kept = pairsOf(rawHeaders).filter(
    ([name, value]) => !isOfSocket(name.toLowerCase(), value) && !/^(?:accept|content-type)$/i.test(name),
  )
  const raw = [...kept.flat(), "content-type", "application/json", "accept", "text/event-stream"]
  return { method: "POST", url, headers, rawHeaders: raw, complete: true } as unknown as IncomingMessage
}

const failureFrame = ({ status, ...failure }: Failure, wait?: number): string => {
  const { error } = openaiResponses.errorBody({ status, ...failure })
  return JSON.stringify({ type: "error", status, error, ...(wait !== undefined && { headers: { "retry-after": String(wait) } }) })
}

interface Frame {
  readonly type: unknown
  readonly generate: unknown
  readonly previous: unknown
  readonly model: unknown
  readonly members: ReadonlyMap<string, Span>
}

const readFrame = (bytes: Buffer): Frame | undefined => {
  const open = skipBlanks(bytes, 0)
  const members = bytes[open] === 123 ? membersFrom(bytes, open + 1) : undefined
  if (!members) return undefined
  const value = (name: string): unknown => {
    const span = members.get(name)
    return span && JSON.parse(bytes.toString("utf8", span.start, span.end))
  }
  try {
    return { type: value("type"), generate: value("generate"), previous: value("previous_response_id"), model: value("model"), members }
  } catch {
    return undefined
  }
}

/** The items of an input as the text between the brackets. */
const itemsText = (bytes: Buffer, span: Span | undefined): string => {
  if (!span) return ""
  const text = bytes.toString("utf8", span.start, span.end)
  return text.startsWith("[") ? text.slice(1, -1).trim() : `{"role":"user","content":${text}}`
}

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join(",")

class Session {
  readonly #socket: WebSocket
  readonly #request: IncomingMessage
  readonly #options: SocketOptions
  /** What led to a response, its own items included, by its id. */
  readonly #chains = new Map<string, string>()
  readonly #waiting: Buffer[] = []
  #busy = false
  #closing = false
  #isAlive = true

  constructor(socket: WebSocket, request: IncomingMessage, options: SocketOptions) {
    this.#socket = socket
    this.#request = requestOf(request)
    this.#options = options
    const beat = setInterval(() => {
      if (!this.#isAlive) return socket.terminate()
      this.#isAlive = false
      socket.ping()
    }, pingMs)
    beat.unref()
    socket.on("pong", () => (this.#isAlive = true))
    socket.on("message", (bytes: Buffer) => {
      this.#isAlive = true
      this.#take(bytes)
    })
    socket.on("error", () => socket.terminate())
    socket.once("close", () => clearInterval(beat))
  }

  /** Closes as soon as nothing is being answered. */
  close(): void {
    this.#closing = true
    if (!this.#busy) this.#socket.close(1001, "The gateway is stopping")
  }

  #take(bytes: Buffer): void {
    if (this.#closing) return
    if (this.#waiting.length >= mostWaiting) return this.#socket.close(1008, "Too many requests at the same time")
    this.#waiting.push(bytes)
    if (!this.#busy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let bytes = this.#waiting.shift(); bytes && !this.#closing; bytes = this.#waiting.shift()) {
      try {
        await this.#answer(bytes)
      } catch (error) {
        this.#refuse(error)
      }
    }
    this.#busy = false
    if (this.#closing) this.close()
  }

  #refuse(error: unknown): void {
    const known = error instanceof Refusal || error instanceof UpstreamError
    if (!known) this.#options.onError(error)
    const failure = known ? { status: error.status, message: error.message } : { status: 500, message: "The gateway failed" }
    this.#say(failureFrame(failure, known ? error.retryAfter : undefined))
  }

  #say(frame: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame)
  }

  #keep(id: string, items: string): void {
    this.#chains.set(id, items)
    const [oldest] = this.#chains.keys()
    if (this.#chains.size > mostChains && oldest !== undefined) this.#chains.delete(oldest)
  }

  async #answer(bytes: Buffer): Promise<void> {
    const frame = readFrame(bytes)
    if (frame?.type !== "response.create") {
      const what = frame ? `a frame of type ${JSON.stringify(frame.type) ?? "undefined"}` : "what is no JSON object"
      return this.#say(failureFrame({ status: 400, message: `Expected a frame of type "response.create", got ${what}` }))
    }
    const { previous, members, model } = frame
    const before = typeof previous === "string" ? this.#chains.get(previous) : ""
    if (before === undefined) {
      const message = `Previous response with id '${String(previous)}' not found.`
      return this.#say(failureFrame({ status: 400, message, code: "previous-response" }))
    }
    const input = joined(before, itemsText(bytes, members.get(list)))
    if (frame.generate === false) return this.#prepare(input, typeof model === "string" ? model : "")
    const body = this.#body(bytes, members, input)
    if (body.length > this.#options.limits.bodyBytes) {
      throw new Refusal(413, `The request is larger than ${this.#options.limits.bodyBytes} bytes, the limit of this gateway`)
    }
    await this.#ask(body, input)
  }

  #body(bytes: Buffer, members: Frame["members"], input: string): Buffer {
    const parts: Buffer[] = []
    const put = (name: string, value: Buffer): void => {
      parts.push(Buffer.from(`${parts.length === 0 ? "{" : ","}${JSON.stringify(name)}:`), value)
    }
    for (const [name, { start, end }] of members) {
      if (name === list) put(name, Buffer.from(`[${input}]`))
      else if (!own.has(name)) put(name, bytes.subarray(start, end))
    }
    put("stream", Buffer.from("true"))
    return Buffer.concat([...parts, Buffer.from("}")])
  }

  /** A response of nothing, from which the client goes on. */
  #prepare(input: string, model: string): void {
    const id = `resp_${randomUUID().replaceAll("-", "")}`
    const response = { id, object: "response", created_at: Math.floor(Date.now() / 1000), model, output: [], error: null }
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
    this.#say(JSON.stringify({ type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress" } }))
    this.#say(JSON.stringify({ type: "response.completed", sequence_number: 1, response: { ...response, status: "completed", usage } }))
    this.#keep(id, input)
  }

  async #ask(body: Buffer, input: string): Promise<void> {
    const output: string[] = []
    const response = new SocketResponse(this.#socket, (data) => {
      // Most events are pieces of text: they need not be read.
      const done = data.includes("response.output_item.done")
      if (!done && !data.includes("response.completed") && !data.includes("response.incomplete")) return
      const event = JSON.parse(data) as { readonly type?: unknown; readonly item?: unknown; readonly response?: { readonly id?: unknown } }
      if (event.type === "response.output_item.done") output.push(JSON.stringify(event.item))
      const id = event.response?.id
      if ((event.type === "response.completed" || event.type === "response.incomplete") && typeof id === "string") {
        this.#keep(id, joined(input, ...output))
      }
    })
    const gone = (): void => void response.destroy()
    this.#socket.once("close", gone)
    const over = new Promise<void>((resolve) => response.once("close", resolve))
    // An answer that broke off breaks the connection: a client takes that for what it is, and asks again.
    response.once("error", () => {})
    try {
      await this.#options.answer(this.#request, response as unknown as ServerResponse, body)
      if (response.writableEnded) await over
      if (!response.writableFinished) this.#socket.terminate()
    } catch (error) {
      if (response.headersSent) this.#socket.terminate()
      else throw error
    } finally {
      this.#socket.off("close", gone)
      response.destroy()
    }
  }
}

export class Sockets {
  readonly #server: WebSocketServer
  readonly #sessions = new Set<Session>()
  readonly #options: SocketOptions

  constructor(options: SocketOptions) {
    this.#options = options
    this.#server = new WebSocketServer({ noServer: true, maxPayload: options.limits.bodyBytes, perMessageDeflate: false })
  }

  /** Takes over a connection whose request was found good. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const session = new Session(opened, request, this.#options)
      this.#sessions.add(session)
      opened.once("close", () => this.#sessions.delete(session))
    })
  }

  /** Takes nothing more; what is being answered is answered. Resolves when all connections are closed. */
  async stop(): Promise<void> {
    for (const session of this.#sessions) session.close()
    await Promise.all([...this.#server.clients].map((client) => new Promise((resolve) => client.once("close", resolve))))
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate()
    this.#server.close()
  }
}
