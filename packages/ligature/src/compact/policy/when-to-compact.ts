/**
 * When to compact, and to what size, in tokens and in bytes. Pure: numbers in, a decision with its reason out.
 *
 *        0 ──── target ──────────── trigger ──────── hard ── window
 *                  ^ compacted to here   ^ from here on, if it pays    ^ from here on in any case
 *
 * The gap between target and trigger is the hysteresis: after a compaction the view has to grow through all of it
 * before the next one, so that the prompt cache is lost rarely (touching the prefix at every request costs more than
 * never compacting).
 */
import { noSize, type Size, smallerOf } from "../meter/meter.ts"
import type { CompactSettings } from "./settings.ts"

interface Limits {
  readonly target: Size
  readonly trigger: Size
  readonly hard: Size
  /** The least a compaction must save, for a view of this size. */
  readonly minimumGain: (view: Size) => Size
}

const largeWindow = 150_000
const largeTargetShare = 0.25

/** How much of the trigger by share is left to one in tokens that is below what every request carries anyway: a mistake. */
const leastOfTrigger = 0.1

/**
 * Limits of a request. Shares are of what the reserve and what every request carries `beside` the conversation leave of the
 * window: that alone can be compacted. The hard limit is about the window itself.
 */
export const limitsOf = (settings: CompactSettings, beside: Size = noSize): Limits => {
  const {
    window,
    trigger,
    target: { share: targetShare, tokens: targetTokens },
    gain,
  } = settings
  const { requestBytes } = window
  // A reserve larger than half of the window would be a mistake that leaves nothing to work with.
  const whole = window.tokens - Math.min(window.reserveTokens, window.tokens / 2)
  const room = { tokens: Math.max(0, whole - beside.tokens), bytes: Math.max(0, requestBytes - beside.bytes) }
  const hard = { tokens: Math.floor(whole * trigger.hardShare), bytes: Math.floor(requestBytes * trigger.hardShare) }
  const targetOfWindow = window.tokens > largeWindow ? Math.min(targetShare, largeTargetShare) : targetShare
  // By how much a number of tokens lowers the trigger. Target and gain follow, else nothing would be worth it any more.
  const wanted = trigger.tokens > 0 ? (trigger.tokens - beside.tokens) / Math.max(1, room.tokens * trigger.share) : 1
  const lowered = wanted > 0 ? Math.min(1, wanted) : leastOfTrigger
  const shareOf = (tokens: number, bytes: number): Size => ({
    tokens: Math.floor(beside.tokens + room.tokens * tokens),
    bytes: Math.floor(beside.bytes + room.bytes * bytes),
  })
  const target = shareOf(targetOfWindow * (targetTokens > 0 ? 1 : lowered), targetShare)
  return {
    target: { ...target, tokens: Math.min(target.tokens, targetTokens || target.tokens) },
    trigger: smallerOf(shareOf(trigger.share * lowered, trigger.share), hard),
    hard,
    minimumGain: ({ tokens, bytes }) => ({
      tokens: Math.max((tokens - beside.tokens) * gain.share, Math.min(gain.tokens, (room.tokens * lowered) / 4)),
      bytes: (bytes - beside.bytes) * gain.share,
    }),
  }
}

/** Tokens fill the window, bytes the body of a request; either can be too much. */
export type Measure = keyof Size
const measures = ["tokens", "bytes"] as const satisfies readonly Measure[]

/** By which measures a view is larger than a limit. */
const exceeded = (view: Size, limit: Size): readonly Measure[] => measures.filter((each) => view[each] > limit[each])

export interface CostEstimate {
  /** After how many requests the compaction has paid for itself. Infinity: never. */
  readonly requests: number
  /** What it costs at once and saves per request, in tokens at the price of input. */
  readonly once: number
  readonly perRequest: number
}

interface CostInput {
  readonly before: number
  readonly after: number
  /** Tokens at the front that stay the same, so that they are still in the cache. */
  readonly prefixKept?: number
  /** With a summariser: what it reads and writes. */
  readonly summaryInput?: number
  readonly summaryOutput?: number
}

/** What a compaction costs and saves, by the prices of the prompt cache. */
export const costOf = (input: CostInput, settings: CompactSettings): CostEstimate => {
  const { before, after, prefixKept = 0, summaryInput = 0, summaryOutput = 0 } = input
  const { prices } = settings
  const fresh = Math.max(0, after - prefixKept)
  // The new view is written into the cache, once. What the summariser reads is in no cache: its prompt is its own.
  const once = fresh * prices.cacheWrite + summaryInput * prices.summary + summaryOutput * prices.output
  const perRequest = prices.cacheRead * (before - after)
  return { requests: perRequest > 0 ? once / perRequest : Number.POSITIVE_INFINITY, once, perRequest }
}

interface Situation {
  /** The view as it is, with what every request carries beside it. */
  readonly view: Size
  /** How much of it that is. Default: nothing. */
  readonly beside?: Size
  /** The size the last compaction left, if there was one on this path. */
  readonly lastAfter?: Size
  /** The provider has refused the view as too long, or as too large. */
  readonly overflow?: Measure
}

export type Verdict =
  | {
      readonly compact: true
      readonly reason: "trigger" | "hard-limit" | "overflow"
      /** What there is too much of: that is what must shrink. */
      readonly over: readonly Measure[]
      readonly target: Size
      readonly limits: Limits
    }
  | {
      readonly compact: false
      readonly reason: "below-trigger" | "too-soon" | "does-not-pay"
      readonly limits: Limits
    }

/** An overflow means that our count is too low: aim lower by this. */
const overflowCaution = 0.7

/** Whether it is time. `isWorthIt` decides whether the plan that is then made is good enough. */
export const shouldCompact = (situation: Situation, settings: CompactSettings): Verdict => {
  const { view, beside = noSize, lastAfter, overflow } = situation
  const limits = limitsOf(settings, beside)
  const { target } = limits
  if (overflow) {
    const lower = beside[overflow] + (view[overflow] - beside[overflow]) * overflowCaution
    const most = Math.floor(Math.min(target[overflow], lower))
    return { compact: true, reason: "overflow", over: [overflow], target: { ...target, [overflow]: most }, limits }
  }
  const pressing = exceeded(view, limits.hard)
  if (pressing.length > 0) return { compact: true, reason: "hard-limit", over: pressing, target, limits }
  const large = exceeded(view, limits.trigger)
  if (large.length === 0) return { compact: false, reason: "below-trigger", limits }
  // What was compacted and is still that large cannot be made smaller; it has to grow first.
  const gain = limits.minimumGain(view)
  const over = large.filter((each) => lastAfter === undefined || view[each] - lastAfter[each] >= gain[each])
  if (over.length === 0) return { compact: false, reason: "too-soon", limits }
  const verdict: Verdict = { compact: true, reason: "trigger", over, target, limits }
  const cost = { before: view.tokens, after: target.tokens, prefixKept: beside.tokens }
  return paysBack(cost, verdict, settings) ? verdict : { compact: false, reason: "does-not-pay", limits }
}

/** Whether a plan saves enough of what there is too much of. At the hard limit anything that shrinks is enough. */
export const isWorthIt = (before: Size, after: Size, verdict: Verdict): boolean => {
  if (!verdict.compact) return false
  const gain = verdict.limits.minimumGain(before)
  return verdict.over.every((each) => {
    const saved = before[each] - after[each]
    return saved > 0 && (verdict.reason !== "trigger" || saved >= gain[each])
  })
}

/**
 * Whether a plan pays back in time, with what a summariser reads and writes for it. At the hard limit that does not
 * matter, nor for bytes: they cost nothing, so there a compaction is about being taken at all.
 */
export const paysBack = (input: CostInput, verdict: Verdict, settings: CompactSettings): boolean => {
  if (!verdict.compact) return false
  if (verdict.reason !== "trigger" || verdict.over.includes("bytes")) return true
  return costOf(input, settings).requests <= settings.gain.requests
}
