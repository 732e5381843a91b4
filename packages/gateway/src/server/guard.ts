/**
 * Who may ask. A page in a browser can send requests to any port of this machine: so a `Host` that is not ours is refused
 * (names that were pointed here), and so is an `Origin` nobody allowed. Keys are compared by their hashes, in constant time.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import type { Config } from "../config/config.ts"
import { bearerOf } from "../wires/wire.ts"
import { Refusal } from "./read-body.ts"

const hashOf = (key: string): Buffer => createHash("sha256").update(key).digest()

/** A key as a configuration has it. */
export const hashedKey = (key: string): string => `sha256:${hashOf(key).toString("hex")}`

const hostOf = (host: string): string =>
  host
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "")
    .toLowerCase()

/** Addresses cannot be pointed elsewhere by a name server, so that any address is fine. */
const isOurs = (host: string, { hosts, host: bound }: Config): boolean =>
  host === "localhost" || host === bound.toLowerCase() || isIP(host) !== 0 || hosts.some((each) => each.toLowerCase() === host)

const presented = (headers: IncomingHttpHeaders): readonly string[] => {
  const bearer = headers.authorization === undefined ? undefined : bearerOf(headers.authorization)
  return [bearer, headers["x-api-key"], headers["x-goog-api-key"], headers["api-key"]].filter((each) => typeof each === "string")
}

/** A page that this gateway served itself: its host was checked. */
const isOwnPage = (origin: string, host: string): boolean => URL.canParse(origin) && new URL(origin).host === host

/** Throws a `Refusal` for whoever may not ask. */
export const guardAddress = (headers: IncomingHttpHeaders, config: Config): void => {
  const { host, origin } = headers
  if (host === undefined || !isOurs(hostOf(host), config))
    throw new Refusal(403, "This gateway is not reached under that name (hosts in its configuration)")
  if (origin !== undefined && !isOwnPage(origin, host) && !config.origins.includes(origin))
    throw new Refusal(403, "Web pages of that origin may not use this gateway (origins in its configuration)")
}

/** Whether a key of the request is one of these, which are given as hashes in hex. */
export const isAmong = (headers: IncomingHttpHeaders, hashes: readonly string[]): boolean => {
  const keys = hashes.map((key) => Buffer.from(key, "hex"))
  let found = false
  for (const key of presented(headers)) {
    const hash = hashOf(key)
    for (const each of keys) if (timingSafeEqual(hash, each)) found = true
  }
  return found
}

export const guardKey = (headers: IncomingHttpHeaders, { keys, operators }: Config): void => {
  if (keys.length > 0 && !isAmong(headers, [...keys, ...operators])) throw new Refusal(401, "A key of this gateway is needed")
}
