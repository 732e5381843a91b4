/**
 * Sessions of Factory's droid: a line `session_start`, then one message of the Messages API on each line, in the order of the
 * file. Nobody publishes its sources: facts are from sessions of version 0.225.2, which was run, and from files in the
 * fixtures of four programs that read them (versions 2 and "0.81.0" of the first line). `parentId` may be missing or name the
 * session, so that the order counts.
 */
import { type Block, isWire, phrase, type Role, shellWord, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { encodeBlock } from "../../formats/anthropic/encode.ts"
import { defineSession } from "../engine/define-session.ts"
import { nativeIn, recordsOf, textOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import { readAnthropicContent } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading, WritePlace } from "../engine/session-format.ts"

const format = "droid"

const messageOf = ({ type, message }: Wire): Wire | undefined => (type === "message" && isWire(message) ? message : undefined)

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
] as const)

/** What is beside the conversation. */
const silent: ReadonlySet<unknown> = new Set(["session_start", "session_event", "session_end", "agent_turn_outcome"])

const read = (record: Wire): RecordReading => {
  const message = messageOf(record)
  if (!message) return silent.has(record["type"]) ? {} : { unknownType: record["type"] }
  const role = roles.get(message["role"])
  if (role === undefined) return { findings: [{ kind: "malformed-record", what: "Expected a message of the user or the assistant" }] }
  const blocks = readAnthropicContent(format, message["content"])
  const id = textOf(record["id"])
  const model = textOf(message["model"]) ?? textOf(record["modelId"])
  return {
    messages: [
      { role, blocks, ...(id !== undefined && { id }), ...(role === "assistant" && model !== undefined && { origin: { model } }) },
    ],
  }
}

const writeBlock = (block: Block): Wire => {
  if (block.type !== "thinking" || block.redacted) return encodeBlock(block)
  const like = nativeIn(block, "anthropic")
  return like?.["thinking"] === block.text ? like : patch(like, { type: "thinking", thinking: block.text })
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, { id, time, previous }: WritePlace): Wire => {
  const [first] = messages
  const role = first?.role === "assistant" ? "assistant" : "user"
  const before = like && messageOf(like)
  const content = messages.flatMap(({ blocks }) => blocks).map(writeBlock)
  const message = patch(before, { role: before?.["role"] === "system" ? "system" : role, content: patchList(before?.["content"], content) })
  if (like) return patch(like, { message })
  const parentId = textOf(previous?.["id"])
  return {
    type: "message",
    id,
    timestamp: time,
    message,
    // Messages are linked to each other; the first of a session is linked to nothing. Older files have no links.
    ...(previous?.["type"] === "message" && parentId !== undefined && { parentId }),
  }
}

export const droid = defineSession({
  format,
  title: "Factory droid session",
  agent: "Factory droid",
  aliases: ["factory", "factory-droid"],
  sources:
    "no public source; sessions of version 0.225.2, which was run; files in entireio/cli, kenn-io/agentsview, getagentseal/codeburn and ovachiever/agent-sessions (2026)",
  capabilities: anthropic.capabilities,
  wraps: "anthropic",
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  write,
  results: "together",
  header: ({ session: { id, folder = "/", title = "Conversation" } }) => [
    { type: "session_start", id, title, owner: "unknown", version: 2, cwd: folder },
  ],
  facts: ({ type, id, title, sessionTitle, cwd, version, timestamp }) => ({
    ...(type === "session_start" && {
      id: textOf(id),
      title: textOf(title) ?? textOf(sessionTitle),
      folder: textOf(cwd),
      agentVersion: typeof version === "number" ? String(version) : textOf(version),
    }),
    startedAt: textOf(timestamp),
  }),
  place: ({ folder = "/" }) => ({
    path: (name) => `~/.factory/sessions/${folder.replaceAll("/", "-")}/${name}.jsonl`,
    resume: (name) => `droid --resume ${name}`,
    note: phrase`run it in ${shellWord(folder)}, the folder the session names`,
  }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its first line is a session_start",
      isOn: (value, syntax) =>
        syntax === "lines" &&
        Array.isArray(value) &&
        value.some((record) => isWire(record) && record["type"] === "session_start" && ("cwd" in record || "title" in record)),
    },
  ],
})
