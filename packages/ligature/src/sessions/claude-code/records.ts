/**
 * What one record of a session file is. Records of the tree have a uuid; those that hold a message are fragments of what the
 * model said, messages of the user's side, or results. All else in the tree is an aside: hooks, progress, attachments,
 * notices, and lines that look like the model's but were written by the agent itself.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { listOf, textOf } from "../engine/fields.ts"
import { patch } from "../engine/patch.ts"

/** `outside`: in no tree. The others in the order in which they matter to a walk: an aside is passed through. */
export const kinds = { outside: 0, aside: 1, fragment: 2, user: 3, results: 4, malformed: 5 } as const
export type RecordKind = (typeof kinds)[keyof typeof kinds]

/** How records say where they belong: the session file has a tree, the stream that the agent prints only its order. */
export interface Dialect {
  /** Which agent speaks: "" for the one the person talks to. Fallbacks by file order stay within a lane. */
  readonly laneOf: (record: Wire) => string
  /** A subagent has a file of its own, in which no other agent speaks. */
  readonly separate: boolean
  /** Records name their parents, and the agent goes by that. */
  readonly linked: boolean
  /** The uuid it hangs on; null for a root; undefined where the record does not say. */
  readonly parentOf: (record: Wire) => string | null | undefined
}

/** The text in a field, where there is one. */
export const textIn = (record: unknown, field: string): string | undefined => (isWire(record) ? textOf(record[field]) : undefined)

/** A prompt that was typed while the model worked: the agent hands it over as an attachment. */
const queuedPrompt = ({ attachment }: Wire): unknown => {
  if (!isWire(attachment) || attachment["type"] !== "queued_command") return undefined
  const { prompt } = attachment
  return typeof prompt === "string" || Array.isArray(prompt) ? prompt : undefined
}

const holds = (content: unknown, type: string): boolean => {
  if (!Array.isArray(content)) return false
  for (const block of content) if (isWire(block) && block["type"] === type) return true
  return false
}

export const kindOf = (record: unknown): RecordKind => {
  if (!isWire(record)) return kinds.outside
  const { type, message } = record
  if (type === "assistant" || type === "user") {
    const content = isWire(message) ? message["content"] : undefined
    if (!isWire(message) || (typeof content !== "string" && !Array.isArray(content))) return kinds.malformed
    // The agent speaks in the model's place: errors of the API, "No response requested.".
    const isOfAgent = message["model"] === "<synthetic>" || record["isApiErrorMessage"] === true
    if (type === "assistant") return isOfAgent ? kinds.aside : kinds.fragment
    if (record["isVisibleInTranscriptOnly"] === true && !isSummary(record)) return kinds.aside
    return holds(content, "tool_result") ? kinds.results : kinds.user
  }
  if (type === "attachment" && queuedPrompt(record) !== undefined) return kinds.user
  return typeof record["uuid"] === "string" ? kinds.aside : kinds.outside
}

export const isMessageKind = (kind: number | undefined): boolean => kind !== undefined && kind >= kinds.fragment && kind <= kinds.results

/** The content of a record that holds a message: a text or a list of blocks. */
export const contentOf = (record: Wire): unknown => {
  const { message } = record
  return isWire(message) ? message["content"] : queuedPrompt(record)
}

/** The same record around other content. */
export const withContent = (record: Wire, content: unknown): Wire => {
  const { message, attachment } = record
  if (isWire(message)) return patch(record, { message: patch(message, { content }) })
  return isWire(attachment) ? patch(record, { attachment: patch(attachment, { prompt: content }) }) : record
}

/** The first text of a record. */
export const openingOf = (record: Wire): string => {
  const content = contentOf(record)
  if (typeof content === "string") return content
  for (const block of listOf(content)) if (isWire(block) && typeof block["text"] === "string") return block["text"]
  return ""
}

const notices = [
  "[Request interrupted by user",
  "<local-command-stdout>",
  "<local-command-stderr>",
  "<bash-stdout>",
  "<bash-stderr>",
  "<task-notification>",
]

/** Text on the user's side that no person typed, or that came while the model worked: it never starts a branch. */
export const isNotice = (record: Wire): boolean => {
  if (record["isMeta"] === true || isSummary(record) || record["type"] === "attachment") return true
  const opening = openingOf(record)
  return notices.some((notice) => opening.startsWith(notice))
}

export const isBoundary = ({ type, subtype }: Wire): boolean => type === "system" && subtype === "compact_boundary"

export const isSummary = (record: Wire): boolean => record["isCompactSummary"] === true

/** Messages that a compaction keeps in sight, first and last or all of them, and the record after which they come. */
interface Preserved {
  readonly head?: string | undefined
  readonly tail?: string | undefined
  readonly anchor?: string | undefined
  readonly uuids: readonly string[]
}

export const preservedBy = ({ compactMetadata: metadata }: Wire): Preserved => {
  if (!isWire(metadata)) return { uuids: [] }
  const { preservedSegment: segment, preservedMessages: listed } = metadata
  if (isWire(listed) && Array.isArray(listed["uuids"])) {
    const uuids = listed["uuids"].filter((uuid) => typeof uuid === "string")
    return { head: uuids[0], tail: uuids.at(-1), anchor: textIn(listed, "anchorUuid"), uuids }
  }
  return { head: textIn(segment, "headUuid"), tail: textIn(segment, "tailUuid"), anchor: textIn(segment, "anchorUuid"), uuids: [] }
}

/** Ids of the calls a record makes, or of those it answers. */
export const idsIn = (record: unknown, type: "tool_use" | "tool_result"): readonly string[] => {
  const content = isWire(record) ? contentOf(record) : undefined
  if (!Array.isArray(content)) return []
  const field = type === "tool_use" ? "id" : "tool_use_id"
  const ids: string[] = []
  for (const block of content) {
    if (!isWire(block) || block["type"] !== type) continue
    const id = block[field]
    if (typeof id === "string" && id !== "") ids.push(id)
  }
  return ids
}
