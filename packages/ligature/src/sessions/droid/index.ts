/**
 * Sessions of Factory's droid: a line `session_start`, then one message of the Messages API on each line, in the order of the
 * file. Nobody publishes its sources: facts are from files in the fixtures of four programs that read them (versions 2 and
 * "0.81.0" of the first line). `parentId` may be missing or name the session, so that the order counts.
 */
import { type Block, isWire, type Role, type Wire } from "../../model/index.ts"
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

const read = (record: Wire): RecordReading => {
  const message = messageOf(record)
  if (!message)
    return record["type"] === "session_start" || record["type"] === "session_event" || record["type"] === "session_end"
      ? {}
      : { unknownType: record["type"] }
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
    ...(previous && "parentId" in previous && parentId !== undefined && { parentId }),
  }
}

export const droid = defineSession({
  format,
  title: "Factory droid session",
  agent: "Factory droid",
  aliases: ["factory", "factory-droid"],
  sources: "no public source; files in entireio/cli, kenn-io/agentsview, getagentseal/codeburn and ovachiever/agent-sessions (2026)",
  capabilities: anthropic.capabilities,
  wraps: "anthropic",
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  write,
  results: "together",
  facts: ({ type, id, title, sessionTitle, cwd, version, timestamp }) => ({
    ...(type === "session_start" && {
      id: textOf(id),
      title: textOf(title) ?? textOf(sessionTitle),
      folder: textOf(cwd),
      agentVersion: typeof version === "number" ? String(version) : textOf(version),
    }),
    startedAt: textOf(timestamp),
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
