/**
 * Meters measure histories in tokens and bytes. One is made from a way to measure texts: which fields of a block are sent, and what the wire adds around them, is the
 * same for every way to count, so it is here once. Objects are never changed, so a size is kept with its object,
 * and measuring after one more exchange costs O(new).
 */
import {
  type Block,
  type CallBlock,
  type Exchange,
  fillers,
  type Item,
  LigatureError,
  type MediaBlock,
  type MediaKind,
  type Message,
} from "../../model/index.ts"
import { scanText } from "./estimate-tokens.ts"

/** How much something is. Budgets limit both: providers count tokens, and bytes too. */
export interface Size {
  readonly tokens: number
  readonly bytes: number
}

export const noSize: Size = { tokens: 0, bytes: 0 }

export const addSizes = (a: Size, b: Size): Size => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes })

export const subtractSizes = (a: Size, b: Size): Size => ({ tokens: a.tokens - b.tokens, bytes: a.bytes - b.bytes })

export const fitsIn = (size: Size, limit: Size): boolean => size.tokens <= limit.tokens && size.bytes <= limit.bytes

export const scaleSize = (size: Size, factor: number): Size => ({
  tokens: size.tokens * factor,
  bytes: size.bytes * factor,
})

/** The smaller of both measures. */
export const smallerOf = (a: Size, b: Size): Size => ({
  tokens: Math.min(a.tokens, b.tokens),
  bytes: Math.min(a.bytes, b.bytes),
})

// What media costs. Providers price it by pixels, pages and seconds, which cannot be seen without decoding it, so
// these are flat or by bytes, on the high side: an image as the largest a provider keeps unscaled, a document by its
// pages' usual bytes, sound and film by the usual bytes of a second. Bytes are exact: what is sent inline counts, a
// reference does not.

interface Price {
  readonly least: number
  /** Bytes of one token, before base64. */
  readonly bytesPerToken: number
}

const prices: Readonly<Record<MediaKind, Price>> = {
  image: { least: 1600, bytesPerToken: Number.POSITIVE_INFINITY },
  document: { least: 1600, bytesPerToken: 25 },
  audio: { least: 400, bytesPerToken: 400 },
  video: { least: 2000, bytesPerToken: 800 },
  file: { least: 1600, bytesPerToken: 25 },
}

/** Plain text that travels as a file is read as text. */
const textPrice: Price = { least: 1, bytesPerToken: 3 }

const isText = (type: string | undefined): boolean =>
  type !== undefined && (type.startsWith("text/") || type === "application/json" || type === "application/xml")

export const sizeOfMedia = (block: MediaBlock): Size => {
  const { source } = block
  const written = source.type === "base64" ? source.data : source.type === "url" ? source.url : source.id
  const { least, bytesPerToken } = isText(block.mediaType) ? textPrice : prices[block.kind]
  const inline = source.type === "base64" || written.startsWith("data:")
  const decoded = inline ? Math.ceil((written.length * 3) / 4) : 0
  const tokens = Math.max(least, Math.ceil(decoded / bytesPerToken))
  return { tokens, bytes: written.length + (block.name?.length ?? 0) + 100 }
}

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

// The meters there are: the estimate (the default), one with a tokenizer of the user, and either of them calibrated to
// what a provider reported.

export interface TokenCounter {
  /** Exact number of tokens of a text. */
  readonly count: (text: string) => number
  /** Most characters it is fed at once; default 4096. */
  readonly chunk?: number
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Where the chunk that begins at `from` ends. Never between the halves of a character. */
const endOfChunk = (text: string, from: number, most: number): number => {
  const limit = from + most
  if (limit >= text.length) return text.length
  for (let end = limit; end > from; end--) {
    if (isBlank(text.charCodeAt(end)) && !isBlank(text.charCodeAt(end - 1))) return end
  }
  const next = text.charCodeAt(limit)
  return next >= 0xdc00 && next < 0xe000 && most > 1 ? limit - 1 : limit
}

/**
 * A meter that counts exactly. Tokenizers in JavaScript take quadratic time on long unbroken text, and some crash on it,
 * so they are fed in chunks. A chunk ends before whitespace, where tokenizers begin a piece anyway; only a run without
 * whitespace that is longer than a chunk is cut inside, which can add a token per cut and never takes one away.
 *
 * @example
 * const count = (text) => text.split(/\b/).length // or that of a tokenizer: gpt-tokenizer, tiktoken, …
 * const meter = meterOf({ count })
 */
export const meterOf = ({ count, chunk = 4096 }: TokenCounter): Meter => {
  if (!(chunk >= 2)) throw new LigatureError("bad-option", `Expected a chunk of 2 or more characters, got ${chunk}`)
  const most = Math.trunc(chunk)
  const counted = (text: string): number => {
    const tokens = count(text)
    if (typeof tokens === "number" && tokens >= 0) return tokens
    throw new LigatureError("bad-option", `Expected a number of tokens from count, got ${JSON.stringify(tokens)?.slice(0, 40)}`)
  }
  return createMeter((text) => {
    let tokens = 0
    for (let from = 0; from < text.length;) {
      const end = endOfChunk(text, from, most)
      tokens += counted(text.slice(from, end))
      from = end
    }
    return { tokens, bytes: scanText(text).bytes }
  })
}

/** Measured beside o200k on recorded sessions: at the 95th percentile a message counts for this much more than it has. */
const tolerance = 0.09

/** The default meter: no tokenizer, no vocabulary, a little on the high side for every provider. */
export const estimateMeter: Meter = createMeter(scanText, tolerance)

/** One request: our estimate of it and the input tokens its provider reported, cached ones included. */
export interface UsageSample {
  readonly estimated: number
  readonly reported: number
}

const least = 0.6
const most = 1.8

/**
 * Learns from what a provider reported: the same conversation, estimated by us and counted by it. Vocabularies differ
 * by a factor that is steady within a conversation, so one factor per conversation is enough. A report that is wildly off
 * counts something else: one that is far too low leaves out what was cached, and is not believed; one that is far too high
 * counts tools we do not know of, and is believed up to a bound, because counting too much is safe.
 *
 * Reported over estimated, weighed by size; 1 without a sample that can be believed.
 */
export const calibrationFactor = (samples: readonly UsageSample[]): number => {
  let estimated = 0
  let reported = 0
  for (const sample of samples) {
    if (!(sample.estimated > 0 && Number.isFinite(sample.estimated + sample.reported))) continue
    if (sample.reported < least * sample.estimated) continue
    estimated += sample.estimated
    reported += sample.reported
  }
  return estimated === 0 ? 1 : Math.min(most, reported / estimated)
}

/** The same meter with its tokens scaled to what the provider reports; the very meter when they agree. */
export const calibrate = (meter: Meter, samples: readonly UsageSample[]): Meter => scaledMeter(meter, calibrationFactor(samples))

export const scaledMeter = (meter: Meter, factor: number): Meter => {
  if (factor === 1) return meter
  const sizeOfText = (text: string): Size => {
    const { tokens, bytes } = meter.sizeOfText(text)
    return { tokens: Math.ceil(tokens * factor), bytes }
  }
  return createMeter(sizeOfText, meter.tolerance, factor)
}
