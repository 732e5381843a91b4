/**
 * The door to compaction: conversation and budget in, view and plan out. What fits comes back as it is, so compacting
 * twice is compacting once. Whatever the strategy claims, the view is measured again here: a plan that would
 * go over the limit is refused, and then the view is the conversation.
 */
import { type Profile, type ProfileName, resolveProfile } from "../rules/index.ts"
import { type Conversation, type Item, LigatureError } from "../model/index.ts"
import { type Budget, resolveBudget } from "./budget.ts"
import type { Meter } from "./meter/meter.ts"
import { estimateMeter } from "./meter/meters.ts"
import { fitsIn, noSize, type Size } from "./meter/size.ts"
import { apply } from "./plan/apply.ts"
import { ledgerOf } from "./plan/ledger.ts"
import { refusal, refusedPlan, renamedPlan, unchangedPlan, viewSize } from "./plan/make-plan.ts"
import { checkNames, type OptionNames } from "./plan/options.ts"
import type { Context, Plan, Strategy } from "./plan/plan.ts"
import { originOf, viewOriginOf } from "./plan/positions.ts"
import { namedOf, type Protection, protectionOf } from "./plan/protection.ts"
import { ladder } from "./strategies/combine.ts"
import { digest } from "./strategies/digest/digest.ts"
import { window } from "./strategies/window.ts"

export interface CompactOptions {
  /** How large the view may be: tokens, a share of the conversation ("10%"), or an object. */
  readonly budget: Budget
  /** How it gets there. Default: digest, and window where a digest has no room. */
  readonly strategy?: Strategy
  /** Default: estimates, a little on the high side. */
  readonly meter?: Meter
  /**
   * What the agent is about to do, for strategies that choose lines: text about it is kept first. The newest
   * request counts by itself, and names in it that the history hardly mentions count like a goal.
   */
  readonly goal?: string
  /** What stays verbatim beside the first and the latest request and pending work. */
  readonly protect?: Protection
  /** Tool definitions as the request carries them: they count against the budget. */
  readonly tools?: unknown
  /** The model, for budgets per model. */
  readonly model?: string
  /** The provider the view is for, for strategies that choose by it. */
  readonly profile?: Profile | ProfileName
  /** Position of an item in the whole history, where the conversation is a view that was not made here. */
  readonly positionOf?: (item: Item) => number
}

export interface Compacted {
  /** The view; the very conversation when nothing changed. */
  readonly conversation: Conversation
  readonly plan: Plan
}

interface Prepared {
  readonly limit: Size
  readonly context: Context
}

/** The limit of the items, in a request with tools of this size. */
const limitBeside = (conversation: Conversation, options: CompactOptions, tools: Size): Size => {
  const { budget, meter = estimateMeter, model } = options
  return resolveBudget(budget, {
    whole: () => originOf(conversation).whole(meter),
    tools,
    tolerance: meter.tolerance ?? 0,
    ...(model !== undefined && { model }),
  })
}

/** What `compact` would pass to a strategy, and the limit it would set. */
export const prepare = (conversation: Conversation, options: CompactOptions): Prepared => {
  const { meter = estimateMeter, goal, protect, tools, profile } = options
  const origin = originOf(conversation)
  const isNamed = namedOf(protect)
  const limit = limitBeside(conversation, options, meter.sizeOfTools(tools))
  const context: Context = {
    meter,
    isProtected: protectionOf(conversation, protect),
    ...(isNamed && { isNamed }),
    positionOf: options.positionOf ?? origin.positionOf,
    ...(origin.coveredBy && { coveredBy: origin.coveredBy }),
    ...(goal !== undefined && { goal }),
    ...(profile !== undefined && { profile: typeof profile === "string" ? resolveProfile(profile) : profile }),
  }
  return { limit, context }
}

const verified = (conversation: Conversation, limit: Size, meter: Meter, plan: Plan): Plan => {
  if (plan.outcome !== "compacted") return plan
  const size = viewSize(conversation, plan.decisions, plan.summaries, meter)
  return fitsIn(size, limit) ? plan : refusedPlan(plan.strategy, conversation, meter, refusal(limit, size))
}

/** A budget that tool definitions use up is a refusal with a cause of its own. A share can be nothing without them. */
const withCause = (plan: Plan, conversation: Conversation, limit: Size, options: CompactOptions): Plan => {
  const { tools, meter = estimateMeter } = options
  if (plan.outcome !== "refused" || tools === undefined || Math.min(limit.tokens, limit.bytes) > 0) return plan
  const without = limitBeside(conversation, options, noSize)
  const isUsedUp = (limit.tokens === 0 && without.tokens > 0) || (limit.bytes === 0 && without.bytes > 0)
  if (!isUsedUp) return plan
  const { tokens, bytes } = meter.sizeOfTools(tools)
  return renamedPlan(plan, plan.strategy, `The tool definitions alone use up the budget: ${tokens} tokens, ${bytes} bytes`)
}

const optionNames: OptionNames<CompactOptions> = {
  budget: true,
  strategy: true,
  meter: true,
  goal: true,
  protect: true,
  tools: true,
  model: true,
  profile: true,
  positionOf: true,
}

const defaultStrategy = ladder(digest(), window())

/**
 * Fits a conversation into a budget.
 *
 * @example
 * const { conversation: view, plan } = compact(conversation, { budget: 32_000 })
 * const { value } = encode(view, "anthropic")
 */
export const compact = (conversation: Conversation, options: CompactOptions): Compacted => {
  checkNames(options, optionNames)
  const { strategy = defaultStrategy } = options
  if (typeof strategy?.plan !== "function") {
    throw new LigatureError("bad-option", `Expected a strategy such as digest(), got ${JSON.stringify(strategy)}`)
  }
  const { limit, context } = prepare(conversation, options)
  const { meter } = context
  if (ledgerOf(conversation.items, meter).fits(limit)) {
    return { conversation, plan: unchangedPlan(strategy.name, conversation, meter) }
  }
  const planned = verified(conversation, limit, meter, strategy.plan(conversation, limit, context))
  const plan = withCause(planned, conversation, limit, options)
  return { conversation: apply(conversation, plan, viewOriginOf(conversation, plan, context)), plan }
}
