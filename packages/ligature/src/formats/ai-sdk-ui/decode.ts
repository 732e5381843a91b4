/**
 * AI SDK UIMessage[] → Transcript. One assistant UIMessage may hold several steps: each becomes an assistant message
 * with its calls and a tool message with their results, and all of them keep the UIMessage they came from.
 */
import { type Block, type Diagnostic, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import { borrowedBlocks, borrowedMessage } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi } from "../engine/malformed.ts"
import { format, isScreenPart, partsOf, readAttachment, readPart } from "./read-blocks.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
])

/** What is alike in all messages that come from one UIMessage. */
type Shared = Pick<Message, "id" | "native" | "line">

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

const isMalformed = (block: Block): boolean => block.type === "opaque" && block.kind === "malformed"

/** Every part of this format keeps its wire value. */
const isBorrowed = (block: Block): boolean => block.native?.[format] === undefined

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : []
  const diagnostics: Diagnostic[] = []
  const messages: Message[] = []
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    const found = options.lines?.[index]
    const line = found !== undefined && { line: found }
    const place = { message: messages.length, path: `messages[${index}]`, ...line }
    const role = isWire(wire) ? roles.get(wire["role"]) : undefined
    const isForeign = isWire(wire) && !Array.isArray(wire["parts"]) && (role === undefined || borrowedBlocks(wire, () => []))
    const foreign = isForeign ? borrowedMessage(wire) : undefined
    if (foreign) {
      diagnostics.push(ofAnotherApi(place, "Expected a message with parts, got one of another API"))
      messages.push({ ...foreign, ...line })
      continue
    }
    if (!isWire(wire) || role === undefined) {
      diagnostics.push(malformedMessage(place, "Expected a message with role system, user or assistant"))
      messages.push({ role: "user", blocks: [malformedBlock(format, wire)], ...line })
      continue
    }
    const { id } = wire
    const shared = { ...(typeof id === "string" && { id }), native: { "ai-sdk-ui": wire }, ...line }
    const read = role === "assistant" ? readAssistant(wire, shared) : [readOther(wire, role, shared)]
    if (read.some((message) => message.blocks.some(isMalformed))) {
      diagnostics.push(malformedMessage({ ...place, path: `${place.path}.parts` }, "Expected parts with a type"))
    } else if (read.some((message) => message.blocks.some(isBorrowed))) {
      diagnostics.push(ofAnotherApi({ ...place, path: `${place.path}.parts` }, "Expected a part, got one of another API"))
    }
    for (const message of read) messages.push(message)
  }
  return {
    format,
    messages,
    native: { "ai-sdk-ui": isWire(value) ? value : {} },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
