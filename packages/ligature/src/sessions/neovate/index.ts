/**
 * Sessions of Neovate Code: settings on the first line, then one message a line, each linked to its parent. Results are in
 * messages of role `tool`; early versions have them in messages of the user.
 *
 * A compaction writes its summary as a user message on a new root: the effective view starts there, the whole view reads on.
 * A cancel links the results of all calls to one message, and the agent then follows only the last of them:
 *
 *     user ─ assistant(a, b) ─┬─ tool(a)
 *                             └─ tool(b) ─ user        read as: user assistant tool(a) tool(b) user
 */
import { asWord, isWire, type JsonObject, phrase, type Role, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { ofAnotherApi } from "../../formats/engine/malformed.ts"
import { activePath } from "../../messages/active-path.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveHex, deriveUuid } from "../engine/derived-id.ts"
import { listIn, listOf, textOf, wireOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import { none, type Tree } from "../engine/read-tree.ts"
import type { RecordMessage, RecordReading, WriteChange, WritePlace } from "../engine/session-format.ts"
import { asEarlyResult, format, isResultPart, readParts, writeParts } from "./parts.ts"

const roles: ReadonlyMap<unknown, Role> = new Map((["user", "assistant", "system", "tool"] as const).map((role) => [role, role]))

const isMessage = ({ type, role }: Wire): boolean => type === "message" && roles.has(role)

const hasResults = (record: unknown): boolean => isWire(record) && listOf(record["content"]).some(isResultPart)

/** Only the text shown to the user tells a summary from a session that was started anew. */
const isSummary = ({ role, uiContent }: Wire): boolean =>
  role === "user" && typeof uiContent === "string" && uiContent.startsWith("Chat history compacted")

const bookkeeping: ReadonlySet<unknown> = new Set(["config", "file-history-snapshot", "system", "result"])

const read = (record: Wire): RecordReading => {
  const { type, uuid: id, content, model } = record
  const role = type === "message" ? roles.get(record["role"]) : undefined
  if (role === undefined) {
    if (bookkeeping.has(type)) return {}
    if (type !== undefined && type !== "message") return { unknownType: type }
    return { findings: [{ kind: "malformed-record", what: "Expected a message of a known role, or settings" }] }
  }
  const blocks = readParts(content)
  const [first] = blocks
  const isMixed = role === "tool" && blocks.some((block) => block.type !== "result")
  const repair = { kind: "safe", what: "moved the rest into a user message" } as const
  return {
    messages: [
      {
        role,
        blocks,
        ...(textOf(id) !== undefined && { id: asWord(id) }),
        ...(role === "assistant" && typeof model === "string" && { origin: { model } }),
        ...(isSummary(record) && { summary: true as const }),
      },
    ],
    ...(isSummary(record) && { compaction: { kind: "summary", ...(first?.type === "text" && { summary: first.text }) } }),
    ...(isMixed && { diagnostics: [{ ...ofAnotherApi({}, "Expected only results in a message with role tool"), repair }] }),
  }
}

/** The path with the results beside it that answer a call which nothing on the path answers. */
const withResults = (path: readonly number[], { records, parents, dangling, isEntry }: Tree): readonly number[] => {
  const previous = new Map(path.map((index, position) => [index, path[position - 1] ?? none]))
  const entries = Array.from(records.keys()).filter(isEntry)
  if (!entries.some((index) => !previous.has(index) && hasResults(records[index]))) return path
  const parentOf = (index: number): number => {
    const named = (records[index] as Wire)["parentUuid"]
    return previous.get(index) ?? (typeof named !== "string" || dangling.has(index) ? none : (parents[index] ?? none))
  }
  const indices = new Map(entries.map((index) => [records[index], index]))
  const indexOf = (record: unknown): number => indices.get(record) ?? none
  const found = activePath(
    entries.map((index) => records[index]),
    {
      tip: String(path.at(-1)),
      id: (record) => String(indexOf(record)),
      parentId: (record) => {
        const parent = parentOf(indexOf(record))
        return parent === none ? null : String(parent)
      },
    },
  )
  return found.path.map(indexOf)
}

const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .flatMap((part) => (isWire(part) && part["type"] === "text" ? [asWord(part["text"])] : []))
        .join("")

/** A message whose content was one text stays one text. */
const writeContent = ({ role, blocks }: RecordMessage, like: Wire | undefined, { callOf }: WritePlace): unknown => {
  const [only] = blocks
  const isPlain = blocks.length === 1 && only?.type === "text" && only.native?.[format] === undefined
  if (isPlain && (like ? typeof like["content"] === "string" : role !== "assistant")) return only.text
  const inputOf = (id: string): JsonObject => callOf(id)?.call.arguments ?? {}
  return patchList(like?.["content"], writeParts(blocks, inputOf))
}

const newRecord = (message: RecordMessage, place: WritePlace): Wire => {
  const { previous, session, origin, time, id } = place
  const { role, summary } = message
  const content = writeContent(message, undefined, place)
  const model = message.origin?.model ?? origin?.model ?? "unknown"
  const sessionId = textOf(previous?.["sessionId"]) ?? textOf(session.id)
  return {
    // A session of which no record has a parent is read in the order of the file, and stays one.
    ...((!previous || !isMessage(previous) || "parentUuid" in previous) && { parentUuid: null }),
    uuid: id,
    role,
    content,
    ...(role === "assistant" && { text: textIn(content), model, usage: { input_tokens: 0, output_tokens: 0 } }),
    type: "message",
    timestamp: time,
    ...(sessionId !== undefined && { sessionId }),
    ...(summary && { uiContent: "Chat history compacted successfully." }),
  }
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  const [first = { role: "user", blocks: [] } as RecordMessage] = messages
  const message = messages.length === 1 ? first : { ...first, blocks: messages.flatMap(({ blocks }) => blocks) }
  if (!like) return newRecord(message, place)
  const content = writeContent(message, like, place)
  // What was a result is now text of the user. Messages of the assistant have their text a second time.
  const role = like["role"] === "tool" && !hasResults({ content }) ? "user" : like["role"]
  const isNew = content !== like["content"] && typeof like["text"] === "string"
  return patch(like, { role, content, ...(isNew && { text: textIn(content) }) })
}

/** Where all results of a session are in the early shape, new ones get it, too. */
const asEarly = (records: readonly unknown[], { before, places }: WriteChange): readonly unknown[] => {
  const results = before.flatMap((record) => (isWire(record) && isMessage(record) ? listOf(record["content"]).filter(isResultPart) : []))
  if (results.length === 0 || results.some(({ type }) => type === "tool-result")) return records
  const old = new Set(places)
  return records.map((record, index) => {
    if (old.has(index) || !isWire(record) || !hasResults(record)) return record
    return { ...record, role: "user", content: listOf(record["content"]).map((part) => asEarlyResult(part as Wire)) }
  })
}

export const neovate = defineSession({
  format,
  title: "Neovate Code session",
  agent: "Neovate Code",
  sources:
    "neovateai/neovate-code src/session.ts, src/jsonl.ts and src/message.ts (November 2025); no session that somebody made was found",
  aliases: ["neovate-code"],
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "empty-result",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "call-id",
      "result-tool-name",
      "system-in-the-middle",
    ],
    convention: ["compaction-marks"],
  }),
  layout: "lines",
  view: "effective",
  records: (value) => listIn(value),
  links: {
    id: "uuid",
    parent: "parentUuid",
    isEntry: isMessage,
    content: ({ role, content }) => [role, content],
    newId: deriveUuid,
    restarts: isSummary,
    withResults,
  },
  read,
  write,
  results: "together",
  resultsApart: true,
  sessionId: (seed) => deriveHex(8, seed),
  header: ({ session: { title } }) => [
    { type: "config", config: { approvalMode: "default", approvalTools: [], ...(title !== undefined && { summary: title }) } },
  ],
  afterWrite: asEarly,
  facts: (record) => {
    const { type, sessionId, model, timestamp, config } = record
    if (type === "config") return { title: textOf(wireOf(config)["summary"]) }
    return isMessage(record) ? { id: textOf(sessionId), model: textOf(model), startedAt: textOf(timestamp) } : {}
  },
  marks: [
    {
      certainty: "certain",
      evidence: "lines of type message have uuid, parentUuid and role",
      isOn: (record) => isMessage(record) && "parentUuid" in record && typeof record["uuid"] === "string" && !("message" in record),
      suffices: true,
    },
    {
      certainty: "likely",
      evidence: "a line has the settings of a session",
      isOn: ({ type, config }) => type === "config" && isWire(config) && "approvalTools" in config,
    },
  ],
  place: () => ({
    otherwise: "<id8>",
    path: (name) => `~/.neovate/projects/<project>/${name}.jsonl`,
    resume: (name) => `neovate --resume ${name}`,
    note: phrase`<project> is the project's path in lower case, everything but letters and digits replaced by single dashes`,
  }),
})
