/**
 * Sessions of the pi coding agent, and of OpenClaw, which is built on it: a tree of entries on lines after a header. What is
 * no chat message there (a command the user ran, the note of an extension, a summary) the agent sends as user text, and so it
 * is read. A compaction names the first entry before it that the agent still sends; version 1 had no ids and counts records.
 */
import {
  asWord,
  type Block,
  isWire,
  type Origin,
  phrase,
  readResultContent,
  type ResultBlock,
  type Role,
  shellWord,
  text,
  type Wire,
  withFields,
} from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { deriveHex } from "../engine/derived-id.ts"
import { nativeIn, recordsOf, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { patch } from "../engine/patch.ts"
import type { ReadRecord, RecordMessage, RecordReading, WriteChange, WritePlace } from "../engine/session-format.ts"
import { format, readContent, readResultBlocks, writeContent } from "./blocks.ts"

/** Where the system prompt of another agent goes: this one keeps none in its sessions. */
const systemType = "system"

/** The message inside of an entry, for entries that hold one. */
const messageOf = ({ type, message }: Wire): Wire | undefined => (type === "message" && isWire(message) ? message : undefined)

/** What a command run by the user looks like to the model. */
const commandText = ({ command, output, exitCode, cancelled, truncated, fullOutputPath }: Wire): string => {
  const lines = [`$ ${asWord(command ?? "")}`, textOf(output) ?? "(no output)"]
  if (cancelled === true) lines.push("(cancelled)")
  else if (typeof exitCode === "number" && exitCode !== 0) lines.push(`(exit code ${exitCode})`)
  if (truncated === true && typeof fullOutputPath === "string") lines.push(`(cut; all of it is in ${fullOutputPath})`)
  return lines.join("\n")
}

const wasStopped = ({ stopReason }: Wire): boolean => stopReason === "error" || stopReason === "aborted"

const said = (role: Role, blocks: readonly Block[]): RecordReading => ({ messages: [{ role, blocks }] })

const readAssistant = (wire: Wire): RecordReading => {
  const { content, provider, model } = wire
  const isEmpty = Array.isArray(content) ? content.length === 0 : (content ?? "") === ""
  // The request failed before the model answered: a notice, not a message.
  if (isEmpty && wasStopped(wire)) return {}
  const blocks = readContent(content)
  const origin: Origin = withFields(typeof provider === "string" ? { provider } : {}, typeof model === "string" ? { model } : {})
  const messages: readonly RecordMessage[] = [{ role: "assistant", blocks, ...(Object.keys(origin).length > 0 && { origin }) }]
  if (!wasStopped(wire)) return { messages }
  const ids = blocks.flatMap((block) => (block.type === "call" && block.id !== "" ? [block.id] : []))
  const calls = ids.length === 0 ? "" : `, with the calls ${ids.join(", ")}`
  return { messages, findings: [{ kind: "stream-cut", what: `The agent stopped inside of this message${calls}`, ids }] }
}

const readResult = (wire: Wire): RecordReading => {
  const { toolCallId, toolName, content, isError } = wire
  const result: ResultBlock = {
    type: "result",
    callId: stringOf(toolCallId),
    ...(textOf(toolName) !== undefined && { name: stringOf(toolName) }),
    ...readResultContent(readResultBlocks(content), { errorMark: false }),
    ...(isError === true && { error: isError }),
    native: { pi: wire },
  }
  return said("tool", [result])
}

const readSummary = ({ summary }: Wire): RecordReading =>
  typeof summary === "string" && summary.trim() !== "" ? { messages: [{ role: "user", blocks: [text(summary)], summary: true }] } : {}

/** The agent's own prompt, in named sections; each is a block, so that a change of one leaves the others as they are. */
const sectionsOf = ({ sections }: Wire): readonly (readonly [name: string, text: string])[] =>
  isWire(sections) ? Object.entries(sections).filter((entry): entry is [string, string] => typeof entry[1] === "string") : []

const readSystem = (wire: Wire): RecordReading =>
  said("system", [...readContent(wire["content"]), ...sectionsOf(wire).map(([, section]) => text(section))].filter(hasText))

const hasText = (block: Block): boolean => block.type !== "text" || block.text.trim() !== ""

const readCustom = ({ customType, content }: Wire): RecordReading =>
  said(customType === systemType ? "system" : "user", readResultBlocks(content))

type Reader = (wire: Wire) => RecordReading

const byRole: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["user", ({ content }) => said("user", readContent(content))],
  ["system", readSystem],
  ["assistant", readAssistant],
  ["toolResult", readResult],
  ["bashExecution", (wire) => (wire["excludeFromContext"] === true ? {} : said("user", [text(commandText(wire))]))],
  ["custom", readCustom],
  ["hookMessage", readCustom],
  ["branchSummary", readSummary],
  ["compactionSummary", readSummary],
])

const byType: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["custom_message", readCustom],
  ["branch_summary", readSummary],
  [
    "compaction",
    (record) => {
      const summary = textOf(record["summary"])
      return { ...readSummary(record), compaction: { kind: "summary", ...(summary !== undefined && { summary }) } }
    },
  ],
])

const bookkeeping: ReadonlySet<unknown> = new Set(["session", "model_change", "thinking_level_change", "custom", "label", "session_info"])

const read = (record: Wire): RecordReading => {
  const { type, id } = record
  const message = messageOf(record)
  const reader = message ? byRole.get(message["role"]) : byType.get(type)
  if (!reader && type === "message") {
    return { findings: [{ kind: "malformed-record", what: "Expected an entry with a message of a known role" }] }
  }
  if (!reader) return bookkeeping.has(type) ? {} : { unknownType: type }
  const reading = reader(message ?? record)
  const { messages } = reading
  return messages && typeof id === "string" ? withFields(reading, { messages: messages.map((each) => ({ id, ...each })) }) : reading
}

const isCompaction = ({ record }: ReadRecord): boolean => record["type"] === "compaction"

/** The summary of the last compaction, the entries it kept, and what came after it. */
const effective = (path: readonly ReadRecord[]): readonly ReadRecord[] => {
  const last = path.findLastIndex(isCompaction)
  const compaction = path[last]
  if (!compaction) return path
  const { firstKeptEntryId: id, firstKeptEntryIndex: count } = compaction.record
  const from = path.findLastIndex(({ record, index }) => (typeof id === "string" ? record["id"] === id : index === count))
  const kept = from >= 0 && from < last ? path.slice(from, last).filter((each) => !isCompaction(each)) : []
  return [compaction, ...kept, ...path.slice(last + 1)]
}

/** Which of the agent's interfaces a provider is reached through, where it signs thinking as the agent keeps it. */
const interfaces: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic-messages"],
  ["google", "google-generative-ai"],
  ["gemini", "google-generative-ai"],
])

/** Other interfaces keep something else in the place of the signature and would trip over it. */
const withoutForeignSignature = (blocks: readonly Block[], { provider }: Origin): readonly Block[] => {
  if (provider === undefined || interfaces.has(provider)) return blocks
  return blocks.flatMap((block): readonly Block[] => {
    if (block.type !== "thinking" || nativeIn(block, format)) return [block]
    const { signature: _, ...open } = block
    return block.redacted === true ? [] : [open]
  })
}

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

const newMessage = ({ role, blocks, origin: own }: RecordMessage, { origin, time }: WritePlace): Wire => {
  const [result] = blocks
  const timestamp = millisecondsOf(time) ?? 0
  if (result?.type === "result") {
    const { callId: toolCallId, name: toolName = "", content, error: isError = false } = result
    return { role: "toolResult", toolCallId, toolName, content: writeContent(content, []), isError, timestamp }
  }
  if (role !== "assistant") return { role: "user", content: writeContent(blocks, []), timestamp }
  const source = own ?? origin ?? {}
  const { provider = "unknown", model = "unknown" } = source
  const content = writeContent(withoutForeignSignature(blocks, source), [])
  const api = interfaces.get(provider) ?? "openai-completions"
  const stopReason = blocks.some(({ type }) => type === "call") ? "toolUse" : "stop"
  return { role, content, api, provider, model, usage: noUsage, stopReason, timestamp }
}

const newEntry = (message: RecordMessage, place: WritePlace): Wire => {
  const { role, blocks, summary } = message
  const [only] = blocks
  const head = { ...(place.hasIds && { id: place.id, parentId: null }), timestamp: place.time }
  if (role === "system") {
    return { type: "custom_message", ...head, customType: systemType, content: writeContent(blocks, []), display: false }
  }
  if (role === "user" && summary === true && blocks.length === 1 && only?.type === "text") {
    // Keeps nothing from before: what a summary of another agent covers is not known entry by entry.
    return { type: "compaction", ...head, summary: only.text, firstKeptEntryId: head.id ?? "", tokensBefore: 0 }
  }
  return { type: "message", ...head, message: newMessage(message, place) }
}

const writeResult = (result: ResultBlock, wire: Wire): Wire => {
  const { toolName, isError } = wire
  const failed = result.error === true
  return patch(wire, {
    toolCallId: result.callId,
    ...(typeof toolName === "string" && result.name !== undefined && { toolName: result.name }),
    content: writeContent(result.content, wire["content"]),
    ...((isError === true) !== failed && { isError: failed }),
  })
}

const textIn = (blocks: readonly Block[]): string => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")

/** What is left of a section that changed; sections that say the same stay. */
const writeSystem = (blocks: readonly Block[], wire: Wire): Wire => {
  const texts = new Set(blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])))
  const sections = Object.entries(wireOf(wire["sections"]))
  const kept = sections.filter(([, section]) => typeof section !== "string" || texts.delete(section) || section.trim() === "")
  const others = blocks.filter((block) => block.type !== "text" || texts.has(block.text))
  return patch(wire, {
    content: others.length === 0 && wire["content"] === "" ? "" : writeContent(others, wire["content"]),
    ...(kept.length < sections.length && { sections: Object.fromEntries(kept) }),
  })
}

const writeMessage = (message: RecordMessage, wire: Wire, place: WritePlace): Wire => {
  const { blocks } = message
  const [first] = blocks
  if (wire["role"] === "system" && isWire(wire["sections"])) return writeSystem(blocks, wire)
  if (wire["role"] === "toolResult" && first?.type === "result") return writeResult(first, wire)
  if (typeof wire["summary"] === "string") return patch(wire, { summary: textIn(blocks) })
  if (wire["role"] === "bashExecution" && textIn(blocks) === commandText(wire)) return wire
  // What was a result, or the command of a user, is now plain text of the user.
  if (wire["role"] === "toolResult" || wire["role"] === "bashExecution" || first?.type === "result") {
    const { timestamp } = wire
    return { ...newMessage(message, place), ...(timestamp !== undefined && { timestamp }) }
  }
  return patch(wire, { content: writeContent(blocks, wire["content"]) })
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  const [first = { role: "user", blocks: [] } as RecordMessage] = messages
  const message = messages.length === 1 ? first : { ...first, blocks: messages.flatMap(({ blocks }) => blocks) }
  if (!like) return newEntry(message, place)
  const inner = messageOf(like)
  return inner ? patch(like, { message: writeMessage(message, inner, place) }) : writeMessage(message, like, place)
}

/** A compaction names the first entry it kept, or counts up to it: where that one is gone, it means the next one. */
const keepFirstKept = (records: readonly unknown[], { before, path, places }: WriteChange): readonly unknown[] => {
  const byId = new Map<unknown, number>()
  const heirs = new Map<number, number>()
  let next = -1
  for (const index of path.toReversed()) {
    if ((places[index] ?? -1) >= 0) next = index
    if (next >= 0) heirs.set(index, next)
    const { id } = before[index] as Wire
    if (!byId.has(id)) byId.set(id, index)
  }
  return records.map((record) => {
    if (!isWire(record) || record["type"] !== "compaction") return record
    const { firstKeptEntryId: id, firstKeptEntryIndex: count } = record
    const index = typeof id === "string" ? byId.get(id) : count
    const heir = typeof index === "number" ? heirs.get(index) : undefined
    if (heir === undefined || index === undefined) return record
    if (typeof id !== "string") return patch(record, { firstKeptEntryIndex: places[heir] })
    return heir === index ? record : { ...record, firstKeptEntryId: (before[heir] as Wire)["id"] }
  })
}

/** The agent does not send a message that was stopped, but sends its results: once it is answered it must count. */
const countAnswered = (records: readonly unknown[], { places }: WriteChange): readonly unknown[] => {
  const old = new Set(places)
  const out = [...records]
  const stopped = new Map<unknown, number>()
  records.forEach((record, index) => {
    const message = isWire(record) ? messageOf(record) : undefined
    if (!message) return
    if (message["role"] === "assistant" && wasStopped(message)) {
      for (const block of readContent(message["content"])) if (block.type === "call") stopped.set(block.id, index)
    }
    const asking = message["role"] === "toolResult" && !old.has(index) ? stopped.get(message["toolCallId"]) : undefined
    if (asking === undefined) return
    const asked = out[asking] as Wire
    out[asking] = patch(asked, { message: patch(messageOf(asked), { stopReason: "toolUse" }) })
  })
  return out
}

/** Version 0 is of another agent, whose header says how deep a delegation it is. */
const isHeader = ({ type, id, cwd, version, delegationDepth }: Wire): boolean =>
  type === "session" && typeof id === "string" && (typeof cwd === "string" || typeof version === "number") && delegationDepth === undefined

/** Other agents also write `{type: "message", message: {…}}`; only these messages name the interface they were made through. */
const isOwnEntry = (record: Wire): boolean => {
  const message = messageOf(record)
  if (!message) return record["type"] === "thinking_level_change" && typeof record["thinkingLevel"] === "string"
  const { role, api, provider } = message
  return (
    role === "toolResult" || role === "bashExecution" || (role === "assistant" && typeof api === "string" && typeof provider === "string")
  )
}

export const pi = defineSession({
  format,
  title: "pi session",
  agent: "pi",
  sources:
    "badlogic/pi-mono packages/coding-agent docs/session.md (format version 3); sessions in raquezha/pi.dev; sessions of version 0.87.1, which was run",
  heals: ["empty-text", "empty-message", "unanswered-call"],
  noun: "entries",
  aliases: ["openclaw"],
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
      "result-tool-name",
      "compaction-marks",
    ],
    convention: ["system-in-the-middle"],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  links: {
    id: "id",
    parent: "parentId",
    isEntry: ({ type }) => type !== "session",
    content: (record) => [record["type"], record["message"] ?? record],
    newId: (...seed) => deriveHex(8, ...seed),
  },
  read,
  effective,
  write,
  header: (place) => {
    const { session, time } = place
    const header = { type: "session", version: 3, id: session.id, timestamp: time, cwd: session.folder ?? "/" }
    if (session.title === undefined) return [header]
    return [header, { type: "session_info", id: place.id, parentId: null, timestamp: time, name: session.title }]
  },
  afterWrite: (records, change) => countAnswered(keepFirstKept(records, change), change),
  facts: (record) => {
    const { type, id, cwd, timestamp, parentSession, name, modelId } = record
    if (type === "session_info") return { title: textOf(name) }
    if (type === "model_change") return { model: textOf(modelId) }
    if (type !== "session") {
      const message = messageOf(record)
      return message?.["role"] === "assistant" ? { model: textOf(message["model"]) } : {}
    }
    const parent = textOf(parentSession)
    return {
      id: textOf(id),
      folder: textOf(cwd),
      startedAt: textOf(timestamp),
      ...(parent !== undefined && { needs: `the session ${parent} it was forked from, for what is not copied here` }),
    }
  },
  marks: [
    { certainty: "certain", evidence: "a record is the header of a session with its folder", isOn: isHeader, suffices: true },
    { certainty: "likely", evidence: "its messages name the interface they were made through", isOn: isOwnEntry },
  ],
  place: ({ folder = "/", startedAt = "" }) => {
    const home = folder.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")
    const time = startedAt.replaceAll(/[^\w+-]/g, "-")
    return {
      path: (name) => `~/.pi/agent/sessions/--${home}--/${time}_${name}.jsonl`,
      resume: (name) => `pi --session ${name}`,
      note: phrase`run it in ${shellWord(folder)}, the folder the session names`,
    }
  },
})
