/**
 * `ligature serve`: reads the settings, starts the gateway, says where it is and how to point clients at it, and stops when
 * it is told to, letting running answers end. The options are those of the library's command line, which finds this package
 * by its name.
 */
import { readFileSync, unwatchFile, watchFile } from "node:fs"
import process from "node:process"
import { type Config, ConfigError, readConfig } from "../config/config.ts"
import { knownUpstreams } from "../config/upstreams.ts"
import type { ExchangeRecord } from "../exchange/exchange.ts"
import { findTracer } from "../telemetry.ts"
import { startGateway } from "../server/server.ts"

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
  /** A line of JSON for every request. */
  readonly log: boolean
}

/** The world around the command. */
export interface ServeIo {
  /** Takes lines. */
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
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
    throw new ConfigError([`--upstream: expected an address or one of ${Object.keys(knownUpstreams).join(", ")}, got ${each}`])
  if (given["wire"] === undefined) throw new ConfigError([`--upstream ${each}: its API is not known (--wire)`])
  return [new URL(each).host, { ...given, url: each }]
}

const present = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** What a configuration file would say. */
export const settingsOf = ({ upstreams, wire, profile, key, config, host, port, repair }: ServeOptions): Fields => {
  const file = config === undefined ? {} : readFile(config)
  const given = present({ wire, profile, key })
  const named = upstreams.length === 0 ? {} : { upstreams: Object.fromEntries(upstreams.map((each) => upstreamOf(each, given))) }
  return { ...file, ...named, ...present({ host, port: port === undefined ? undefined : Number(port) }), ...(repair ? {} : { repair }) }
}

/** What to set in the usual clients. */
const hints = (url: string, { upstreams, keys }: Config): readonly string[] => [
  `Listening on ${url}`,
  ...upstreams.map(({ name, wire, url: to }) => `  ${name}: ${to.origin} (${wire})`),
  "",
  `Claude Code        ANTHROPIC_BASE_URL=${url}${keys.length > 0 ? " ANTHROPIC_AUTH_TOKEN=KEY" : ""}`,
  `OpenAI SDKs        OPENAI_BASE_URL=${url}/v1`,
  `Google GenAI SDKs  GOOGLE_GEMINI_BASE_URL=${url}`,
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
      use(readConfig(settingsOf(options), io.env))
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

/** Resolves when the gateway has stopped. Rejects with a `ConfigError` for settings that cannot be used. */
export const serve = async (options: ServeOptions, io: ServeIo): Promise<void> => {
  const config = readConfig(settingsOf(options), io.env)
  const gateway = await startGateway(config, {
    ...(options.log && { onExchange: (record: ExchangeRecord) => io.out(logLine(record)) }),
    tracer: await findTracer(),
    onError: (error) => io.err(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  })
  for (const line of hints(gateway.url, config)) io.err(line)
  const unwatch = watchSettings(options, io, (next) => gateway.reload(next))
  await stopped(io.signal)
  unwatch()
  await gateway.stop()
}
