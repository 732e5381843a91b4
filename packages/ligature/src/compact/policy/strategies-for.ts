/**
 * The deterministic rungs of the ladder, as the settings want them: each works without any model, the last one always.
 */
import { makePlan, refusedPlan } from "../plan/make-plan.ts"
import type { Strategy } from "../plan/plan.ts"
import { recallToolName } from "../recall/recall-tool.ts"
import { cap } from "../strategies/cap.ts"
import { pipeline } from "../strategies/combine.ts"
import { dedupe } from "../strategies/dedupe.ts"
import { digest } from "../strategies/digest/digest.ts"
import { generations } from "../strategies/generations.ts"
import { mask } from "../strategies/mask.ts"
import { window } from "../strategies/window.ts"
import type { CompactSettings } from "./settings.ts"

/** A name people know, for a pipeline that has a long one. */
const named = (name: string, strategy: Strategy): Strategy => ({
  name,
  plan: (conversation, limit, context) => {
    const { outcome, reason, decisions, summaries } = strategy.plan(conversation, limit, context)
    return makePlan(
      conversation,
      context.meter,
      { strategy: name, outcome, decisions, summaries, ...(reason !== undefined && { reason }) },
    )
  },
})

/** A strategy that throws has refused like any other. */
export const careful = (strategy: Strategy): Strategy => ({
  name: strategy.name,
  plan: (conversation, limit, context) => {
    try {
      return strategy.plan(conversation, limit, context)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return refusedPlan(strategy.name, conversation, context.meter, reason)
    }
  },
})

const rungs = ["generations", "digest", "mask", "window"] as const

/** `canRecall`: whether the model can read back what a result loses. */
export const strategiesFor = (settings: CompactSettings, canRecall = true): readonly Strategy[] => {
  const { strategy, keep, results: { maxTokens } } = settings
  // What recall answers bounds itself, and shortened it would point at itself.
  const trimmed = { tokens: maxTokens, canRecall, all: true, excludeTools: [recallToolName] }
  const trim = maxTokens > 0 ? [cap(trimmed)] : []
  const ways = {
    generations: [...trim, generations()],
    digest: [...trim, digest()],
    mask: [...trim, dedupe(), mask({ keep: keep.last }), window({ keepFirst: keep.first })],
    window: [...trim, window({ keepFirst: keep.first })],
  } as const
  const first = rungs.indexOf(strategy === "summary" ? "digest" : strategy)
  return rungs.slice(first).map((name) => named(name, pipeline(...ways[name])))
}
