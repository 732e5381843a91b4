/**
 * Crush, and opencode when it was written in Go: sessions in a SQLite database, which is read and never written. A session is
 * `{ session: row, messages: rows }`, each message row with its `parts` parsed into a list of `{ type, data }`.
 *
 * The assistant's row is rewritten while the model streams: a crash leaves it without its `finish` part, often with arguments
 * that break off. Such a call is read as it is (its arguments do not parse, so it is never executed) and the row is reported.
 * The default view is `whole`; `effective` begins at the summary that the session names: nothing before it is sent any more.
 */
import {
  type Block,
  isWire,
  LigatureError,
  type Role,
  type Wire,
  asWord,
  type ContentBlock,
  type MediaBlock,
  readArgumentsText,
  readResultContent,
  text,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import type { FindOptions, FoundPath, RecordReading } from "../engine/session-format.ts"
import { kindOfMediaType, readUrl } from "../../formats/engine/media.ts"

// Parts of a row → blocks. One reader per type; a type nobody knows stays verbatim as an opaque block.

const format = "crush"

/** The payload of a part. */
const payloadOf = (part: Wire): Wire => wireOf(part["data"])

/** SQLite has no booleans. */
const isSet = (value: unknown): boolean => value === true || value === 1

const isPart = (part: unknown): part is Wire => isWire(part) && typeof part["type"] === "string"

type Reader = (payload: Wire, part: Wire) => Block | undefined

const readText: Reader = (payload, part) => {
  const words = textAt(payload, "text")
  if (words === undefined) return malformedBlock(format, part)
  return words === "" ? undefined : { type: "text", text: words, native: { [format]: part } }
}

const readReasoning: Reader = (payload, part) => {
  const signature = textAt(payload, "signature") || textAt(payload, "thought_signature")
  const words = textAt(payload, "thinking") ?? ""
  if (words === "" && !signature) return undefined
  return { type: "thinking", text: words, ...(signature && { signature }), native: { [format]: part } }
}

const readImage: Reader = (payload, part) => {
  const url = textAt(payload, "url")
  if (url === undefined) return malformedBlock(format, part)
  return { type: "media", kind: "image", ...readUrl(url), native: { [format]: part } }
}

const media = (bytes: string, mediaType: string, native: Wire, path?: string): MediaBlock => ({
  type: "media",
  kind: kindOfMediaType(mediaType),
  mediaType,
  ...(path !== undefined && path !== "" && { name: path }),
  source: { type: "base64", data: bytes },
  native: { [format]: native },
})

/** Go writes the fields of this struct under their own names. */
const readBinary: Reader = (payload, part) => {
  const bytes = textAt(payload, "Data") ?? textAt(payload, "data")
  const mediaType = textAt(payload, "MIMEType") ?? textAt(payload, "mime_type") ?? "application/octet-stream"
  const path = textAt(payload, "Path") ?? textAt(payload, "path")
  return bytes === undefined ? malformedBlock(format, part) : media(bytes, mediaType, part, path)
}

/** The input is the text that had arrived, which need not be whole. */
const readCall: Reader = (payload, part) => {
  const name = textAt(payload, "name") ?? ""
  if (isSet(payload["provider_executed"])) {
    return { type: "opaque", kind: "tool_call", text: previewOf(payload), native: { [format]: part } }
  }
  const input = payload["input"]
  const raw = typeof input === "string" ? input : (JSON.stringify(input) ?? "")
  return { type: "call", id: textAt(payload, "id") ?? "", name, ...readArgumentsText(raw), native: { [format]: part } }
}

const denials: ReadonlySet<string> = new Set(["Permission denied", "User denied permission", "permission denied"])

const readResult: Reader = (payload, part) => {
  const words = textAt(payload, "content") ?? ""
  const bytes = textAt(payload, "data")
  const mediaType = textAt(payload, "mime_type")
  const name = textAt(payload, "name")
  const failed = isSet(payload["is_error"])
  const content: ContentBlock[] = words === "" ? [] : [text(words)]
  if (bytes && mediaType) content.push(media(bytes, mediaType, part))
  return {
    type: "result",
    callId: textAt(payload, "tool_call_id") ?? "",
    ...(name !== undefined && name !== "" && { name }),
    ...readResultContent(content, { errorMark: false }),
    ...(failed && { error: true as const }),
    ...(failed && denials.has(words) && { denied: true as const }),
    native: { [format]: part },
  }
}

/** A command that the user ran in the session, with its output. */
const readShell: Reader = (payload, part) => {
  const command = textAt(payload, "command")
  if (command === undefined) return malformedBlock(format, part)
  const output = textAt(payload, "output") ?? ""
  return { type: "text", text: output === "" ? `$ ${command}` : `$ ${command}\n${output}`, native: { [format]: part } }
}

const silent: Reader = () => undefined

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["reasoning", readReasoning],
  ["image_url", readImage],
  ["binary", readBinary],
  ["tool_call", readCall],
  ["tool_result", readResult],
  ["shell_command", readShell],
  ["finish", silent],
])

/** Undefined: the part says nothing to the model. */
const readPart = (part: unknown): Block | undefined => {
  if (!isPart(part)) return malformedBlock(format, part)
  const reader = readers.get(part["type"])
  if (reader && isWire(part["data"])) return reader(payloadOf(part), part)
  if (reader) return part["type"] === "finish" ? undefined : malformedBlock(format, part)
  return { type: "opaque", kind: asWord(part["type"]), text: previewOf(part["data"]), native: { [format]: part } }
}

const sessionOf = (value: unknown): Wire => wireOf(wireOf(value)["session"])

const rowsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : listOf(wireOf(value)["messages"]))

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

/** A row whose answer broke off, and the calls whose arguments had not all arrived. */
const findingsOf = ({ id, parts }: Wire): NonNullable<RecordReading["findings"]> => {
  const known = listOf(parts).filter(isPart)
  const unfinished = known.filter((part) => part["type"] === "tool_call" && payloadOf(part)["finished"] === false)
  const ids = unfinished.map((part) => textAt(payloadOf(part), "id") ?? "")
  const name = textOf(id) ?? ""
  if (ids.length > 0) return [{ kind: "stream-cut", what: `Message ${name} has calls whose arguments broke off`, ids }]
  if (!Array.isArray(parts) || known.some(({ type }) => type === "finish")) return []
  return [{ kind: "stream-cut", what: `Message ${name} was never finished` }]
}

const readBlocks = (parts: unknown): readonly Block[] =>
  Array.isArray(parts) ? parts.flatMap((part) => readPart(part) ?? []) : [malformedBlock(format, parts)]

const readRow = (row: Wire, summaryId: unknown): RecordReading => {
  const role = roles.get(row["role"])
  if (role === undefined) return { messages: [{ role: "user", blocks: [malformedBlock(format, row)] }] }
  const id = textAt(row, "id")
  const blocks = readBlocks(row["parts"])
  const named = { ...(id !== undefined && { id }) }
  const findings = role === "assistant" ? findingsOf(row) : []
  if (isSet(row["is_summary_message"]) || (id !== undefined && id === summaryId)) {
    // The agent sends it as a message of the user, and only its text.
    const text = blocks.filter(({ type }) => type === "text")
    return { messages: [{ role: "user", blocks: text, summary: true, ...named }], compaction: { kind: "summary" }, findings }
  }
  const [model, provider] = [textOf(row["model"]), textOf(row["provider"])]
  const origin = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
  const isSigned = role === "assistant" && Object.keys(origin).length > 0
  return { messages: [{ role, blocks, ...named, ...(isSigned && { origin }) }], findings }
}

const find = (value: unknown, records: readonly unknown[], { branch, view }: FindOptions): FoundPath => {
  const { id: ownId, summary_message_id: summaryId } = sessionOf(value)
  const id = textOf(ownId) ?? "session"
  const summary = textOf(summaryId) === undefined ? -1 : records.findLastIndex((row) => isWire(row) && row["id"] === summaryId)
  return {
    path: [...records.keys()].slice(view === "effective" ? Math.max(0, summary) : 0),
    id,
    isKnown: branch === undefined || branch === id,
    diagnostics: [],
    read: (row) => readRow(row, summaryId),
  }
}

export const crush = defineSession({
  format,
  title: "Crush session",
  agent: "Crush",
  sources:
    "charmbracelet/crush internal/db/migrations and internal/message/content.go (2026); databases in navicore/flag-rs, jfabienke/mbuscrate and GreatestDisplayName/RLGymExampleBot",
  aliases: ["opencode-go"],
  capabilities: {
    homes: {
      ...openaiChat.capabilities.homes,
      "result-error": "native",
      "result-image": "native",
      thinking: "native",
      "thinking-signature": "native",
      "result-tool-name": "native",
    },
  },
  layout: "value",
  listKey: "messages",
  view: "whole",
  strays: "text",
  records: rowsOf,
  wrap: () => {
    const what = "Crush sessions are in a database that Ligature only reads. Convert the session to another agent's format."
    throw new LigatureError("not-expressible", what)
  },
  find,
  read: (row) => readRow(row, undefined),
  facts: ({ model }) => ({ model: textOf(model) }),
  about: (value) => {
    const { id, title, parent_session_id: parentId } = sessionOf(value)
    const parent = textOf(parentId)
    return {
      id: textOf(id),
      title: textOf(title),
      ...(parent !== undefined && {
        subagent: { session: parent },
        needs: `the session ${parent}, which started this one as its subagent`,
      }),
    }
  },
  marks: [],
  // Its files are databases; the value that is read from one can still be stored as JSON.
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it has the row of a session and the rows of its messages with their parts",
      isOn: (value) => {
        const { session, messages } = wireOf(value)
        if (!isWire(session) || !Array.isArray(messages)) return false
        const [first] = messages as readonly unknown[]
        return first === undefined ? "message_count" in session : isWire(first) && "parts" in first && "session_id" in first
      },
    },
  ],
})
