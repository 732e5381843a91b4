/**
 * Conversation → history file. What came from such a file goes back into its records: untouched ones are the very same
 * objects, changed ones keep their fields, hidden ones and all others stay where they are. Conversations of other agents
 * become a new file, with calls and results as blocks.
 */
import {
  asLawful,
  type Block,
  type Conversation,
  type Exchange,
  isWire,
  type UserBlock,
  type UserMessage,
  type Wire,
} from "../../../model/index.ts"
import { anthropic } from "../../anthropic/index.ts"
import type { EncodeOptions } from "../../codec.ts"
import { conversationSeed, deriveUuid } from "../written/derived-id.ts"
import { millisecondsOf } from "../written/iso-time.ts"
import { lower } from "./lower.ts"
import { format, hiddenRecords, isMessage, isReasoningItem, listKey, markOf, recordsOf, timeOf } from "./records.ts"
import { type Group, groupSections } from "./sections.ts"
import { labelled, systemMark } from "./system-record.ts"

const inner = anthropic.format

/** The message as the inner codec writes it: the record itself where nothing changed. */
const written = (group: Group, blocks: readonly Block[]): Wire | undefined => {
  const { record } = group
  const native = record && { native: { [inner]: record } }
  const item: Exchange | UserMessage =
    group.role === "assistant"
      ? { role: "exchange", message: { role: "assistant", blocks: blocks as Exchange["message"]["blocks"], ...native }, outcomes: [] }
      : { role: "user", blocks: blocks as readonly UserBlock[], ...native }
  const { messages } = anthropic.encode(asLawful({ items: [item] }))
  return (messages as readonly Wire[])[0]
}

const reasoningField = (reasoning: readonly string[]): Wire =>
  reasoning.length === 0 ? {} : { reasoning_content: reasoning.join("\n\n") }

const labelOf = (record: Wire): readonly Block[] => {
  const first: unknown = Array.isArray(record["content"]) ? record["content"][0] : undefined
  return markOf(record)?.["role"] === "system" && isWire(first) ? [first as unknown as Block] : []
}

/** Undefined: nothing is left to say. */
const writeGroup = (group: Group, own: boolean): Wire | undefined => {
  const { record, role } = group
  const { blocks, reasoning } = lower(group.parts, record, own)
  if (record) {
    const said = role === "system" ? [...labelOf(record), ...blocks] : blocks
    const message = written(group, said)
    // A message of reasoning alone has nothing in its content.
    if (!message) return group.parts.length > 0 && group.parts.every(({ block }) => block.type === "thinking") ? record : undefined
    const kept = message["role"] === record["role"] ? message : { ...message, role: record["role"] }
    return reasoning.length === 0 ? kept : { ...kept, ...reasoningField(reasoning) }
  }
  const message = written(group, role === "system" ? labelled(blocks as readonly UserBlock[]) : blocks)
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

const writeNew = (conversation: Conversation, options: EncodeOptions): readonly Wire[] => {
  const started = Math.max(millisecondsOf(options.session?.startedAt ?? "") ?? 0, earliest)
  const seed = options.session?.id ?? conversationSeed(conversation)
  const messages: Wire[] = []
  for (const group of groupSections(conversation, new Map())) {
    const message = writeGroup(group, false)
    if (!message) continue
    const summary = group.message?.summary === true && {
      isSummary: true,
      condenseId: deriveUuid(seed, "summary", String(messages.length)),
    }
    messages.push({ ...message, ts: started + messages.length * 1000, ...summary })
  }
  return messages
}

/** Records that the conversation speaks for: those of its view that hold messages. Reasoning goes with its message. */
const spokenRecords = (records: readonly unknown[], view: unknown): ReadonlySet<unknown> => {
  const hidden = view === "whole" ? new Set() : hiddenRecords(records)
  return new Set(records.filter((record) => isMessage(record) && !isReasoningRecord(record) && !hidden.has(record)))
}

const isReasoningRecord = (record: unknown): boolean => isReasoningItem(record) && !Array.isArray(record["content"])

/** A new record is a moment younger than the one in front of it; where records have no times, it has none. */
const stamped = (message: Wire, before: unknown): Wire => {
  const time = timeOf(before)
  return time === undefined || message["ts"] !== undefined ? message : { ...message, ts: time + 1 }
}

const writeBack = (conversation: Conversation, native: Wire): readonly unknown[] => {
  const records = recordsOf(native)
  const spoken = spokenRecords(records, native["view"])
  const places = new Map<unknown, number>()
  records.forEach((record, index) => {
    if (spoken.has(record)) places.set(record, index)
  })
  const replaced = new Map<unknown, Wire>()
  /** New records, by the record they stand behind. */
  const inserted = new Map<unknown, Wire[]>()
  let before: unknown
  for (const group of groupSections(conversation, places)) {
    const message = writeGroup(group, true)
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
  let reasoning: unknown[] = []
  for (const record of records) {
    if (isReasoningRecord(record)) {
      reasoning.push(record)
      continue
    }
    const message = spoken.has(record) ? replaced.get(record) : record
    // Reasoning that led to a message which is gone would lead to the next one.
    if (message !== undefined) for (const item of reasoning) out.push(item)
    reasoning = []
    if (message !== undefined) out.push(message)
    inserted.get(record)?.forEach(push)
  }
  for (const item of reasoning) out.push(item)
  return out.length === records.length && out.every((record, index) => record === records[index]) ? records : out
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  return { [listKey]: isWire(native) ? writeBack(conversation, native) : writeNew(conversation, options) }
}
