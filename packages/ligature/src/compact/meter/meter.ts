/**
 * Meters measure histories in tokens and bytes. One is made from a way to measure texts: which fields of a block are sent, and what the wire adds around them, is the
 * same for every way to count, so it is here once. Objects are never changed, so a size is kept with its object,
 * and measuring after one more exchange costs O(new).
 */
import { type Block, type CallBlock, type Exchange, fillers, type Item, type Message } from "../../model/index.ts"
import { sizeOfMedia } from "./media-size.ts"
import { addSizes, noSize, type Size } from "./size.ts"

export interface Meter {
  /** By which share its counts may be too high. Shares of a budget are taken that much wider. Default 0: it is exact. */
  readonly tolerance?: number
  /** Tokens of a bare text. */
  readonly count: (text: string) => number
  /** Tokens, and the bytes the text has inside a JSON request: UTF-8 with escapes. */
  readonly sizeOfText: (text: string) => Size
  readonly sizeOfBlock: (block: Block) => Size
  readonly sizeOfMessage: (message: Message) => Size
  /** With what the wire adds around messages, calls and results. */
  readonly sizeOfItem: (item: Item) => Size
  /** Tool definitions as a request carries them, or any other JSON value that is sent along. */
  readonly sizeOfTools: (tools: unknown) => Size
}

/**
 * What the wire adds: role and separators of a message; type, id and name fields of a call; type and id of a result.
 */
const wire = {
  message: { tokens: 4, bytes: 40 },
  text: { tokens: 0, bytes: 30 },
  thinking: { tokens: 2, bytes: 60 },
  call: { tokens: 12, bytes: 110 },
  result: { tokens: 8, bytes: 90 },
  opaque: { tokens: 2, bytes: 20 },
} as const satisfies Readonly<Record<string, Size>>

/** JSON of a value that may come from a program: what JSON cannot express counts as nothing. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return ""
  }
}

/** Text that is not a JSON object is sent inside of one, which is longer (L7). */
const argumentsText = ({ fault, raw, arguments: given }: CallBlock): string =>
  fault === undefined ? (raw ?? jsonOf(given)) : jsonOf(given)

/** `factor`: by what tokens are to be multiplied that are in no text. */
export const createMeter = (sizeOfText: (text: string) => Size, tolerance = 0, factor = 1): Meter => {
  const blocks = new WeakMap<Block, Size>()
  const items = new WeakMap<Item, Size>()
  const scaled = ({ tokens, bytes }: Size): Size => ({ tokens: Math.ceil(tokens * factor), bytes })
  const overheads = {
    message: scaled(wire.message),
    text: scaled(wire.text),
    thinking: scaled(wire.thinking),
    call: scaled(wire.call),
    result: scaled(wire.result),
    opaque: scaled(wire.opaque),
  }

  const texts = (overhead: Size, ...parts: readonly string[]): Size =>
    parts.reduce((size, part) => (part === "" ? size : addSizes(size, sizeOfText(part))), overhead)

  const measureBlock = (block: Block): Size => {
    switch (block.type) {
      case "text":
        return texts(overheads.text, block.text)
      case "thinking":
        return texts(overheads.thinking, block.text, block.signature ?? "")
      case "media":
        return scaled(sizeOfMedia(block))
      case "call":
        return texts(overheads.call, block.name, argumentsText(block))
      case "result":
        // Some providers reject empty content, and get this text instead.
        if (block.content.length === 0) return texts(overheads.result, fillers.empty)
        return block.content.reduce<Size>((size, part) => addSizes(size, sizeOfBlock(part)), overheads.result)
      case "opaque":
        return texts(overheads.opaque, jsonOf(Object.values(block.native)[0]))
    }
  }

  const sizeOfBlock = (block: Block): Size => {
    const known = blocks.get(block)
    if (known) return known
    const size = measureBlock(block)
    blocks.set(block, size)
    return size
  }

  const sizeOfMessage = (message: Message): Size => {
    let { tokens, bytes } = overheads.message
    for (const block of message.blocks) {
      const size = sizeOfBlock(block)
      tokens += size.tokens
      bytes += size.bytes
    }
    return { tokens, bytes }
  }

  const measureExchange = ({ message, outcomes, reply }: Exchange): Size => {
    let size = sizeOfMessage(message)
    for (const { result } of outcomes) {
      if (result) size = addSizes(addSizes(size, sizeOfBlock(result)), overheads.message)
    }
    return reply ? addSizes(size, sizeOfMessage(reply)) : size
  }

  const sizeOfItem = (item: Item): Size => {
    const known = items.get(item)
    if (known) return known
    const size = item.role === "exchange" ? measureExchange(item) : sizeOfMessage(item)
    items.set(item, size)
    return size
  }

  const sizeOfTools = (tools: unknown): Size => {
    const value = jsonOf(tools)
    return value === "" || value === "null" ? noSize : sizeOfText(value)
  }

  const count = (text: string): number => (text === "" ? 0 : sizeOfText(text).tokens)
  return { tolerance, count, sizeOfText, sizeOfBlock, sizeOfMessage, sizeOfItem, sizeOfTools }
}
