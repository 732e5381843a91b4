/** What to paste where, so that an agent starts this server. */

const command = ["npx", "ligature", "mcp"] as const
const [program, ...args] = command

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const setups: readonly { readonly agent: string; readonly where: string; readonly text: string }[] = [
  { agent: "Claude Code", where: "in a shell", text: `claude mcp add ligature -- ${command.join(" ")}` },
  {
    agent: "Codex",
    where: "~/.codex/config.toml",
    text: `[mcp_servers.ligature]\ncommand = ${JSON.stringify(program)}\nargs = ${JSON.stringify(args)}`,
  },
  {
    agent: "Gemini CLI, Qwen Code",
    where: "~/.gemini/settings.json, ~/.qwen/settings.json",
    text: json({ mcpServers: { ligature: { command: program, args } } }),
  },
  { agent: "opencode", where: "opencode.json", text: json({ mcp: { ligature: { type: "local", command } } }) },
  {
    agent: "Cursor, Cline, Windsurf",
    where: ".cursor/mcp.json and the like",
    text: json({ mcpServers: { ligature: { command: program, args } } }),
  },
  { agent: "VS Code", where: ".vscode/mcp.json", text: json({ servers: { ligature: { type: "stdio", command: program, args } } }) },
]

export const setupText = (): string =>
  setups.map(({ agent, where, text }) => `${agent} (${where})\n\n${text.replaceAll(/^/gm, "  ")}\n`).join("\n")
