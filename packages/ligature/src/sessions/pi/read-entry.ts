/**
 * One entry of a session → the message it adds to what the model sees; undefined for bookkeeping. What is no chat
 * message there (a command the user ran, the note of an extension, a summary) the agent sends as user text, and so it
 * is read.
 */
import { asWord, type Block, isWire, type Message, readResultContent, text, type Wire } from "../../model/index.ts"
import { messageOf, systemType } from "./format.ts"
import { readContent, readResultBlocks } from "./read-block.ts"

type Reader = (wire: Wire, record: Wire) => Message | undefined

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** What a command run by the user looks like to the model. */
export const commandText = (wire: Wire): string => {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath } = wire
  const lines = [`$ ${asWord(command ?? "")}`, typeof output === "string" && output !== "" ? output : "(no output)"]
  if (cancelled === true) lines.push("(cancelled)")
  else if (typeof exitCode === "number" && exitCode !== 0) lines.push(`(exit code ${exitCode})`)
  if (truncated === true && typeof fullOutputPath === "string") lines.push(`(cut; all of it is in ${fullOutputPath})`)
  return lines.join("\n")
}

const readUser: Reader = (wire, record) => ({
  role: "user",
  blocks: readContent(wire["content"]),
  native: { pi: record },
})

/** Failed before the model said a word: a notice about the failure, nothing that was said. */
export const isFailureNotice = (wire: Wire): boolean => {
  const { content, stopReason } = wire
  const isEmpty = Array.isArray(content) ? content.length === 0 : (content ?? "") === ""
  return isEmpty && (stopReason === "error" || stopReason === "aborted")
}

const readAssistant: Reader = (wire, record) => {
  if (isFailureNotice(wire)) return undefined
  const { provider, model } = wire
  const origin = {
    ...(typeof provider === "string" && { provider }),
    ...(typeof model === "string" && { model }),
  }
  return {
    role: "assistant",
    blocks: readContent(wire["content"]),
    ...(("provider" in origin || "model" in origin) && { origin }),
    native: { pi: record },
  }
}

const readResult: Reader = (wire, record) => {
  const { toolCallId, toolName } = wire
  const block: Block = {
    type: "result",
    callId: typeof toolCallId === "string" ? toolCallId : "",
    ...(typeof toolName === "string" && toolName !== "" && { name: toolName }),
    ...readResultContent(readResultBlocks(wire["content"]), { errorMark: false }),
    ...(wire["isError"] === true && { error: true as const }),
    native: { pi: wire },
  }
  return { role: "tool", blocks: [block], native: { pi: record } }
}

const readCommand: Reader = (wire, record) => {
  if (wire["excludeFromContext"] === true) return undefined
  return { role: "user", blocks: [text(commandText(wire))], native: { pi: record } }
}

const readSummary: Reader = (wire, record) => {
  const { summary } = wire
  return isText(summary) ? { role: "user", blocks: [text(summary)], summary: true, native: { pi: record } } : undefined
}

const readCustom: Reader = (wire, record) => ({
  role: wire["customType"] === systemType ? "system" : "user",
  blocks: readResultBlocks(wire["content"]),
  native: { pi: record },
})

const byRole: ReadonlyMap<unknown, Reader> = new Map([
  ["user", readUser],
  ["assistant", readAssistant],
  ["toolResult", readResult],
  ["bashExecution", readCommand],
  ["custom", readCustom],
  ["hookMessage", readCustom],
  ["branchSummary", readSummary],
  ["compactionSummary", readSummary],
])

const byType: ReadonlyMap<unknown, Reader> = new Map([
  ["custom_message", readCustom],
  ["compaction", readSummary],
  ["branch_summary", readSummary],
])

const bookkeeping: ReadonlySet<unknown> = new Set([
  "session",
  "model_change",
  "thinking_level_change",
  "custom",
  "label",
  "session_info",
])

export type EntryKind = "message" | "bookkeeping" | "unknown" | "malformed"

export const kindOf = (record: Wire): EntryKind => {
  const { type } = record
  if (type === "message") return byRole.has(messageOf(record)?.["role"]) ? "message" : "malformed"
  if (byType.has(type)) return "message"
  return bookkeeping.has(type) ? "bookkeeping" : "unknown"
}

export const readEntry = (record: unknown): Message | undefined => {
  if (!isWire(record)) return undefined
  const message = messageOf(record)
  return message ? byRole.get(message["role"])?.(message, record) : byType.get(record["type"])?.(record, record)
}

/** Stopped in the middle of a word: what had arrived is there. */
export const wasCut = (record: unknown): boolean => {
  const message = messageOf(record)
  const reason = message?.["role"] === "assistant" ? message["stopReason"] : undefined
  return (reason === "aborted" || reason === "error") && message !== undefined && !isFailureNotice(message)
}

export const callIdsOf = (record: unknown): readonly string[] => {
  const content = messageOf(record)?.["content"]
  if (!Array.isArray(content)) return []
  return content.flatMap((wire: unknown) =>
    isWire(wire) && wire["type"] === "toolCall" && typeof wire["id"] === "string" ? [wire["id"]] : [],
  )
}

