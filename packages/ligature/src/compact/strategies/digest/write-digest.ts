/**
 * Writes the digest of a conversation around what stays of it: the middle of the strategy, shared by `digest` and by
 * `generations`, which writes several of them.
 */
import {
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  type Item,
  type MediaBlock,
  type Message,
} from "../../../model/index.ts"
import { type Meter, noSize, type Size, subtractSizes } from "../../meter/meter.ts"
import { ledgerOf } from "../../plan/ledger.ts"
import { type Context, isRequest, requestsIn } from "../../plan/plan.ts"
import { handleOf } from "../../text/handles.ts"
import type { Shortened } from "../../text/shorten.ts"
import { CandidatePool, candidatesOf, type Choosable, type Excerpt } from "./candidates.ts"
import { Chooser, wellCovered } from "./choose-lines.ts"
import { fitDigest, type Page, prefaceOf, type Space, write, type Written } from "./fit-message.ts"
import { callOfGroup, itemOfGroup, type Part, type Passage, passagesOfAll, wordsGroups } from "./relevance/lines.ts"
import { worthsOf } from "./relevance/term-worth.ts"
import { eachTermOf, numberOfLine, usageOf } from "./relevance/usage.ts"
import { StateLines } from "./state-lines.ts"
import { nothingQuoted, unquoted, UserLines } from "./user-lines.ts"
import type { Verbatim } from "./verbatim.ts"

/** Media of an item: few tokens, and most of its bytes. */
export const mediaIn = (item: Item): readonly MediaBlock[] => {
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

/**
 * A choice by estimates prefers what they take for too short. So many roots of the budget are left free for that: errors of
 * many lines cancel each other out, but for those of a history that says the same rare words again and again.
 */
const freeRoots = 0.65
/** … and no more than this share. */
const freeShare = 0.04

const freeIn = (budget: number, { tolerance = 0 }: Meter): number =>
  tolerance === 0 ? 0 : Math.min(freeShare * budget, freeRoots * Math.sqrt(budget))

/** Share of the budget up to which lines of the state are shown before any others. */
const stateShare = 0.25
/** … and up to so many tokens more: a state is not as much shorter as its budget is. Of a small budget requests need the most. */
const stateMore = { from: 400, share: 0.25, most: 40 }

const stateTokens = (budget: number): number =>
  stateShare * budget + Math.min(stateMore.most, Math.max(0, stateMore.share * (budget - stateMore.from)))

/** Lines of a record without a heading: summaries by a model, and notes. */
const earlierRecord = "[From an earlier record]"

const speakerOf = ({ role, name }: Message): string => (name === undefined ? role : `${role} ${name.replace(/\s+/g, " ")}`)

/** Models write names of tools that are none; of those the beginning, so that a heading stays one line. */
const nameOf = (call: CallBlock | undefined): string | undefined => call && (/^[\p{L}\p{N}_.:/-]+/u.exec(call.name)?.[0] ?? "call")

/** `callsIn`: the calls of an exchange, remembered, since one may have tens of thousands and each has a heading. */
const headingFor = (item: Item, group: number, context: Context, callsIn: (exchange: Exchange) => readonly CallBlock[]): string => {
  const position = context.positionOf(item)
  if (item.role !== "exchange") return item.summary ? earlierRecord : `${handleOf(position)} ${speakerOf(item)}`
  const calls = callsIn(item)
  const call = group - wordsGroups(calls.length)
  if (call < 0) return `${handleOf(position)} assistant`
  const tool = nameOf(calls[call])
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

const prefaceFor = (items: readonly Item[], { kept, edits }: Verbatim, budget: number, context: Context): string => {
  let [from, to] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, item] of items.entries()) {
    if (kept.has(index) || edits.has(index)) continue
    for (const position of [context.positionOf(item), ...(context.coveredBy?.(item) ?? [])]) {
      from = Math.min(from, position)
      to = Math.max(to, position)
    }
  }
  return prefaceOf(from, to, budget, context.canRecall)
}

export interface Digest extends Written {
  /** The verbatim part around it. */
  readonly verbatim: Verbatim
  /** The first and the latest request stay or are quoted. */
  readonly isComplete: boolean
  /** Everything that the one it goes on from shows is shown; and what is owed of the requests is quoted. */
  readonly showsBefore: boolean
  readonly isQuoted: boolean
  /** The choice it was made by, for the first that continues from here and changes it. Another begins its own with the lines. */
  readonly handOver: () => Chooser | undefined
}

const once = <Value>(value: Value | undefined): (() => Value | undefined) => {
  let left = value
  return () => {
    const given = left
    left = undefined
    return given
  }
}

/** Lines of a message that was shortened. */
const linesLeft = (edit: Shortened | undefined): ReadonlySet<string> => {
  if (edit === undefined || edit.item.role === "exchange") return new Set()
  return new Set(edit.item.blocks.flatMap((block) => (block.type === "media" ? [] : block.text.split("\n"))))
}

interface WriteOptions {
  /** The digest it goes on from. */
  readonly before?: Digest | undefined
  /** Room may be filled with lines that show nothing first. */
  readonly takesAll?: boolean
}

/** A conversation in lines, what their terms are worth, and how they are printed: the same for every digest of it. */
export class DigestWriter {
  readonly #items: readonly Item[]
  readonly #context: Context
  readonly #passages: readonly Passage[]
  readonly #choosable: Omit<Choosable, "candidates">
  readonly #headingOf: (group: number) => string
  readonly #userLines: UserLines
  readonly #stateLines: StateLines
  readonly #first: Chooser

  constructor(conversation: Conversation, context: Context, goal = "") {
    const { items } = conversation
    const { meter } = context
    const passages = passagesOfAll(conversation)
    const requests = items.flatMap((item, index) => (isRequest(item) ? [index] : []))
    const { first, newest } = requestsIn(items)
    const usage = usageOf(passages, { first, latest: newest, goal })
    const worths = worthsOf(usage)
    const headings = new Map<number, string>()
    for (const { group, heading } of passages) if (heading !== undefined) headings.set(group, heading)
    this.#items = items
    this.#context = context
    this.#passages = passages
    const callsIn = rememberedBy(callsOf)
    this.#headingOf = rememberedBy((group: number) => {
      const item = items[itemOfGroup(group)] as Item
      return headings.get(group) ?? headingFor(item, callOfGroup(group), context, callsIn)
    })
    const count = rememberedBy((words: string) => meter.count(words))
    const headingTokens = (group: number): number => count(`${this.#headingOf(group)}\n`)
    this.#choosable = { usage, worths, headingTokens, count: meter.count }
    this.#stateLines = new StateLines(conversation, passages, this.#choosable)
    this.#userLines = new UserLines(passages, requests, this.#choosable)
    const { gone } = this.#stateLines.state
    const candidates = candidatesOf(passages, usage, worths, (line) => gone.has(line))
    this.#first = Chooser.from(new CandidatePool({ ...this.#choosable, candidates }))
  }

  /** The digest within a verbatim part. One that continues from another shows all of it, in its lines or in the verbatim part. */
  write(verbatim: Verbatim, { limit, budget }: Space, { before, takesAll = false }: WriteOptions = {}): Digest {
    const { meter } = this.#context
    const passages = this.#passages
    const handed = before?.handOver()
    const chooser = handed ?? this.#first.copy()
    this.#showVerbatim(verbatim, chooser, handed && before?.verbatim)
    const isAround = this.#around(verbatim)
    const carried = (before?.lines ?? []).filter((line) => !isAround(line))
    if (!handed) for (const line of carried) this.#show(line, chooser)

    const page: Page = {
      preface: prefaceFor(this.#items, verbatim, budget, this.#context),
      passages,
      headingOf: this.#headingOf,
      sectionOf: (excerpt) => this.#stateLines.sectionOf(excerpt),
    }
    const isSame = before !== undefined && carried.length === before.lines.length
    const shown = isSame ? subtractSizes(before.size, before.verbatim.size) : write(page, carried, noSize, meter).size
    const room = budget - verbatim.size.tokens - shown.tokens
    const quoted = takesAll ? nothingQuoted : this.#userLines.quote(verbatim, carried, room, chooser)
    for (const line of quoted.lines) this.#show(line, chooser)
    const free = freeIn(budget, meter)
    const forState = room - quoted.tokens - free
    const stated = takesAll ? nothingQuoted : this.#stateWithin(verbatim, [...carried, ...quoted.lines], forState, budget)
    for (const line of stated.lines) this.#show(line, chooser)
    const certain = [...this.#without(carried, [...quoted.lines, ...stated.lines]), ...quoted.lines, ...stated.lines]
    const left = room - quoted.tokens - stated.tokens - free
    const rest = { limit, aim: budget - free, around: verbatim.size, left, takesAll }
    const written = fitDigest(page, certain, chooser, rest, meter)
    return {
      ...(written ?? write(page, [], verbatim.size, meter)),
      verbatim,
      isComplete: unquoted(verbatim, written?.lines ?? [], passages).length === 0,
      showsBefore: written !== undefined && written.lines.length >= certain.length,
      isQuoted: !quoted.isShort,
      handOver: once(written?.isCut === false ? chooser : undefined),
    }
  }

  /** Lines of the state that are not shown yet, for its share of the budget. */
  #stateWithin(verbatim: Verbatim, shown: readonly Excerpt[], room: number, budget: number): { lines: readonly Excerpt[]; tokens: number } {
    const isAround = this.#around(verbatim)
    const { usage, count } = this.#choosable
    const numbers = new Set(shown.map((line) => numberOfLine(usage, line)))
    let left = stateTokens(budget)
    for (const line of shown) if (this.#stateLines.isStated(line)) left -= count(`${line.text}\n`)
    const isShown = (line: Excerpt): boolean => numbers.has(numberOfLine(usage, line)) || isAround(line)
    return this.#stateLines.take(Math.min(left, room), isShown)
  }

  /** Tokens of the lines of the newest item that is quoted: were it to stay, they would go. */
  tokensOfNext({ verbatim: { kept, edits }, lines }: Digest): number {
    const next = this.#items.findLastIndex((_, index) => !kept.has(index) && !edits.has(index))
    const own = lines.filter(({ group }) => itemOfGroup(group) === next)
    return own.reduce((sum, { text }) => sum + this.#context.meter.count(text) + 1, 0)
  }

  /** Excerpts but for parts of these, of which each has a line of its own. */
  #without(excerpts: readonly Excerpt[], lines: readonly Excerpt[]): readonly Excerpt[] {
    if (lines.length === 0) return excerpts
    const { usage } = this.#choosable
    const byNumber = new Map(lines.map((line) => [numberOfLine(usage, line), line]))
    const texts = new Set(lines.map(({ text }) => text))
    return excerpts.filter((excerpt) => {
      const line = byNumber.get(numberOfLine(usage, excerpt))
      if (line) return excerpt.from < line.from || excerpt.to > line.to
      // What came with the state need not be said a second time after it.
      return this.#stateLines.sectionOf(excerpt) !== undefined || !texts.has(excerpt.text)
    })
  }

  /** An exchange that is shortened in its place shows its own lines; quoted here, they would come before older ones. */
  #isInPlace(item: number, { kept, edits }: Verbatim): boolean {
    return kept.has(item) || (edits.has(item) && this.#items[item]?.role === "exchange")
  }

  /** Whether a line is in the verbatim part around the digest. */
  #around(verbatim: Verbatim): (excerpt: Excerpt) => boolean {
    const shownOf = rememberedBy((item: number) => linesLeft(verbatim.edits.get(item)))
    return ({ passage, line }) => {
      const { item, lines } = this.#passages[passage] as Passage
      return this.#isInPlace(item, verbatim) || shownOf(item).has(lines[line] as string)
    }
  }

  /** What is shown around the digest, and was not when the chooser began. */
  #showVerbatim(verbatim: Verbatim, chooser: Chooser, before: Verbatim | undefined): void {
    const { terms, offsets, firstLine, lineCount } = this.#choosable.usage
    for (const [passage, { item }] of this.#passages.entries()) {
      if (!this.#isInPlace(item, verbatim) || before?.kept.has(item)) continue
      chooser.closePassage(passage)
      if (!verbatim.kept.has(item)) continue
      const to = offsets[firstLine[passage + 1] ?? lineCount] as number
      for (let at = offsets[firstLine[passage] as number] as number; at < to; at++) {
        chooser.cover(terms[at] as number, wellCovered)
      }
    }
    for (const [passage, { item, lines }] of verbatim.edits.size === 0 ? [] : this.#passages.entries()) {
      const left = linesLeft(verbatim.edits.get(item))
      for (const [line, words] of left.size === 0 ? [] : lines.entries()) {
        if (left.has(words)) this.#showAround({ passage, line, from: 0, to: words.length }, chooser)
      }
    }
    if (before) return
    for (const excerpt of verbatim.shown) this.#showAround(excerpt, chooser)
  }

  /** Shown, but not with the lines. */
  #showAround(part: Part, chooser: Chooser): void {
    eachTermOf(this.#choosable.usage, part, (term) => chooser.cover(term, 1))
    chooser.close(part)
  }

  #show(line: Excerpt, chooser: Chooser): void {
    this.#showAround(line, chooser)
    // Other lines of its group are printed under a heading of their own.
    if (this.#stateLines.isStated(line)) chooser.note(line)
    else chooser.open(line)
  }
}
