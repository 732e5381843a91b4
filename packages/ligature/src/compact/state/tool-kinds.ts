/**
 * What a tool call does, whoever made the tool: told from what it is given and from its name, the names as data. What it is
 * given says more: nobody passes `old_string` to read, and a name is `view` in one agent and `str_replace_editor` in
 * the next.
 */
import type { CallBlock, JsonValue } from "../../model/index.ts"

export const toolKinds = ["read", "edit", "run", "search", "plan", "ask", "delegate", "other"] as const
export type ToolKind = (typeof toolKinds)[number]

/** Arguments that name a file, by the order in which they are asked for. */
const pathKeys = ["file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "filename", "file", "uri", "file_name"]
const commandKeys = ["command", "cmd", "keystrokes", "script", "code", "action", "bash", "shell_command"]

/** Arguments that only one kind of tool has. */
const tellingKeys: readonly (readonly [ToolKind, readonly string[]])[] = [
  ["plan", ["todos", "todo", "plan", "taskId", "activeForm", "tasks"]],
  ["ask", ["questions", "question", "choices"]],
  ["delegate", ["subagent_type", "agent_type", "subagent"]],
  [
    "edit",
    [
      "old_string",
      "new_string",
      "oldString",
      "newString",
      "old_str",
      "new_str",
      "edits",
      "diff",
      "patch",
      "patchText",
      "file_text",
      "replacement_text",
      "new_source",
      "old_text",
      "new_text",
    ],
  ],
]

/** Words of names. The first word that is here decides. */
const words: Readonly<Record<string, ToolKind>> = (() => {
  const table: readonly (readonly [ToolKind, string])[] = [
    [
      "edit",
      "edit write replace patch create insert delete remove update modify cancel return exchange add set book send transfer pay record place submit rename move save upload assign apply grant revoke enable disable schedule reserve refund multiedit notebookedit approve close reopen merge publish post toggle reset change",
    ],
    ["run", "bash shell terminal exec execute run command cmd powershell console python jupyter ipython stdin"],
    ["search", "grep glob search find ls list tree rg query websearch lookup"],
    [
      "read",
      "read view cat open show get fetch load viewcode check describe download inspect scroll goto browse navigate screenshot webfetch count",
    ],
    ["plan", "todo todos todowrite plan task tasks taskcreate taskupdate todolist"],
    ["ask", "ask question askuserquestion followup confirm"],
    ["delegate", "agent subagent delegate spawn dispatch"],
    ["other", "think thought calculate finish complete attempt wait sleep convert generate translate skill"],
  ]
  const found: Record<string, ToolKind> = {}
  for (const [kind, list] of table) for (const word of list.split(" ")) if (word !== "" && !(word in found)) found[word] = kind
  return found
})()

const names: Readonly<Record<string, ToolKind>> = {
  task: "delegate",
  agent: "delegate",
  str_replace_editor: "edit",
  str_replace_based_edit_tool: "edit",
  applypatch: "edit",
  write_stdin: "run",
  todowrite: "plan",
  todo_write: "plan",
  taskcreate: "plan",
  taskupdate: "plan",
  update_plan: "plan",
  update_topic: "other",
  exitplanmode: "ask",
  transfer_to_human_agents: "other",
}

/** One tool for several things: which, says an argument. */
const subcommands: Readonly<Record<string, ToolKind>> = {
  view: "read",
  create: "edit",
  str_replace: "edit",
  insert: "edit",
  undo_edit: "edit",
  delete: "edit",
  rename: "edit",
}

const wordsOfName = (name: string): readonly string[] => {
  // A tool of an MCP server has the server's name before its own.
  const own = name.includes("__") ? name.slice(name.lastIndexOf("__") + 2) : name
  return own
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "")
}

const ofName = (name: string): ToolKind => {
  const whole = names[name.toLowerCase()]
  if (whole !== undefined) return whole
  for (const word of wordsOfName(name)) {
    const kind = Object.hasOwn(words, word) ? words[word] : undefined
    if (kind !== undefined) return kind
  }
  return "other"
}

const stringAt = (call: CallBlock, keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const value: JsonValue | undefined = Object.hasOwn(call.arguments, key) ? call.arguments[key] : undefined
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}

/** The file a call is about, where an argument names one. */
export const pathOf = (call: CallBlock): string | undefined => stringAt(call, pathKeys)

/** The command a call runs. A list is a program and its arguments; of a shell the last is what it runs. */
export const commandOf = (call: CallBlock): string | undefined => {
  const text = stringAt(call, commandKeys)
  if (text !== undefined) return text
  for (const key of commandKeys) {
    const value = Object.hasOwn(call.arguments, key) ? call.arguments[key] : undefined
    if (Array.isArray(value)) {
      const last = value.at(-1)
      if (typeof last === "string") return last
    }
  }
  return undefined
}

/** What a call does. */
export const kindOf = (call: CallBlock, knownName?: (name: string) => ToolKind): ToolKind => {
  const byName = (knownName ?? ofName)(call.name)
  const given = call.arguments
  const command = Object.hasOwn(given, "command") ? given["command"] : undefined
  if (typeof command === "string" && Object.hasOwn(subcommands, command)) return subcommands[command] as ToolKind
  if (byName === "plan" || byName === "run") return byName
  for (const [kind, keys] of tellingKeys) {
    if (kind !== byName && keys.some((key) => Object.hasOwn(given, key))) {
      // A plan of an agent is a list; a plan that is handed in for approval is a question to the person.
      if (kind === "plan" && byName === "ask") return byName
      return kind
    }
  }
  if (byName === "other" && commandOf(call) !== undefined && Object.keys(given).length <= 4) return "run"
  return byName
}

/** `kindOf` that reads each name once. */
export const kindReader = (): ((call: CallBlock) => ToolKind) => {
  const known = new Map<string, ToolKind>()
  const read = (name: string): ToolKind => {
    let kind = known.get(name)
    if (kind === undefined) known.set(name, (kind = ofName(name)))
    return kind
  }
  return (call) => kindOf(call, read)
}
