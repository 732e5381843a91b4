/**
 * What one record of a session file is. Records of the tree carry a uuid; those that hold a message are fragments of
 * what the model said, words on the user's side, or results. All else in the tree is an aside: hooks, progress,
 * attachments, notices, and lines that look like the model's but were written by the agent itself.
 */
import { isWire, type Wire } from "../../../model/index.ts"
import { listIn } from "../../engine/fields.ts"

export const format = "claude-code"

/** `outside`: in no tree. The others in the order in which they matter to a walk: an aside is passed through. */
export const kinds = { outside: 0, aside: 1, fragment: 2, words: 3, results: 4, malformed: 5 } as const
export type RecordKind = (typeof kinds)[keyof typeof kinds]

export const textIn = (record: unknown, field: string): string | undefined => {
  if (!isWire(record)) return undefined
  const value = record[field]
  return typeof value === "string" && value !== "" ? value : undefined
}

const blockOf = (type: string, content: unknown): boolean => {
  if (!Array.isArray(content)) return false
  for (const block of content) if (isWire(block) && block["type"] === type) return true
  return false
}

/** A prompt that was typed while the model worked: the agent hands it over as an attachment. */
const queuedPrompt = (record: Wire): unknown => {
  const { attachment } = record
  if (!isWire(attachment) || attachment["type"] !== "queued_command") return undefined
  const { prompt } = attachment
  return typeof prompt === "string" || Array.isArray(prompt) ? prompt : undefined
}

const isContent = (content: unknown): boolean => typeof content === "string" || Array.isArray(content)

/** The agent speaks in the model's place: errors of the API, "No response requested.". */
const isInvented = (record: Wire, message: Wire): boolean =>
  message["model"] === "<synthetic>" || record["isApiErrorMessage"] === true

const userKind = (record: Wire, message: Wire): RecordKind => {
  if (record["isVisibleInTranscriptOnly"] === true && record["isCompactSummary"] !== true) return kinds.aside
  return blockOf("tool_result", message["content"]) ? kinds.results : kinds.words
}

export const kindOf = (record: unknown): RecordKind => {
  if (!isWire(record)) return kinds.outside
  const { type } = record
  if (type === "assistant" || type === "user") {
    const { message } = record
    if (!isWire(message) || !isContent(message["content"])) return kinds.malformed
    if (type === "user") return userKind(record, message)
    return isInvented(record, message) ? kinds.aside : kinds.fragment
  }
  if (type === "attachment" && queuedPrompt(record) !== undefined) return kinds.words
  return typeof record["uuid"] === "string" ? kinds.aside : kinds.outside
}

export const isMessageKind = (kind: number): boolean => kind >= kinds.fragment && kind <= kinds.results

/** The content of a record that holds a message: a text or a list of blocks. */
export const contentOf = (record: Wire): unknown => {
  const { message } = record
  return isWire(message) ? message["content"] : queuedPrompt(record)
}

/** The same record around other content. */
export const withContent = (record: Wire, content: unknown): Wire => {
  const { message, attachment } = record
  if (isWire(message)) return { ...record, message: { ...message, content } }
  return isWire(attachment) ? { ...record, attachment: { ...attachment, prompt: content } } : record
}

/** The words a record begins with, as far as one needs them to know what they are. */
export const openingOf = (record: Wire): string => {
  const content = contentOf(record)
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  for (const block of content) if (isWire(block) && typeof block["text"] === "string") return block["text"]
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

/** Words on the user's side that no person typed, or that came while the model worked: they never start a branch. */
export const isNotice = (record: Wire): boolean => {
  if (record["isMeta"] === true || record["isCompactSummary"] === true || record["type"] === "attachment") return true
  const opening = openingOf(record)
  return notices.some((notice) => opening.startsWith(notice))
}

export const isBoundary = (record: Wire): boolean =>
  record["type"] === "system" && record["subtype"] === "compact_boundary"

export const isSummary = (record: Wire): boolean => record["isCompactSummary"] === true

/** Ids of the calls a record makes, or of those it answers. */
export const idsIn = (record: Wire, type: "tool_use" | "tool_result"): readonly string[] => {
  const content = contentOf(record)
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

/** The value of a session as its list of records. */
export const recordsOf = (value: unknown): readonly unknown[] => listIn(value)
