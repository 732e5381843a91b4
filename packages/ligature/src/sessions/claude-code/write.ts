/**
 * Messages as the agent writes them: one content block per line, all fragments of a reply under one message id and one request
 * id, a result with its raw output beside it and the name of the record of its call, a summary after a boundary that cuts off
 * what is before it. In its own file a record keeps everything around its content.
 */
import { type Block, isWire, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { encodeBlock } from "../../formats/anthropic/encode.ts"
import { deriveHex, deriveUuid } from "../engine/derived-id.ts"
import { patchList } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { contentOf, kindOf, kinds, textIn, withContent } from "./records.ts"

/** The version whose records these resemble. */
const writtenVersion = "2.1.143"

/** Comes before what another agent was told as a system message: here it can only be a note to the model. */
const systemLabel = "[System message]"

const noUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
} as const

/** Fields that say to which session a record belongs, in the order the agent writes them. */
const envelopeFields = [
  "isSidechain",
  "agentId",
  "promptId",
  "userType",
  "entrypoint",
  "cwd",
  "sessionId",
  "version",
  "gitBranch",
  "slug",
  "session_id",
  "parent_tool_use_id",
] as const

const isNew = ({ seed }: WritePlace): boolean => seed !== ""

/** What every record has around its message: that of the record before it, or what is known of a new session. */
const envelopeOf = (place: WritePlace): Wire => {
  const { previous, session } = place
  if (isNew(place)) {
    return {
      isSidechain: false,
      userType: "external",
      cwd: session.folder ?? "/",
      sessionId: session.id,
      version: writtenVersion,
      gitBranch: "",
    }
  }
  return Object.fromEntries(
    envelopeFields.flatMap((field) => (previous && Object.hasOwn(previous, field) ? [[field, previous[field]]] : [])),
  )
}

/** What the ids of a record are made from. */
const seedAt = (place: WritePlace): readonly string[] => (isNew(place) ? [place.seed] : [place.id])

const newRecord = (place: WritePlace, fields: Wire): Wire => {
  const { previous } = place
  if (isNew(place)) {
    const uuid = deriveUuid(place.seed, "record", String(place.index))
    return { parentUuid: null, ...envelopeOf(place), ...fields, uuid, timestamp: place.time }
  }
  return {
    // What the agent prints has no parents.
    ...((!previous || Object.hasOwn(previous, "parentUuid")) && { parentUuid: null }),
    ...envelopeOf(place),
    ...fields,
    uuid: place.id,
    ...((!previous || Object.hasOwn(previous, "timestamp")) && { timestamp: place.time }),
  }
}

/** Thinking is taken back only by the provider that signed it (L10). */
const isOwnThinking = (block: Block & { type: "thinking" }, { origin }: RecordMessage, place: WritePlace): boolean => {
  if (block.native !== undefined) return Object.hasOwn(block.native, "anthropic")
  return block.signature !== undefined && (origin?.provider ?? place.origin?.provider) === "anthropic"
}

const isWritable = (block: Block, message: RecordMessage, place: WritePlace): boolean => {
  if (block.type === "thinking") return isOwnThinking(block, message, place)
  return block.type !== "opaque" || block.text !== "" || (block.native !== undefined && Object.hasOwn(block.native, "anthropic"))
}

const writableIn = (message: RecordMessage, place: WritePlace): readonly Block[] =>
  message.blocks.filter((block) => isWritable(block, message, place))

const newReply = (message: RecordMessage, blocks: readonly Block[], start: WritePlace): readonly Wire[] => {
  const count = String(start.index)
  const seed = seedAt(start)
  const id = `msg_${deriveHex(24, ...seed, "message", count)}`
  const requestId = `req_${deriveHex(24, ...seed, "request", count)}`
  const model = message.origin?.model ?? start.origin?.model ?? "unknown"
  const stop = blocks.some(({ type }) => type === "call") ? "tool_use" : "end_turn"
  const records: Wire[] = []
  let place = start
  blocks.forEach((block, index) => {
    const content = [encodeBlock(block)]
    const stop_reason = index === blocks.length - 1 ? stop : null
    const reply = { id, type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage: noUsage }
    const record = newRecord(place, { message: reply, requestId, type: "assistant" })
    records.push(record)
    place = place.next(record)
  })
  return records
}

const newResult = (result: ResultBlock, place: WritePlace): Wire => {
  const wire = encodeBlock(result)
  const { content = "" } = wire
  const called = textIn(place.callOf(result.callId)?.record, "uuid")
  return newRecord(place, {
    type: "user",
    message: { role: "user", content: [wire] },
    toolUseResult: typeof content === "string" && wire["is_error"] === true ? `Error: ${content}` : content,
    ...(called !== undefined && { sourceToolAssistantUUID: called }),
  })
}

const newUserRecord = (blocks: readonly Block[], marks: Wire, place: WritePlace): Wire => {
  const wires = blocks.map(encodeBlock)
  const [only] = wires
  const isPlain = wires.length === 1 && only?.["type"] === "text" && Object.keys(only).length === 2
  return newRecord(place, { type: "user", message: { role: "user", content: isPlain ? only["text"] : wires }, ...marks })
}

/** From here on the agent sees the summary that follows, and not what is before it. */
const newBoundary = (place: WritePlace): Wire =>
  newRecord(place, {
    logicalParentUuid: textIn(place.previous, "uuid") ?? null,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    level: "info",
    compactMetadata: { trigger: "manual", preTokens: 0 },
  })

const newRecords = (message: RecordMessage, place: WritePlace): readonly Wire[] => {
  const blocks = writableIn(message, place)
  const [first] = blocks
  if (!first) return []
  if (message.role === "assistant") return newReply(message, blocks, place)
  if (first.type === "result") return [newResult(first, place)]
  if (message.role === "system") return [newUserRecord([text(systemLabel), ...blocks], { isMeta: true }, place)]
  if (message.summary !== true) return [newUserRecord(blocks, {}, place)]
  const marks = { isVisibleInTranscriptOnly: true, isCompactSummary: true }
  if (!place.previous) return [newUserRecord(blocks, marks, place)]
  const boundary = newBoundary(place)
  return [boundary, newUserRecord(blocks, marks, place.next(boundary))]
}

/** The record with its content as it is now; nothing where none of it is left. */
const rewritten = (record: Wire, blocks: readonly Block[]): Wire | readonly Wire[] => {
  const before = contentOf(record)
  const wires = blocks.map(encodeBlock)
  if (wires.length === 0) return []
  const [only] = wires
  if (typeof before === "string" && wires.length === 1 && only?.["type"] === "text") return withContent(record, only["text"])
  const changed = withContent(record, patchList(before, wires))
  // The text of a result that lost its call was typed by nobody: it must not look like a prompt.
  return kindOf(record) === kinds.results && kindOf(changed) === kinds.user ? { ...changed, isMeta: true } : changed
}

export const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire | readonly Wire[] => {
  if (like)
    return rewritten(
      like,
      messages.flatMap((message) => writableIn(message, place)),
    )
  let at = place
  return messages.flatMap((message) => {
    const records = newRecords(message, at)
    for (const record of records) at = at.next(record)
    return records
  })
}

/**
 * A compaction between a call and its result names the result as what it continues, although it was never written: a result
 * that is added now takes that name.
 */
export const withPromisedNames = (records: readonly unknown[], before: readonly unknown[]): readonly unknown[] => {
  const old = new Set(before.map((record) => textIn(record, "uuid")))
  const out = [...records]
  let added = -1
  records.forEach((record, index) => {
    if (!isWire(record)) return
    const uuid = textIn(record, "uuid")
    if (uuid !== undefined && !old.has(uuid)) added = index
    const promised = textIn(record, "logicalParentUuid")
    if (promised !== undefined && added >= 0 && !old.has(promised)) out[added] = { ...(out[added] as Wire), uuid: promised }
    if (kindOf(record) !== kinds.aside && index !== added) added = -1
  })
  return out
}
