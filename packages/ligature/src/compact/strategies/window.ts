/**
 * Keep-first / keep-last: the head, a note, and as much of the newest as fits. Both ends are whole exchanges. What is
 * protected between them stays, so that a long task with one request never loses it. The cheapest strategy and the last
 * resort of the others: it gives a view at any budget above a few dozen tokens.
 */
import { assertOptions, type Item, LigatureError } from "../../model/index.ts"
import type { Size } from "../meter/meter.ts"
import { unchangedPlan } from "../plan/make-plan.ts"
import { type Strategy, wholeNumber } from "../plan/plan.ts"
import { Cut, messagesIn } from "./cut.ts"

export interface WindowOptions {
  /** Messages at the start that stay, after system messages; more where they end inside an exchange. Default 1. */
  readonly keepFirst?: number
  /** At most this many messages at the end stay, more where they begin inside an exchange. Default: as many as fit. */
  readonly keepLast?: number
}

const tailFloor = (cut: Cut, keepLast: number): number => {
  if (keepLast === Number.POSITIVE_INFINITY) return cut.lead
  let start = cut.items.length
  let messages = 0
  while (start > cut.lead && messages < keepLast) messages += messagesIn(cut.items[--start] as Item)
  return cut.alignDown(start)
}

/** Tokens below which a shortened exchange is of no use. */
const leastRoom = 64

/** The newest exchange alone is too large: it stays with its results shortened, if there is room worth having. */
const shortenNewest = (cut: Cut, headEnd: number, limit: Size): number => {
  const last = cut.items.length - 1
  const used = cut.sizeOf(headEnd, last + 1)
  const room = { tokens: limit.tokens - used.tokens, bytes: limit.bytes - used.bytes }
  const isAlone = last >= headEnd && cut.alignUp(last) === last && cut.items[last]?.role === "exchange"
  if (!isAlone || room.tokens < leastRoom) return last + 1
  if (cut.shorten(last, room) && cut.fits(headEnd, last)) return last
  cut.keepWhole(last)
  return last + 1
}

export const window = (options: WindowOptions = {}): Strategy => {
  assertOptions(options, { keepFirst: true, keepLast: true })
  const { keepFirst = 1, keepLast = Number.POSITIVE_INFINITY } = options
  const first = wholeNumber(keepFirst, "keepFirst")
  const newest = wholeNumber(keepLast, "keepLast")
  const name = "window"
  return {
    name,
    plan: (conversation, limit, context) => {
      const cut = new Cut(conversation, limit, context)
      const { items, ledger, lead } = cut
      if (ledger.fits(limit)) return unchangedPlan(name, conversation, context.meter)
      let headEnd = cut.headOf(first)
      if (!cut.fits(headEnd, items.length)) headEnd = lead
      if (cut.fits(headEnd, items.length)) cut.shortenRequests()
      else cut.shortenProtected()
      let tailStart = cut.longestTail(headEnd, tailFloor(cut, newest))
      if (tailStart === items.length && newest > 0) tailStart = shortenNewest(cut, headEnd, limit)
      return cut.conclude(name, headEnd, tailStart, "older than the window")
    },
  }
}

// Sliding-window truncation as agents know it: the first message stays, a fraction of the others goes, oldest first,
// and again until the rest fits. Cuts fall between exchanges; one at the cut stays, unless nothing would go at all.

export interface TruncateOptions {
  /** How much of the messages after the first goes each time, above 0 to 1. Default 0.5. */
  readonly fraction?: number
  /** Messages at the start that stay. Default 1. */
  readonly keepFirst?: number
}

/** Where the rest, of `rest` messages from `start` on, begins after a fraction of it has gone. */
const nextStart = (cut: Cut, start: number, rest: number, counts: readonly number[], fraction: number): number => {
  const asked = Math.floor(rest * fraction)
  const goal = asked - (asked % 2)
  let gone = 0
  let at = start
  while (at < counts.length && gone + (counts[at] as number) <= goal) gone += counts[at++] as number
  const aligned = cut.alignDown(at)
  return aligned > start ? aligned : cut.alignUp(start + 1)
}

export const truncate = (options: TruncateOptions = {}): Strategy => {
  assertOptions(options, { fraction: true, keepFirst: true })
  const { fraction = 0.5, keepFirst = 1 } = options
  if (!(fraction > 0 && fraction <= 1)) {
    throw new LigatureError("bad-option", `Expected a fraction above 0 and up to 1, got ${fraction}`)
  }
  const first = wholeNumber(keepFirst, "keepFirst")
  const name = "truncate"
  return {
    name,
    plan: (conversation, limit, context) => {
      const { meter } = context
      const cut = new Cut(conversation, limit, context)
      const { items, ledger } = cut
      if (ledger.fits(limit)) return unchangedPlan(name, conversation, meter)
      const counts = items.map(messagesIn)
      let headEnd = cut.headOf(first)
      if (!cut.fits(headEnd, items.length)) headEnd = cut.lead
      let start = headEnd
      let rest = counts.slice(start).reduce((sum, count) => sum + count, 0)
      do {
        const next = nextStart(cut, start, rest, counts, fraction)
        for (let index = start; index < next; index++) rest -= counts[index] as number
        start = next
      } while (start < items.length && !cut.fits(headEnd, start))
      if (!cut.fits(headEnd, start)) cut.shortenProtected()
      return cut.conclude(name, headEnd, start, "in the truncated part")
    },
  }
}
