/**
 * Messages → events. An event that still says the same comes back as it is; a changed one keeps all its other fields.
 */
import {
  type Block,
  type CallBlock,
  type Message,
  type ResultBlock,
  resultText,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { mediaNote } from "../../formats/engine/media.ts"
import { dataOf, nativeOf } from "./format.ts"
import { sameBlock } from "../engine/same-blocks.ts"
import { readThinking, resultWords, userWords } from "./read-event.ts"

export interface EventHead {
  readonly id: string
  readonly timestamp: string
  readonly parentId: string | null
}

const wordsOf = (block: Block): string => {
  if (block.type === "text" || block.type === "opaque") return block.text
  return block.type === "media" ? mediaNote(block) : ""
}

const joined = (blocks: readonly Block[]): string => {
  const [only] = blocks
  if (blocks.length === 1 && only?.type === "text") return only.text
  return blocks.map(wordsOf).filter((words) => words !== "").join("\n\n")
}

const argumentsOf = (call: CallBlock, native: Wire | undefined): unknown => {
  const previous = native?.["arguments"]
  if (call.custom === true) return call.arguments["input"]
  return typeof previous === "string" && call.fault === undefined && call.raw === previous ? previous : call.arguments
}

const writeCall = (call: CallBlock): Wire => {
  const native = nativeOf(call)
  const input = argumentsOf(call, native)
  const { id, name } = call
  if (native && native["toolCallId"] === id && native["name"] === name && native["arguments"] === input) return native
  return { ...native, toolCallId: id, name, arguments: input, type: call.custom === true ? "custom" : "function" }
}

const isThinking = (block: Block): block is ThinkingBlock => block.type === "thinking"

const reasoningFields = ({ text, signature }: ThinkingBlock): Wire => ({
  ...(text !== "" && { reasoningText: text }),
  ...(signature !== undefined && { reasoningOpaque: signature }),
})

const isMalformedRequest = (block: Block): boolean => block.type === "opaque" && block.kind === "malformed"

const assistantData = (message: Message, data: Wire): Wire => {
  const toolRequests = message.blocks.flatMap((block) => (block.type === "call" ? [writeCall(block)] : []))
  const content = joined(message.blocks)
  const thought = message.blocks.find(isThinking)
  const [before] = readThinking(data)
  const sameThought = before && thought ? sameBlock(before, thought) : before === thought
  const sameWords = (data["content"] ?? "") === content && !message.blocks.some(isMalformedRequest)
  const previous = data["toolRequests"]
  const isNone = (previous === undefined || previous === null) && toolRequests.length === 0
  const sameCalls = sameElements(toolRequests, previous) || isNone
  if (sameThought && sameWords && sameCalls) return data
  const { reasoningText: _, reasoningOpaque: __, encryptedContent: ___, ...rest } = data
  const kept = sameThought ? data : rest
  return { ...kept, content, toolRequests, ...(!sameThought && thought && reasoningFields(thought)) }
}

const userData = (message: Message, data: Wire): Wire => {
  const content = joined(message.blocks)
  if (userWords(data) === content) return data
  const { transformedContent: _, ...rest } = data
  return { ...rest, content }
}

const contentData = (message: Message, data: Wire, key: string): Wire => {
  const words = joined(message.blocks)
  return data[key] === words ? data : { ...data, [key]: words }
}

const rewriteData = (message: Message, record: Wire, data: Wire): Wire => {
  switch (record["type"]) {
    case "assistant.message":
      return assistantData(message, data)
    case "user.message":
      return userData(message, data)
    case "session.compaction_complete":
      return contentData(message, data, "summaryContent")
    default:
      return contentData(message, data, "content")
  }
}

/** A user, system or assistant message in the event it came from. */
export const rewriteEvent = (message: Message, record: Wire): Wire => {
  const data = dataOf(record)
  const written = rewriteData(message, record, data)
  return written === data ? record : { ...record, data: written }
}

const outcomeFields = (result: ResultBlock): Wire => {
  const words = result.content.every((block) => block.type === "text") ? resultText(result) : joined(result.content)
  if (result.error !== true) return { success: true, result: { content: words } }
  return { success: false, error: { message: words, code: result.denied === true ? "denied" : "failure" } }
}

export const rewriteResult = (result: ResultBlock, record: Wire): Wire => {
  const data = dataOf(record)
  const sameWords = (resultWords(data) ?? "") === joined(result.content)
  const sameOutcome = (data["success"] === false) === (result.error === true) || result.synthetic !== undefined
  if (sameWords && sameOutcome) {
    return data["toolCallId"] === result.callId ? record : { ...record, data: { ...data, toolCallId: result.callId } }
  }
  const { success: _, result: __, error: ___, ...rest } = data
  return { ...record, data: { ...rest, toolCallId: result.callId, ...outcomeFields(result) } }
}

const eventTypes = {
  system: "system.message",
  user: "user.message",
  tool: "user.message",
  assistant: "assistant.message",
} as const

export const newEvent = (message: Message, head: EventHead): Wire => {
  const type = eventTypes[message.role]
  if (message.role === "assistant") {
    return { type, data: { messageId: head.id, ...assistantData(message, {}) }, ...head }
  }
  if (message.summary === true) {
    return {
      type: "session.compaction_complete",
      data: { success: true, summaryContent: joined(message.blocks) },
      ...head,
    }
  }
  const content = joined(message.blocks)
  const data = message.role === "system" ? { role: "system", content } : { content, attachments: [] }
  return { type, data, ...head }
}

export const newResult = (result: ResultBlock, head: EventHead): Wire => ({
  type: "tool.execution_complete",
  data: { toolCallId: result.callId, ...outcomeFields(result) },
  ...head,
})
