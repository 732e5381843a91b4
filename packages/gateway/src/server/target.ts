/** What the first line of a request asks for. Clients write it as they like, so nothing here can fail. */
export interface Target {
  readonly path: string
  /** With its question mark; empty without a query. */
  readonly search: string
  readonly query: URLSearchParams
}

/** Proxies are asked with the whole address: only its path is for us. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

export const targetOf = (url: string | undefined): Target => {
  const [asked = ""] = (url ?? "/").replace(origin, "").split("#", 1)
  const at = asked.indexOf("?")
  const search = at < 0 ? "" : asked.slice(at)
  const path = at < 0 ? asked : asked.slice(0, at)
  return { path: path.startsWith("/") ? path : `/${path}`, search, query: new URLSearchParams(search) }
}
