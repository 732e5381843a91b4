/**
 * Conversations that LibreChat exports: messages as a flat list whose elements name their parents, or as a tree. The answer has a
 * text, or parts in which a call is with its output. Facts are from its sources (packages/data-provider/src/types,
 * api/server/utils/import, August 2026) and files of its tests. Only read: what is imported is read as an export of one of five
 * programs, and calls do not survive it.
 */
import { type Block, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, type OwnParts, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "librechat"

const noParent = /^[0-]*$/

const isMessage = (value: unknown): value is Wire =>
  isWire(value) && typeof value["messageId"] === "string" && ("isCreatedByUser" in value || "sender" in value)

const isExport = (value: unknown): value is Wire =>
  isWire(value) &&
  typeof value["conversationId"] === "string" &&
  (listOf(value["messages"]).some(isMessage) || listOf(value["messagesTree"]).some(isMessage))

/** Trees become lists; a root names a parent of zeros, or none. Without recursion: a chat is as deep as it is long. */
const messagesOf = (value: unknown): readonly Wire[] => {
  const file = wireOf(value)
  const roots = Array.isArray(value) ? value : listOf(file["messages"] ?? file["messagesTree"])
  const messages: Wire[] = []
  const open: { readonly message: unknown; readonly parent: unknown }[] = roots
    .toReversed()
    .map((message: unknown) => ({ message, parent: wireOf(message)["parentMessageId"] }))
  for (let next = open.pop(); next; next = open.pop()) {
    const { message, parent } = next
    if (!isWire(message)) continue
    const { children, ...rest } = message
    const isRoot = typeof parent !== "string" || noParent.test(parent)
    messages.push({ ...rest, parentMessageId: isRoot ? null : parent })
    for (const child of listOf(children).toReversed()) open.push({ message: child, parent: message["messageId"] })
  }
  return messages
}

const wordsOf = (value: unknown): string => (typeof value === "string" ? value : stringOf(wireOf(value)["value"]))

const own: OwnParts = {
  text: ({ text: said }) => ({ type: "text", text: wordsOf(said) }),
  think: ({ think }) => ({ type: "thinking", text: wordsOf(think) }),
  error: (part) => ({ type: "opaque", kind: "error", text: `[${wordsOf(part["error"] ?? part["text"])}]`, native: { [format]: part } }),
  image_file: (part) => {
    const url = textAt(part["image_file"], "filepath")
    return url === undefined ? undefined : { type: "media", kind: "image", source: { type: "url", url } }
  },
}

/** What a program printed, or another output as it is. */
const logsOf = (output: unknown): string => textAt(output, "logs") ?? JSON.stringify(output)

/** Parts in order: text that follows the output of a call is a message of its own. */
const readParts = (parts: readonly unknown[]): readonly RecordMessage[] => {
  const messages: { readonly role: "assistant" | "tool"; readonly blocks: Block[] }[] = []
  let results: ResultBlock[] = []
  let said: Block[] = []
  const close = (): void => {
    if (said.length > 0) messages.push({ role: "assistant", blocks: said })
    if (results.length > 0) messages.push({ role: "tool", blocks: results })
    said = []
    results = []
  }
  for (const part of parts) {
    const held = isWire(part) && part["type"] === "tool_call" ? wireOf(part["tool_call"]) : undefined
    if (!held) {
      if (results.length > 0) close()
      for (const block of readContent(format, part, own)) said.push(block)
      continue
    }
    const { id, type, name, args, output, function: inner, code_interpreter: code } = held
    const { name: innerName, arguments: innerArgs, output: innerOutput } = wireOf(inner)
    const { input: program, outputs } = wireOf(code)
    const input = args ?? innerArgs ?? (typeof program === "string" ? { input: program } : "{}")
    const call = callBlock(format, held, { id, name: name ?? innerName ?? type, input })
    said.push(call)
    const answer = output ?? innerOutput ?? (listOf(outputs).length > 0 ? listOf(outputs).map(logsOf).join("\n") : undefined)
    if (typeof answer === "string") results.push(resultBlock(format, held, { callId: id, name: call.name, content: answer }))
  }
  close()
  return messages
}

const read = (message: Wire): RecordReading => {
  const { isCreatedByUser, sender, text, content, model, messageId } = message
  const isUser = isCreatedByUser === true || (isCreatedByUser === undefined && /^user$/i.test(stringOf(sender)))
  const id = textOf(messageId)
  const parts = Array.isArray(content) ? (content as readonly unknown[]) : undefined
  if (isUser) return { messages: [{ role: "user", blocks: readContent(format, parts ?? text, own), ...(id !== undefined && { id }) }] }
  const origin = typeof model === "string" && model !== "" && { origin: { model } }
  const messages = parts && parts.length > 0 ? readParts(parts) : [{ role: "assistant" as const, blocks: readContent(format, text) }]
  return {
    messages: messages.map((each, index) => ({
      ...each,
      ...(index === 0 && id !== undefined && { id }),
      ...(each.role === "assistant" && origin),
    })),
  }
}

export const librechat = defineSession({
  format,
  title: "LibreChat export",
  agent: "LibreChat",
  sources: "danny-avila/LibreChat packages/data-provider/src/types and api/server/utils/import (August 2026); files of its tests",
  capabilities: declareHomes({
    native: ["thinking", "block-order", "parallel-calls", "call-grouping", "raw-arguments", "call-id", "empty-result"],
  }),
  layout: "value",
  listKey: "messages",
  view: "whole",
  records: messagesOf,
  wrap: (value) => wireOf(value),
  links: { id: "messageId", parent: "parentMessageId", content: ({ text, content }) => [text ?? null, content ?? null], newId: deriveUuid },
  read,
  facts: ({ model, createdAt }) => ({ model: textOf(model), startedAt: textOf(createdAt) }),
  about: (value) => ({ id: textAt(value, "conversationId"), title: textAt(value, "title") }),
  marks: [],
  valueMarks: [{ certainty: "certain", evidence: "it holds a conversation whose messages have a messageId and a sender", isOn: isExport }],
  sessionsIn: (root) =>
    Array.isArray(root)
      ? root.flatMap((value: unknown, index) => (isExport(value) ? [{ path: [index], value }] : []))
      : [{ path: [], value: root }],
})
