/**
 * A load balancer without memory, for tests: request n goes to server n modulo their number, so that consecutive requests of a
 * conversation reach different gateways. A server that cannot be reached costs the client a 502; one that dies in the middle
 * breaks the client's connection.
 */
import { Agent, createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface Balancer {
  readonly url: string
  /** Where the next requests go; the test changes it as servers come and go. */
  readonly servers: string[]
  /** Requests that each address got. */
  readonly counts: Map<string, number>
}

export const startBalancer = async (servers: string[]): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  const counts = new Map<string, number>()
  let turn = 0
  const server = createServer((request, response) => {
    const to = servers[turn++ % servers.length] ?? ""
    counts.set(to, (counts.get(to) ?? 0) + 1)
    const { hostname, port } = new URL(to)
    const forward = ask(
      { agent, hostname, port, method: request.method, path: request.url, headers: { ...request.headers, host: `${hostname}:${port}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(response)
        answer.once("error", () => response.destroy())
        answer.once("close", () => {
          if (!answer.complete) response.destroy()
        })
      },
    )
    forward.once("error", () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    response.once("close", () => forward.destroy())
    request.pipe(forward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, servers, counts }
}
