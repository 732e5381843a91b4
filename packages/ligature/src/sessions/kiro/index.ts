/**
 * Conversations of Kiro and Amazon Q CLI: `{ conversation_id, history }`, as the database keeps it and as `/save` writes it. An
 * entry has what the user's side sent and what the assistant said; the results of its calls are what the next entry sent. An
 * older generation has records with a `kind` on lines. The format is not documented: facts are from files (2026) and, for the lines,
 * from a program that reads them (kenn-io/agentsview internal/parser/kiro.go). Only read: the agent keeps a database.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "kiro"

const readSaid = (content: unknown): unknown => {
  const parts = listOf(content)
  const texts = parts.map(
    (part) => textAt(part, "Text") ?? textAt(part, "text") ?? (textAt(part, "kind") === "text" ? textAt(part, "data") : undefined),
  )
  if (Array.isArray(content) && texts.every((each) => each !== undefined)) return texts.join("\n")
  return parts.length === 1 && isWire(parts[0]) && "Json" in parts[0] ? parts[0]["Json"] : content
}

const readResult = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return []
  const error = /^error$/i.test(stringOf(wire["status"]))
  return [resultBlock(format, wire, { callId: wire["tool_use_id"] ?? wire["toolUseId"], content: readSaid(wire["content"]), error })]
}

const readResults = (held: unknown): readonly Block[] =>
  (Array.isArray(held) ? held : listOf(wireOf(held)["tool_use_results"])).flatMap(readResult)

/** What the user's side sent: words, results, or results of calls that the user stopped with new words. */
const readUser = (user: unknown): readonly RecordMessage[] => {
  const content = wireOf(user)["content"]
  if (typeof content === "string") return [{ role: "user", blocks: readContent(format, content) }]
  const { Prompt: prompt, ToolUseResults: results, CancelledToolUses: cancelled } = wireOf(content)
  const said = (held: unknown): readonly Block[] => readContent(format, typeof held === "string" ? held : textAt(held, "prompt"))
  if (prompt !== undefined) return [{ role: "user", blocks: said(prompt) }]
  const answers = readResults(results ?? cancelled)
  const words = said(cancelled)
  return [
    ...(answers.length === 0 ? [] : [{ role: "tool" as const, blocks: answers }]),
    ...(words.length === 0 ? [] : [{ role: "user" as const, blocks: words }]),
  ]
}

const readAssistant = (assistant: unknown): readonly RecordMessage[] => {
  const { Response: response, ToolUse: use } = wireOf(assistant)
  const held = isWire(response) ? response : wireOf(use)
  const calls = listOf(held["tool_uses"])
    .filter(isWire)
    .map((call) => callBlock(format, call, { id: call["id"], name: call["name"], input: call["args"] }))
  const blocks = [...readContent(format, held["content"]), ...calls]
  const id = textOf(held["message_id"])
  return blocks.length === 0 ? [] : [{ role: "assistant", blocks, ...(id !== undefined && { id }) }]
}

/** Records of the older generation: their content is a list of `{ kind, data }`. */
const readPart = (part: unknown): readonly Block[] => {
  const { kind, data } = wireOf(part)
  if (kind === "text") return readContent(format, data)
  const held = wireOf(data)
  if (kind === "toolUse") return [callBlock(format, held, { id: held["toolUseId"], name: held["name"], input: held["input"] })]
  if (kind === "toolResult") return readResult(data)
  return isWire(part) ? [{ type: "opaque", kind: stringOf(kind), text: JSON.stringify(part), native: { [format]: part } }] : []
}

const lineRoles: ReadonlyMap<unknown, "user" | "assistant" | "tool"> = new Map([
  ["Prompt", "user"],
  ["AssistantMessage", "assistant"],
  ["ToolResults", "tool"],
] as const)

const read = (record: Wire): RecordReading => {
  const role = lineRoles.get(record["kind"])
  if (role !== undefined) return { messages: [{ role, blocks: listOf(wireOf(record["data"])["content"]).flatMap(readPart) }] }
  if (typeof record["kind"] === "string") return { unknownType: record["kind"] }
  const messages = [...readUser(record["user"]), ...readAssistant(record["assistant"])]
  return messages.length > 0
    ? { messages }
    : { findings: [{ kind: "malformed-record", what: "Expected an entry with what the user sent and what the assistant said" }] }
}

const isLine = (record: unknown): boolean =>
  isWire(record) && lineRoles.has(record["kind"]) && Array.isArray(wireOf(record["data"])["content"])

const isEntry = (entry: unknown): boolean =>
  (isWire(entry) && "user" in entry && "assistant" in entry) || (Array.isArray(entry) && entry.length === 2 && entry.every(isWire))

/** The oldest version has pairs. */
const entryOf = (entry: unknown): unknown => (Array.isArray(entry) ? { user: entry[0] as unknown, assistant: entry[1] as unknown } : entry)

const folderOf = ({ user }: Wire): string | undefined => {
  const { env_context: one, user_env_context: other } = wireOf(user)
  return textAt(wireOf(wireOf(one ?? other)["env_state"]), "current_working_directory")
}

export const kiro = defineSession({
  format,
  title: "Kiro conversation",
  agent: "Kiro",
  aliases: ["amazon-q", "q-cli"],
  sources: "no public source; files in simonw/claude-code-transcripts and kenn-io/agentsview (2026)",
  capabilities: declareHomes({
    native: ["result-error", "structured-result", "parallel-calls", "call-grouping", "call-id", "empty-result"],
  }),
  layout: "value",
  listKey: "history",
  orLines: true,
  view: "whole",
  records: (value) => (Array.isArray(value) ? value : listOf(wireOf(value)["history"]).map(entryOf)),
  wrap: (value) => (Array.isArray(value) ? { records: value } : wireOf(value)),
  read,
  results: "together",
  facts: (record) => ({ folder: folderOf(record), startedAt: textAt(record["user"], "timestamp") }),
  about: (value) => ({ id: textAt(value, "conversation_id") }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it holds a conversation_id and a history of entries of the user and the assistant",
      isOn: (value) => isWire(value) && typeof value["conversation_id"] === "string" && listOf(value["history"]).slice(0, 4).some(isEntry),
    },
    {
      certainty: "certain",
      evidence: "its lines are records of the kinds Prompt, AssistantMessage and ToolResults",
      isOn: (value, syntax) => syntax === "lines" && listOf(value).some(isLine),
    },
  ],
})
