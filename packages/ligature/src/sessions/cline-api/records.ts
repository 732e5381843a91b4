/**
 * The records of an `api_conversation_history.json`: Anthropic messages with fields of the agent beside them. Roo and
 * Kilo never delete what a condense or a truncation takes out of sight. They tag it with the id of the summary or
 * marker that stands for it, and the tag counts only while that record exists: a rewind that removes it brings the
 * messages back.
 */
import { type Block, isWire, text, type TextBlock, type Wire } from "../../model/index.ts"
import { listIn } from "../engine/fields.ts"

export const format = "cline-api"
export const listKey = "messages"

/** The list of a file's value, and of what `encode` returns. */
export const recordsOf = (value: unknown): readonly unknown[] => listIn(value, listKey)

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "tool"])

export const isMessage = (record: unknown): record is Wire => isWire(record) && roles.has(record["role"])

export const isReasoningItem = (record: unknown): record is Wire => isWire(record) && record["type"] === "reasoning"

/** Reasoning that was stored as a record of its own, before the message it led to. */
export const isReasoningRecord = (record: unknown): record is Wire => isReasoningItem(record) && !Array.isArray(record["content"])

/** The reasoning records before each message of the assistant. */
export const reasoningBefore = (records: readonly unknown[], path: readonly number[]): ReadonlyMap<unknown, readonly Wire[]> => {
  const before = new Map<unknown, readonly Wire[]>()
  let waiting: Wire[] = []
  for (const index of path) {
    const record = records[index]
    if (isReasoningRecord(record)) waiting.push(record)
    else if (isMessage(record)) {
      if (waiting.length > 0 && record["role"] === "assistant") before.set(record, waiting)
      if (waiting.length > 0) waiting = []
    }
  }
  return before
}

export const isSummary = (record: Wire): boolean => record["isSummary"] === true

export const isTruncationMarker = (record: Wire): boolean => record["isTruncationMarker"] === true

/** Milliseconds since 1970, as these agents stamp their messages. */
export const timeOf = (record: unknown): number | undefined => {
  const time = isWire(record) ? record["ts"] : undefined
  return typeof time === "number" && Number.isFinite(time) ? time : undefined
}

/** What we say in a record that no version of the agents reads. */
export const markKey = "ligature"

export const markOf = (record: Wire): Wire | undefined => {
  const mark = record[markKey]
  return isWire(mark) ? mark : undefined
}

/** The style that a migration gave a record. */
export const styleMark = (mark: Wire | undefined): unknown => mark?.["style"]

// System messages of other agents. These files have none: the agent brings its own prompt. What another agent was told is
// written as text of the user under a label, in a record with a mark by which it is read back.

const label = "[System message]"

export const labelled = (blocks: readonly Block[]): readonly Block[] => [text(label), ...blocks]

export const systemMark: Wire = { [markKey]: { role: "system" } }

const isLabel = (block: unknown): boolean => isWire(block) && block["type"] === "text" && block["text"] === label

export const withoutLabel = (blocks: readonly Block[]): readonly Block[] => (isLabel(blocks[0]) ? blocks.slice(1) : blocks)

/** The label of a record that has one, as it is written there. */
export const labelOf = ({ content }: Wire): readonly TextBlock[] => {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return isLabel(first) ? [first as TextBlock] : []
}

/** The records that an existing summary or marker hides. */
export const hiddenRecords = (records: readonly unknown[]): ReadonlySet<unknown> => {
  const summaries = new Set<unknown>()
  const markers = new Set<unknown>()
  for (const record of records) {
    if (!isWire(record)) continue
    if (isSummary(record) && typeof record["condenseId"] === "string") summaries.add(record["condenseId"])
    if (isTruncationMarker(record) && typeof record["truncationId"] === "string") markers.add(record["truncationId"])
  }
  const hidden = new Set<unknown>()
  if (summaries.size === 0 && markers.size === 0) return hidden
  for (const record of records) {
    if (!isWire(record)) continue
    if (summaries.has(record["condenseParent"]) || markers.has(record["truncationParent"])) hidden.add(record)
  }
  return hidden
}

/** The records that a view shows, by their index. */
export const pathIn = (records: readonly unknown[], view: "whole" | "effective"): readonly number[] => {
  const hidden = view === "whole" ? new Set() : hiddenRecords(records)
  return [...records.keys()].filter((index) => isWire(records[index]) && !hidden.has(records[index]))
}
