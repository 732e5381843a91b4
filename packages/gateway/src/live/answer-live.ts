/**
 * What a page about this gateway asks for:
 *
 *   GET /-/live               exchanges as they happen, as server-sent events (feed.ts)
 *   GET /-/conversations      those of the store, newest first; ?limit=50&after=…
 *   GET /-/conversations/ID   one of them: everything that was said, and what else is in its log
 *   DELETE /-/conversations/ID   removes it from the store, and from what this process remembers
 *
 * Only whoever sees everything may read the store: it does not know which key a conversation is of.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Store, StoreError, viewOf } from "ligature/store"
import type { Config } from "../config/config.ts"
import { Refusal } from "../server/read-body.ts"
import type { Feed } from "./feed.ts"
import { scopeOf } from "./scope.ts"

export interface LiveTerms {
  readonly config: Config
  readonly feed: Feed
  readonly store: Store | undefined
  readonly secret: string
  /** Takes a conversation out of the memory of this process. */
  readonly forget: (id: string) => void
}

const sendJson = (response: ServerResponse, value: unknown): void => {
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length, "cache-control": "no-store" })
  response.end(body)
}

const storeOf = ({ store }: LiveTerms): Store => {
  if (!store) throw new Refusal(404, "This gateway keeps no conversations")
  return store
}

const listed = async (terms: LiveTerms, query: URLSearchParams): Promise<unknown> => {
  const limit = Number(query.get("limit") ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) throw new Refusal(400, "limit: a number from 1 to 500")
  const after = query.get("after")
  return storeOf(terms).list({ limit, ...(after !== null && { after }) })
}

const read = async (terms: LiveTerms, id: string): Promise<unknown> => {
  const { entries, transcript: _, sources: __, ...loaded } = await storeOf(terms).load(id)
  const { transcript, sources } = viewOf(entries, { show: "all" })
  const beside = entries.filter(({ kind }) => kind !== "message" && kind !== "result")
  return { ...loaded, transcript, sources, beside }
}

const remove = async (terms: LiveTerms, response: ServerResponse, id: string): Promise<void> => {
  await storeOf(terms).remove(id)
  terms.forget(id)
  terms.feed.forget(id)
  response.writeHead(204).end()
}

/** Throws a `Refusal`. */
export const answerLive = async (
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
  terms: LiveTerms,
): Promise<void> => {
  const isRemoval = request.method === "DELETE" && path.startsWith("/-/conversations/")
  if (request.method !== "GET" && !isRemoval) throw new Refusal(405, "Only GET, and DELETE of a conversation")
  const scope = scopeOf(request.headers, terms.config, terms.secret)
  if (path === "/-/live") {
    if (!terms.feed.watch(response, scope)) throw new Refusal(429, "Too many watch this gateway", 5)
    return
  }
  const [, id] = /^\/-\/conversations(?:\/(.+))?$/.exec(path) ?? [undefined, ""]
  if (id === "") throw new Refusal(404, `Nothing is answered at GET ${path}`)
  if (scope.sees !== "all") throw new Refusal(403, "Only an operator may read what is stored (operators in the configuration)")
  try {
    if (isRemoval) return await remove(terms, response, decodeURIComponent(id ?? ""))
    sendJson(response, id === undefined ? await listed(terms, query) : await read(terms, decodeURIComponent(id)))
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") throw new Refusal(404, "No such conversation")
    if (error instanceof StoreError && error.reason === "held") throw new Refusal(409, `It is being worked on: ${error.message}`, 5)
    if (error instanceof URIError) throw new Refusal(400, "Not the name of a conversation")
    throw error
  }
}
