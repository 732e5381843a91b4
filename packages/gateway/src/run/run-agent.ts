/**
 * `ligature run -- AGENT …`: a gateway on a free port for as long as the agent runs, which is started with the settings that
 * lead it there. Signals go on to the agent, its exit code comes back.
 */
import { spawn } from "node:child_process"
import { constants } from "node:os"
import process from "node:process"
import { type Config, ConfigError, readConfig } from "../config/config.ts"
import type { ServeIo, ServeOptions } from "../serve/serve.ts"
import { collectRarely, settingsOf } from "../serve/serve.ts"
import { startGateway } from "../server/server.ts"
import { type AgentSetup, agentOf, anyProgram } from "./agents.ts"

type Env = Readonly<Record<string, string | undefined>>

/** The settings of the agent, beside its own environment. */
export const environmentFor = (setup: Pick<AgentSetup, "environment" | "keys">, url: string, { upstreams }: Config, env: Env): Env => {
  const [key] = setup.keys
  // An agent without a key does not even ask; the gateway sends its own.
  const isNeeded = key !== undefined && upstreams.some((each) => each.key !== undefined) && !setup.keys.some((name) => env[name])
  return { ...env, ...setup.environment(url), ...(isNeeded && { [key]: "ligature" }) }
}

const forwarded = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const

const startAgent = (command: string, given: readonly string[], env: Env): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, given, { stdio: "inherit", env: env as NodeJS.ProcessEnv, shell: process.platform === "win32" })
    // The terminal sends these to both: it is for the agent to say what they mean.
    const ignore = (): void => undefined
    const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
    process.on("SIGINT", ignore)
    process.on("SIGQUIT", ignore)
    for (const signal of forwarded) process.on(signal, passOn)
    const clean = (): void => {
      process.off("SIGINT", ignore)
      process.off("SIGQUIT", ignore)
      for (const signal of forwarded) process.off(signal, passOn)
    }
    child.once("error", (error) => {
      clean()
      reject(error)
    })
    child.once("exit", (code, signal) => {
      clean()
      resolve(code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0)))
    })
  })

const isAbsent = (error: unknown): boolean => ["ENOENT", "EACCES"].includes(String((error as NodeJS.ErrnoException).code))

/** Resolves with the exit code of the agent. Rejects with a `ConfigError` for settings that cannot be used. */
export const runAgent = async (options: ServeOptions, [command = "", ...given]: readonly string[], io: ServeIo): Promise<number> => {
  const setup = agentOf(command) ?? { ...anyProgram, title: command, program: command }
  const isOpen = options.upstreams.length === 0 && options.config === undefined
  const upstreams = isOpen ? setup.upstreams : options.upstreams
  if (upstreams.length === 0 && options.config === undefined)
    throw new ConfigError([`${command} is not known: say where its requests go (--upstream NAME or --config FILE)`])
  if (setup.file) {
    const { path, text } = setup.file("http://127.0.0.1:PORT")
    throw new ConfigError([`${setup.title} reads its address from a file: start \`ligature serve\`, and set ${path}: ${text}`])
  }
  const config = readConfig({ ...settingsOf({ ...options, upstreams }, io.env), port: Number(options.port ?? 0) }, io.env)
  collectRarely()
  const gateway = await startGateway(config, {
    onError: (error) => io.err(`ligature: ${error instanceof Error ? error.message : String(error)}`),
  })
  try {
    const env = environmentFor(setup, gateway.url, config, io.env)
    return await startAgent(command, [...(setup.arguments?.(gateway.url) ?? []), ...given], env)
  } catch (error) {
    if (!isAbsent(error)) throw error
    io.err(`ligature: ${command} cannot be started (${String((error as NodeJS.ErrnoException).code)})`)
    return 127
  } finally {
    await gateway.stop()
  }
}
