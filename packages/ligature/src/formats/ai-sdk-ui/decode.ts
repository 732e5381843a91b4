/**
 * AI SDK UIMessage[] → Transcript. One assistant UIMessage may hold several steps: each becomes an assistant message
 * with its calls and a tool message with their results, and all of them keep the UIMessage they came from.
 */
import { type Block, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import { borrowedBlocks, borrowedMessage } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { hasMalformed, MessageList } from "../engine/message-list.ts"
import { format, isScreenPart, partsOf, readAttachment, readPart } from "./read-blocks.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
])

/** What is alike in all messages that come from one UIMessage. */
type Shared = Pick<Message, "id" | "native">

const readAssistant = (wire: Wire, shared: Shared): readonly Message[] => {
  const messages: Message[] = []
  let blocks: Block[] = []
  let results: Block[] = []
  const endStep = (): void => {
    if (blocks.length > 0) messages.push({ role: "assistant", blocks, ...shared })
    if (results.length > 0) messages.push({ role: "tool", blocks: results, ...shared })
    blocks = []
    results = []
  }
  for (const part of partsOf(wire)) {
    if (isWire(part) && part["type"] === "step-start") endStep()
    if (isScreenPart(part)) continue
    const { block, result } = readPart(part)
    blocks.push(block)
    if (result) results.push(result)
  }
  endStep()
  return messages.length > 0 ? messages : [{ role: "assistant", blocks: [], ...shared }]
}

const readOther = (wire: Wire, role: Role, shared: Shared): Message => {
  const blocks: Block[] = []
  for (const part of partsOf(wire)) {
    if (isScreenPart(part)) continue
    const { block, result } = readPart(part)
    blocks.push(block)
    if (result) blocks.push(result)
  }
  const attachments = wire["experimental_attachments"]
  if (Array.isArray(attachments)) for (const file of attachments) if (isWire(file)) blocks.push(readAttachment(file))
  return { role, blocks, ...shared }
}

/** Every part of this format keeps its wire value. */
const isBorrowed = (block: Block): boolean => block.native?.[format] === undefined

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : []
  const found = new MessageList(format, "messages", options)
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    found.at(index)
    const role = isWire(wire) ? roles.get(wire["role"]) : undefined
    const isForeign = isWire(wire) && !Array.isArray(wire["parts"]) && (role === undefined || borrowedBlocks(wire, () => []))
    const foreign = isForeign ? borrowedMessage(wire) : undefined
    if (foreign) {
      found.ofAnotherApi("Expected a message with parts, got one of another API")
      found.add(foreign)
      continue
    }
    if (!isWire(wire) || role === undefined) {
      found.addMalformed(wire, "Expected a message with role system, user or assistant")
      continue
    }
    const { id } = wire
    const shared = { ...(typeof id === "string" && { id }), native: { "ai-sdk-ui": wire } }
    const read = role === "assistant" ? readAssistant(wire, shared) : [readOther(wire, role, shared)]
    const blocks = read.flatMap((message) => message.blocks)
    if (blocks.some(hasMalformed)) found.malformed("Expected parts with a type", ".parts")
    else if (blocks.some(isBorrowed)) found.ofAnotherApi("Expected a part, got one of another API", ".parts")
    for (const message of read) found.add(message)
  }
  return found.transcript(value)
}
