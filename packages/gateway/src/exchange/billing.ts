/**
 * A header that Claude Code puts at the front of its prompt for its own provider's accounting. In some versions it has a counter,
 * so that no prompt cache behind another provider would ever hold: there it is left out.
 */
import { RequestBody } from "../conversation/request-body.ts"
import type { Upstream } from "../config/config.ts"
import { isJson, type Json } from "../wires/wire.ts"

import { splice } from "./write-body.ts"

const mark = "x-anthropic-billing-header:"

const isBilling = (block: unknown): boolean => isJson(block) && typeof block["text"] === "string" && block["text"].startsWith(mark)

/** For a provider of another API. */
export const withoutBilling = (body: Json): Json => {
  const { system } = body
  if (!Array.isArray(system)) return body
  const kept = system.filter((block) => !isBilling(block))
  if (kept.length === system.length) return body
  const { system: _, ...rest } = body
  return kept.length === 0 ? rest : { ...body, system: kept }
}

const isOwn = ({ url }: Upstream): boolean => url.hostname === "anthropic.com" || url.hostname.endsWith(".anthropic.com")

/** For a provider of the same API that is another one: the very bytes, but for a header that counts. */
export const withoutCounter = (bytes: Buffer, asked: RequestBody, upstream: Upstream): Buffer => {
  if (upstream.wire !== "anthropic" || isOwn(upstream) || !bytes.includes(mark)) return bytes
  const { slices } = bytes === asked.bytes ? asked : new RequestBody(bytes, asked.list)
  const span = slices?.members.get("system")
  if (!slices || !span) return bytes
  const system: unknown = JSON.parse(bytes.toString("utf8", span.start, span.end))
  if (!Array.isArray(system) || !system.some((block) => isBilling(block) && /\bcch=/.test(String((block as Json)["text"])))) return bytes
  const kept = system.filter((block) => !isBilling(block))
  const next = kept.length === 0 ? undefined : Buffer.from(JSON.stringify(kept))
  return splice(bytes, slices.members, new Map([["system", next]]))
}
