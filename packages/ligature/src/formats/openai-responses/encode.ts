/**
 * Conversation → OpenAI Responses. Items of this format go back as they came. Reasoning is written only where it came
 * from here, and the items it led to keep their ids only while it is before them.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  type CallBlock,
  type Conversation,
  type Exchange,
  isWire,
  type Item,
  type OpaqueBlock,
  type SystemMessage,
  type UserBlock,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { mediaNote } from "../engine/media.ts"
import { asWire } from "../engine/wire.ts"
import { allowed } from "./allowed.ts"
import { isMessageItem, isPartKind, ItemIds, nativeOf } from "./fields.ts"
import { writeReasoning } from "./read-blocks.ts"
import { partOf, textPart, writeCall, writePart, writeParts, writeResult, writeText } from "./write-blocks.ts"

// Writes items in order. Text that belongs to one message item is gathered until the item ends, and reasoning waits for the item it led to, because
// the server rejects it alone.

/** Content of a message item: the wire value it came with where it says the same, a string where it was one. */
const withContent = (item: Wire, parts: readonly Wire[]): Wire => {
  const previous = item["content"]
  const [first] = parts
  if (typeof previous !== "string" || parts.length !== 1 || typeof first?.["text"] !== "string") {
    return { ...item, content: parts }
  }
  return first["text"] === previous ? item : { ...item, content: first["text"] }
}

/** A lone opaque block that is an item of the client, not a part of one. */
const clientItemOf = (message: SystemMessage | UserMessage): Wire | undefined => {
  const [only] = message.blocks
  if (message.blocks.length !== 1 || only?.type !== "opaque") return undefined
  if (only.kind === "malformed" || isPartKind(only.kind)) return undefined
  const native = nativeOf(only)
  return asWire(native)
}

class ItemWriter {
  readonly items: unknown[] = []
  readonly #ids: ItemIds
  /** The items of the calls of one exchange; used again for the next. */
  readonly #calls: Wire[] = []
  /** Reasoning that waits. These lists are counted, never emptied: one that is filled anew has to grow every time. */
  readonly #waiting: Wire[] = []
  #waitingCount = 0
  #item: Wire | undefined
  readonly #parts: Wire[] = []
  #partCount = 0

  constructor(ids: ItemIds) {
    this.#ids = ids
  }

  client(message: SystemMessage | UserMessage): void {
    const { blocks, role } = message
    const native = nativeOf(message)
    const [first] = blocks
    const plain = blocks.length === 1 && first?.type === "text" ? first.text : undefined
    this.#ids.clientSpeaks()
    if (isWire(native) && isMessageItem(native)) {
      if (plain === undefined || native["content"] !== plain) return this.#message(native, blocks)
      this.items.push(this.#ids.checked(native))
      return
    }
    const item = clientItemOf(message)
    const content = item ? [] : (plain ?? writeParts(blocks))
    if (item) this.items.push(item)
    else if (content.length > 0) this.items.push({ role, content })
  }

  /** A message item of the client, with what its blocks say now. */
  #message(item: Wire, blocks: readonly UserBlock[]): void {
    for (let index = 0; index < blocks.length; index++) {
      const part = writePart(blocks[index] as UserBlock)
      if (part) this.#parts[this.#partCount++] = part
    }
    this.#item = item
    this.#close()
  }

  exchange({ message, outcomes, reply }: Exchange): void {
    let calls = 0
    this.#ids.enter(message)
    for (let index = 0; index < message.blocks.length; index++) {
      const block = message.blocks[index] as AssistantBlock
      if (block.type !== "call") {
        this.#block(block)
        continue
      }
      this.#calls[calls] = this.#call(block, outcomes[calls]?.result)
      calls++
    }
    this.#end()
    for (let index = 0; index < outcomes.length; index++) {
      const result = outcomes[index]?.result
      if (!result) continue
      this.#ids.clientSpeaks()
      this.items.push(this.#ids.checked(writeResult(result, index < calls ? (this.#calls[index] as Wire) : {})))
    }
    if (reply) this.#reply(reply)
  }

  #reply(message: AssistantMessage): void {
    this.#ids.enter(message)
    for (const block of message.blocks) if (block.type !== "call") this.#block(block)
    this.#end()
  }

  #call(call: CallBlock, result: Parameters<typeof writeCall>[1]): Wire {
    const item = writeCall(call, result)
    this.#close()
    this.#push(this.#ids.checked(item))
    return item
  }

  #block(block: Exclude<AssistantBlock, CallBlock>): void {
    switch (block.type) {
      case "text":
        return this.#say(writeText(block, block.text, "assistant"), nativeOf(block))
      case "media":
        return this.#say(textPart(mediaNote(block), "assistant"), undefined)
      case "opaque":
        return this.#opaque(block)
      case "thinking": {
        const native = nativeOf(block)
        if (!isWire(native)) return
        this.#close()
        const reasoning = writeReasoning(native, this.#ids)
        if (reasoning) this.#waiting[this.#waitingCount++] = reasoning
      }
    }
  }

  #opaque(block: OpaqueBlock): void {
    const native = nativeOf(block)
    const part = partOf(block)
    if (part && isPartKind(block.kind)) this.#say(part, native)
    else if (isWire(native) && block.kind !== "malformed" && this.#ids.fault(native) === undefined) {
      this.#close()
      this.#push(native)
    } else if (block.text !== "") this.#say(textPart(block.text, "assistant"), undefined)
  }

  /** `native` is the item a first part keeps, the part itself for later ones, and nothing for foreign text. */
  #say(part: Wire, native: unknown): void {
    const starts = isWire(native) && isMessageItem(native)
    if (starts || (this.#item && native === undefined)) this.#close()
    if (starts) this.#item = native
    this.#parts[this.#partCount++] = part
  }

  #close(): void {
    if (this.#item) this.#push(this.#ids.checked(this.#written(this.#item)))
    else if (this.#partCount > 0) this.#push({ type: "message", role: "assistant", content: this.#taken() })
    else return
    this.#item = undefined
    this.#partCount = 0
  }

  /** The item with the parts gathered for it: as it came where they are its own. */
  #written(item: Wire): Wire {
    const { content } = item
    if (!Array.isArray(content) || content.length !== this.#partCount) return withContent(item, this.#taken())
    for (let index = 0; index < this.#partCount; index++) {
      if (content[index] !== this.#parts[index]) return withContent(item, this.#taken())
    }
    return item
  }

  #taken(): readonly Wire[] {
    return this.#parts.slice(0, this.#partCount)
  }

  #push(item: Wire): void {
    for (let index = 0; index < this.#waitingCount; index++) this.items.push(this.#waiting[index])
    this.#waitingCount = 0
    this.items.push(item)
  }

  #end(): void {
    this.#close()
    this.#waitingCount = 0
  }
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

/** The request said its input as one text, and still says nothing else. */
const isTextInput = (items: readonly Item[]): boolean => {
  const [only] = items
  return items.length === 1 && only?.role === "user" && typeof nativeOf(only) === "string"
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const instructions = instructionsOf(conversation)
  const body = envelope(conversation, instructions, stripping)
  const items = instructions === undefined ? conversation.items : conversation.items.slice(1)
  const writer = new ItemWriter(new ItemIds(body["model"]))
  for (const item of items) {
    if (item.role === "exchange") writer.exchange(item)
    else writer.client(item)
  }
  const written = writer.items
  // In place: `map` makes a list with room for holes, which JSON.stringify walks more slowly.
  if (stripping) for (let index = 0; index < written.length; index++) written[index] = allowed.item(written[index])
  const [first] = written
  if (isTextInput(items) && isWire(first)) return { ...body, input: first["content"] }
  const previous = body["input"]
  return { ...body, input: sameElements(written, previous) ? previous : written }
}
