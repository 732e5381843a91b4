/**
 * What a credential lets somebody see of the gateway: everything (the secret of this process, or the key of an operator), or
 * the exchanges of the key itself. Conversations belong to keys, so a client's key shows nobody else's.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Config } from "../config/config.ts"
import { ownerOf } from "../conversation/identity.ts"
import { guardKey, isAmong } from "../server/guard.ts"
import { Refusal } from "../server/read-body.ts"

export type Scope = { readonly sees: "all" } | { readonly sees: "own"; readonly owner: string }

const isSecret = (given: string, secret: string): boolean => {
  const [left, right] = [given, secret].map((each) => createHash("sha256").update(each).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

/** Throws a `Refusal` for whoever may see nothing. `secret`: of this process, given to whoever started it. */
export const scopeOf = (headers: IncomingHttpHeaders, config: Config, secret: string): Scope => {
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1]
  if (given !== undefined && isSecret(given, secret)) return { sees: "all" }
  if (isAmong(headers, config.operators)) return { sees: "all" }
  if (config.keys.length === 0)
    throw new Refusal(401, "Open the address that the gateway printed when it was started, or use an operator's key")
  guardKey(headers, config)
  return { sees: "own", owner: ownerOf(headers) }
}
