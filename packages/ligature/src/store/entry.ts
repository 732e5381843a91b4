/**
 * Entries: the durable records a conversation is made of. A store only ever adds them; what a reader sees is derived
 * from the path, the entries from the root to the tip.
 *
 *   on the path     message, result, summary, hide, note: each becomes the new tip, and rewinding leaves it behind
 *   beside the path rename (the conversation has one title) and tip (says where the next entry goes)
 */
import type { JsonValue, Message, Native, ResultBlock } from "../model/index.ts"

/** Version of the entries this code writes. Older ones are migrated on load, newer ones are left alone. */
export const formatVersion = 1

/** Names an entry and what it said when somebody hid or summarised it; made by `cover`. */
export interface Cover {
  readonly id: string
  readonly fingerprint: string
}

export interface MessageEntry {
  readonly kind: "message"
  readonly message: Message
}

/** One result, on its own because it is stored as it lands: beside a crash only calls that still run lose theirs. */
export interface ResultEntry {
  readonly kind: "result"
  readonly result: ResultBlock
  /** The wire message that carried it. */
  readonly native?: Native
}

/** Stands for what it covers while that is unchanged on the path. The covered entries stay in the store. */
export interface SummaryEntry {
  readonly kind: "summary"
  readonly message: Message
  readonly covers: readonly Cover[]
}

/** Takes entries out of sight while they are unchanged on the path. */
export interface HideEntry {
  readonly kind: "hide"
  readonly covers: readonly Cover[]
  readonly reason?: string
}

export interface RenameEntry {
  readonly kind: "rename"
  readonly title: string
}

/** The next entry goes behind `to`; null starts over. What was said before stays as a branch. */
export interface TipEntry {
  readonly kind: "tip"
  readonly to: string | null
  readonly reason?: string
}

/** Anything an agent wants to keep at this point of the path: usage, stop reasons, labels. No model sees it. */
export interface NoteEntry {
  readonly kind: "note"
  readonly name: string
  readonly value: JsonValue
}

export type EntryBody = MessageEntry | ResultEntry | SummaryEntry | HideEntry | RenameEntry | TipEntry | NoteEntry
export type EntryKind = EntryBody["kind"]

/** An entry to append. Without `id` the store gives it one. */
export type NewEntry = EntryBody & { readonly id?: string }

export type Entry = EntryBody & {
  /** Unique in its conversation. */
  readonly id: string
  /** The entry before it on its path; null at the root. */
  readonly parent: string | null
  /** The append that wrote it. */
  readonly operation: string
  /** Milliseconds since 1970; never less than that of an earlier entry, whatever the clock did. */
  readonly at: number
}

/** What one append wrote, all of it or nothing. */
export interface Operation {
  readonly operation: string
  readonly at: number
  readonly entries: readonly Entry[]
}

/** Whether an entry of this kind stands on the path. A kind that is missing here does not compile. */
export const onPath: Readonly<Record<EntryKind, boolean>> = {
  message: true,
  result: true,
  summary: true,
  hide: true,
  note: true,
  rename: false,
  tip: false,
}

/** What an entry says, to be said again elsewhere. */
export const bodyOf = (entry: Entry): NewEntry => {
  const { id: _, parent: __, operation: ___, at: ____, ...body } = entry
  return body
}

/** A message as the log takes it: a result on its own, everything else as it is. */
export const messageEntry = (message: Message): NewEntry => {
  const { line: _, ...said } = message
  const { role, blocks, native, ...others } = said
  const [only, ...more] = blocks
  const isOneResult = role === "tool" && more.length === 0 && Object.keys(others).length === 0
  if (only?.type === "result" && isOneResult) return { kind: "result", result: only, ...(native && { native }) }
  return { kind: "message", message: said }
}
