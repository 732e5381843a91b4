/**
 * Conversation → history file. What came from such a file goes back into its records: untouched ones are the very same
 * objects, changed ones keep their fields, hidden ones and all others stay where they are. Conversations of other
 * agents become a new file, with calls and results as blocks.
 */
import { type Block, type Conversation, isWire, type UserBlock, type Wire } from "../../model/index.ts"
import { encodeMessage } from "../../formats/anthropic/encode.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { placedItems, Wording } from "../../formats/xml-text/wording.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { lower } from "./lower.ts"
import { format, hiddenRecords, isMessage, isReasoningItem, listKey, recordsOf, timeOf } from "./records.ts"
import { type Group, groupSections } from "./sections.ts"
import { readRecords } from "./decode.ts"
import { rewriteReasoning } from "./reasoning.ts"
import { labelled, labelOf, systemMark } from "./system-record.ts"

/** The message as the inner codec writes it: the record itself where nothing changed. */
const written = ({ role, record }: Group, blocks: readonly Block[]): Wire | undefined =>
  encodeMessage(role === "assistant" ? "assistant" : "user", blocks, record)

const reasoningField = (reasoning: readonly string[]): Wire => (reasoning.length === 0 ? {} : { reasoning_content: reasoning.join("\n\n") })

/** Such a message has nothing in its content. */
const isReasoningAlone = ({ parts }: Group): boolean => parts.length > 0 && parts.every(({ block }) => block.type === "thinking")

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

/** Undefined: nothing is left to say. */
export const writeGroup = (group: Group, own: boolean, wording: Wording): Wire | undefined => {
  const { blocks, reasoning } = lower(group.parts, group.record, own, wording)
  if (group.record) {
    const record = withoutForeign(group.record)
    const message = written({ ...group, record }, group.role === "system" ? [...labelOf(record), ...blocks] : blocks)
    if (!message && !isReasoningAlone(group)) return undefined
    const role = record["role"] === "tool" ? "user" : record["role"]
    const kept = message ?? withoutContent(record)
    const said = kept["role"] === role ? kept : { ...kept, role }
    if (reasoning.length === 0) return said
    const { reasoning_details: _, ...rest } = said
    return { ...rest, ...reasoningField(reasoning) }
  }
  const message = written(group, group.role === "system" ? labelled(blocks as readonly UserBlock[]) : blocks)
  if (!message && reasoning.length === 0) return undefined
  return {
    role: group.role === "assistant" ? "assistant" : "user",
    content: message?.["content"] ?? [],
    ...reasoningField(reasoning),
    ...(group.role === "system" && systemMark),
  }
}

/** Times have 13 digits; the agents sort and name things by them. */
const earliest = 1_000_000_000_000

const writeNew = (conversation: Conversation, options: EncodeOptions, wording: Wording): readonly Wire[] => {
  const started = Math.max(millisecondsOf(options.session?.startedAt ?? "") ?? 0, earliest)
  const seed = options.session?.id ?? conversationSeed(conversation)
  const messages: Wire[] = []
  for (const group of groupSections(conversation, new Map())) {
    const message = writeGroup(group, false, wording)
    if (!message) continue
    const summary = group.message?.summary === true && {
      isSummary: true,
      condenseId: deriveUuid(seed, "summary", String(messages.length)),
    }
    messages.push({ ...message, ts: started + messages.length * 1000, ...summary })
  }
  return messages
}

const isReasoningRecord = (record: unknown): record is Wire => isReasoningItem(record) && !Array.isArray(record["content"])

/** Records that the conversation speaks for: those of its view that hold messages. */
class Spoken {
  readonly places = new Map<unknown, number>()
  /** The message that a reasoning record led to. */
  readonly leadsTo = new Map<unknown, Wire>()

  constructor(records: readonly unknown[], view: unknown) {
    const hidden = view === "whole" ? new Set() : hiddenRecords(records)
    let waiting: Wire[] = []
    records.forEach((record, index) => {
      if (hidden.has(record)) return
      if (isReasoningRecord(record)) waiting.push(record)
      else if (isMessage(record)) {
        this.places.set(record, index)
        if (record["role"] === "assistant") for (const reasoning of waiting) this.leadsTo.set(reasoning, record)
        waiting = []
      }
    })
  }
}

/** A new record is a moment younger than the one in front of it; where records have no times, it has none. */
const stamped = (message: Wire, before: unknown): Wire => {
  const time = timeOf(before)
  return time === undefined || message["ts"] !== undefined ? message : { ...message, ts: time + 1 }
}

const writeBack = (conversation: Conversation, native: Wire, wording: Wording): readonly unknown[] => {
  const records = recordsOf(native)
  const { places, leadsTo } = new Spoken(records, native["view"])
  const replaced = new Map<unknown, Wire>()
  /** Reasoning records that are said, as they are said now. */
  const reasoned = new Map<unknown, Wire>()
  /** New records, by the record they stand behind. */
  const inserted = new Map<unknown, Wire[]>()
  let before: unknown
  for (const group of groupSections(conversation, places)) {
    for (const { block } of group.parts) {
      const item = block.native?.[format]
      if (block.type === "thinking" && leadsTo.has(item)) reasoned.set(item, rewriteReasoning(item as Wire, block))
    }
    const message = writeGroup(group, true, wording)
    if (!message) continue
    if (group.record) {
      replaced.set(group.record, message)
      before = group.record
    } else {
      const list = inserted.get(before)
      if (list) list.push(message)
      else inserted.set(before, [message])
    }
  }
  const out: unknown[] = []
  const push = (message: Wire): void => void out.push(stamped(message, out.at(-1)))
  inserted.get(undefined)?.forEach(push)
  for (const record of records) {
    const subject = leadsTo.get(record)
    // Reasoning that led to a message which is gone would lead to the next one.
    if (subject && places.has(subject)) {
      if (replaced.has(subject) && reasoned.has(record)) out.push(reasoned.get(record))
    } else if (!places.has(record)) out.push(record)
    else if (replaced.has(record)) out.push(replaced.get(record))
    inserted.get(record)?.forEach(push)
  }
  const same = out.length === records.length && out.every((record, index) => Object.is(record, records[index]))
  return same ? records : out
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  const view = isWire(native) && native["view"] === "whole" ? "whole" : "effective"
  const wording = new Wording(options.callsAsText)
  for (;;) {
    const records = isWire(native) ? writeBack(conversation, native, wording) : writeNew(conversation, options, wording)
    if (wording.corrects(() => readRecords(records, { view }).messages)) continue
    if (options.onChange) wording.report(placedItems(conversation)).forEach(options.onChange)
    return { [listKey]: records }
  }
}
