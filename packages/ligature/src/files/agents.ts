/**
 * Where agents keep their sessions, as data. A place is a folder and the names of the files in it that hold sessions;
 * what a file really is, its content says when it is opened.
 */
import { join } from "node:path"

export interface AgentHome {
  readonly agent: string
  /** Folders to look into, however deep. */
  readonly folders: readonly string[]
  /** Names of files that hold sessions. */
  readonly files: RegExp
}

export interface Machine {
  readonly home: string
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Editors that run the extensions of the Cline family, each with a folder of its own. */
const editors = ["Code", "Code - Insiders", "Cursor", "VSCodium", "Windsurf", "Trae"]

const editorFolders = ({ home, platform, env }: Machine): readonly string[] => {
  const base =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env["APPDATA"] ?? join(home, "AppData", "Roaming"))
        : (env["XDG_CONFIG_HOME"] ?? join(home, ".config"))
  const desktop = editors.map((editor) => join(base, editor, "User", "globalStorage"))
  return [...desktop, join(home, ".vscode-server", "data", "User", "globalStorage")]
}

const clineFamily = (agent: string, extension: string, machine: Machine): AgentHome => ({
  agent,
  folders: editorFolders(machine).map((folder) => join(folder, extension, "tasks")),
  files: /^(?:api_conversation_history|claude_messages)\.json$/,
})

/** The homes on this machine; most of them will not be there. */
export const agentHomes = (machine: Machine): readonly AgentHome[] => {
  const { home, env } = machine
  const data = env["XDG_DATA_HOME"] ?? join(home, ".local", "share")
  return [
    { agent: "Claude Code", folders: [join(env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects")], files: /\.jsonl$/ },
    {
      agent: "Codex CLI",
      folders: ["sessions", "archived_sessions"].map((name) => join(env["CODEX_HOME"] ?? join(home, ".codex"), name)),
      files: /^rollout-.*\.jsonl(?:\.zst)?$/,
    },
    clineFamily("Cline", "saoudrizwan.claude-dev", machine),
    clineFamily("Roo Code", "rooveterinaryinc.roo-cline", machine),
    clineFamily("Kilo Code", "kilocode.kilo-code", machine),
    { agent: "Neovate Code", folders: [join(home, ".neovate", "projects")], files: /\.jsonl$/ },
    { agent: "Gemini CLI", folders: [join(home, ".gemini", "tmp")], files: /^session-.*\.jsonl?$/ },
    { agent: "opencode", folders: [join(data, "opencode")], files: /^(?:opencode.*\.db|ses_[^/]*\.json)$/ },
    { agent: "pi", folders: [join(home, ".pi", "agent", "sessions")], files: /\.jsonl$/ },
    { agent: "OpenClaw", folders: [join(home, ".openclaw", "agents")], files: /\.jsonl$/ },
    { agent: "Copilot CLI", folders: [join(home, ".copilot", "session-state")], files: /^events\.jsonl$/ },
    { agent: "Continue", folders: [join(home, ".continue", "sessions")], files: /^(?!sessions\.json$).*\.json$/ },
    { agent: "Goose", folders: [join(data, "goose", "sessions")], files: /^(?:sessions\.db|.*\.jsonl)$/ },
    { agent: "Crush", folders: [join(data, "crush")], files: /^crush\.db$/ },
    { agent: "OpenHands", folders: [join(home, ".openhands")], files: /^event-.*\.json$/ },
    { agent: "Open WebUI", folders: [join(home, ".open-webui")], files: /^webui\.db$/ },
  ]
}

/** Files that may hold a session, where a folder was named and nothing says whose it is. */
export const maybeSession = /\.(?:jsonl?|ndjson|traj|db|sqlite3?|jsonl\.zst)(?:$|[ .(])/
