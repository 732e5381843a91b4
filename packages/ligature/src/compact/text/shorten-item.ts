/**
 * An item cut down to a limit without losing its shape: of a message the text, of an exchange the results. What
 * the assistant said stays as it is. Media becomes a note where it does not fit, with the item's
 * handle to get it back.
 */
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
import type { Meter } from "../meter/meter.ts"
import { fitsIn, type Size, subtractSizes } from "../meter/size.ts"
import { type Elided, handleOf, type Reference, writeHandle } from "./handles.ts"
import { type Mark, markOf, markOfRecord, markOfUnread, shortenText, shortestText } from "./shorten-text.ts"
import { stubText, textOfContent, withContent, withResults } from "./stand-ins.ts"

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

const shortenMessage = (
  message: PlainMessage,
  position: number,
  covered: readonly number[],
  limit: Size,
  meter: Meter,
): Shortened => {
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
export const shortenResult = (
  result: ResultBlock,
  limit: Size,
  reference: Reference | undefined,
  meter: Meter,
): ResultBlock => {
  const size = meter.sizeOfBlock(result)
  if (fitsIn(size, limit)) return result
  const own = subtractSizes(size, sizeOfAll(result.content, meter))
  const room = subtractSizes(limit, own)
  const mark = reference ? markOf(reference) : markOfUnread
  const shorter = withContent(result, shorterBlocks(result.content, room, mark, meter, reference))
  const stubbed = reference ? stubText(handleOf(reference.item, reference.call), size.tokens) : shortestText(textOfContent(result.content), mark)
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
export const shortenItem = (
  item: Item,
  { positionOf, coveredBy, meter }: Placed,
  limit: Size,
): Shortened => {
  const position = positionOf(item)
  const size = meter.sizeOfItem(item)
  if (fitsIn(size, limit)) return { item, elided: [] }
  if (item.role === "exchange") return shortenExchange(item, position, limit, meter)
  const shortened = shortenMessage(item, position, coveredBy?.(item) ?? [], limit, meter)
  return meter.sizeOfItem(shortened.item).tokens < size.tokens ? shortened : { item, elided: [] }
}
