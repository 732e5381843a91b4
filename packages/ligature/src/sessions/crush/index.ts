/**
 * Crush, and opencode when it was written in Go: sessions in a SQLite database, which is read and never written. A session is
 * `{ session: row, messages: rows }`, each message row with its `parts` parsed into a list of `{ type, data }`.
 *
 * The assistant's row is rewritten while the model streams: a crash leaves it without its `finish` part, often with arguments
 * that break off. Such a call is read as it is (its arguments do not parse, so it is never executed) and the row is reported.
 * The default view is `whole`; `effective` begins at the summary that the session names: nothing before it is sent any more.
 */
import { type Block, isWire, LigatureError, type Role, type Wire } from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import type { FindOptions, FoundPath, RecordReading } from "../engine/session-format.ts"
import { format, isPart, isSet, payloadOf, readPart } from "./read-part.ts"

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
