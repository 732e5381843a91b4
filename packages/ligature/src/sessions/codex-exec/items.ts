/**
 * The items of `codex exec --json`: what the run showed on its screen, not what the model was sent. One small reader
 * per type. Commands, patches and tools of servers are calls with their results in one; the rest is text or a note.
 */
import { type Block, isWire, readArgumentsObject, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { previewOf } from "../../formats/engine/malformed.ts"

export const format = "codex-exec"

const word = (wire: Wire, key: string): string => {
  const value = wire[key]
  return typeof value === "string" ? value : ""
}

export interface CallReader {
  readonly name: (item: Wire) => string
  readonly arguments: (item: Wire) => unknown
  /** What came of it, as far as the item says: text, and whether it failed. */
  readonly outcome: (item: Wire) => Pick<ResultBlock, "content" | "error" | "structured" | "denied">
}

const shown = (words: string): ResultBlock["content"] => (words === "" ? [] : [text(words)])

const failed = (item: Wire): boolean => item["status"] === "failed"

/** The user or a rule said no: it never ran. */
const declined = (item: Wire): { readonly denied?: true; readonly error?: true } =>
  item["status"] === "declined" ? { denied: true, error: true } : failed(item) ? { error: true } : {}

const toolContent = (result: unknown): Pick<ResultBlock, "content" | "structured"> => {
  if (!isWire(result)) return { content: result === undefined || result === null ? [] : shown(asText(result)) }
  const { content, structured_content: structured } = result
  const parts = Array.isArray(content) ? (content as readonly unknown[]) : []
  const words = parts.map((part) => (isWire(part) && typeof part["text"] === "string" ? part["text"] : previewOf(part)))
  if (words.length > 0) return { content: words.map(text) }
  if (structured === undefined || structured === null) return { content: [] }
  return { content: shown(asText(structured)), structured: true }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const without = (item: Wire, ...keys: readonly string[]): Wire =>
  Object.fromEntries(Object.entries(item).filter(([key]) => !keys.includes(key)))

export const callReaders: Readonly<Record<string, CallReader>> = {
  command_execution: {
    name: () => "command_execution",
    arguments: ({ command }) => ({ command }),
    outcome: (item) => {
      const code = item["exit_code"]
      const output = word(item, "aggregated_output")
      const note = typeof code === "number" && code !== 0 ? `[exit code ${code}]` : ""
      return { content: shown([output, note].filter((words) => words !== "").join("\n")), ...declined(item) }
    },
  },
  file_change: {
    name: () => "file_change",
    arguments: ({ changes }) => ({ changes }),
    outcome: (item) => ({ content: shown(`[${word(item, "status") || "completed"}]`), ...declined(item) }),
  },
  mcp_tool_call: {
    name: (item) => [word(item, "server"), word(item, "tool")].filter((name) => name !== "").join("__"),
    arguments: (item) => item["arguments"] ?? {},
    outcome: (item) => {
      const { error } = item
      if (error === undefined || error === null) return { ...toolContent(item["result"]), ...declined(item) }
      const said = isWire(error) ? word(error, "message") : ""
      return { content: shown(said || asText(error)), error: true }
    },
  },
  collab_tool_call: {
    name: (item) => word(item, "tool") || "collab_tool_call",
    arguments: (item) => without(item, "id", "type", "tool", "status", "agents_states"),
    outcome: (item) => ({ content: shown(asText(item["agents_states"] ?? word(item, "status"))), ...declined(item) }),
  },
}

export const callReaderOf = (item: Wire): CallReader | undefined => {
  const { type } = item
  return typeof type === "string" && Object.hasOwn(callReaders, type) ? callReaders[type] : undefined
}

export const readCall = (item: Wire, reader: CallReader): Block => ({
  type: "call",
  id: word(item, "id"),
  name: reader.name(item),
  ...readArgumentsObject(reader.arguments(item)),
  native: { [format]: item },
})

export const readResult = (item: Wire, reader: CallReader): ResultBlock => ({
  type: "result",
  callId: word(item, "id"),
  ...reader.outcome(item),
  native: { [format]: item },
})

const todo = (entry: unknown): string =>
  isWire(entry) ? `- [${entry["completed"] === true ? "x" : " "}] ${word(entry, "text")}` : ""

/** Notes: what happened on the server or on the screen, as text for a reader of another format. */
const captions: Readonly<Record<string, (item: Wire) => string>> = {
  web_search: (item) => `[web search: ${word(item, "query")}]`,
  todo_list: ({ items }) => (Array.isArray(items) ? items.map(todo).join("\n") : ""),
}

/** A block that is no call; nothing for what is not from the model, such as errors. */
export const readSaid = (item: Wire): Block | undefined => {
  const { type } = item
  const native = { [format]: item }
  if (type === "agent_message") return { type: "text", text: word(item, "text"), native }
  if (type === "reasoning") return { type: "thinking", text: word(item, "text"), native }
  if (type === "error" || typeof type !== "string") return undefined
  const caption = Object.hasOwn(captions, type) ? captions[type] : undefined
  return caption && { type: "opaque", kind: type, text: caption(item), native }
}

export const knownTypes: ReadonlySet<unknown> = new Set([
  ...Object.keys(callReaders),
  ...Object.keys(captions),
  "agent_message",
  "reasoning",
  "error",
])
