/**
 * Entries: the durable records a conversation is made of. A store only ever adds them; what a reader sees is derived
 * from the path, the entries from the root to the tip.
 *
 *   on the path     message, result, summary, hide, note: each becomes the new tip, and rewinding leaves it behind
 *   beside the path rename (the conversation has one title) and tip (says where the next entry goes)
 */
import {
  type Block,
  type BlockType,
  canonicalJson,
  hexHash,
  isWire,
  type JsonValue,
  type Message,
  type Native,
  type ResultBlock,
  type Role,
  type Wire,
} from "../model/index.ts"
import { StoreError } from "./store-error.ts"

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

/** The next entry goes after `to`; null starts over. What was said before stays as a branch. */
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

/** Whether an entry of this kind is on the path. A kind that is missing here does not compile. */
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

/** What an entry says, without where and when it is. */
const saidBy = (entry: EntryBody): unknown => {
  switch (entry.kind) {
    case "message":
      return entry.message
    case "result":
      return [entry.result, entry.native ?? null]
    case "summary":
      return [entry.message, entry.covers]
    case "hide":
      return entry.covers
    case "rename":
      return entry.title
    case "tip":
      return entry.to
    case "note":
      return [entry.name, entry.value]
    default:
      return entry satisfies never
  }
}

/** The same for equal contents, on every machine; depends on no id, parent or time. */
export const fingerprintOf = (entry: EntryBody): string => hexHash(`${entry.kind}:${canonicalJson(saidBy(entry))}`, 16)

/** Names entries for `covers` of a summary or a hide. */
export const cover = (entries: readonly Entry[]): readonly Cover[] =>
  entries.map((entry) => ({ id: entry.id, fingerprint: fingerprintOf(entry) }))

// What an entry must look like for anybody to read it. An append insists on it, so that no caller can store what would
// keep the conversation from being opened again. Reading does not insist, because bytes change on disks too: a block
// that lacks its fields is kept as one nobody understands, and so is an entry.

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNothing = (value: unknown): boolean => value === undefined || isText(value)
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(fits)

const roles: Readonly<Record<Role, true>> = { system: true, user: true, assistant: true, tool: true }
const sourceFields: ReadonlyMap<unknown, string> = new Map([
  ["base64", "data"],
  ["url", "url"],
  ["file", "id"],
])

const blockShapes: Readonly<Record<BlockType, (block: Wire) => boolean>> = {
  text: ({ text }) => isText(text),
  thinking: ({ text, signature }) => isText(text) && isTextOrNothing(signature),
  media: ({ kind, source }) => isText(kind) && isWire(source) && isText(source[sourceFields.get(source["type"]) ?? ""]),
  call: ({ id, name, raw, arguments: given }) => isText(id) && isText(name) && isTextOrNothing(raw) && isWire(given),
  result: ({ callId, name, content }) => isText(callId) && isTextOrNothing(name) && isListOf(content, isContent),
  opaque: ({ kind, text, native }) => isText(kind) && isText(text) && isWire(native),
}

const isBlock = (value: unknown): value is Block =>
  isWire(value) &&
  isText(value["type"]) &&
  Object.hasOwn(blockShapes, value["type"]) &&
  blockShapes[value["type"] as BlockType](value) &&
  (value["native"] === undefined || isWire(value["native"]))

const isContent = (value: unknown): boolean =>
  isBlock(value) && (value.type === "text" || value.type === "media" || value.type === "opaque")

const isResult = (value: unknown): boolean => isBlock(value) && value.type === "result"

/** A role and a list; what is in the list is another question. */
const isMessageFrame = (value: unknown): value is Wire & { readonly blocks: readonly unknown[] } =>
  isWire(value) && isText(value["role"]) && Object.hasOwn(roles, value["role"]) && Array.isArray(value["blocks"])

const isMessage = (value: unknown): boolean => isMessageFrame(value) && value.blocks.every(isBlock)

const isCover = (value: unknown): boolean => isWire(value) && isText(value["id"]) && isText(value["fingerprint"])

interface EntryShape {
  readonly fits: (entry: Wire) => boolean
  /** For whoever gave something else. */
  readonly expected: string
}

const shapes: Readonly<Record<EntryKind, EntryShape>> = {
  message: { fits: ({ message }) => isMessage(message), expected: "a message with a role and whole blocks" },
  result: { fits: ({ result }) => isResult(result), expected: "a result with the id of its call and a list of content" },
  summary: {
    fits: ({ message, covers }) => isMessage(message) && isListOf(covers, isCover),
    expected: "a message with a role and whole blocks, and what it covers",
  },
  hide: { fits: ({ covers }) => isListOf(covers, isCover), expected: "what it covers, as `cover` gives it" },
  rename: { fits: ({ title }) => isText(title), expected: "a title" },
  tip: { fits: ({ to }) => isTextOrNull(to), expected: "the id of an entry, or null" },
  note: { fits: ({ name }) => isText(name), expected: "a name" },
}

const shapeOf = (kind: unknown): EntryShape | undefined =>
  isText(kind) && Object.hasOwn(shapes, kind) ? shapes[kind as EntryKind] : undefined

/** Throws for entries that nobody could read again. */
export const insistEntries = (conversation: string, entries: readonly NewEntry[]): void => {
  const refuse = (message: string): never => {
    throw new StoreError("bad-entry", message, { conversation })
  }
  if (!Array.isArray(entries)) refuse(`Expected a list of entries, got ${typeof entries}`)
  for (const entry of entries as readonly unknown[]) {
    if (!isWire(entry)) return refuse(`Expected an entry, got ${String(entry)}`)
    const shape = shapeOf(entry["kind"]) ?? refuse(`Expected a kind of entry, got ${String(entry["kind"])}`)
    if (!isTextOrNothing(entry["id"]) || entry["id"] === "") refuse("Expected an entry id that is a text and not empty")
    if (!shape.fits(entry)) refuse(`Expected in an entry of the kind ${String(entry["kind"])}: ${shape.expected}`)
  }
}

const unreadable = (value: unknown): Block => ({ type: "opaque", kind: "unreadable", text: "", native: { ligature: value } })

const repaired = (blocks: readonly unknown[], fits: (block: unknown) => boolean): readonly unknown[] =>
  blocks.map((block) => (fits(block) ? block : unreadable(block)))

/** The entry with blocks that cannot be read marked as such; undefined where that is not all it lacks. */
const withoutUnreadable = (entry: Wire): Wire | undefined => {
  const { message, result } = entry
  if (isMessageFrame(message)) return { ...entry, message: { ...message, blocks: repaired(message.blocks, isBlock) } }
  if (!isWire(result) || !Array.isArray(result["content"])) return undefined
  return { ...entry, result: { ...result, content: repaired(result["content"], isContent) } }
}

/** An entry as it was stored. One nobody here understands stays on its path as a note, with all it said. */
export const readEntryBody = (value: Wire): EntryBody => {
  const shape = shapeOf(value["kind"])
  if (shape?.fits(value)) return value as unknown as EntryBody
  const rest = shape && withoutUnreadable(value)
  if (rest && shape.fits(rest)) return rest as unknown as EntryBody
  return { kind: "note", name: "unknown-entry", value: value as never }
}

/** Reads stored operations of the current version back into entries, alike for every store. */
const nullableText = (value: unknown): value is string | null => value === null || typeof value === "string"

/** The operation of a line of the current version; undefined when it is none. */
export const readOperation = (line: Wire): Operation | undefined => {
  const { operation, at, parent, entries } = line
  if (typeof operation !== "string" || typeof at !== "number" || !Array.isArray(entries)) return undefined
  const read: Entry[] = []
  // No id is empty: an entry whose parent was damaged has one that is missing, not none.
  let expected = nullableText(parent) ? parent : ""
  for (const value of entries) {
    if (!isWire(value) || typeof value["id"] !== "string") return undefined
    const { id } = value
    const own = nullableText(value["parent"]) ? value["parent"] : expected
    const body = readEntryBody(value)
    // The value was parsed for us alone: completing it is several times cheaper than copying it.
    read.push(Object.assign(body, { id, parent: own, operation, at }))
    if (body.kind === "tip") expected = body.to
    else expected = onPath[body.kind] ? id : own
  }
  return { operation, at, entries: read }
}
