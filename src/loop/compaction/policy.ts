/**
 * When to compact, and to what size. Pure: numbers in, a decision with its reason out.
 *
 *        0 ──── target ──────────── trigger ──────── hard ── window
 *                  ^ compacted to here   ^ from here on, if it pays    ^ from here on in any case
 *
 * The gap between target and trigger is the hysteresis: after a compaction the view has to grow through all of it
 * before the next one, so that the prompt cache is lost rarely (touching the prefix at every request costs more than
 * never compacting).
 */
import type { CompactionSettings } from "./settings.ts"

export interface Limits {
  readonly target: number
  readonly trigger: number
  readonly hard: number
  /** The least a compaction must save, for a view of this size. */
  readonly minimumGain: (tokens: number) => number
}

const largeWindow = 150_000
const largeTargetShare = 0.25

export const limitsOf = (settings: CompactionSettings): Limits => {
  const {
    windowTokens,
    reserveTokens,
    triggerShare,
    targetShare,
    hardShare,
    minimumGainShare,
    minimumGainTokens,
  } = settings
  // A reserve larger than half of the window would be a mistake that leaves nothing to work with.
  const room = windowTokens - Math.min(reserveTokens, windowTokens / 2)
  const target = windowTokens > largeWindow ? Math.min(targetShare, largeTargetShare) : targetShare
  return {
    target: Math.floor(room * target),
    trigger: Math.floor(room * triggerShare),
    hard: Math.floor(room * hardShare),
    minimumGain: (tokens) => Math.max(tokens * minimumGainShare, Math.min(minimumGainTokens, room / 4)),
  }
}

export interface CostEstimate {
  /** After how many requests the compaction has paid for itself. Infinity: never. */
  readonly requests: number
  /** What it costs at once and saves per request, in tokens at the price of input. */
  readonly once: number
  readonly perRequest: number
}

export interface CostInput {
  readonly before: number
  readonly after: number
  /** Tokens at the front that stay the same, so that they are still in the cache. */
  readonly prefixKept?: number
  /** With a summariser: what it reads and writes. */
  readonly summaryInput?: number
  readonly summaryOutput?: number
}

/** What a compaction costs and saves, by the prices of the prompt cache. */
export const costOf = (input: CostInput, settings: CompactionSettings): CostEstimate => {
  const { before, after, prefixKept = 0, summaryInput = 0, summaryOutput = 0 } = input
  const { cacheReadPrice, cacheWritePrice, outputPrice } = settings
  const fresh = Math.max(0, after - prefixKept)
  // The new view is written into the cache, once; the summariser reads the old one, from the cache where it can.
  const once = fresh * cacheWritePrice + summaryInput * cacheReadPrice + summaryOutput * outputPrice
  const perRequest = cacheReadPrice * (before - after)
  return { requests: perRequest > 0 ? once / perRequest : Number.POSITIVE_INFINITY, once, perRequest }
}

export interface Situation {
  /** The view as it is. */
  readonly tokens: number
  /** The size the last compaction left, if there was one on this path. */
  readonly lastAfter?: number
  /** The provider has refused the view as too long. */
  readonly overflow?: boolean
}

export type Verdict =
  | {
      readonly compact: true
      readonly reason: "trigger" | "hard-limit" | "overflow"
      readonly target: number
      readonly limits: Limits
    }
  | {
      readonly compact: false
      readonly reason: "below-trigger" | "too-soon" | "does-not-pay"
      readonly limits: Limits
    }

/** An overflow means that our count is too low: aim lower by this. */
const overflowCaution = 0.7

/** Whether it is time. Whether the plan that is then made is good enough, `isWorthIt` says. */
export const judge = (situation: Situation, settings: CompactionSettings): Verdict => {
  const limits = limitsOf(settings)
  const { tokens, lastAfter, overflow = false } = situation
  if (overflow) {
    const target = Math.floor(Math.min(limits.target, tokens * overflowCaution))
    return { compact: true, reason: "overflow", target, limits }
  }
  if (tokens > limits.hard) return { compact: true, reason: "hard-limit", target: limits.target, limits }
  if (tokens <= limits.trigger) return { compact: false, reason: "below-trigger", limits }
  // What was compacted and is still that large cannot be made smaller; it has to grow first.
  if (lastAfter !== undefined && tokens - lastAfter < limits.minimumGain(tokens)) return {
    compact: false,
    reason: "too-soon",
    limits,
  }
  const { requests } = costOf({ before: tokens, after: limits.target }, settings)
  if (requests > settings.expectedRequests) return { compact: false, reason: "does-not-pay", limits }
  return { compact: true, reason: "trigger", target: limits.target, limits }
}

/** Whether a plan saves enough. At the hard limit anything that shrinks is enough. */
export const isWorthIt = (before: number, after: number, verdict: Verdict): boolean => {
  if (!verdict.compact || after >= before) return false
  return verdict.reason !== "trigger" || before - after >= verdict.limits.minimumGain(before)
}
