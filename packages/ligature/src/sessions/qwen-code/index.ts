/**
 * Sessions of Qwen Code: a tree of records on lines, as Claude Code has them, around contents of the Gemini API. Facts are
 * from its sources (packages/core/src/services/chatRecordingService.ts, August 2026) and files of versions 0.18 and 0.21.
 *
 * Records of type `system` are links of the chain and no messages. A compression holds the whole history that replaces what
 * was before it; in the whole view everything is shown and the compression is a mark.
 */
import {
  type Block,
  type CallBlock,
  type Diagnostic,
  isWire,
  phrase,
  pushAll,
  resultText,
  type Role,
  shellWord,
  type Wire,
} from "../../model/index.ts"
import { gemini } from "../../formats/gemini/index.ts"
import { newReading, readParts } from "../../formats/gemini/read-blocks.ts"
import { writePart, writeResult } from "../../formats/gemini/write-blocks.ts"
import { textAt, textOf } from "../engine/fields.ts"
import { defineSession } from "../engine/define-session.ts"
import { patch, patchList } from "../engine/patch.ts"
import type { RecordMessage, RecordReading, View, WritePlace } from "../engine/session-format.ts"
import { deriveUuid } from "../engine/derived-id.ts"

const format = "qwen-code"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool_result", "tool"],
] as const)

const compressedHistory = ({ systemPayload }: Wire): readonly unknown[] => {
  const history = isWire(systemPayload) ? systemPayload["compressedHistory"] : undefined
  return Array.isArray(history) ? history : []
}

const isCompression = (record: Wire): boolean => record["type"] === "system" && record["subtype"] === "chat_compression"

/** A content by itself: the user's side may hold results, the first of a compressed history is its summary. */
const readContent = (content: unknown, role: Role, diagnostics: Diagnostic[]): RecordMessage => {
  const parts = isWire(content) && Array.isArray(content["parts"]) ? content["parts"] : []
  const reading = newReading()
  const blocks = readParts(parts, reading, {})
  pushAll(diagnostics, reading.diagnostics)
  return { role, blocks }
}

const roleOfContent = (content: unknown): Role => (isWire(content) && content["role"] === "model" ? "assistant" : "user")

const readCompression = (record: Wire, view: View): RecordReading => {
  const diagnostics: Diagnostic[] = []
  const messages = compressedHistory(record).map((content, index): RecordMessage => {
    const message = readContent(content, roleOfContent(content), diagnostics)
    return index === 0 ? { ...message, summary: true } : message
  })
  const [first] = messages[0]?.blocks ?? []
  const compaction = { kind: "summary", ...(first?.type === "text" && { summary: first.text }) } as const
  return { compaction, ...(view === "effective" && { messages, diagnostics }) }
}

const read = (record: Wire, view: View): RecordReading => {
  const { type, message, model } = record
  if (isCompression(record)) return readCompression(record, view)
  if (type === "system") return {}
  const role = roles.get(type)
  if (role === undefined) return { unknownType: type }
  if (!isWire(message) || !Array.isArray(message["parts"])) {
    return { findings: [{ kind: "malformed-record", what: `Expected a message with parts in a record of type ${String(type)}` }] }
  }
  const diagnostics: Diagnostic[] = []
  const said = readContent(message, role, diagnostics)
  const origin = role === "assistant" && typeof model === "string" && { origin: { model } }
  return { messages: [{ ...said, id: textAt(record, "uuid") ?? "", ...origin }], diagnostics }
}

/** The Gemini API takes calls without ids; this agent pairs by them. */
const withId = (block: CallBlock): CallBlock => {
  const { assigned: _, ...call } = block
  return call
}

const writeBlock = (block: Block, { callOf }: WritePlace): Wire | undefined => {
  if (block.type === "call") return writePart(block.assigned === true ? withId(block) : block)
  if (block.type !== "result") return writePart(block)
  const name = block.name ?? callOf(block.callId)?.call.name ?? ""
  return writeResult(block, { type: "call", id: block.callId, name, arguments: {} })
}

const writeContent = ({ role, blocks }: RecordMessage, like: Wire | undefined, place: WritePlace): Wire => {
  const parts = patchList(
    like?.["parts"],
    blocks.flatMap((block) => writeBlock(block, place) ?? []),
  )
  return patch(like, { role: like?.["role"] ?? (role === "assistant" ? "model" : "user"), parts })
}

const typeOf = (messages: readonly RecordMessage[]): string => {
  const [first] = messages
  if (first?.role === "assistant") return "assistant"
  return first?.role === "tool" ? "tool_result" : "user"
}

/** What every record says of its session: as the record before it does, or what is known of a new one. */
const envelopeOf = ({ previous, session }: WritePlace): Wire => {
  if (!previous) return { sessionId: session.id, cwd: session.folder ?? "/", version: "0.21.0" }
  const { sessionId, cwd, version, gitBranch } = previous
  return { sessionId, cwd, version, ...(gitBranch !== undefined && { gitBranch }) }
}

/** What the agent shows of a result when it opens the session; the model gets the message. */
const shownResult = (messages: readonly RecordMessage[]): Wire | undefined => {
  const result = messages[0]?.blocks.find(({ type }) => type === "result")
  if (result?.type !== "result") return undefined
  return { callId: result.callId, status: result.error === true ? "error" : "success", resultDisplay: resultText(result) }
}

const newRecord = (messages: readonly RecordMessage[], place: WritePlace): Wire => {
  const { id, time, origin } = place
  const type = typeOf(messages)
  const model = messages[0]?.origin?.model ?? origin?.model
  const toolCallResult = type === "tool_result" ? shownResult(messages) : undefined
  const { sessionId, ...envelope } = envelopeOf(place)
  return {
    uuid: id,
    parentUuid: null,
    sessionId,
    timestamp: time,
    type,
    ...envelope,
    ...(type === "assistant" && model !== undefined && { model }),
    message: writeContent(joined(messages), undefined, place),
    ...(toolCallResult && { toolCallResult }),
  }
}

/** All that one record says, as one content. */
const joined = (messages: readonly RecordMessage[]): RecordMessage => ({
  role: messages[0]?.role ?? "user",
  blocks: messages.flatMap(({ blocks }) => blocks),
})

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  if (!like) return newRecord(messages, place)
  if (!isCompression(like)) {
    return patch(like, { message: writeContent(joined(messages), isWire(like["message"]) ? like["message"] : undefined, place) })
  }
  const before = compressedHistory(like)
  const contents = messages.map((message, index) => writeContent(message, isWire(before[index]) ? before[index] : undefined, place))
  const history = patchList(before, contents)
  return patch(like, { systemPayload: patch(isWire(like["systemPayload"]) ? like["systemPayload"] : {}, { compressedHistory: history }) })
}

/** Only this agent has a Gemini content in such an envelope; Claude Code's messages have `content`. */
const hasContent = ({ uuid, message }: Wire): boolean => typeof uuid === "string" && isWire(message) && Array.isArray(message["parts"])

export const qwenCode = defineSession({
  format,
  title: "Qwen Code session",
  agent: "Qwen Code",
  sources:
    "QwenLM/qwen-code packages/core/src/services/chatRecordingService.ts (August 2026); files of versions 0.18 and 0.21; sessions of version 0.24.4, which was run",
  aliases: ["qwen"],
  capabilities: gemini.capabilities,
  wraps: "gemini",
  layout: "lines",
  view: "whole",
  profile: "openai-chat",
  heals: ["unanswered-call", "orphan-result", "duplicate-result"],
  records: (value) =>
    Array.isArray(value) ? value : isWire(value) && Array.isArray(value["records"]) ? value["records"] : isWire(value) ? [value] : [],
  links: {
    id: "uuid",
    parent: "parentUuid",
    // Snapshots of artifacts are written beside the chain: nothing hangs on them, and the agent never goes on from one.
    isEntry: ({ subtype }) => subtype !== "session_artifact_event" && subtype !== "session_artifact_snapshot",
    content: ({ type, message, systemPayload }) => [type, message ?? null, systemPayload ?? null],
    newId: deriveUuid,
  },
  read,
  effective: (path) =>
    path.slice(
      Math.max(
        0,
        path.findLastIndex(({ record }) => isCompression(record)),
      ),
    ),
  write,
  // The agent opens no session whose id is a UUID of a version above 5.
  sessionId: (seed) => deriveUuid(format, seed).replace(/^(.{14})./, (_, head: string) => `${head}5`),
  header: () => [],
  facts: ({ sessionId, cwd, model, version, timestamp, subtype, systemPayload, isSidechain }) => ({
    id: textOf(sessionId),
    folder: textOf(cwd),
    model: textOf(model),
    agentVersion: textOf(version),
    startedAt: textOf(timestamp),
    ...(subtype === "custom_title" && isWire(systemPayload) && { title: textOf(systemPayload["customTitle"] ?? systemPayload["title"]) }),
    ...(isSidechain === true && { subagent: {} }),
  }),
  marks: [
    { certainty: "certain", evidence: "a record with a uuid has a content of parts as its message", isOn: hasContent },
    {
      certainty: "likely",
      evidence: "a record has the systemPayload of this agent",
      isOn: ({ uuid, systemPayload }) => typeof uuid === "string" && systemPayload !== undefined,
    },
  ],
  place: ({ folder = "/" }) => ({
    path: (name) => `~/.qwen/projects/${folder.replaceAll(/[^A-Za-z0-9]/g, "-")}/chats/${name}.jsonl`,
    resume: (name) => `qwen --resume ${name}`,
    note: phrase`run it in ${shellWord(folder)}, the folder the session names`,
  }),
})
