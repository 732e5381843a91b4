/**
 * Sessions of goose: a line of metadata, then one message per line. The newer home of sessions, a database, has the same
 * messages as rows; a row is read as the line it would have been. Results are in messages of the user, all results of one
 * assistant message together, because the agent drops a request that the next message does not answer.
 *
 * A compaction hides old messages from the model and adds a summary after them. The default view is what the agent sees;
 * `whole` shows the hidden messages as well.
 */
import { isWire, phrase, type Role, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { ofAnotherApi } from "../../formats/engine/malformed.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveHex } from "../engine/derived-id.ts"
import { recordsOf, textOf, wireOf } from "../engine/fields.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { patch } from "../engine/patch.ts"
import type { RecordMessage, RecordReading, View, WritePlace } from "../engine/session-format.ts"
import { format, isScreenOnly, readContent, writeContent } from "./blocks.ts"

const parse = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const isRow = (record: unknown): record is Wire => isWire(record) && "content_json" in record && "role" in record

/** The line that a row of the table `messages` would have been. */
const lineOfRow = ({ message_id: id, role, created_timestamp: created, content_json: content, metadata_json: metadata }: Wire): Wire => ({
  ...(typeof id === "string" && { id }),
  role,
  created,
  content: parse(content),
  ...(metadata !== undefined && metadata !== null && { metadata: parse(metadata) }),
})

const linesOf = (value: unknown): readonly unknown[] => {
  const records = recordsOf(value)
  return records.some(isRow) ? records.map((record) => (isRow(record) ? lineOfRow(record) : record)) : records
}

/** The metadata of a session, which is before its messages. */
const isHeader = (record: unknown): record is Wire & { readonly role?: never } => isWire(record) && !("role" in record)

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
])

const isHidden = ({ metadata }: Wire): boolean => wireOf(metadata)["agentVisible"] === false

/** Written for the model and not shown to the user: summaries and the text around them. */
const isAgentOnly = (record: Wire): boolean => !isHidden(record) && wireOf(record["metadata"])["userVisible"] === false

const readMessage = (record: Wire, view: View, isSummary: boolean): RecordReading => {
  if (isHeader(record)) return {}
  const { id, content } = record
  const given = roles.get(record["role"])
  if (given === undefined) return { findings: [{ kind: "malformed-record", what: "Expected a message of the user or the assistant" }] }
  const isForTheScreen = Array.isArray(content) && content.length > 0 && content.every(isScreenOnly)
  if ((isHidden(record) && view === "effective") || isForTheScreen) return {}
  const blocks = readContent(content)
  const role = given === "system" && blocks.some(({ type }) => type === "result") ? "tool" : given
  const message: RecordMessage = { role, blocks, ...(typeof id === "string" && { id }), ...(isSummary && { summary: true }) }
  const said = isSummary ? blocks.find(({ type }) => type === "text") : undefined
  const summary = said?.type === "text" ? textOf(said.text) : undefined
  return {
    messages: [message],
    ...(isSummary && { compaction: { kind: "summary", ...(summary !== undefined && { summary }) } }),
    ...(role === "tool" && {
      diagnostics: [
        {
          ...ofAnotherApi({}, `Expected the role user for results, got ${given}`),
          repair: { kind: "safe", what: "written as a user message" },
        },
      ],
    }),
  }
}

/** A message for the model alone is a summary where it follows hidden ones. */
const summariesIn = (records: readonly unknown[]): ReadonlySet<number> => {
  const found = new Set<number>()
  let isAfterHidden = false
  records.forEach((record, index) => {
    if (!isWire(record) || !roles.has(record["role"])) return
    if (isAfterHidden && isAgentOnly(record)) found.add(index)
    isAfterHidden = isHidden(record)
  })
  return found
}

const newRecord = ({ role, blocks, summary }: RecordMessage, { id, time, previous }: WritePlace): Wire => {
  const created = previous?.["created"]
  return {
    id: `msg_${deriveHex(16, id)}`,
    role: role === "assistant" ? "assistant" : "user",
    created: Math.max(Math.floor((millisecondsOf(time) ?? 0) / 1000), typeof created === "number" ? created : 0),
    content: writeContent(blocks, []),
    metadata: { userVisible: summary !== true && role !== "system", agentVisible: true },
  }
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  const [first = { role: "user" } as const] = messages
  const blocks = messages.flatMap((message) => message.blocks)
  if (!like) return newRecord({ ...first, blocks }, place)
  // Results are the user's to give, whichever role their record had.
  const isMoved = like["role"] === "tool" || (like["role"] === "system" && messages.some(({ role }) => role !== "system"))
  return patch(like, { role: isMoved ? "user" : like["role"], content: writeContent(blocks, like["content"]) })
}

/** The header counts the messages of the session. */
const recount = (records: readonly unknown[], before: readonly unknown[]): readonly unknown[] => {
  const countIn = (list: readonly unknown[]): number => list.filter((record) => isWire(record) && !isHeader(record)).length
  const [count, previous] = [countIn(records), countIn(before)]
  if (count === previous) return records
  return records.map((record) => (isHeader(record) && record["message_count"] === previous ? { ...record, message_count: count } : record))
}

const isMetadata = (record: unknown): boolean =>
  isHeader(record) && typeof record["working_dir"] === "string" && ("message_count" in record || "description" in record)

/** A message as this agent writes it: seconds in `created`, content as a list. */
const isMessage = (record: unknown): record is Wire & { readonly content: readonly unknown[] } => {
  const { role, created, content } = wireOf(record)
  return (role === "user" || role === "assistant") && typeof created === "number" && Array.isArray(content)
}

const ownTypes: ReadonlySet<unknown> = new Set(["toolRequest", "toolResponse", "toolConfirmationRequest", "systemNotification"])

const hasOwnContent = (record: unknown): boolean =>
  isMessage(record) && record.content.some((wire) => isWire(wire) && ownTypes.has(wire["type"]))

const sampleOf = (value: unknown, syntax: "lines" | "value"): readonly unknown[] =>
  syntax === "lines" && Array.isArray(value) ? value : [value]

export const goose = defineSession({
  format,
  title: "goose session",
  agent: "goose",
  sources:
    "block/goose crates/goose/src/session and crates/goose/src/conversation (2026); files in teck968/goose-session-analysis and vshulcz/deja-vu",
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "empty-result",
      "thinking",
      "thinking-signature",
      "redacted-thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "call-id",
      "audio",
      "compaction-marks",
    ],
    convention: ["system-in-the-middle"],
  }),
  layout: "lines",
  view: "effective",
  records: linesOf,
  // A session that is written starts without messages, and its header counts none.
  wrap: (value, records) => ({ records: value === undefined ? recount(records, []) : records }),
  read: (record, view) => readMessage(isRow(record) ? lineOfRow(record) : record, view, false),
  reader: (records, _path, view) => {
    const summaries = summariesIn(records)
    return (record, index) => readMessage(record, view, summaries.has(index))
  },
  write,
  results: "together",
  writes: "own",
  header: ({ session: { id, title: description = "", folder: working_dir = "/" }, time }) => [
    { id, description, working_dir, created_at: time, updated_at: time, extension_data: {}, message_count: 0 },
  ],
  afterWrite: (records, { before }) => recount(records, before),
  facts: (record) => {
    if (!isHeader(record)) return {}
    const { id, description, name, working_dir: folder, created_at: startedAt } = record
    return { id: textOf(id), title: textOf(description) ?? textOf(name), folder: textOf(folder), startedAt: textOf(startedAt) }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "a record is a row of its table of messages",
      isOn: (value, syntax) =>
        sampleOf(value, syntax).some(
          (record) => isRow(record) && typeof record["content_json"] === "string" && "created_timestamp" in record,
        ),
    },
    {
      certainty: "certain",
      evidence: "a message has a toolRequest or a toolResponse",
      isOn: (value, syntax) => sampleOf(value, syntax).some(hasOwnContent),
    },
    {
      certainty: "certain",
      evidence: "a line of metadata with its folder comes before messages",
      isOn: (value, syntax) => sampleOf(value, syntax).some(isMetadata) && sampleOf(value, syntax).some(isMessage),
    },
    {
      certainty: "guess",
      evidence: "a line names a folder and counts messages",
      isOn: (value, syntax) => syntax === "lines" && sampleOf(value, syntax).some(isMetadata),
    },
    {
      certainty: "likely",
      evidence: "its messages have the seconds of their making and lists as content",
      isOn: (value, syntax) => sampleOf(value, syntax).filter(isMessage).length > 1,
    },
  ],
  place: () => ({
    path: (name) => `~/.local/share/goose/sessions/${name}.jsonl`,
    resume: (name) => `goose session --resume --name ${name}`,
    note: phrase`newer versions keep sessions in sessions.db and import such files only when they create it`,
  }),
})
