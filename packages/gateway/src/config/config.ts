/**
 * The settings of a gateway: what a configuration file may say, the defaults, and the one place that checks them. Every
 * mistake is named with its place, all of them at once. Upstreams come from here and from nowhere else: no header and no
 * body of a client names an address.
 */
import { isIP } from "node:net"
import { LigatureError, type Policies, profiles, settle } from "ligature"
import type { CompactionSettings } from "../compaction/settings.ts"
import type { JobSettings } from "../jobs/queue.ts"
import type { StoreSettings } from "../record/open-store.ts"
import { addressShown, type Env, type Fields, isObject, Reader, secretOf, shown } from "./reader.ts"
import { readCompaction } from "./compaction.ts"
import { readJobs } from "./jobs.ts"
import { readStore } from "./store.ts"
import { type WireName, wireNames } from "../wires/wire.ts"
import { knownUpstreams } from "./upstreams.ts"

export interface Upstream {
  readonly name: string
  readonly wire: WireName
  readonly url: URL
  /** Whose requirements its requests meet. */
  readonly profile: string
  /** What becomes of damage: the same for all upstreams. */
  readonly policies: Partial<Policies>
  /** Sent instead of the client's own key. */
  readonly key?: string
  readonly headers: Readonly<Record<string, string>>
}

/** Requests for models that match go to this upstream. */
export interface ModelRule {
  readonly pattern: RegExp
  /** The one model it is about, where it is one. */
  readonly name?: string
  readonly upstream: string
  /** Asked for instead. */
  readonly model?: string
}

export interface Limits {
  readonly bodyBytes: number
  readonly headerBytes: number
  /** Time that a client has to send its headers, and its whole request. */
  readonly headersMs: number
  readonly requestMs: number
  /** Requests of one key that are answered at the same time. */
  readonly concurrent: number
  /** An upstream that is silent for longer is given up. */
  readonly idleMs: number
  readonly totalMs: number
  /** Time that running answers have when the gateway stops. */
  readonly graceMs: number
  /** What is remembered of conversations. */
  readonly memoryBytes: number
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Names under which the gateway is reached; requests with another `Host` are refused. */
  readonly hosts: readonly string[]
  /** Origins of web pages that may ask. None: pages may not. */
  readonly origins: readonly string[]
  /** SHA-256 of the keys that clients need, in hex. None: everybody who reaches the port may ask. */
  readonly keys: readonly string[]
  /** SHA-256 of keys that see everything: exchanges of all keys as they happen, every stored conversation. */
  readonly operators: readonly string[]
  readonly upstreams: readonly Upstream[]
  readonly models: readonly ModelRule[]
  /** False: requests that stay in their format are passed on as they are. */
  readonly repair: boolean
  /** False: who wants a WebSocket is told at once to go on without. */
  readonly websocket: boolean
  /** Where conversations are kept. None: nothing is written anywhere. */
  readonly store?: StoreSettings
  /** Conversations that have grown too large are compacted. Needs a store. */
  readonly compaction?: CompactionSettings
  /** Compactions between requests are jobs for workers. */
  readonly jobs?: JobSettings
  readonly limits: Limits
}

export class ConfigError extends Error {
  override readonly name = "ConfigError"
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? `Configuration: ${problems[0]}` : `Configuration:\n${problems.map((each) => `  ${each}`).join("\n")}`)
    this.problems = problems
  }
}

export const defaultLimits: Limits = {
  bodyBytes: 64 << 20,
  headerBytes: 64 << 10,
  headersMs: 30_000,
  requestMs: 300_000,
  concurrent: 256,
  idleMs: 600_000,
  totalMs: 3_600_000,
  graceMs: 30_000,
  memoryBytes: 64 << 20,
}

export const defaultPort = 4141

const urlOf = (text: string, place: string, reader: Reader): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") {
    return reader.expect(place, "an http or https address without credentials", addressShown(text))
  }
  return url
}

/** The library knows their names and values. */
const readPolicies = (given: unknown, reader: Reader): Partial<Policies> => {
  const policies = (given ?? {}) as Partial<Policies>
  try {
    settle({ format: "ligature", messages: [] }, { policies })
  } catch (error) {
    if (!LigatureError.is(error)) throw error
    reader.problems.push(`policies: ${error.message}`)
  }
  return policies
}

const readUpstream = (name: string, value: unknown, policies: Partial<Policies>, env: Env, reader: Reader): Upstream | undefined => {
  const place = `upstreams.${name}.`
  if (!isObject(value)) return reader.expect(`upstreams.${name}`, "an object", value)
  reader.known(value, ["wire", "url", "profile", "key", "headers"], place)
  const known = Object.hasOwn(knownUpstreams, name) ? knownUpstreams[name] : undefined
  const wire = reader.text(value, "wire", place) ?? known?.wire
  const address = reader.text(value, "url", place) ?? known?.url
  if (wire === undefined || !(wireNames as readonly string[]).includes(wire))
    return reader.expect(`${place}wire`, `one of ${wireNames.join(", ")}`, wire)
  if (address === undefined) return reader.expect(`${place}url`, "an address", address)
  const url = urlOf(address, `${place}url`, reader)
  const profile = reader.text(value, "profile", place) ?? (known?.wire === wire ? known.profile : wire)
  const found = Object.hasOwn(profiles, profile) ? profiles[profile as keyof typeof profiles] : undefined
  if (found?.format !== wire) {
    const fitting = Object.values(profiles)
      .filter((each) => each.format === wire)
      .map((each) => each.name)
    return reader.expect(`${place}profile`, `a profile of ${wire} (${fitting.join(", ")})`, profile)
  }
  const headers = value["headers"] ?? {}
  // They may hold keys: what they are is not shown.
  if (!isObject(headers) || !Object.values(headers).every((each) => typeof each === "string")) {
    reader.problems.push(`${place}headers: expected an object of texts`)
    return undefined
  }
  const key = secretOf(reader.text(value, "key", place), `${place}key`, env, reader)
  if (!url) return undefined
  const read = { name, wire: wire as WireName, url, profile, policies, headers: headers as Record<string, string> }
  return { ...read, ...(key !== undefined && { key }) }
}

const readRule = (value: unknown, at: number, upstreams: readonly string[], reader: Reader): ModelRule | undefined => {
  const place = `models[${at}].`
  if (!isObject(value)) return reader.expect(`models[${at}]`, "an object", value)
  reader.known(value, ["match", "upstream", "model"], place)
  const match =
    reader.text(value, "match", place) ?? reader.expect(`${place}match`, "a model name, with * for any characters", value["match"])
  const upstream = reader.text(value, "upstream", place)
  if (upstream === undefined || !upstreams.includes(upstream))
    return reader.expect(`${place}upstream`, `one of ${upstreams.join(", ")}`, upstream)
  if (match === undefined) return undefined
  const pattern = new RegExp(
    `^${match
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
      .join("[^]*")}$`,
  )
  const model = reader.text(value, "model", place)
  return { pattern, ...(!match.includes("*") && { name: match }), upstream, ...(model !== undefined && { model }) }
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))

const keyHash = /^sha256:([0-9a-f]{64})$/

const readKeys = (value: Fields, name: string, reader: Reader): readonly string[] =>
  reader.texts(value, name, "").map((key) => {
    const expected = "sha256: and 64 hex digits, the SHA-256 of the key"
    return keyHash.exec(key)?.[1] ?? reader.expect(name, expected, "a text of another form") ?? ""
  })

/** Checks what a file or the command line says. Throws a `ConfigError` that names everything that is wrong. */
export const readConfig = (value: unknown, env: Env = {}): Config => {
  const reader = new Reader()
  if (!isObject(value)) throw new ConfigError([`expected an object, got ${shown(value)}`])
  reader.known(
    value,
    [
      "$schema",
      "host",
      "port",
      "hosts",
      "origins",
      "keys",
      "operators",
      "upstreams",
      "models",
      "repair",
      "policies",
      "websocket",
      "store",
      "compaction",
      "jobs",
      "limits",
    ],
    "",
  )
  const named = isObject(value["upstreams"]) ? value["upstreams"] : {}
  if (Object.keys(named).length === 0) reader.expect("upstreams", "an object with at least one upstream", value["upstreams"])
  const policies = readPolicies(value["policies"], reader)
  const upstreams = Object.entries(named).flatMap(([name, each]) => readUpstream(name, each, policies, env, reader) ?? [])
  const rules = value["models"] ?? []
  if (!Array.isArray(rules)) reader.expect("models", "a list", rules)
  const models = (Array.isArray(rules) ? rules : []).flatMap((each, at) => readRule(each, at, Object.keys(named), reader) ?? [])
  const host = reader.text(value, "host", "") ?? "127.0.0.1"
  const port = reader.number(value, "port", "", 0) ?? defaultPort
  if (port > 65_535) reader.expect("port", "a port number", port)
  const [keys, operators] = [readKeys(value, "keys", reader), readKeys(value, "operators", reader)]
  const repair = value["repair"] ?? true
  if (typeof repair !== "boolean") reader.expect("repair", "true or false", repair)
  const websocket = value["websocket"] ?? true
  if (typeof websocket !== "boolean") reader.expect("websocket", "true or false", websocket)
  if (!isLoopback(host) && keys.length === 0)
    reader.problems.push(`host: ${host} can be reached from other machines, so that at least one key is needed (keys)`)
  const store = readStore(value["store"], env, reader)
  const compaction = readCompaction(value["compaction"], upstreams, reader)
  if (compaction && !store) reader.problems.push("compaction: needs a store, where what is out of sight stays (store)")
  const jobs = readJobs(value["jobs"], store, reader)
  if (jobs && !compaction) reader.problems.push("jobs: there is nothing to do without compaction (compaction)")
  const given = value["limits"] ?? {}
  if (!isObject(given)) reader.expect("limits", "an object", given)
  const limits = isObject(given) ? given : {}
  reader.known(limits, Object.keys(defaultLimits), "limits.")
  const read = Object.fromEntries(
    Object.entries(defaultLimits).map(([name, byDefault]) => [
      name,
      reader.number(limits, name, "limits.", name === "memoryBytes" || name === "graceMs" ? 0 : 1) ?? byDefault,
    ]),
  ) as unknown as Limits
  if (reader.problems.length > 0) throw new ConfigError(reader.problems)
  const hosts = reader.texts(value, "hosts", "")
  return {
    host,
    port,
    hosts,
    origins: reader.texts(value, "origins", ""),
    keys,
    operators,
    upstreams,
    models,
    repair: repair as boolean,
    websocket: websocket as boolean,
    ...(store && { store }),
    // A job is work for between requests.
    ...(compaction && { compaction: jobs ? { ...compaction, background: true } : compaction }),
    ...(jobs && { jobs }),
    limits: read,
  }
}
