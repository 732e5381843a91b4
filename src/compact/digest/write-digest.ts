/**
 * Writes the digest of a conversation around what stays of it: the middle of the strategy, shared by `digest` and by
 * `generations`, which writes several of them.
 */
import { callsOf, type Conversation, type Item, type MediaBlock, type Message } from "../../model/index.ts"
import { handleOf } from "../handle.ts"
import { ledgerOf } from "../ledger.ts"
import type { Meter } from "../meter/meter.ts"
import { type Size, subtractSizes } from "../size.ts"
import type { Context } from "../strategy.ts"
import { candidatesOf, isWhole } from "./candidates.ts"
import { Chooser, wellCovered } from "./choose.ts"
import { fitDigest, type Page, write, type Written } from "./fit.ts"
import type { Frame } from "./frame.ts"
import { isRequest } from "../protection.ts"
import { callOfGroup, itemOfGroup, type Passage, passagesOfAll, wordsGroups } from "./lines.ts"
import { prefaceOf } from "./render.ts"
import { eachTermOf, type Usage, usageOf } from "./worth/usage.ts"
import { toldLines, untold } from "./user-lines.ts"
import { worthsOf } from "./worth/worth.ts"

/** Media of an item: few tokens, and most of its bytes. */
const mediaIn = (item: Item): readonly MediaBlock[] => {
  const blocks = item.role === "exchange" ? item.outcomes.flatMap(({ result }) => result?.content ?? []) : item.blocks
  return blocks.filter((block) => block.type === "media")
}

/** Tokens the limit comes down to, also when bytes are what is short: as many as text of this conversation has in them. */
export const budgetOf = ({ items }: Conversation, limit: Size, meter: Meter): number => {
  if (limit.bytes === Number.POSITIVE_INFINITY) return Math.floor(limit.tokens)
  let text = ledgerOf(items, meter).total()
  for (const item of items) for (const block of mediaIn(item)) text = subtractSizes(text, meter.sizeOfBlock(block))
  return Math.floor(Math.min(limit.tokens, limit.bytes * (text.tokens / Math.max(1, text.bytes))))
}

/** Lines of a record that stood under no heading: what a model summarised, and notes. */
const earlierRecord = "[From an earlier record]"

const speakerOf = ({ role, name }: Message): string =>
  name === undefined ? role : `${role} ${name.replace(/\s+/g, " ")}`

const headingFor = (item: Item, group: number, context: Context): string => {
  const position = context.positionOf(item)
  if (item.role !== "exchange") return item.summary ? earlierRecord : `${handleOf(position)} ${speakerOf(item)}`
  const calls = callsOf(item)
  const call = group - wordsGroups(calls.length)
  if (call < 0) return `${handleOf(position)} assistant`
  const tool = calls[call]?.name
  const handle = calls.length > 1 ? handleOf(position, call) : handleOf(position)
  return tool === undefined ? handle : `${handle} ${tool}`
}

const rememberedBy = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = make(key)))
    return value
  }
}

const prefaceFor = (items: readonly Item[], { kept, edits }: Frame, budget: number, context: Context): string => {
  let [from, to] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, item] of items.entries()) {
    if (kept.has(index) || edits.has(index)) continue
    for (const position of [context.positionOf(item), ...(context.coveredBy?.(item) ?? [])]) {
      from = Math.min(from, position)
      to = Math.max(to, position)
    }
  }
  return prefaceOf(from, to, budget)
}

export interface Digest extends Written {
  /** The first and the latest request stay or are told. */
  readonly isComplete: boolean
}

/** A conversation in lines, and what their terms are worth: the same for every frame around them. */
export interface History {
  readonly conversation: Conversation
  readonly passages: readonly Passage[]
  readonly usage: Usage
  readonly worths: Float64Array
}

export const readHistory = (conversation: Conversation, goal = ""): History => {
  const { items } = conversation
  const passages = passagesOfAll(conversation)
  const requests = { first: items.findIndex(isRequest), latest: items.findLastIndex(isRequest), goal }
  const usage = usageOf(passages, requests)
  return { conversation, passages, usage, worths: worthsOf(usage) }
}

export const writeDigest = (
  { conversation, passages, usage, worths }: History,
  frame: Frame,
  limit: Size,
  budget: number,
  context: Context,
  takesAll = false,
): Digest => {
  const { items } = conversation
  const { meter } = context
  const { kept } = frame
  const covers = new Uint8Array(worths.length)
  for (const [place, { item }] of passages.entries()) {
    if (!kept.has(item)) continue
    const from = usage.offsets[usage.firstLine[place] as number] as number
    const to = usage.offsets[usage.firstLine[place + 1] ?? usage.lineCount] as number
    for (let at = from; at < to; at++) covers[usage.terms[at] as number] = wellCovered
  }
  for (const excerpt of frame.shown) {
    eachTermOf(usage, excerpt, (term) => {
      covers[term] = Math.min(wellCovered, (covers[term] as number) + 1)
    })
  }

  const headings = new Map<number, string>()
  for (const { group, heading } of passages) if (heading !== undefined) headings.set(group, heading)
  const count = rememberedBy((words: string) => meter.count(words))
  const page: Page = {
    preface: prefaceFor(items, frame, budget, context),
    passages,
    headingOf: rememberedBy((group: number) => {
      const item = items[itemOfGroup(group)] as Item
      return headings.get(group) ?? headingFor(item, callOfGroup(group), context)
    }),
  }
  const headingTokens = (group: number): number => count(`${page.headingOf(group)}\n`)
  const shared = { usage, worths, headingTokens, count: meter.count }
  const bare = write(page, [], frame.size, meter)
  const told = toldLines(frame, passages, budget - bare.size.tokens, shared, covers)
  const placeOf = (passage: number, line: number): number => (usage.firstLine[passage] as number) + line
  const shown = [...frame.shown.filter((each) => isWhole(each, passages)), ...told.lines]
  const isShown = new Set(shown.map(({ passage, line }) => placeOf(passage, line)))
  // An exchange that is shortened in its place shows its own lines; told here, they would stand in front of older ones.
  const isInPlace = (item: number): boolean =>
    kept.has(item) || (frame.edits.has(item) && items[item]?.role === "exchange")
  const isTaken = (passage: number, line: number): boolean =>
    isInPlace(passages[passage]?.item ?? -1) || isShown.has(placeOf(passage, line))
  const candidates = candidatesOf(passages, usage, worths, isTaken)
  const opened = told.lines.map(({ group }) => group)
  const chooser = new Chooser({ ...shared, candidates }, covers, opened)
  const space = { limit, budget, frame: frame.size, left: budget - bare.size.tokens - told.tokens, takesAll }
  const written = fitDigest(page, told.lines, chooser, space, meter) ?? bare
  return { ...written, isComplete: untold(frame, written.lines, passages).length === 0 }
}
