/** The server on stdin and stdout, until the client closes its end. */
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import type { McpOptions } from "./options.ts"
import { mcpServer } from "./server.ts"

export const serveOnStdio = (options: McpOptions): Promise<void> =>
  new Promise((resolve) => {
    const transport = new StdioServerTransport()
    serveStdio(() => mcpServer(options), { transport })
    const closed = transport.onclose
    transport.onclose = () => {
      closed?.()
      resolve()
    }
  })
