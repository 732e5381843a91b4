/** Shortens a text or an item of a conversation to a length, and marks where something is missing. */
import {
  type ContentBlock,
  type Exchange,
  type Item,
  mediaNote,
  pushAll,
  type ResultBlock,
  type SystemMessage,
  text,
  type UserBlock,
  type UserMessage,
} from "../../model/index.ts"
import { fitsIn, type Meter, scaleSize, type Size, subtractSizes } from "../meter/meter.ts"
import {
  type Elided,
  handleOf,
  positionsText,
  type Reference,
  stubText,
  textOfContent,
  withContent,
  withResults,
  writeHandle,
} from "./handles.ts"

// A text cut down to a limit: whole lines from its beginning and its end, and one line between them that names
// the lines left out and their handle. Only where a single line is larger than the room is it cut inside. What comes out is
// measured, so it fits whatever the meter thinks of the pieces.

/** The beginning shows what a text is, the end how it came out. */
const headShare = 0.6
const attempts = 8

/** The text in place of these lines, counted from one. */
type Mark = (from: number, to: number) => string

const linesText = (from: number, to: number): string => (from === to ? `line ${from}` : `lines ${from}-${to}`)

/** Lines of an item of the history can be read back. */
const markOf =
  (reference: Reference): Mark =>
  (from, to) =>
    `[… ${linesText(from, to)} left out, recall ${writeHandle({ ...reference, from, to })} …]`

/** Where they cannot be read back, the mark says so, and what helps instead. */
const markOfUnread: Mark = (from, to) =>
  `[… ${linesText(from, to)} left out: the output is too long to be shown whole. Ask for a smaller part to see them …]`

/** Lines of a record cannot be read back, but what it stands for can. */
const markOfRecord =
  (positions: readonly number[]): Mark =>
  (from, to) => {
    const standsFor = positions.length === 0 ? "" : `; it stands for ${positionsText(positions)}`
    return `[… ${linesText(from, to)} of this record left out${standsFor} …]`
  }

interface Lines {
  readonly lines: readonly string[]
  readonly sizes: readonly Size[]
}

const linesOf = (text: string, meter: Meter): Lines => {
  const lines = text.split("\n")
  return { lines, sizes: lines.map((line) => meter.sizeOfText(`${line}\n`)) }
}

/** How many lines fit into the room, from the beginning or from the end. */
const take = (sizes: readonly Size[], room: Size, from: number, step: 1 | -1, end: number): number => {
  let tokens = 0
  let bytes = 0
  let at = from
  for (; at !== end; at += step) {
    const size = sizes[at] as Size
    tokens += size.tokens
    bytes += size.bytes
    if (tokens > room.tokens || bytes > room.bytes) break
  }
  return Math.abs(at - from)
}

/** A part of one line that about fills the room. */
const partOfLine = (line: string, size: Size, room: Size, side: "head" | "tail"): string => {
  const share = Math.min(room.tokens / size.tokens, room.bytes / size.bytes) * 0.9
  const length = Math.floor(line.length * Math.min(1, share))
  if (length < 8) return ""
  return side === "head" ? line.slice(0, headCut(line, length)) : line.slice(tailCut(line, line.length - length))
}

const compose = ({ lines, sizes }: Lines, room: Size, mark: Mark): string => {
  const head = take(sizes, scaleSize(room, headShare), 0, 1, lines.length)
  const tail = take(sizes, scaleSize(room, 1 - headShare), lines.length - 1, -1, head - 1)
  if (head + tail >= lines.length) return lines.join("\n")
  const kept = lines.slice(0, head)
  if (head === 0) {
    const part = partOfLine(lines[0] as string, sizes[0] as Size, scaleSize(room, headShare), "head")
    if (part !== "") kept.push(part)
  }
  kept.push(mark(head + 1, lines.length - tail))
  const last = lines.length - 1
  if (tail === 0) {
    const part = partOfLine(lines[last] as string, sizes[last] as Size, scaleSize(room, 1 - headShare), "tail")
    if (part !== "") kept.push(part)
  }
  return [...kept, ...lines.slice(lines.length - tail)].join("\n")
}

/** The mark alone: nothing shorter stands for a text. */
const shortestText = (text: string, mark: Mark): string => {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return mark(1, count)
}

/** The text within the limit; the text itself when it fits; undefined when not even the mark does. */
const shortenText = (text: string, limit: Size, mark: Mark, meter: Meter): string | undefined => {
  if (fitsIn(meter.sizeOfText(text), limit)) return text
  const shortest = shortestText(text, mark)
  const least = meter.sizeOfText(shortest)
  if (!fitsIn(least, limit)) return undefined
  const lines = linesOf(text, meter)
  let room: Size = { tokens: limit.tokens - least.tokens - 2, bytes: limit.bytes - least.bytes - 8 }
  for (let attempt = 0; attempt < attempts && room.tokens > 0 && room.bytes > 0; attempt++) {
    const shortened = compose(lines, room, mark)
    if (fitsIn(meter.sizeOfText(shortened), limit)) return shortened
    room = scaleSize(room, 0.85)
  }
  return shortest
}

/** A place at which a text may be cut, at or directly before `at`: never between the halves of a character (L8). */
export const safeCut = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at
}

/** How far back a cut goes to fall between words, as a share of what is kept. */
const nearest = 0.2

/** Where the beginning of a text may end, at or before `at`: between two words where that is near. */
export const headCut = (text: string, at: number): number => {
  const space = text.lastIndexOf(" ", at)
  return space > at * (1 - nearest) ? space : safeCut(text, at)
}

/** Where the end of a text may begin, at or after `at`. */
const tailCut = (text: string, at: number): number => {
  const space = text.indexOf(" ", at)
  return space >= 0 && space < at + (text.length - at) * nearest ? space + 1 : safeCut(text, at)
}

// An item cut down to a limit without losing its shape: of a message the text, of an exchange the results. What
// the assistant said stays as it is. Media becomes a note where it does not fit, with the item's
// handle to get it back.

/** What has to be known of an item beside itself: a part of what strategies are given. */
interface Placed {
  readonly meter: Meter
  /** Position of an item in the whole history. */
  readonly positionOf: (item: Item) => number
  /** Positions of the items that a summary stands for, where that is known. */
  readonly coveredBy?: (item: Item) => readonly number[]
}

export interface Shortened {
  readonly item: Item
  readonly elided: readonly Elided[]
}

const sizeOfAll = (blocks: readonly ContentBlock[], meter: Meter): Size =>
  blocks.reduce<Size>(
    (sum, block) => {
      const { tokens, bytes } = meter.sizeOfBlock(block)
      return { tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }
    },
    { tokens: 0, bytes: 0 },
  )

/** What a text block costs beside its text. */
const frame = (meter: Meter): Size => subtractSizes(meter.sizeOfBlock(text("x")), meter.sizeOfText("x"))

/** The text of blocks, with the handle that reads it back in the note of each medium. One line each, as without. */
const withHandles = (blocks: readonly ContentBlock[], reference: Reference): string => {
  const lines: string[] = []
  for (const block of blocks) {
    if (block.type !== "media" && block.text === "") continue
    const at = lines.length + 1
    if (block.type !== "media") pushAll(lines, block.text.split("\n"))
    else lines.push(`${mediaNote(block).slice(0, -1)}, recall ${writeHandle({ ...reference, from: at, to: at })}]`)
  }
  return lines.join("\n")
}

/** `reference` names what can be read back; undefined for a record, which cannot. */
const shorterBlocks = (
  blocks: readonly ContentBlock[],
  limit: Size,
  mark: Mark,
  meter: Meter,
  reference: Reference | undefined,
): readonly ContentBlock[] => {
  const media = blocks.filter((block) => block.type === "media")
  const around = frame(meter)
  const beside = subtractSizes(limit, sizeOfAll(media, meter))
  // Media stays whole where at least half of the limit is left for text. Its notes stay among these: lines are counted
  // with them when they are read back.
  const keepMedia = media.length > 0 && beside.tokens * 2 > limit.tokens && beside.bytes * 2 > limit.bytes
  const words = keepMedia || !reference ? textOfContent(blocks) : withHandles(blocks, reference)
  const shortened = shortenText(words, subtractSizes(keepMedia ? beside : limit, around), mark, meter)
  return [text(shortened ?? shortestText(words, mark)), ...(keepMedia ? media : [])]
}

type PlainMessage = UserMessage | SystemMessage

const isRecord = (message: PlainMessage): boolean => message.role === "user" && message.summary === true

const shortenMessage = (message: PlainMessage, position: number, covered: readonly number[], limit: Size, meter: Meter): Shortened => {
  const { native: _, ...rest } = message
  const own = subtractSizes(meter.sizeOfMessage(message), sizeOfAll(message.blocks, meter))
  const room = subtractSizes(limit, own)
  const reference = isRecord(message) ? undefined : { item: position }
  const mark = reference ? markOf(reference) : markOfRecord(covered)
  const blocks: readonly UserBlock[] = shorterBlocks(message.blocks, room, mark, meter, reference)
  const item = { ...rest, blocks } as PlainMessage
  const tokens = meter.sizeOfItem(message).tokens - meter.sizeOfItem(item).tokens
  return { item, elided: [{ handle: handleOf(position), tokens }] }
}

/** A result within a limit, whole lines from both ends; the very result when it fits. Without a reference, nothing leads to the rest. */
export const shortenResult = (result: ResultBlock, limit: Size, reference: Reference | undefined, meter: Meter): ResultBlock => {
  const size = meter.sizeOfBlock(result)
  if (fitsIn(size, limit)) return result
  const own = subtractSizes(size, sizeOfAll(result.content, meter))
  const room = subtractSizes(limit, own)
  const mark = reference ? markOf(reference) : markOfUnread
  const shorter = withContent(result, shorterBlocks(result.content, room, mark, meter, reference))
  const stubbed = reference
    ? stubText(handleOf(reference.item, reference.call), size.tokens)
    : shortestText(textOfContent(result.content), mark)
  const stub = withContent(result, [text(stubbed)])
  const gain = fitsIn(meter.sizeOfBlock(shorter), limit) ? shorter : stub
  return meter.sizeOfBlock(gain).tokens < size.tokens ? gain : result
}

/** Takes from the largest results first: the small ones are seldom the reason. */
const shortenExchange = (exchange: Exchange, position: number, limit: Size, meter: Meter): Shortened => {
  let over = subtractSizes(meter.sizeOfItem(exchange), limit)
  const results = new Map<number, ResultBlock>()
  const elided: Elided[] = []
  const order = exchange.outcomes
    // A generated result is as short as a stub, and there is nothing more of it to read back.
    .flatMap(({ result }, call) => (result && !result.synthetic ? [{ result, call, size: meter.sizeOfBlock(result) }] : []))
    .sort((left, right) => right.size.tokens - left.size.tokens || left.call - right.call)
  for (const { result, call, size } of order) {
    if (over.tokens <= 0 && over.bytes <= 0) break
    const target = subtractSizes(size, { tokens: Math.max(0, over.tokens), bytes: Math.max(0, over.bytes) })
    const shorter = shortenResult(result, target, { item: position, call }, meter)
    if (shorter === result) continue
    const after = meter.sizeOfBlock(shorter)
    results.set(call, shorter)
    over = subtractSizes(over, subtractSizes(size, after))
    elided.push({ handle: handleOf(position, call), tokens: size.tokens - after.tokens })
  }
  return { item: results.size > 0 ? withResults(exchange, results) : exchange, elided }
}

/**
 * The item within the limit, or as near to it as it gets; the very item when it fits or cannot shrink. Of a record that
 * stands for others, their positions are given.
 */
export const shortenItem = (item: Item, { positionOf, coveredBy, meter }: Placed, limit: Size): Shortened => {
  const position = positionOf(item)
  const size = meter.sizeOfItem(item)
  if (fitsIn(size, limit)) return { item, elided: [] }
  if (item.role === "exchange") return shortenExchange(item, position, limit, meter)
  const shortened = shortenMessage(item, position, coveredBy?.(item) ?? [], limit, meter)
  return meter.sizeOfItem(shortened.item).tokens < size.tokens ? shortened : { item, elided: [] }
}
