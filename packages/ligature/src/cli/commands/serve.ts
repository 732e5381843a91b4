/** `ligature serve`: the gateway, from the package `ligature-gateway`. */
import { phrase } from "../../model/index.ts"
import type { Command, Context, ExitCode } from "../frame/command.ts"
import { loadPackage } from "../frame/optional-package.ts"
import { UsageError } from "../frame/usage-error.ts"

/** What the package has for this command. */
interface GatewayPackage {
  readonly serve: (
    options: {
      readonly upstreams: readonly string[]
      readonly wire: string | undefined
      readonly profile: string | undefined
      readonly key: string | undefined
      readonly config: string | undefined
      readonly host: string | undefined
      readonly port: string | undefined
      readonly repair: boolean
      readonly log: boolean
    },
    io: { readonly out: (line: string) => void; readonly err: (line: string) => void; readonly env: Context["io"]["env"] },
  ) => Promise<void>
}

/** Settings that cannot be used are the caller's to change, like an address that is taken. */
const isUsage = (error: unknown): error is Error =>
  error instanceof Error &&
  (error.name === "ConfigError" || ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL"].includes((error as NodeJS.ErrnoException).code ?? ""))

export const serve: Command = {
  summary: "run a gateway that keeps histories valid between clients and providers",
  usage: "(--upstream NAME | --config FILE) [--port PORT]",
  help: `An HTTP server that clients send their requests to instead of to a provider. A damaged history is repaired for the
provider it goes to; a healthy request passes with its own bytes. The provider may speak another API than the client: requests
and answers, streamed or not, are converted. Stops on SIGINT or SIGTERM when running answers have ended.`,
  options: [
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
    { name: "host", value: "HOST", text: "listen on this address (default: 127.0.0.1; others need keys in the configuration)" },
    { name: "port", value: "PORT", text: "listen on this port (default: 4141; 0: any free port)" },
    { name: "no-repair", text: "pass requests on unchanged where the API stays the same" },
    { name: "log", text: "print a line of JSON for every request, without content" },
  ],
  examples: [
    ["ligature serve --upstream anthropic", "a gateway to Anthropic on port 4141"],
    ["ligature serve --upstream http://127.0.0.1:8000/v1 --wire openai-chat", "any client on a server of your own"],
  ],
  run: async ({ arguments: given, io, out, err }): Promise<ExitCode> => {
    const upstreams = given.list("upstream")
    const config = given.text("config")
    if (upstreams.length === 0 && config === undefined)
      throw new UsageError(phrase`Where should requests go?`, phrase`Give --upstream NAME or --config FILE.`)
    const { serve: run } = await loadPackage<GatewayPackage>(
      "ligature-gateway",
      () => phrase`The gateway is a package of its own, which is not installed`,
    )
    try {
      await run(
        {
          upstreams,
          config,
          wire: given.text("wire"),
          profile: given.text("profile"),
          key: given.text("key"),
          host: given.text("host"),
          port: given.text("port"),
          repair: !given.flag("no-repair"),
          log: given.flag("log"),
        },
        { out: (line) => out.line(line), err: (line) => err.line(line), env: io.env },
      )
    } catch (error) {
      if (isUsage(error)) throw new UsageError(error.message)
      throw error
    }
    return 0
  },
}
