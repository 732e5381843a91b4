/**
 * AI SDK ModelMessage[] → Transcript. One wire message is one message, with one exception: tool messages that only
 * answer approval requests say nothing to a model, so they stay with the assistant message they follow, natively.
 */
import { type Block, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import { borrowedBlocks, borrowedMessage, saysElsewhere } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { hasMalformed, MessageList } from "../engine/message-list.ts"
import { usualRoles } from "../engine/wire.ts"
import { format, readAssistantContent, readContent } from "./read-blocks.ts"

const isApproval = (part: unknown): boolean => isWire(part) && part["type"] === "tool-approval-response"

const onlyApprovals = (wire: Wire): boolean => {
  const content = wire["content"]
  return wire["role"] === "tool" && Array.isArray(content) && content.length > 0 && content.every(isApproval)
}

/** Approvals beside results come back with the message that carried them; they are no words between call and result. */
const readToolContent = (content: unknown): readonly Block[] => {
  const blocks = readContent(content)
  if (!blocks.some((block) => block.type === "result")) return blocks
  return blocks.filter((block) => block.type !== "opaque" || block.kind !== "tool-approval-response")
}

/** The message with the approvals that follow it; what is approved is running now. */
const withApprovals = (message: Message, wire: Wire): Message => {
  const before = message.native?.[format]
  const trail = Array.isArray(before) ? (before as readonly unknown[]) : [before]
  const given = (wire["content"] as readonly Wire[]).filter((part) => part["approved"] === true)
  const approvals = new Set(given.map((part) => part["approvalId"]))
  const running = new Set<unknown>()
  for (const block of message.blocks) {
    const part = block.type === "opaque" && block.native[format]
    if (isWire(part) && approvals.has(part["approvalId"])) running.add(part["toolCallId"])
  }
  const blocks = message.blocks.map((block): Block =>
    block.type === "call" && running.has(block.id) ? { ...block, pending: "running" } : block,
  )
  return { ...message, blocks, native: { "ai-sdk-model": [...trail, wire] } }
}

/** Every part of this format keeps its wire value. */
const isBorrowed = (block: Block): boolean => block.native?.[format] === undefined

const answersOnly = (blocks: readonly Block[]): boolean => blocks.every(({ type }) => type === "result")

const readers: Readonly<Record<Role, (content: unknown) => readonly Block[]>> = {
  system: readContent,
  user: readContent,
  assistant: readAssistantContent,
  tool: readToolContent,
}

const systemOf = (body: Wire): readonly Message[] => {
  const { system } = body
  if (system === undefined || system === null || system === "") return []
  const content = isWire(system) ? system["content"] : system
  return [{ role: "system", blocks: readContent(content), native: { "ai-sdk-model": { system } } }]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : []
  const read = new MessageList(format, "messages", options)
  for (const message of systemOf(body)) read.add(message)
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    read.at(index)
    const role = isWire(wire) ? usualRoles.get(wire["role"]) : undefined
    const message = isWire(wire) && (role === undefined || saysElsewhere(wire)) ? borrowedMessage(wire) : undefined
    if (message) {
      read.ofAnotherApi("Expected a message, got one of another API")
      read.add(message)
      continue
    }
    if (!isWire(wire) || role === undefined) {
      read.addMalformed(wire, "Expected a message with role system, user, assistant or tool")
      continue
    }
    const last = read.messages.at(-1)
    if (last?.role === "assistant" && onlyApprovals(wire)) {
      read.messages[read.messages.length - 1] = withApprovals(last, wire)
      continue
    }
    const borrowed = borrowedBlocks(wire, readers[role])
    if (borrowed) {
      read.ofAnotherApi("The message says its calls or its result as another API does")
      read.add({ role: role === "assistant" ? role : answersOnly(borrowed) ? "tool" : role, blocks: borrowed })
      continue
    }
    const blocks = readers[role](wire["content"])
    if (blocks.some(hasMalformed)) read.malformed("Expected a text or a list of parts", ".content")
    else if (Array.isArray(wire["content"]) && blocks.some(isBorrowed))
      read.ofAnotherApi("Expected a part, got one of another API", ".content")
    read.add({ role, blocks, native: { "ai-sdk-model": wire } })
  }
  return read.transcript(value)
}
