/**
 * Sliding-window truncation as agents know it: the first message stays, a fraction of the others goes, oldest first,
 * and again until the rest fits. Cuts fall between exchanges; one at the cut stays, unless nothing would go at all.
 */
import { LigatureError } from "../../model/index.ts"
import { unchangedPlan } from "../plan/make-plan.ts"
import type { Strategy } from "../plan/plan.ts"
import { checkNames, type OptionNames, wholeNumber } from "../plan/options.ts"
import { Cut, messagesIn } from "./cut.ts"

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

const optionNames: OptionNames<TruncateOptions> = { fraction: true, keepFirst: true }

export const truncate = (options: TruncateOptions = {}): Strategy => {
  checkNames(options, optionNames)
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

