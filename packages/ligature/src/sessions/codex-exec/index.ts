/**
 * `codex exec --json`: the stream of a run without a screen, kept by whoever started it. No agent opens such a file, so that
 * it is only read. It shows what the run printed, not what the model was sent, and does not say what the user asked.
 *
 * Items come as `item.started`, `item.updated`, `item.completed`: the last version of an item counts, at the place of its
 * first. A call is made where its item starts and answered where it completes, so that calls that ran at the same time are
 * one message; an item that never completed is a call without result.
 */
import { type Block, isWire, readArgumentsObject, type ResultBlock, text, type Wire } from "../../model/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"
import { previewOf } from "../../formats/engine/malformed.ts"
import { capabilities as rollout } from "../codex-rollout/items.ts"
import { defineSession } from "../engine/define-session.ts"
import { recordsOf, stringOf, textOf } from "../engine/fields.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "codex-exec"

interface CallReader {
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

const callReaders: Readonly<Record<string, CallReader>> = {
  command_execution: {
    name: () => "command_execution",
    arguments: ({ command }) => ({ command }),
    outcome: (item) => {
      const code = item["exit_code"]
      const output = stringOf(item["aggregated_output"])
      const note = typeof code === "number" && code !== 0 ? `[exit code ${code}]` : ""
      return { content: shown([output, note].filter((words) => words !== "").join("\n")), ...declined(item) }
    },
  },
  file_change: {
    name: () => "file_change",
    arguments: ({ changes }) => ({ changes }),
    outcome: (item) => ({ content: shown(`[${stringOf(item["status"]) || "completed"}]`), ...declined(item) }),
  },
  mcp_tool_call: {
    name: (item) => [stringOf(item["server"]), stringOf(item["tool"])].filter((name) => name !== "").join("__"),
    arguments: (item) => item["arguments"] ?? {},
    outcome: (item) => {
      const { error } = item
      if (error === undefined || error === null) return { ...toolContent(item["result"]), ...declined(item) }
      const said = isWire(error) ? stringOf(error["message"]) : ""
      return { content: shown(said || asText(error)), error: true }
    },
  },
  collab_tool_call: {
    name: (item) => stringOf(item["tool"]) || "collab_tool_call",
    arguments: (item) => without(item, "id", "type", "tool", "status", "agents_states"),
    outcome: (item) => ({ content: shown(asText(item["agents_states"] ?? stringOf(item["status"]))), ...declined(item) }),
  },
}

const callReaderOf = (item: Wire): CallReader | undefined => {
  const { type } = item
  return typeof type === "string" && Object.hasOwn(callReaders, type) ? callReaders[type] : undefined
}

const readCall = (item: Wire, reader: CallReader): Block => ({
  type: "call",
  id: stringOf(item["id"]),
  name: reader.name(item),
  ...readArgumentsObject(reader.arguments(item)),
  native: { [format]: item },
})

const readResult = (item: Wire, reader: CallReader): ResultBlock => ({
  type: "result",
  callId: stringOf(item["id"]),
  ...reader.outcome(item),
  native: { [format]: item },
})

const todo = (entry: unknown): string => (isWire(entry) ? `- [${entry["completed"] === true ? "x" : " "}] ${stringOf(entry["text"])}` : "")

/** Notes: what happened on the server or on the screen, as text for a reader of another format. */
const captions: Readonly<Record<string, (item: Wire) => string>> = {
  web_search: (item) => `[web search: ${stringOf(item["query"])}]`,
  todo_list: ({ items }) => (Array.isArray(items) ? items.map(todo).join("\n") : ""),
}

/** A block that is no call; nothing for what is not from the model, such as errors. */
const readSaid = (item: Wire): Block | undefined => {
  const { type } = item
  const native = { [format]: item }
  if (type === "agent_message") return { type: "text", text: stringOf(item["text"]), native }
  if (type === "reasoning") return { type: "thinking", text: stringOf(item["text"]), native }
  if (type === "error" || typeof type !== "string") return undefined
  const caption = Object.hasOwn(captions, type) ? captions[type] : undefined
  return caption && { type: "opaque", kind: type, text: caption(item), native }
}

const knownTypes: ReadonlySet<unknown> = new Set([
  ...Object.keys(callReaders),
  ...Object.keys(captions),
  "agent_message",
  "reasoning",
  "error",
])

const itemEvents: ReadonlySet<unknown> = new Set(["item.started", "item.updated", "item.completed"])

const otherEvents: ReadonlySet<unknown> = new Set(["thread.started", "turn.started", "turn.completed", "turn.failed", "error"])

const itemOf = ({ type, item }: Wire): Wire | undefined => (itemEvents.has(type) && isWire(item) ? item : undefined)

/** What is said where an item starts, where it completes, or at both in one record. */
const readItem = (item: Wire, moments: { readonly starts: boolean; readonly completes: boolean }): RecordReading => {
  if (!knownTypes.has(item["type"])) return moments.starts ? { unknownType: item["type"] } : {}
  const reader = callReaderOf(item)
  const said = moments.starts ? (reader ? readCall(item, reader) : readSaid(item)) : undefined
  const messages: RecordMessage[] = []
  if (said) messages.push({ role: "assistant", blocks: [said], origin: { provider: "openai" } })
  if (reader && moments.completes) messages.push({ role: "tool", blocks: [readResult(item, reader)] })
  return { messages }
}

const read = (record: Wire): RecordReading => {
  const { type } = record
  const item = itemOf(record)
  if (item) return readItem(item, { starts: true, completes: type === "item.completed" })
  if (itemEvents.has(type)) return { findings: [{ kind: "malformed-record", what: "An item record has no item" }] }
  if (!otherEvents.has(type)) return { unknownType: type }
  return type === "turn.started" ? { starts: true } : {}
}

/** What became of an item. */
interface Course {
  last: Wire
  /** Index of the record that completed it. */
  completed: number
}

/** The courses of all items, by the index of their first record. Numbering starts again with each run. */
const coursesOf = (records: readonly unknown[]): ReadonlyMap<number, Course> => {
  const starts = new Map<number, Course>()
  let running = new Map<unknown, Course>()
  records.forEach((record, index) => {
    if (!isWire(record)) return
    if (record["type"] === "thread.started") running = new Map()
    const item = itemOf(record)
    if (!item) return
    const known = running.get(item["id"])
    const same = known && known.completed < 0 && known.last["type"] === item["type"] ? known : undefined
    const course: Course = same ?? { last: item, completed: -1 }
    course.last = item
    if (record["type"] === "item.completed") course.completed = index
    if (same) return
    starts.set(index, course)
    if (typeof item["id"] === "string") running.set(item["id"], course)
  })
  return starts
}

const capabilities: Capabilities = {
  homes: {
    ...rollout.homes,
    "result-error": "native",
    "result-image": "none",
    thinking: "native",
    "thinking-signature": "none",
    "raw-arguments": "none",
    "free-text-call": "none",
    "system-in-the-middle": "none",
  },
}

export const codexExec = defineSession({
  format,
  title: "codex exec --json",
  agent: "Codex CLI",
  sources: "openai/codex codex-rs/exec/src/exec_events.rs; the output of version 0.169.0, which was run",
  capabilities,
  layout: "lines",
  view: "effective",
  records: recordsOf,
  wrap: (value) => ({ records: recordsOf(value) }),
  read,
  reader: (records) => {
    const starts = coursesOf(records)
    const ends = new Map<number, Course>()
    for (const course of starts.values()) if (course.completed >= 0) ends.set(course.completed, course)
    let answered = 0
    return (record, index) => {
      if (!itemOf(record)) return read(record)
      const started = starts.get(index)
      const ended = ends.get(index)
      const item = (started ?? ended)?.last
      if (!item) return {}
      // The model goes on with the same message until a result comes.
      const response = String(answered)
      if (ended && callReaderOf(item)) answered++
      return { ...readItem(item, { starts: started !== undefined, completes: ended !== undefined }), response }
    }
  },
  facts: ({ type, thread_id: id }) => (type === "thread.started" ? { id: textOf(id) } : {}),
  marks: [
    {
      certainty: "certain",
      evidence: "it has a thread.started record",
      isOn: ({ type, thread_id: id }) => type === "thread.started" && typeof id === "string",
    },
    { certainty: "likely", evidence: "its records are items that start and complete", isOn: (record) => itemOf(record) !== undefined },
  ],
})
