/**
 * `ligature serve`: reads the settings, starts the gateway, says where it is and how to point clients at it, and stops when
 * it is told to, letting running answers end. The command line of the library finds it by its package name.
 */
import process from "node:process"
import { type Config, ConfigError, readConfig } from "../config/config.ts"
import type { ExchangeRecord } from "../exchange/exchange.ts"
import { hashedKey } from "../server/guard.ts"
import { startGateway } from "../server/server.ts"
import { readArguments, usage } from "./arguments.ts"

/** The world around the command. */
export interface ServeIo {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: NodeJS.ProcessEnv
  /** Stops the gateway beside the signals. */
  readonly signal?: AbortSignal
}

/** Lines to paste, for the clients that speak a wire. */
const hints = (url: string, { upstreams, keys }: Config): string => {
  const key = keys.length > 0 ? "KEY" : undefined
  return [
    `Listening on ${url}`,
    ...upstreams.map(({ name, wire, url: to }) => `  ${name}: ${to.origin} (${wire})`),
    "",
    `Claude Code       ANTHROPIC_BASE_URL=${url}${key ? " ANTHROPIC_AUTH_TOKEN=KEY" : ""}`,
    `OpenAI SDKs       OPENAI_BASE_URL=${url}/v1`,
    `Google GenAI SDKs GOOGLE_GEMINI_BASE_URL=${url}`,
    "",
  ].join("\n")
}

const logLine = ({ changes, ...record }: ExchangeRecord): string => {
  const repaired = [...new Set(changes.map(({ rule }) => rule))]
  return `${JSON.stringify({ time: new Date().toISOString(), ...record, ms: Math.round(record.ms), ...(repaired.length > 0 && { repaired }) })}\n`
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

/** Resolves with the exit code when the gateway has stopped. */
export const serve = async (argv: readonly string[], io: ServeIo): Promise<number> => {
  if (argv.includes("--help") || argv.includes("-h")) {
    io.out(usage)
    return 0
  }
  if (argv[0] === "--hash-key") {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    io.out(`${hashedKey(Buffer.concat(chunks).toString("utf8").trim())}\n`)
    return 0
  }
  try {
    const { config: given, log } = readArguments(argv)
    const config = readConfig(given, io.env)
    const gateway = await startGateway(config, {
      ...(log && { onExchange: (record: ExchangeRecord) => io.out(logLine(record)) }),
      onError: (error) => io.err(`ligature serve: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
    })
    io.err(hints(gateway.url, config))
    await stopped(io.signal)
    await gateway.stop()
    return 0
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ""
    const expected = error instanceof ConfigError || code.startsWith("ERR_PARSE_ARGS") || code === "EADDRINUSE" || code === "EACCES"
    if (!expected) throw error
    io.err(`ligature serve: ${(error as Error).message}\n${code.startsWith("ERR_PARSE_ARGS") ? `\n${usage}` : ""}`)
    return 2
  }
}
