/**
 * The files that may hold sessions: in the homes of all known agents, or under given paths. Folders are walked in the
 * order of their names, so that two runs list the same files in the same order; links are not followed into circles.
 */
import { type Dirent, type Stats, statSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { isWire, type Wire } from "../model/index.ts"
import { assertFits, readTextFile } from "./disk/read-bytes.ts"

// Where agents keep their sessions, as data. A place is a folder and the names of the files in it that hold sessions;
// what a file really is, its content says when it is opened.

interface AgentHome {
  readonly agent: string
  /** Folders to look into, however deep. */
  readonly folders: readonly string[]
  /** Names of files that hold sessions. */
  readonly files: RegExp
}

interface Machine {
  readonly home: string
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Editors that run the extensions of the Cline family, each with a folder of its own. */
const editors = ["Code", "Code - Insiders", "Cursor", "VSCodium", "Windsurf", "Trae"]

const editorBase = ({ home, platform, env }: Machine, editor: string): string => {
  const base =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env["APPDATA"] ?? join(home, "AppData", "Roaming"))
        : (env["XDG_CONFIG_HOME"] ?? join(home, ".config"))
  return join(base, editor, "User", "globalStorage")
}

const editorFolders = (machine: Machine): readonly string[] => [
  ...editors.map((editor) => editorBase(machine, editor)),
  join(machine.home, ".vscode-server", "data", "User", "globalStorage"),
]

/** Chats of an editor have the id of their session as their name. */
const chatSession = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl?$/

const clineFamily = (agent: string, extension: string, machine: Machine): AgentHome => ({
  agent,
  folders: editorFolders(machine).map((folder) => join(folder, extension, "tasks")),
  files: /^(?:api_conversation_history|claude_messages)\.json$/,
})

/** Variables that move the folder of an agent. */
export const homeFolders: readonly (readonly [folder: string, variable: string])[] = [
  [".claude", "CLAUDE_CONFIG_DIR"],
  [".codex", "CODEX_HOME"],
  [".local/share", "XDG_DATA_HOME"],
]

/** The homes on this machine; most of them will not be there. */
const agentHomes = (machine: Machine): readonly AgentHome[] => {
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
    {
      agent: "Cline CLI",
      folders: [
        env["CLINE_SESSION_DATA_DIR"] ?? join(env["CLINE_DATA_DIR"] ?? join(env["CLINE_DIR"] ?? join(home, ".cline"), "data"), "sessions"),
      ],
      files: /\.messages\.json$/,
    },
    clineFamily("Roo Code", "rooveterinaryinc.roo-cline", machine),
    clineFamily("Kilo Code", "kilocode.kilo-code", machine),
    { agent: "Neovate Code", folders: [join(home, ".neovate", "projects")], files: /\.jsonl$/ },
    { agent: "Gemini CLI", folders: [join(home, ".gemini", "tmp")], files: /^session-.*\.jsonl?$/ },
    { agent: "opencode", folders: [join(data, "opencode")], files: /^(?:opencode.*\.db|ses_[^/]*\.json)$/ },
    { agent: "pi", folders: [join(home, ".pi", "agent", "sessions")], files: /\.jsonl$/ },
    { agent: "Qwen Code", folders: [join(home, ".qwen", "projects")], files: /^(?!agent-).*\.jsonl$/ },
    { agent: "Kimi CLI", folders: [join(home, ".kimi", "sessions")], files: /^context\.jsonl$/ },
    { agent: "Kimi Code", folders: [join(home, ".kimi-code", "sessions")], files: /^wire\.jsonl$/ },
    { agent: "Factory Droid", folders: [join(home, ".factory", "sessions")], files: /\.jsonl$/ },
    { agent: "iFlow", folders: [join(home, ".iflow", "projects")], files: /^session-.*\.jsonl$/ },
    { agent: "Grok Build", folders: [join(home, ".grok", "sessions")], files: /^chat_history\.jsonl$/ },
    { agent: "Kiro", folders: [join(data, "kiro-cli"), join(data, "amazon-q")], files: /^data\.sqlite3$/ },
    { agent: "Kilo CLI", folders: [join(data, "kilo")], files: /^kilo.*\.db$/ },
    { agent: "Cursor", folders: [join(home, ".cursor", "projects")], files: /\.jsonl$/ },
    { agent: "Cursor", folders: [editorBase(machine, "Cursor")], files: /^state\.vscdb$/ },
    {
      agent: "VS Code Copilot",
      folders: ["Code", "Code - Insiders", "VSCodium"].map((editor) => join(editorBase(machine, editor), "..", "workspaceStorage")),
      files: chatSession,
    },
    { agent: "Codebuff", folders: [join(home, ".config", "manicode", "projects")], files: /^chat-messages\.json$/ },
    { agent: "gptme", folders: [join(data, "gptme", "logs")], files: /^conversation\.jsonl$/ },
    { agent: "Posit Assistant", folders: [join(home, ".posit", "assistant")], files: /^lm-messages\.jsonl$/ },
    { agent: "OpenClaw", folders: [join(home, ".openclaw", "agents")], files: /\.jsonl$/ },
    { agent: "Copilot CLI", folders: [join(home, ".copilot", "session-state")], files: /^events\.jsonl$/ },
    { agent: "Continue", folders: [join(home, ".continue", "sessions")], files: /^(?!sessions\.json$).*\.json$/ },
    { agent: "Goose", folders: [join(data, "goose", "sessions")], files: /^(?:sessions\.db|.*\.jsonl)$/ },
    { agent: "Crush", folders: [join(data, "crush")], files: /^crush\.db$/ },
    { agent: "OpenHands", folders: [join(home, ".openhands")], files: /^event-.*\.json$/ },
    { agent: "Open WebUI", folders: [join(home, ".open-webui")], files: /^webui\.db$/ },
  ]
}

/** The folders in which agents on this machine keep their sessions, whether they are there or not. */
export const homesOn = (machine: Machine): readonly string[] => [...new Set(agentHomes(machine).flatMap(({ folders }) => folders))]

/** Files that may hold a session, where a folder was named and nothing says whose it is. */
const maybeSession = /\.(?:jsonl?|ndjson|traj|db|sqlite3?|vscdb|eval|jsonl\.zst|aider\.chat\.history\.md)(?:$|[ .(])/

/** Originals that a repair kept, and repaired copies: a session and its copy would be counted twice. */
const isOwnCopy = (name: string): boolean => /\.bak(?:\.\d+)?$|\.repaired(?:\.[^.]+)?$/.test(name)

// Sessions that are spread over many files. OpenHands writes one file per event; older opencode one per message and one
// per part of it. They are gathered into the one value that the agent's own export would hold.

const eventFile = /^event-\d+-.*\.json$/

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch((): string[] => [])).sort()

/** The events of a folder, in the order of their numbers, one per line; undefined where there are none. */
export const eventLines = async (folder: string): Promise<Uint8Array | undefined> => {
  const names = (await namesIn(folder)).filter((name) => eventFile.test(name))
  if (names.length === 0) return undefined
  const events: Buffer[] = []
  let bytes = 0
  for (const name of names) {
    const text = await readTextFile(join(folder, name))
    if (text === undefined) continue
    // An event that is printed over several lines has to be on one.
    const event = Buffer.from(`${text.trim().replaceAll(/\r?\n\s*/g, " ")}\n`)
    bytes += event.length
    assertFits(bytes, "The events of the session have at least")
    events.push(event)
  }
  return Buffer.concat(events)
}

/** Whether a file is one event of many, so that its folder is the session. */
const isEventFile = (path: string): boolean => eventFile.test(basename(path))

/** Adds up what was read, and fails where it would be too much. */
type Count = (characters: number) => void

const parsed = async (path: string, count: Count): Promise<Wire | undefined> => {
  const text = (await readTextFile(path)) ?? ""
  count(text.length)
  try {
    const value: unknown = JSON.parse(text)
    return isWire(value) ? value : undefined
  } catch {
    // A file that was half-written when the machine went down; the others are whole.
    return undefined
  }
}

const valuesIn = async (folder: string, start: string, count: Count): Promise<readonly Wire[]> => {
  const values: Wire[] = []
  for (const name of await namesIn(folder)) {
    const value = name.startsWith(start) && name.endsWith(".json") ? await parsed(join(folder, name), count) : undefined
    if (value) values.push(value)
  }
  return values
}

/**
 * `storage/session/PROJECT/ses_X.json` with the messages and parts beside it, as an export says it; undefined where the
 * file is no such thing. Ids are sorted by time, and files are named by their ids.
 */
export const opencodeExport = async (path: string): Promise<Uint8Array | undefined> => {
  const session = basename(path, ".json")
  if (!session.startsWith("ses_")) return undefined
  const storage = dirname(dirname(dirname(path)))
  let bytes = 0
  const count: Count = (more) => assertFits((bytes += more), "The messages of the session have at least")
  const infos = await valuesIn(join(storage, "message", session), "msg_", count)
  const info = infos.length === 0 ? undefined : await parsed(path, count)
  if (info === undefined) return undefined
  const messages: Wire[] = []
  for (const message of infos) {
    // An id that is no name of a folder would lead out of the session, into files of others.
    const id = String(message["id"])
    const parts = basename(id) === id && id !== ".." ? await valuesIn(join(storage, "part", id), "prt_", count) : []
    messages.push({ info: message, parts })
  }
  return Buffer.from(JSON.stringify({ info, messages }))
}

export interface FoundFile {
  readonly path: string
  readonly bytes: number
  /** When it was last written, in milliseconds since 1970. */
  readonly modified: number
  /** One session in many files: size and time are those of the first. */
  readonly isGathered: boolean
  /** Whose home it lies in, where that is known. */
  readonly agent?: string
}

/** Folders that hold no sessions and may be vast. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "Cache", "CachedData", "blobs", "snapshot", "log"])

const byName = (left: Dirent, right: Dirent): number => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)

async function* filesBelow(folder: string): AsyncGenerator<{ readonly path: string; readonly name: string }> {
  // A folder that may not be read holds nothing for us; the others go on.
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  for (const entry of entries.sort(byName)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* filesBelow(path)
    } else if (entry.isFile() && !isOwnCopy(entry.name)) yield { path, name: entry.name }
  }
}

/** Events in a folder are one session: the first of them stands for all. */
const isLaterEvent = (path: string, name: string, seen: Set<string>): boolean => {
  if (!isEventFile(name)) return false
  const folder = dirname(path)
  if (seen.has(folder)) return true
  seen.add(folder)
  return false
}

const statNow = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const withSize = (path: string, agent: string | undefined): FoundFile | undefined => {
  // One call after another: waiting for the thread pool takes longer than the call.
  const found = statNow(path)
  if (found === undefined || !found.isFile()) return undefined
  const isEvent = isEventFile(path)
  const isGathered = isEvent || basename(path).startsWith("ses_")
  return {
    path: isEvent ? dirname(path) : path,
    bytes: found.size,
    modified: found.mtimeMs,
    isGathered,
    ...(agent !== undefined && { agent }),
  }
}

export async function* findInHomes(machine: Machine): AsyncGenerator<FoundFile> {
  const seen = new Set<string>()
  for (const { agent, folders, files } of agentHomes(machine)) {
    for (const folder of folders) {
      for await (const { path, name } of filesBelow(folder)) {
        if (isLaterEvent(path, name, seen)) continue
        const found = files.test(name) ? withSize(path, agent) : undefined
        if (found) yield found
      }
    }
  }
}

/** A file is taken by its word; below a folder, names decide what is looked at. */
export async function* findUnder(path: string): AsyncGenerator<FoundFile> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) {
    const file = withSize(path, undefined)
    if (file) yield file
    return
  }
  const seen = new Set<string>()
  for await (const { path: inside, name } of filesBelow(path)) {
    if (isLaterEvent(inside, name, seen)) continue
    const file = maybeSession.test(name) ? withSize(inside, undefined) : undefined
    if (file) yield file
  }
}
