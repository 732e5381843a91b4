/** Clients of every protocol era on both transports, and the setup lines as agents read them: all started for real. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import { cli } from "../../ligature/test/cli/cli.ts"
import { mcpOverHttp } from "../src/index.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const main = join(root, "packages/ligature/dist/cli/main.js")
const session = "6f0c2a34-1111-4222-8333-444455556666"

const line = (uuid: string, parentUuid: string | null, type: string, content: unknown): string =>
  JSON.stringify({ parentUuid, sessionId: session, cwd: "/home/ada/app", type, uuid, message: { role: type, content } })

const homeWithSession = (): string => {
  const home = mkdtempSync(join(tmpdir(), "mcp-clients-"))
  const file = join(home, ".claude/projects/-home-ada-app", `${session}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    [
      line("a1", null, "user", "Where is libquux?"),
      line("a2", "a1", "assistant", [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "apt-cache search quux" } }]),
      line("a3", "a2", "user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "libquux-dev - headers" }]),
      line("a4", "a3", "assistant", [{ type: "text", text: "In libquux-dev." }]),
    ].join("\n") + "\n",
  )
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const envOf = (home: string) => ({ HOME: home, PATH: process.env["PATH"] ?? "", LIGATURE_CACHE: "off" })

const overHttp = async (home: string, options: ClientOptions): Promise<Client> => {
  const { handle, close } = mcpOverHttp({
    runCommand: async (argv) => {
      const { code, stdout, stderr } = await cli(argv, { cwd: home, env: { HOME: home, LIGATURE_CACHE: "off" } })
      return { exitCode: code as 0 | 1 | 2, stdout, stderr }
    },
    folders: [join(home, ".claude/projects")],
    cwd: home,
    allowWrite: false,
    version: "0",
  })
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = new Client({ name: "test", version: "0" }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)))
  onTestFinished(async () => {
    await client.close()
    await close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

const overStdio = async (home: string, options: ClientOptions): Promise<Client> => {
  const client = new Client({ name: "test", version: "0" }, options)
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, "mcp"], env: envOf(home), cwd: home }))
  onTestFinished(() => client.close())
  return client
}

const textOf = async (client: Client, name: string, given: Record<string, unknown>): Promise<string> => {
  const { content } = (await client.callTool({ name, arguments: given })) as { readonly content: readonly { readonly text: string }[] }
  return content.map(({ text }) => text).join("\n")
}

const eras: readonly (readonly [version: string, options: ClientOptions])[] = [
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
  ["2025-11-25", { supportedProtocolVersions: ["2025-11-25"] }],
  ["2025-06-18", { supportedProtocolVersions: ["2025-06-18"] }],
  ["2024-11-05", { supportedProtocolVersions: ["2024-11-05"] }],
]

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
] as const)("over %s", (_, connect) => {
  it.each(eras)("a client of %s lists the tools, searches, and recalls what it found", async (__, options) => {
    const client = await connect(homeWithSession(), options)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["list", "search", "show", "check", "doctor", "recall", "convert", "repair"]),
    )
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    const found = await textOf(client, "search", { text: "libquux-dev - headers" })
    const [handle] = /#\d+(?:\.\d+)?:\d+/.exec(found) ?? [""]
    expect(await textOf(client, "recall", { session, handle })).toContain("libquux-dev - headers")
  })
})

/** The command that each agent starts, read from the lines as the agent reads its settings. */
const commandsIn = (text: string): readonly (readonly [agent: string, command: readonly string[]])[] =>
  [...text.matchAll(/^(\S[^\n]*) \([^\n]*\)\n\n((?: {2}[^\n]*\n)+)/gm)].map(([, agent = "", block = ""]) => {
    const lines = block.replaceAll(/^ {2}/gm, "").trim()
    if (lines.startsWith("claude mcp add")) return [agent, lines.slice(lines.indexOf(" -- ") + 4).split(" ")]
    if (lines.startsWith("[mcp_servers.")) {
      const [, command = ""] = /^command = "(.*)"$/m.exec(lines) ?? []
      const [, args = "[]"] = /^args = (\[.*\])$/m.exec(lines) ?? []
      return [agent, [command, ...(JSON.parse(args) as string[])]]
    }
    const settings = JSON.parse(lines) as Record<string, Record<string, { command: string | string[]; args?: string[] }>>
    const [server] = Object.values(Object.values(settings)[0] ?? {})
    return [agent, [server?.command ?? [], server?.args ?? []].flat()]
  })

describe("the setup lines", () => {
  it("start the server for every agent, as they are printed", async () => {
    const { stdout } = await cli(["mcp", "--print-setup"])
    const commands = commandsIn(stdout)
    expect(commands.map(([agent]) => agent).join()).toMatch(/Claude Code.*Codex.*Gemini CLI.*opencode.*Cursor.*VS Code/)
    const home = homeWithSession()
    // `npx ligature` of a project in which it is installed.
    mkdirSync(join(home, "node_modules/.bin"), { recursive: true })
    symlinkSync(join(root, "packages/ligature"), join(home, "node_modules/ligature"))
    symlinkSync(join(root, "packages/mcp"), join(home, "node_modules/ligature-mcp"))
    writeFileSync(join(home, "node_modules/.bin/ligature"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
    writeFileSync(join(home, "package.json"), '{"name":"app","private":true,"dependencies":{"ligature":"*"}}')
    const different = new Map(commands.map(([agent, command]) => [JSON.stringify(command), { agent, command }]))
    for (const { agent, command } of different.values()) {
      const [program = "", ...args] = command
      const client = new Client({ name: agent, version: "0" })
      const env = {
        ...envOf(home),
        PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
      }
      await client.connect(new StdioClientTransport({ command: program, args, env, cwd: home }))
      expect([agent, (await client.listTools()).tools.length]).toEqual([agent, 9])
      await client.close()
    }
  })
})
