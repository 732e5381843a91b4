/**
 * Messages → records of a history file. An untouched record is the very same object, a changed one keeps its other fields.
 * Conversations of other agents become a new file, with calls and results as blocks.
 */
import { type Block, type Conversation, isWire, type Wire } from "../../model/index.ts"
import { encodeMessage } from "../../formats/anthropic/encode.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { placedItems, Wording } from "../../formats/xml-text/wording.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { readingOf, type SessionFormat, type WritePlace } from "../engine/session-format.ts"
import { inSession, writeSession } from "../engine/write-session.ts"
import { lower, type Part } from "./lower.ts"
import { readMessages } from "./read.ts"
import { rewriteReasoning } from "./reasoning.ts"
import { format, labelled, labelOf, listKey, pathIn, reasoningBefore, recordsOf, systemMark, timeOf } from "./records.ts"

const reasoningField = (reasoning: readonly string[]): Wire => (reasoning.length === 0 ? {} : { reasoning_content: reasoning.join("\n\n") })

/** Such a message has nothing in its content. */
const isReasoningAlone = (parts: readonly Part[]): boolean => parts.length > 0 && parts.every(({ block }) => block.type === "thinking")

const withoutContent = (record: Wire): Wire => {
  const { content } = record
  const isEmpty = content === "" || content === undefined || content === null || sameElements([], content)
  return isEmpty ? record : { ...record, content: [] }
}

/** Fields in which messages of other APIs have what these have in their content. */
const foreignFields = ["tool_calls", "invalid_tool_calls", "tool_call_id", "parts", "text"]

/** The record without what was read from such fields: it is written into the content, and would be read twice. */
const withoutForeign = (record: Wire): Wire => {
  if (!foreignFields.some((field) => field in record)) return record
  const isOwn = anthropic.decode([record]).messages[0]?.native !== undefined
  return isOwn ? record : Object.fromEntries(Object.entries(record).filter(([field]) => !foreignFields.includes(field)))
}

/** What one record has. `like`: the record it was, if any. */
export interface RecordContent {
  readonly role: "system" | "user" | "assistant"
  readonly parts: readonly Part[]
  readonly like: Wire | undefined
}

/** Undefined: nothing is left to write. `own`: the conversation came from this format, so that calls in text stay text. */
export const writeRecord = ({ role, parts, like }: RecordContent, own: boolean, wording: Wording): Wire | undefined => {
  const { blocks, reasoning } = lower(parts, like, own, wording)
  /** The record itself where nothing changed. */
  const written = (all: readonly Block[], record?: Wire): Wire | undefined =>
    encodeMessage(role === "assistant" ? "assistant" : "user", all, record)
  if (like) {
    const record = withoutForeign(like)
    const message = written(role === "system" ? [...labelOf(record), ...blocks] : blocks, record)
    if (!message && !isReasoningAlone(parts)) return undefined
    const itsRole = record["role"] === "tool" ? "user" : record["role"]
    const kept = message ?? withoutContent(record)
    const said = kept["role"] === itsRole ? kept : { ...kept, role: itsRole }
    if (reasoning.length === 0) return said
    const { reasoning_details: _, ...rest } = said
    return { ...rest, ...reasoningField(reasoning) }
  }
  const message = written(role === "system" ? labelled(blocks) : blocks)
  if (!message && reasoning.length === 0) return undefined
  return {
    role: role === "assistant" ? "assistant" : "user",
    content: message?.["content"] ?? [],
    ...reasoningField(reasoning),
    ...(role === "system" && systemMark),
  }
}

/** Times have 13 digits; the agents sort and name things by them. */
const earliest = 1_000_000_000_000

/** What a new record has beside its message: in a new file all have a time; else it is a moment younger than the one before it. */
const stamp = (own: boolean, isSummary: boolean, { index, previous, seed, session }: WritePlace): Wire => {
  if (own) {
    const time = timeOf(previous)
    return time === undefined ? {} : { ts: time + 1 }
  }
  const started = Math.max(millisecondsOf(session.startedAt ?? "") ?? 0, earliest)
  return { ts: started + index * 1000, ...(isSummary && { isSummary: true, condenseId: deriveUuid(seed, "summary", String(index)) }) }
}

/** How a history is written with this wording: the same format, with reasoning records as they are now. */
const worded = (definition: SessionFormat, own: boolean, path: readonly number[], wording: Wording): SessionFormat => {
  /** Reasoning records whose message is written, as they are now. */
  const reasoned = new Map<unknown, Wire>()
  return {
    ...definition,
    write: (messages, like, place) => {
      const blocks = messages.flatMap((message) => message.blocks)
      const roles = messages.map(({ role }) => role)
      const role = roles.includes("assistant") ? "assistant" : roles[0] === "system" ? "system" : "user"
      const parts = blocks.map((block): Part => {
        const call = block.type === "result" ? place.callOf(block.callId)?.call : undefined
        return call ? { block, call } : { block }
      })
      for (const block of blocks) {
        const item = block.native?.[format]
        if (block.type === "thinking" && block.tied === true && isWire(item)) reasoned.set(item, rewriteReasoning(item, block))
      }
      const written = writeRecord({ role, parts, like }, own, wording)
      if (!written || like) return written ?? []
      return {
        ...written,
        ...stamp(
          own,
          messages.some(({ summary }) => summary === true),
          place,
        ),
      }
    },
    wrap: (value, records) => {
      // Reasoning that led to a message which is gone would lead to the next one.
      const known = new Set([...reasoningBefore(recordsOf(value), path).values()].flat())
      if ([...known].every((record) => reasoned.get(record) === record)) return { [listKey]: records }
      const kept = (record: unknown): readonly unknown[] => {
        const now = reasoned.get(record)
        return !known.has(record as Wire) ? [record] : now ? [now] : []
      }
      return { [listKey]: records.flatMap(kept) }
    },
  }
}

/** A text may read as a call beside other texts: what was written is read again, and written again where that is so. */
export const writeHistory = (definition: SessionFormat, given: Conversation, options: EncodeOptions = {}): Wire => {
  const conversation = inSession(definition, given)
  const { view = "effective", path = [] } = readingOf(conversation.native, format) ?? {}
  const own = isWire(conversation.native?.[format])
  const wording = new Wording(options.callsAsText)
  for (;;) {
    const value = writeSession(worded(definition, own, path, wording), conversation, options)
    const records = recordsOf(value)
    if (wording.corrects(() => readMessages(records, pathIn(records, view), undefined).messages)) continue
    if (options.onChange) wording.report(placedItems(conversation)).forEach(options.onChange)
    return value
  }
}
