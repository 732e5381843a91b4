/**
 * The server of `ligature view`, for one page in one browser on this machine. Whoever asks for conversations must know its secret, which
 * is in the address that is opened and nowhere else. Another site that a browser visits cannot ask: its requests come with another origin,
 * or, where a name was made to point here, with another host.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { LigatureError, phrase } from "../../model/index.ts"
import type { Language } from "../../language/index.ts"
import { pageFiles, servedHeaders as headers, servedPage } from "../../html/page-files.ts"
import type { ViewSessions } from "./view-sessions.ts"

const send = (
  answer: ServerResponse,
  status: number,
  type: string,
  content: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void => {
  answer.writeHead(status, { ...headers, "content-type": type, ...more })
  answer.end(content)
}

const plain = "text/plain; charset=utf-8"

/** Of a file that was dropped on the page. */
const mostBytes = 1 << 30

/** What was sent, up to a limit; undefined beyond it. */
const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** They go in a header. */
const mostChildren = 40

/** One value per line, as they come; a reader that goes away ends it. */
const sendLines = async (answer: ServerResponse, values: AsyncIterable<unknown>): Promise<void> => {
  answer.writeHead(200, { ...headers, "content-type": "application/x-ndjson" })
  for await (const value of values) {
    if (answer.destroyed) return
    if (!answer.write(`${JSON.stringify(value)}\n`))
      await new Promise<void>((resolve) => void answer.once("drain", resolve).once("close", resolve))
  }
  answer.end()
}

export interface View {
  /** To be opened, with the secret and what is to be shown first. */
  readonly address: string
  readonly server: Server
}

export interface ViewOptions {
  readonly sessions: ViewSessions
  readonly port: number
  readonly language: Language
  /** Id of the session to show first. */
  readonly first?: string
}

export const startView = async ({ sessions, port, language, first }: ViewOptions): Promise<View> => {
  const files = await pageFiles()
  const page = servedPage(language)
  const token = randomBytes(24).toString("base64url")
  const expected = Buffer.from(`Bearer ${token}`)
  let hosts: ReadonlySet<string> = new Set()

  const knowsToken = ({ headers: { authorization = "" } }: IncomingMessage): boolean => {
    const given = Buffer.from(authorization)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  const isOurs = ({ headers: { host = "", origin, "sec-fetch-site": site } }: IncomingMessage): boolean =>
    hosts.has(host) &&
    (origin === undefined || origin === `http://${host}`) &&
    (site === undefined || site === "same-origin" || site === "none")

  const answerApi = async (path: string, query: URLSearchParams, answer: ServerResponse): Promise<void> => {
    if (path === "sessions") return sendLines(answer, sessions.list())
    if (path === "search")
      return sendLines(
        answer,
        sessions.search((query.get("words") ?? "").slice(0, 1000), () => answer.destroyed),
      )
    const [, id] = /^session\/([\w-]{16})$/.exec(path) ?? []
    if (id === undefined) return send(answer, 404, plain, "Not found")
    const content = await sessions.open(id)
    const { name, argument, children } = content
    const named = {
      "x-ligature-name": encodeURIComponent(name),
      ...(argument !== undefined && { "x-ligature-argument": encodeURIComponent(argument) }),
      ...(children && { "x-ligature-children": encodeURIComponent(JSON.stringify(children.slice(0, mostChildren))) }),
    }
    if ("bytes" in content) return send(answer, 200, "application/octet-stream", content.bytes, named)
    const read = "stored" in content ? { stored: content.stored } : { parts: content.parts, problems: content.problems }
    send(answer, 200, "application/json", JSON.stringify(read), named)
  }

  const respond = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    if (!isOurs(request)) return send(answer, 403, plain, "Another site or host may not ask")
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    if (request.method === "POST" && pathname === "/api/read") {
      if (!knowsToken(request)) return send(answer, 401, plain, "Open the address that ligature view printed")
      const body = await bodyOf(request)
      if (body === undefined) return send(answer, 413, plain, phrase`The file is larger than 1 GB. Open it with: ligature view FILE`)
      return send(answer, 200, "application/json", JSON.stringify(await sessions.read(body)))
    }
    if (request.method !== "GET" && request.method !== "HEAD") return send(answer, 405, plain, "Only GET", { allow: "GET, HEAD" })
    if (pathname === "/") return send(answer, 200, "text/html; charset=utf-8", page)
    if (pathname.startsWith("/api/")) {
      if (!knowsToken(request)) return send(answer, 401, plain, "Open the address that ligature view printed")
      return answerApi(pathname.slice("/api/".length), searchParams, answer)
    }
    const file = files.get(pathname.slice(1))
    if (file === undefined) return send(answer, 404, plain, "Not found")
    send(answer, 200, file.type, file.content)
  }

  const server = createServer((request, answer) => {
    respond(request, answer).catch((error: unknown) => {
      const message = LigatureError.is(error) ? error.message : "Cannot be read"
      if (answer.headersSent) answer.destroy()
      else send(answer, LigatureError.is(error) ? 422 : 500, plain, message)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  hosts = new Set([`127.0.0.1:${actual}`, `localhost:${actual}`])
  const open = first === undefined ? "" : `&open=${first}`
  return { address: `http://127.0.0.1:${actual}/#token=${token}${open}`, server }
}
