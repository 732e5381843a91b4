/**
 * Conversation → OpenAI Responses. Items of this format go back as they came. Reasoning is written only where it came
 * from here, and the items it led to keep their ids only while it stands in front of them.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type OpaqueBlock,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../codec.ts"
import { mediaNote } from "../media.ts"
import { allowed } from "./allowed.ts"
import { ItemIds } from "./item-ids.ts"
import { isMessageItem, isPartKind, nativeOf } from "./items.ts"
import { writeReasoning } from "./reasoning.ts"
import { writeCall, writeResult } from "./write-items.ts"
import { partOf, textPart, writePart, writeText } from "./write-parts.ts"

/** Content of a message item: the wire value it came with where it says the same, a string where it was one. */
const withContent = (item: Wire, parts: readonly Wire[]): Wire => {
  const previous = item["content"]
  if (sameElements(parts, previous)) return item
  const [first] = parts
  if (typeof previous !== "string" || parts.length !== 1 || typeof first?.["text"] !== "string") {
    return { ...item, content: parts }
  }
  return first["text"] === previous ? item : { ...item, content: first["text"] }
}

const writeClientMessage = (message: SystemMessage | UserMessage, ids: ItemIds): readonly unknown[] => {
  const native = nativeOf(message)
  ids.clientSpeaks()
  if (isWire(native) && isMessageItem(native)) {
    return [ids.checked(withContent(native, message.blocks.flatMap(writePart)))]
  }
  const [first] = message.blocks
  const item = first?.type === "opaque" && first.kind !== "malformed" && !isPartKind(first.kind) && nativeOf(first)
  if (message.blocks.length === 1 && isWire(item)) return [item]
  if (message.blocks.length === 1 && first?.type === "text") return [{ role: message.role, content: first.text }]
  const content = message.blocks.flatMap(writePart)
  return content.length === 0 ? [] : [{ role: message.role, content }]
}

/** Writes the blocks of one assistant message; text that belongs to one message item is gathered until it ends. */
const writeAssistant = (
  message: AssistantMessage,
  ids: ItemIds,
  callItem: (index: number) => Wire,
): readonly unknown[] => {
  const out: unknown[] = []
  /** Reasoning waits for the item it led to: the server rejects it alone. */
  let waiting: Wire[] = []
  let item: Wire | undefined
  let parts: Wire[] = []
  let calls = 0
  ids.enter(message)

  const push = (wire: Wire): void => {
    for (const reasoning of waiting) out.push(reasoning)
    waiting = []
    out.push(wire)
  }

  const close = (): void => {
    if (item) push(ids.checked(withContent(item, parts)))
    else if (parts.length > 0) push({ type: "message", role: "assistant", content: parts })
    item = undefined
    parts = []
  }

  /** `native` is the item a first part keeps, the part itself for later ones, and nothing for foreign text. */
  const say = (part: Wire, native: unknown): void => {
    const starts = isWire(native) && isMessageItem(native)
    if (starts || (item && native === undefined)) close()
    if (starts) item = native
    parts.push(part)
  }

  const opaque = (block: OpaqueBlock): void => {
    const native = nativeOf(block)
    const part = partOf(block)
    if (part && isPartKind(block.kind)) say(part, native)
    else if (isWire(native) && block.kind !== "malformed" && ids.fault(native) === undefined) {
      close()
      push(native)
    } else if (block.text !== "") say(textPart(block.text, "assistant"), undefined)
  }

  const write = (block: AssistantBlock): void => {
    switch (block.type) {
      case "text":
        return say(writeText(block, block.text, "assistant"), nativeOf(block))
      case "media":
        return say(textPart(mediaNote(block), "assistant"), undefined)
      case "opaque":
        return opaque(block)
      case "call":
        close()
        push(ids.checked(callItem(calls++)))
        return
      case "thinking": {
        const native = nativeOf(block)
        if (!isWire(native)) return
        close()
        waiting.push(...writeReasoning(native, ids))
      }
    }
  }

  for (const block of message.blocks) write(block)
  close()
  return out
}

const noCalls = (): Wire => ({})

const writeExchange = (exchange: Exchange, ids: ItemIds): readonly unknown[] => {
  const calls = callsOf(exchange)
  const written = calls.map((call, index) => writeCall(call, exchange.outcomes[index]?.result))
  const out = [...writeAssistant(exchange.message, ids, (index) => written[index] ?? {})]
  exchange.outcomes.forEach(({ result }, index) => {
    if (!result) return
    ids.clientSpeaks()
    out.push(ids.checked(writeResult(result, written[index] ?? {})))
  })
  return exchange.reply ? out.concat(writeAssistant(exchange.reply, ids, noCalls)) : out
}

/** The instructions of the body, where the conversation still begins with them. */
const instructionsOf = (conversation: Conversation): unknown => {
  const [first] = conversation.items
  const native = first?.role === "system" ? nativeOf(first) : undefined
  if (first?.role !== "system" || !isWire(native) || !("instructions" in native)) return undefined
  const [only] = first.blocks
  if (only?.type === "opaque" && nativeOf(only) === native["instructions"]) return native["instructions"]
  return first.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
}

const envelope = (conversation: Conversation, instructions: unknown, stripping: boolean): Wire => {
  const native = nativeOf(conversation)
  const body = isWire(native) ? (stripping ? allowed.body(native) : native) : {}
  if (instructions !== undefined) return { ...body, instructions }
  if (typeof body["instructions"] !== "string" || body["instructions"] === "") return body
  const { instructions: _, ...rest } = body
  return rest
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const instructions = instructionsOf(conversation)
  const body = envelope(conversation, instructions, stripping)
  const ids = new ItemIds(body["model"])
  const out: unknown[] = []
  const items = instructions === undefined ? conversation.items : conversation.items.slice(1)
  for (const item of items) {
    const written = item.role === "exchange" ? writeExchange(item, ids) : writeClientMessage(item, ids)
    for (const wire of written) out.push(stripping ? allowed.item(wire) : wire)
  }
  const [only] = items
  if (items.length === 1 && only && typeof nativeOf(only as UserMessage) === "string" && isWire(out[0])) {
    return { ...body, input: out[0]["content"] }
  }
  const previous = body["input"]
  return { ...body, input: sameElements(out, previous) ? previous : out }
}
