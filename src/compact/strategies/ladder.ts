/** Tries strategies in order and takes the first that fits: the good one first, the one that always fits last. */
import { unchangedPlan } from "../plan/make-plan.ts"
import type { Plan } from "../plan/plan.ts"
import type { Strategy } from "../strategy.ts"

export const ladder = (...strategies: readonly Strategy[]): Strategy => ({
  name: `ladder(${strategies.map((strategy) => strategy.name).join(", ")})`,
  plan: (conversation, limit, context) => {
    let last: Plan | undefined
    for (const strategy of strategies) {
      last = strategy.plan(conversation, limit, context)
      if (last.outcome !== "refused") return last
    }
    return last ?? unchangedPlan("ladder()", conversation, context.meter)
  },
})
