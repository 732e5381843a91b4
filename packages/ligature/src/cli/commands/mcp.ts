/**
 * `ligature mcp`: the commands of this program as tools for agents, from the package `ligature-mcp`. A tool runs the command it is
 * named after in this process, with streams of its own, so that people and agents get the same answers.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { resolve } from "node:path"
import { phrase } from "../../model/index.ts"
import { type Command, type Context, type ExitCode } from "../frame/command.ts"
import { loadPackage } from "../frame/optional-package.ts"
import { UsageError } from "../frame/usage-error.ts"
import { version } from "../../files/package-file.ts"
import { sessionFolders } from "../sessions/session-files.ts"

interface Ran {
  readonly exitCode: ExitCode
  readonly stdout: string
  readonly stderr: string
}

interface McpOptions {
  readonly runCommand: (argv: readonly string[]) => Promise<Ran>
  readonly folders: readonly string[]
  readonly cwd: string
  readonly allowWrite: boolean
  readonly version: string
}

/** What the package has for these commands. */
export interface McpPackage {
  readonly serveOnStdio: (options: McpOptions) => Promise<void>
  readonly mcpOverHttp: (options: McpOptions) => {
    readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
    readonly close: () => Promise<void>
  }
  readonly setupText: () => string
}

export const loadMcp = (): Promise<McpPackage> =>
  loadPackage("ligature-mcp", () => phrase`The MCP server is a package of its own, which is not installed`)

/** `allowed`: folders beside the homes of agents. */
export const mcpOptions = (context: Context, allowed: readonly string[], allowWrite: boolean): McpOptions => {
  const { io } = context
  return {
    runCommand: runnerOf(context),
    folders: [...sessionFolders(io), ...allowed.map((path) => resolve(io.cwd, path))],
    cwd: io.cwd,
    allowWrite,
    version: version(),
  }
}

/** Runs a command line without a terminal: no colours, no progress, nothing to read from stdin, which belongs to the protocol. */
export const runnerOf =
  ({ io, run }: Context) =>
  async (argv: readonly string[]): Promise<Ran> => {
    const out: string[] = []
    const err: string[] = []
    const sink = (parts: string[]) => ({
      write: (content: string | Uint8Array) => {
        parts.push(typeof content === "string" ? content : Buffer.from(content).toString())
      },
      isTerminal: false,
      columns: undefined,
    })
    const stdin = { async *[Symbol.asyncIterator](): AsyncGenerator<string> {} }
    const exitCode = await run(argv, { ...io, stdin, stdout: sink(out), stderr: sink(err) })
    return { exitCode, stdout: out.join(""), stderr: err.join("") }
  }

export const mcp: Command = {
  summary: "serve these commands as tools to agents, over MCP",
  usage: "[--allow DIR]… [--allow-write] | --print-setup",
  help: `A server of the Model Context Protocol on stdin and stdout. An agent can list and search the sessions on this machine, read
them, check them, and recall what a compaction removed. Only the homes of agents and the folders given with --allow can be
read, and nothing is written without --allow-write.`,
  options: [
    { name: "allow", value: "DIR", repeatable: true, text: "also read session files in this folder and below it; repeatable" },
    { name: "allow-write", text: "also offer tools that write: repair in place with a backup, convert to another agent" },
    { name: "print-setup", text: "print the lines that set this server up in an agent, instead of serving" },
  ],
  examples: [
    ["ligature mcp", "tools that only read"],
    ["ligature mcp --print-setup", "what to paste into which agent"],
  ],
  run: async (context): Promise<ExitCode> => {
    const { arguments: given, out } = context
    if (given.positionals.length > 0) throw new UsageError(phrase`${"mcp"} takes no arguments, got ${given.positionals.join(" ")}`)
    const { serveOnStdio, setupText } = await loadMcp()
    if (given.flag("print-setup")) {
      out.write(setupText())
      return 0
    }
    await serveOnStdio(mcpOptions(context, given.list("allow"), given.flag("allow-write")))
    return 0
  },
}
