/**
 * `ligature serve`: reads the settings, starts the gateway, says where it is and how to point clients at it, and stops when
 * it is told to, letting running answers end. The options are those of the library's command line, which finds this package
 * by its name.
 */
import { readFileSync, unwatchFile, watchFile } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import v8 from "node:v8"
import { type Config, ConfigError, readConfig } from "../config/config.ts"
import { addressShown } from "../config/reader.ts"
import { knownUpstreams } from "../config/upstreams.ts"
import type { ExchangeRecord } from "../exchange/exchange.ts"
import { agents } from "../run/agents.ts"
import { findTracer } from "../telemetry.ts"
import { type Mount, startGateway } from "../server/server.ts"

export interface ServeOptions {
  /** Names of known providers, or addresses. */
  readonly upstreams: readonly string[]
  /** What an address speaks. */
  readonly wire?: string | undefined
  readonly profile?: string | undefined
  readonly key?: string | undefined
  /** A file with settings; options win over it. */
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly repair: boolean
  /** Where conversations are kept; false: nowhere. Default: what the file says, else LIGATURE_STORE, else a folder at home. */
  readonly store?: string | false | undefined
  /** Conversations that were silent for longer are removed: 30d. */
  readonly keep?: string | undefined
  /** Long conversations are compacted. */
  readonly compact?: boolean | undefined
  /** Works on the jobs of all gateways of the store. */
  readonly worker?: boolean | undefined
  /** How clients are pointed here is printed, and nothing is started. */
  readonly printSetup?: boolean | undefined
  /** A line of JSON for every request. */
  readonly log: boolean
}

/** The world around the command. */
export interface ServeIo {
  /** Takes lines. */
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** What is served beside: the page at `/-/view`. */
  readonly mounts?: readonly Mount[]
  /** Stops the gateway, beside the signals of the process. */
  readonly signal?: AbortSignal
}

type Fields = Readonly<Record<string, unknown>>

const readFile = (path: string): Fields => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    throw new ConfigError([`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`])
  }
  try {
    return JSON.parse(text) as Fields
  } catch (error) {
    throw new ConfigError([`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** `--upstream` gives a known name, or an address. */
const upstreamOf = (each: string, given: Fields): readonly [string, Fields] => {
  if (Object.hasOwn(knownUpstreams, each)) return [each, given]
  if (!URL.canParse(each))
    throw new ConfigError([
      `--upstream: expected an address or one of ${Object.keys(knownUpstreams).join(", ")}, got ${addressShown(each)}`,
    ])
  if (given["wire"] === undefined) throw new ConfigError([`--upstream ${addressShown(each)}: its API is not known (--wire)`])
  return [new URL(each).host, { ...given, url: each }]
}

const present = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A folder of one's own; undefined where nobody has a home. */
const homeOf = ({ HOME, USERPROFILE }: ServeIo["env"]): string | undefined => {
  const home = HOME ?? USERPROFILE
  return home === undefined || home === "" ? undefined : join(home, ".ligature", "conversations")
}

/** What a configuration file would say. */
export const settingsOf = (
  { upstreams, wire, profile, key, config, host, port, repair, store, keep, compact, worker }: ServeOptions,
  env: ServeIo["env"] = {},
): Fields => {
  const file = config === undefined ? {} : readFile(config)
  const given = present({ wire, profile, key })
  const named = upstreams.length === 0 ? {} : { upstreams: Object.fromEntries(upstreams.map((each) => upstreamOf(each, given))) }
  const place = store === false ? undefined : (store ?? file["store"] ?? env["LIGATURE_STORE"] ?? homeOf(env))
  const kept = keep === undefined || place === undefined ? place : { ...(typeof place === "string" ? { place } : (place as Fields)), keep }
  const { store: _, ...rest } = file
  return {
    ...rest,
    ...present({ store: kept, compaction: compact === true ? (file["compaction"] ?? true) : undefined }),
    ...named,
    ...(worker === true && { jobs: { ...(file["jobs"] === true ? {} : (file["jobs"] as Fields | undefined)), worker } }),
    ...present({ host, port: port === undefined ? undefined : Number(port) }),
    ...(repair ? {} : { repair }),
  }
}

/** Without a password. */
const shownPlace = (place: string): string => place.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/, "$1:***@")

/** How the usual clients are pointed here, to paste. */
export const setupOf = (url: string, { upstreams, keys }: Pick<Config, "upstreams" | "keys">): readonly string[] => {
  const key = keys.length > 0 ? "KEY" : upstreams.some((each) => each.key !== undefined) ? "ligature" : undefined
  const lines = agents.flatMap(({ title, program, environment, arguments: given, file, keys: names }): string[] => {
    const set = Object.entries({ ...environment(url), ...(key !== undefined && names[0] !== undefined && { [names[0]]: key }) })
    const written = file?.(url)
    return [
      "",
      `# ${title}`,
      ...set.map(([name, value]) => `export ${name}=${shellWord(value)}`),
      ...(given ? [[program, ...given(url)].map(shellWord).join(" ")] : []),
      ...(written ? (written.text.startsWith(program) ? [written.text] : [`# ${written.path}`, written.text]) : []),
    ]
  })
  const sdks = [
    "",
    "# SDKs",
    `export OPENAI_BASE_URL=${url}/v1`,
    `export ANTHROPIC_BASE_URL=${url}`,
    `export GOOGLE_GEMINI_BASE_URL=${url}`,
  ]
  return [...lines.slice(1), ...sdks]
}

const shellWord = (text: string): string => (/^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Where it is, and what to set in the usual clients. */
const hints = (url: string, { upstreams, keys, store }: Config, page: string | undefined): readonly string[] => [
  `Listening on ${url}`,
  ...upstreams.map(({ name, wire, url: to }) => `  ${name}: ${to.origin} (${wire})`),
  ...(store ? [`  Conversations: ${shownPlace(store.place)}`] : []),
  // Where there are keys, their owners know them, and a secret would only end up in the log of a server.
  ...(page === undefined ? [] : [`  Watch: ${url}${page}`]),
  "",
  `Claude Code        ANTHROPIC_BASE_URL=${url}${keys.length > 0 ? " ANTHROPIC_AUTH_TOKEN=KEY" : ""}`,
  `OpenAI SDKs        OPENAI_BASE_URL=${url}/v1`,
  `Google GenAI SDKs  GOOGLE_GEMINI_BASE_URL=${url}`,
  "Others             ligature serve --print-setup",
]

const logLine = ({ changes, usage, ...record }: ExchangeRecord): string => {
  const repaired = [...new Set(changes.map(({ rule }) => rule))]
  return JSON.stringify({
    time: new Date().toISOString(),
    ...record,
    ms: Math.round(record.ms),
    ...(repaired.length > 0 && { repaired }),
    ...(usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
  })
}

const stopped = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const stop = (): void => {
      process.off("SIGINT", stop)
      process.off("SIGTERM", stop)
      resolve()
    }
    process.once("SIGINT", stop)
    process.once("SIGTERM", stop)
    signal?.addEventListener("abort", stop, { once: true })
  })

/** Reads the settings again when their file changes, or on SIGHUP. Settings that cannot be used change nothing. */
const watchSettings = (options: ServeOptions, io: ServeIo, use: (config: Config) => void): (() => void) => {
  const again = (): void => {
    try {
      use(readConfig(settingsOf(options, io.env), io.env))
      io.err("The settings were read again")
    } catch (error) {
      io.err(`The settings stay as they were. ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const { config } = options
  // Editors replace files: what is watched is the name.
  if (config !== undefined) watchFile(config, { interval: 1000, persistent: false }, again)
  process.on("SIGHUP", again)
  return () => {
    if (config !== undefined) unwatchFile(config, again)
    process.off("SIGHUP", again)
  }
}

/**
 * Bodies are buffers beside the heap, but V8 counts them with it: of a small heap, a few of them are growth enough to collect all
 * of it, again and again, which costs more than everything else that is done for a request. Only for a process that is ours.
 */
export const collectRarely = (): void => v8.setFlagsFromString("--heap-growing-percent=100")

/** Resolves when the gateway has stopped. Rejects with a `ConfigError` for settings that cannot be used. */
export const serve = async (options: ServeOptions, io: ServeIo): Promise<void> => {
  const config = readConfig(settingsOf(options, io.env), io.env)
  if (options.printSetup === true) {
    for (const line of setupOf(`http://${config.host}:${config.port}`, config)) io.out(line)
    return
  }
  collectRarely()
  const gateway = await startGateway(config, {
    ...(options.log && { onExchange: (record: ExchangeRecord) => io.out(logLine(record)) }),
    tracer: await findTracer(),
    ...(io.mounts && { mounts: io.mounts }),
    onError: (error) => io.err(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  })
  const hasPage = io.mounts?.some(({ path }) => path === "/-/view") === true
  const isOpen = config.keys.length === 0 && config.operators.length === 0
  const page = hasPage ? `/-/view${isOpen ? `#token=${gateway.secret}` : ""}` : undefined
  for (const line of hints(gateway.url, config, page)) io.err(line)
  const unwatch = watchSettings(options, io, (next) => gateway.reload(next))
  await stopped(io.signal)
  unwatch()
  await gateway.stop()
}
