/** Stands between a store and its server on real sockets, and loses what a test tells it to lose. */
import { connect, createServer, type Server, type Socket } from "node:net"
import type { RunningPostgres } from "./start-postgres.ts"

/** `request`: the server never hears it. `answer`: the server did it, and nobody hears so. */
export interface Loss {
  /** Which piece from a client, counted over all connections. */
  readonly piece: number
  readonly what: "request" | "answer"
  /** Whether connections work again afterwards. */
  readonly lasts: "once" | "for-good"
}

export interface Proxy {
  readonly url: string
  /** Pieces from clients so far. */
  readonly pieces: () => number
  readonly close: () => Promise<void>
}

export const startProxy = async (server: RunningPostgres, loss?: Loss): Promise<Proxy> => {
  // The address of a server on a socket has no host, which a URL must have.
  const address = new URL(server.socket === undefined ? server.url : "postgres://postgres@localhost/postgres")
  const open = new Set<Socket>()
  let pieces = 0
  let lost = false
  const isDown = (): boolean => lost && loss?.lasts === "for-good"
  const proxy: Server = createServer((client) => {
    const upstream = server.socket === undefined ? connect(Number(address.port || 5_432), address.hostname) : connect(server.socket)
    let swallowing = false
    const cut = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on("error", cut)
      socket.on("close", () => {
        open.delete(socket)
        cut()
      })
    }
    if (isDown()) {
      cut()
      return
    }
    client.on("data", (bytes) => {
      const piece = pieces++
      if (isDown()) cut()
      else if (piece !== loss?.piece) upstream.write(bytes)
      else {
        lost = true
        if (loss.what === "request") cut()
        else {
          swallowing = true
          upstream.write(bytes)
        }
      }
    })
    upstream.on("data", (bytes) => {
      if (swallowing) cut()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const bound = proxy.address()
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  const user = address.password === "" ? address.username : `${address.username}:${address.password}`
  return {
    url: `postgres://${user}@127.0.0.1:${port}${address.pathname}`,
    pieces: () => pieces,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => proxy.close(() => resolve()))
    },
  }
}
