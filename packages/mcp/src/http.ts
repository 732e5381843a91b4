/**
 * The server over HTTP, as a handler for `node:http`. Who may ask (address, Host, Origin, keys) is decided by whoever owns the port.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { createMcpHandler } from "@modelcontextprotocol/server"
import type { McpOptions } from "./options.ts"
import { mcpServer } from "./server.ts"

const mostRequestBytes = 1 << 20

const headersOf = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  return headers
}

export interface McpHttp {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly close: () => Promise<void>
}

export const mcpOverHttp = (options: McpOptions): McpHttp => {
  const handler = createMcpHandler(() => mcpServer(options), { maxRequestBodySize: mostRequestBytes })
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = request
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    const hasBody = method !== "GET" && method !== "HEAD"
    const answer = await handler.fetch(
      new Request(new URL(url, "http://127.0.0.1"), {
        method,
        headers: headersOf(request),
        signal: gone.signal,
        ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
      } as RequestInit),
    )
    response.writeHead(answer.status, [...answer.headers].flat())
    if (answer.body === null) {
      response.end()
      return
    }
    for await (const chunk of answer.body) {
      if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve))
      if (response.destroyed) return
    }
    response.end()
  }
  return { handle, close: () => handler.close() }
}
