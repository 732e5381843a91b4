/** `ligature serve` and `ligature run`: the gateway, from the package `ligature-gateway`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { phrase } from "../../model/index.ts"
import type { Command, Context, ExitCode } from "../frame/command.ts"
import { loadPackage } from "../frame/optional-package.ts"
import { UsageError } from "../frame/usage-error.ts"
import { gatewayPage, gatewayPagePath } from "../view/gateway-page.ts"
import { loadMcp, mcpOptions } from "./mcp.ts"

interface GatewayOptions {
  readonly upstreams: readonly string[]
  readonly wire: string | undefined
  readonly profile: string | undefined
  readonly key: string | undefined
  readonly config: string | undefined
  readonly host: string | undefined
  readonly port: string | undefined
  readonly repair: boolean
  readonly store: string | false | undefined
  readonly keep: string | undefined
  readonly compact: boolean
  readonly worker: boolean
  readonly printSetup: boolean
  readonly log: boolean
}

/** Something that the gateway serves beside its own: under its address, behind its checks. */
interface Mount {
  readonly path: string
  readonly needsKey: boolean
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

interface GatewayIo {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly env: Context["io"]["env"]
  readonly mounts: readonly Mount[]
}

/** What the package has for these commands. */
interface GatewayPackage {
  readonly serve: (options: GatewayOptions, io: GatewayIo) => Promise<void>
  readonly runAgent: (options: GatewayOptions, command: readonly string[], io: GatewayIo) => Promise<number>
}

/** Settings that cannot be used are the caller's to change, like an address that is taken. */
const isUsage = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === "ConfigError" || ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL"].includes((error as NodeJS.ErrnoException).code ?? ""))

/** Options that `serve` and `run` share. */
const sharedOptions: Command["options"] = [
  {
    name: "upstream",
    value: "NAME|URL",
    repeatable: true,
    text: "where requests go: the name of a provider (anthropic, openai, openai-chat, gemini, mistral, deepseek, kimi, groq, cerebras, xai, openrouter, ollama), or an address together with --wire; repeatable",
  },
  { name: "wire", value: "FORMAT", text: "the API at that address: anthropic, openai-chat, openai-responses or gemini" },
  { name: "profile", value: "PROFILE", text: "whose requirements its requests meet (`ligature profiles` lists them)" },
  { name: "key", value: "KEY", text: "sent to the provider instead of the client's own key; $NAME reads an environment variable" },
  { name: "config", value: "FILE", text: "read settings from this JSON file (docs/guides/gateway.md); options win over it" },
  {
    name: "store",
    value: "PLACE",
    text: "keep conversations there: a folder, FILE.db (or sqlite:FILE), postgres://… (default: LIGATURE_STORE, else ~/.ligature/conversations)",
  },
  { name: "no-store", text: "keep no conversations" },
  { name: "keep", value: "TIME", text: "remove conversations that were silent for longer: 12h, 30d, 8w (default: keep them)" },
  {
    name: "compact",
    text: "compact conversations that have grown too large for their model; the model can read back what is out of sight",
  },
  { name: "port", value: "PORT", text: "listen on this port (default: 4141, with `run` any free one; 0: any free port)" },
  { name: "no-repair", text: "pass requests on unchanged where the API stays the same" },
]

const optionsOf = ({ arguments: given }: Context): GatewayOptions => ({
  upstreams: given.list("upstream"),
  config: given.text("config"),
  wire: given.text("wire"),
  profile: given.text("profile"),
  key: given.text("key"),
  host: given.text("host"),
  port: given.text("port"),
  repair: !given.flag("no-repair"),
  store: given.flag("no-store") ? false : given.text("store"),
  keep: given.text("keep"),
  compact: given.flag("compact"),
  worker: given.flag("worker"),
  printSetup: given.flag("print-setup"),
  log: given.flag("log"),
})

/** With errors of settings as errors of the command line. */
const withGateway = async <Result>(
  { io, out, err }: Context,
  mounts: readonly Mount[],
  work: (gateway: GatewayPackage, io: GatewayIo) => Promise<Result>,
): Promise<Result> => {
  const missing = (): string => phrase`The gateway is a package of its own, which is not installed`
  const gateway = await loadPackage<GatewayPackage>("ligature-gateway", missing)
  const lines = (text: string): void => {
    for (const line of text.split("\n")) err.line(line)
  }
  try {
    return await work(gateway, { out: (line) => out.line(line), err: lines, env: io.env, mounts })
  } catch (error) {
    if (!isUsage(error)) throw error
    const [what = "", ...mistakes] = error.message.split("\n  ")
    throw new UsageError(what, mistakes.length === 0 ? undefined : mistakes.join("\n"))
  }
}

/** The page needs no key: there is nothing in it. What it asks for does. */
const mountsOf = async (context: Context): Promise<readonly Mount[]> => {
  const page = { path: gatewayPagePath, needsKey: false, handle: gatewayPage(context.language) }
  if (!context.arguments.flag("mcp")) return [page]
  const { handle } = (await loadMcp()).mcpOverHttp(mcpOptions(context, [], false))
  return [page, { path: "/-/mcp", needsKey: true, handle }]
}

export const serve: Command = {
  summary: "run a gateway that keeps histories valid between clients and providers",
  usage: "(--upstream NAME | --config FILE) [--port PORT]",
  help: `An HTTP server that clients send their requests to instead of to a provider. A damaged history is repaired for the
provider it goes to; a healthy request passes with its own bytes. The provider may speak another API than the client: requests
and answers, streamed or not, are converted. Conversations are kept in a store. Stops on SIGINT or SIGTERM when running answers have ended.`,
  options: [
    ...sharedOptions,
    { name: "host", value: "HOST", text: "listen on this address (default: 127.0.0.1; others need keys in the configuration)" },
    { name: "worker", text: "also compact conversations for all gateways on the same PostgreSQL (needs graphile-worker; docs/scale.md)" },
    { name: "print-setup", text: "print what to set in each client, and start nothing" },
    { name: "log", text: "print a line of JSON for every request, without content" },
    {
      name: "mcp",
      text: "also serve the tools of `ligature mcp` at /-/mcp: whoever may use the gateway may read the sessions of this machine",
    },
  ],
  examples: [
    ["ligature serve --upstream anthropic", "a gateway to Anthropic on port 4141"],
    ["ligature serve --upstream http://127.0.0.1:8000/v1 --wire openai-chat", "any client on a server of your own"],
  ],
  run: async (context): Promise<ExitCode> => {
    const options = optionsOf(context)
    if (options.upstreams.length === 0 && options.config === undefined)
      throw new UsageError(phrase`Where should requests go?`, phrase`Give --upstream NAME or --config FILE.`)
    await withGateway(context, await mountsOf(context), (gateway, io) => gateway.serve(options, io))
    return 0
  },
}

export const run: Command = {
  summary: "run an agent through a gateway of its own",
  usage: "[--upstream NAME] [--compact] -- AGENT [ARGUMENT]...",
  help: `Starts a gateway on a free port, starts the agent with the settings that lead it there, and stops with it. The exit code is that
of the agent. Claude Code, Codex, opencode, Gemini CLI, Qwen Code and Copilot CLI are known; any other program gets the variables that
SDKs read, and needs --upstream.`,
  options: sharedOptions,
  examples: [
    ["ligature run -- claude", "Claude Code, with its conversations kept and repaired"],
    ['ligature run --compact -- codex exec "Fix the tests"', "Codex; long conversations are compacted"],
    ["ligature run --upstream http://127.0.0.1:8000/v1 --wire openai-chat -- claude", "Claude Code on a server of your own"],
  ],
  run: async (context): Promise<ExitCode> => {
    const { positionals } = context.arguments
    if (positionals.length === 0) throw new UsageError(phrase`Which agent?`, phrase`For example: ${"ligature run -- claude"}`)
    // An agent may end with any code.
    return (await withGateway(context, [], (gateway, io) => gateway.runAgent(optionsOf(context), positionals, io))) as ExitCode
  },
}
