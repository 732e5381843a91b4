/**
 * Session histories as tools over MCP. `ligature mcp` serves them on stdin and stdout; a server of your own passes HTTP requests on.
 *
 *   const { handle } = mcpOverHttp(options)
 *   createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1")
 */
export { type McpHttp, mcpOverHttp } from "./http.ts"
export type { McpOptions, Ran } from "./options.ts"
export { mcpServer } from "./server.ts"
export { setupText } from "./setup.ts"
export { serveOnStdio } from "./stdio.ts"
