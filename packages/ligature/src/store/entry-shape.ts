/**
 * What an entry must look like for anybody to read it. An append insists on it, so that no caller can store what would
 * keep the conversation from being opened again. Reading does not insist, because bytes change on disks too: a block
 * that lacks its fields is kept as one nobody understands, and so is an entry.
 */
import { type Block, type BlockType, isWire, type Role, type Wire } from "../model/index.ts"
import type { EntryBody, EntryKind, NewEntry } from "./entry.ts"
import { StoreError } from "./store-error.ts"

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNothing = (value: unknown): boolean => value === undefined || isText(value)
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(fits)

const roles: Readonly<Record<Role, true>> = { system: true, user: true, assistant: true, tool: true }
const sourceFields: ReadonlyMap<unknown, string> = new Map([["base64", "data"], ["url", "url"], ["file", "id"]])

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

const mended = (blocks: readonly unknown[], fits: (block: unknown) => boolean): readonly unknown[] =>
  blocks.map((block) => (fits(block) ? block : unreadable(block)))

/** The entry with blocks that cannot be read marked as such; undefined where that is not all it lacks. */
const withoutUnreadable = (entry: Wire): Wire | undefined => {
  const { message, result } = entry
  if (isMessageFrame(message)) return { ...entry, message: { ...message, blocks: mended(message.blocks, isBlock) } }
  if (!isWire(result) || !Array.isArray(result["content"])) return undefined
  return { ...entry, result: { ...result, content: mended(result["content"], isContent) } }
}

/** An entry as it was stored. One nobody here understands stays on its path as a note, with all it said. */
export const readEntryBody = (value: Wire): EntryBody => {
  const shape = shapeOf(value["kind"])
  if (shape?.fits(value)) return value as unknown as EntryBody
  const rest = shape && withoutUnreadable(value)
  if (rest && shape.fits(rest)) return rest as unknown as EntryBody
  return { kind: "note", name: "unknown-entry", value: value as never }
}
