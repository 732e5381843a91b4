/**
 * Messages → entries. An entry that still says the same comes back as it is; a changed one keeps all its other fields;
 * what has no entry yet gets one of the shape the agent writes.
 */
import type { Block, Message, Origin, ResultBlock, Wire } from "../../model/index.ts"
import { millisecondsOf } from "../engine/iso-time.ts"
import { messageOf, nativeOf, systemType } from "./format.ts"
import { commandText } from "./read-entry.ts"
import { writeContent } from "./write-block.ts"

/** What an entry needs beside its message; version 1 has no ids. The parent is set where the entry is put. */
export interface EntryHead {
  readonly id?: string
  readonly parentId?: string | null
  readonly timestamp: string
}

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

/** Which of the agent's interfaces a provider is spoken to through, where thinking is sealed as it is elsewhere. */
const interfaces: Readonly<Record<string, string>> = {
  anthropic: "anthropic-messages",
  google: "google-generative-ai",
  gemini: "google-generative-ai",
}

/** Other interfaces keep something else in the place of the seal and would trip over it. */
const withoutForeignSeal = (blocks: readonly Block[], { provider }: Origin): readonly Block[] => {
  if (provider === undefined || Object.hasOwn(interfaces, provider)) return blocks
  return blocks.flatMap((block): readonly Block[] => {
    if (block.type !== "thinking" || nativeOf(block)) return [block]
    const { signature: _, ...open } = block
    return block.redacted === true ? [] : [open]
  })
}

const assistantFields = ({ provider = "unknown", model = "unknown" }: Origin): Wire => {
  const api = Object.hasOwn(interfaces, provider) ? interfaces[provider] : "openai-completions"
  return { api, provider, model, usage }
}

const newMessage = (head: EntryHead, message: Wire): Wire => ({
  type: "message",
  ...head,
  message: { ...message, timestamp: millisecondsOf(head.timestamp) ?? 0 },
})

export const newEntry = (message: Message, head: EntryHead, origin: Origin | undefined): Wire => {
  if (message.role === "assistant") {
    const source = message.origin ?? origin ?? {}
    const stopReason = message.blocks.some((block) => block.type === "call") ? "toolUse" : "stop"
    const said = writeContent(withoutForeignSeal(message.blocks, source), [])
    return newMessage(head, { role: "assistant", content: said, ...assistantFields(source), stopReason })
  }
  const content = writeContent(message.blocks, [])
  if (message.role === "system") {
    return { type: "custom_message", ...head, customType: systemType, content, display: false }
  }
  const [only] = message.blocks
  if (message.summary === true && message.blocks.length === 1 && only?.type === "text") {
    // Keeps nothing from before: what a summary of another agent covers is not known entry by entry.
    return { type: "compaction", ...head, summary: only.text, firstKeptEntryId: head.id ?? "", tokensBefore: 0 }
  }
  return newMessage(head, { role: "user", content })
}

export const newResult = (result: ResultBlock, toolName: string, head: EntryHead): Wire =>
  newMessage(head, {
    role: "toolResult",
    toolCallId: result.callId,
    toolName: result.name ?? toolName,
    content: writeContent(result.content, []),
    isError: result.error === true,
  })

/** The text that an entry which is no chat message shows to the model, and how another text would stand in it. */
const shownText = (record: Wire): string | undefined => {
  const inner = messageOf(record) ?? record
  if (inner["role"] === "bashExecution") return commandText(inner)
  return typeof inner["summary"] === "string" ? inner["summary"] : undefined
}

const withShownText = (record: Wire, text: string): Wire => {
  const message = messageOf(record)
  if (!message) return { ...record, summary: text }
  if (message["role"] !== "bashExecution") return { ...record, message: { ...message, summary: text } }
  const { timestamp } = message
  const said = { role: "user", content: [{ type: "text", text }], ...(timestamp !== undefined && { timestamp }) }
  return { ...record, message: said }
}

/** A user, system or assistant message in the entry it came from. */
export const rewriteEntry = (message: Message, record: Wire): Wire => {
  const shown = shownText(record)
  if (shown !== undefined) {
    const text = message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
    return text === shown ? record : withShownText(record, text)
  }
  const inner = messageOf(record)
  const previous = inner ? inner["content"] : record["content"]
  const content = writeContent(message.blocks, previous)
  if (content === previous) return record
  return inner ? { ...record, message: { ...inner, content } } : { ...record, content }
}

/** The agent leaves out a broken-off message when it sends, but not its results: once it is answered it must count. */
export const answered = (record: Wire): Wire => {
  const message = messageOf(record)
  const reason = message?.["stopReason"]
  if (!message || (reason !== "aborted" && reason !== "error")) return record
  return { ...record, message: { ...message, stopReason: "toolUse" } }
}

export const rewriteResult = (result: ResultBlock, record: Wire): Wire => {
  const wire = messageOf(record)
  if (!wire) return record
  const content = writeContent(result.content, wire["content"])
  const isError = result.error === true
  const same = wire["toolCallId"] === result.callId && content === wire["content"]
  const toolName = typeof wire["toolName"] === "string" && result.name !== undefined ? result.name : wire["toolName"]
  if (same && toolName === wire["toolName"] && (wire["isError"] === true) === isError) return record
  const named = toolName === undefined ? {} : { toolName }
  return { ...record, message: { ...wire, toolCallId: result.callId, ...named, content, isError } }
}
