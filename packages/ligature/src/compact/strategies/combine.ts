/** Strategies made of strategies: one after the other (`pipeline`), the first that fits (`ladder`), by provider (`choose`). */
import type { Profile } from "../../rules/index.ts"
import type { Conversation, Item, UserMessage } from "../../model/index.ts"
import { concludePlan, keepAll, renamedPlan, showItems, unchangedPlan, type ViewItems, viewItems } from "../plan/make-plan.ts"
import { ledgerOf } from "../plan/ledger.ts"
import type { Context, Decision, Plan, Strategy, Summary } from "../plan/plan.ts"

/** Decisions so far, and the view they give. */
class Stages {
  private readonly conversation: Conversation
  private readonly context: Context
  decisions: readonly Decision[]
  summaries: readonly Summary[] = []
  view: Conversation
  /** For each item of the view, the items of the original it stands for. */
  private origins: readonly (readonly number[])[]

  constructor(conversation: Conversation, context: Context) {
    this.conversation = conversation
    this.context = context
    this.decisions = keepAll(conversation)
    this.view = conversation
    this.origins = conversation.items.map((_, index) => [index])
  }

  /** What a stage is given: protection and positions are those of the original items. */
  contextOfView(): Context {
    const { context, conversation, origins, view } = this
    const places = new Map(view.items.map((item, index) => [item, origins[index] ?? []]))
    const originals = (item: Item): readonly Item[] => (places.get(item) ?? []).flatMap((origin) => conversation.items[origin] ?? [])
    return {
      ...context,
      positionOf: (item) => context.positionOf(originals(item)[0] ?? item),
      coveredBy: (item) => originals(item).flatMap((original) => [...(context.coveredBy?.(original) ?? []), context.positionOf(original)]),
      isProtected: this.ofOriginals(context.isProtected),
      ...(context.isNamed && { isNamed: this.ofOriginals(context.isNamed) }),
    }
  }

  /** What holds of an item of the original that still stands for itself. */
  private ofOriginals(holds: Context["isProtected"]): Context["isProtected"] {
    const { conversation, decisions, origins } = this
    return (_, index) =>
      (origins[index] ?? []).some((origin) => {
        const item = conversation.items[origin]
        return item !== undefined && decisions[origin]?.kind !== "cover" && holds(item, origin)
      })
  }

  /** Puts the decisions of a stage about the view on top of those about the original. */
  add(plan: Plan): void {
    const decisions = [...this.decisions]
    const offset = this.summaries.length
    const summaries = [...this.summaries, ...plan.summaries]
    plan.decisions.forEach((decision, index) => {
      if (decision.kind === "keep") return
      for (const origin of this.origins[index] ?? []) {
        const earlier = decisions[origin]
        if (decision.kind === "cover") decisions[origin] = { ...decision, summary: decision.summary + offset }
        else if (decision.kind === "hide") decisions[origin] = decision
        else if (earlier?.kind === "cover") summaries[earlier.summary] = { message: decision.item as UserMessage }
        else {
          const elided = earlier?.kind === "edit" ? [...earlier.elided, ...decision.elided] : decision.elided
          decisions[origin] = { ...decision, elided }
        }
      }
    })
    this.decisions = decisions
    this.summaries = summaries
    this.view = showItems(this.conversation, this.items())
  }

  private items(): ViewItems {
    const { conversation, decisions, summaries } = this
    const origins: number[][] = []
    const standIns = new Map<number, number[]>()
    decisions.forEach((decision, index) => {
      if (decision.kind === "hide") return
      const known = decision.kind === "cover" ? standIns.get(decision.summary) : undefined
      if (known) {
        known.push(index)
        return
      }
      const own = [index]
      if (decision.kind === "cover") standIns.set(decision.summary, own)
      origins.push(own)
    })
    this.origins = origins
    return viewItems(conversation.items, decisions, summaries)
  }
}

/**
 * Strategies one after the other: each works on the view of the one before, until it fits. A stage that does not
 * make it alone still hands on what it gained. The plan that comes out is about the items of the original, as if one
 * strategy had made it:
 *
 *   stage 1 ╲ stage 2    keep      edit      cover         hide
 *   keep                 keep      edit      cover         hide
 *   edit                 edit 1    edit 2    cover         hide
 *   cover                cover 1   cover 1*  cover 2       hide        (* the message of the summary is edited)
 */
export const pipeline = (...strategies: readonly Strategy[]): Strategy => {
  const name = `pipeline(${strategies.map((strategy) => strategy.name).join(", ")})`
  return {
    name,
    plan: (conversation, limit, context) => {
      const { meter } = context
      if (ledgerOf(conversation.items, meter).fits(limit)) return unchangedPlan(name, conversation, meter)
      const stages = new Stages(conversation, context)
      let reason: string | undefined
      for (const strategy of strategies) {
        const plan = strategy.plan(stages.view, limit, stages.contextOfView())
        if (plan.outcome === "unchanged") continue
        stages.add(plan)
        if (plan.outcome === "compacted") break
        reason = plan.reason
      }
      const { decisions, summaries } = stages
      const plan = concludePlan(name, conversation, limit, meter, { decisions, summaries })
      // The reason of the last stage is nearer to the truth: the view of all may be larger than the least it could do.
      return plan.outcome === "refused" ? renamedPlan(plan, name, reason) : plan
    },
  }
}

/** Tries strategies in order and takes the first that fits: the good one first, the one that always fits last. */
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

/**
 * Picks the strategy by the provider the view is for: some price an edited prefix, some forbid it after signed
 * thinking.
 */
export const choose = (pick: (profile: Profile | undefined) => Strategy): Strategy => ({
  name: "choose",
  plan: (conversation, limit, context) => pick(context.profile).plan(conversation, limit, context),
})
