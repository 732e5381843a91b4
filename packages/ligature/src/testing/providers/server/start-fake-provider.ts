/**
 * A real HTTP server on 127.0.0.1 that judges every request like the provider it stands for, and answers accepted ones
 * from a script. It keeps every request it saw.
 *
 *   const script = [{ calls: [{ name: "ls", arguments: {} }] }]
 *   const provider = await startFakeProvider({ api: "anthropic", script })
 *   await fetch(`${provider.url}/v1/messages`, { method: "POST", body: JSON.stringify(request) })
 *   await provider.close()
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Api, apiOf, type FakeApi, modelOfReply, type Route } from "./apis.ts"
import { defaultReply, type FakeRequest, planReply, type Script, type ScriptedReply, type WireEvent } from "./script.ts"

// Writing a reply to the socket: whole JSON, server-sent events, or Gemini's streamed array, with the failures a script
// asks for.

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  isCut = false,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value)
  const length = Buffer.byteLength(text)
  response.writeHead(status, { ...headers, "content-type": "application/json", "content-length": length })
  if (isCut) response.write(text.slice(0, text.length >> 1), () => response.destroy())
  else response.end(text)
}

interface Stream {
  readonly reply: ScriptedReply
  readonly api: Api
  readonly isArray: boolean
}

async function sendEvents(response: ServerResponse, events: readonly WireEvent[], { reply, api, isArray }: Stream): Promise<void> {
  response.writeHead(200, {
    "content-type": isArray ? "application/json" : "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  })
  const failure = reply.streamError
  const sent = failure === undefined ? events : [...events.slice(0, failure.afterEvents), api.replies.streamError(failure.message)]
  for (let index = 0; index < sent.length; index++) {
    const event = sent[index]
    if (index === reply.cutAfterEvents || event === undefined || response.destroyed) break
    if (index > 0 && reply.eventDelayMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, reply.eventDelayMs))
    }
    const text = isArray ? `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(event.value)}` : eventText(event, api.lineEnd)
    await write(response, text)
  }
  if (reply.cutAfterEvents !== undefined && reply.cutAfterEvents < sent.length) response.destroy()
  else response.end(isArray ? "]" : "")
}

function eventText({ name, value }: WireEvent, lineEnd: string): string {
  const line = `data: ${typeof value === "string" ? value : JSON.stringify(value)}${lineEnd}${lineEnd}`
  return name === undefined ? line : `event: ${name}${lineEnd}${line}`
}

/** Resolves when the bytes are with the socket, so that a cut comes after them and not instead of them. */
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => resolve())
  })
}

export interface FakeProviderOptions {
  readonly api: FakeApi
  /** Judges and answers as this model. Default: the model the request names. */
  readonly model?: string
  /** Replies in order, or a function of the request. When a list runs out, a short text is answered. */
  readonly script?: Script
  /**
   * Anthropic only: binds each thinking block to the conversation it was issued in, as the newest models do, and
   * refuses thinking that this server did not issue. Default false.
   */
  readonly bindThinking?: boolean
  /** Largest request body in bytes. Default 64 MiB; a larger one is answered with 413. */
  readonly limitBytes?: number
}

export interface FakeProvider {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** Every request so far, oldest first. */
  readonly requests: readonly FakeRequest[]
  /** Ends all connections and resolves when the port is free. */
  readonly close: () => Promise<void>
}

export async function startFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const api = apiOf(options.api, options.bindThinking === true)
  const requests: FakeRequest[] = []
  const nextReply = replySource(options.script ?? [])
  let replies = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request, options.limitBytes ?? 64 * 1024 * 1024)
    const method = request.method ?? "GET"
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    const refuse = (status: number, message: string, headers?: Readonly<Record<string, string>>): void =>
      sendJson(response, status, api.errorBody({ rule: "", message, status }), false, headers)
    if (text === undefined) return refuse(413, "Request exceeds the maximum allowed number of bytes")
    const body = parse(text)
    const route = method === "POST" ? api.route(url.pathname, body) : undefined
    const model = route === undefined ? undefined : modelOfReply(options.model, route, body)
    const isJson = body !== unparsed
    const verdict = route === undefined || !isJson ? undefined : api.judge(body, model)
    const seen: FakeRequest = {
      method,
      path: url.pathname,
      headers: request.headers,
      body: isJson ? body : text,
      isStreamed: route?.isStreamed === true,
      verdict,
    }
    requests.push(seen)
    if (route === undefined) return refuse(404, api.notFound(method, url.pathname))
    if (verdict === undefined) return refuse(400, api.malformed)
    if (!verdict.ok) return sendJson(response, verdict.status, verdict.body)
    const reply = await nextReply(seen)
    if (reply.error !== undefined) return refuse(reply.error.status, reply.error.message, reply.error.headers)
    replies += 1
    const planned = planReply(reply, replies, model ?? `fake-${options.api}`, api.callPrefix)
    api.remember(body, planned)
    await send(
      response,
      api,
      route,
      reply,
      {
        plain: () => api.replies.plain(planned, body),
        events: () => api.replies.events(planned, body),
      },
      url.searchParams.get("alt") === "sse",
    )
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((cause: unknown) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, api.errorBody({ rule: "", message: String(cause), status: 500 }))
    })
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => close(server) }
}

const unparsed = Symbol("unparsed")

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return unparsed
  }
}

function replySource(script: Script): (request: FakeRequest) => Promise<ScriptedReply> {
  if (typeof script === "function") return async (request) => script(request)
  let next = 0
  return async () => script[next++] ?? defaultReply
}

async function readText(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size <= limitBytes) chunks.push(bytes)
  }
  return size > limitBytes ? undefined : Buffer.concat(chunks).toString("utf8")
}

async function send(
  response: ServerResponse,
  api: Api,
  route: Route,
  reply: ScriptedReply,
  content: { readonly plain: () => unknown; readonly events: () => Parameters<typeof sendEvents>[1] },
  isSse: boolean,
): Promise<void> {
  if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs))
  if (!route.isStreamed) return sendJson(response, 200, content.plain(), reply.cutAfterEvents !== undefined)
  // Gemini streams a JSON array unless the URL asks for events.
  const isArray = api.lineEnd === "\r\n" && !isSse
  await sendEvents(response, content.events(), { reply, api, isArray })
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => resolve())
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    server.closeAllConnections()
  })
}
