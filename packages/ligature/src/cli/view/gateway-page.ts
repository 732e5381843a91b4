/** The page as a gateway serves it: below an address of its own. What it shows it asks the gateway for, with a key. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Language } from "../../language/index.ts"
import { pageFiles, servedHeaders, servedPage } from "../../html/page-files.ts"

export const gatewayPagePath = "/-/view"

export const gatewayPage = (language: Language): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const page = servedPage(language, { source: "gateway", root: `${gatewayPagePath}/` })
  return async ({ method, url = "" }, response) => {
    const send = (status: number, type: string, content: string | Uint8Array): void => {
      response.writeHead(status, { ...servedHeaders, "content-type": type })
      response.end(method === "HEAD" ? undefined : content)
    }
    const name = url
      .replace(/[?#].*$/, "")
      .slice(gatewayPagePath.length)
      .replace(/^\//, "")
    if (method !== "GET" && method !== "HEAD") return send(405, "text/plain; charset=utf-8", "Only GET")
    if (name === "") return send(200, "text/html; charset=utf-8", page)
    const file = (await pageFiles()).get(name)
    if (file === undefined) return send(404, "text/plain; charset=utf-8", "Not found")
    send(200, file.type, file.content)
  }
}
