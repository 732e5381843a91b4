/**
 * The door to compaction: conversation and budget in, view and plan out. What fits comes back as it is, so compacting
 * twice is compacting once. Whatever the strategy claims, the view is measured again here: a plan that would
 * go over the limit is refused, and then the view is the conversation.
 */
import { assertOptions, type OptionNames, type Conversation, debugFor, type Item, LigatureError, type Message } from "../model/index.ts"
import { type Profile, type ProfileName, resolveProfile } from "../rules/index.ts"
import { estimateMeter, fitsIn, type Meter, noSize, type Size } from "./meter/meter.ts"
import { leadSizeOf, ledgerOf, originOf, viewOriginOf } from "./plan/ledger.ts"
import { apply, refusal, refusedPlan, renamedPlan, unchangedPlan, viewSize } from "./plan/make-plan.ts"
import { type Context, namedOf, type Plan, type Protection, protectionOf, type Strategy } from "./plan/plan.ts"
import { recallToolName } from "./recall/recall.ts"
import { ladder } from "./strategies/combine.ts"
import { digest } from "./strategies/digest/digest.ts"
import { prefaceOf } from "./strategies/digest/fit-message.ts"
import { window } from "./strategies/window.ts"
import { summaryBlock } from "./summary/with-summary.ts"
import { leftOutNote } from "./text/handles.ts"

// Budgets: how large a view may be. Written as people think of them, resolved to one limit of tokens and bytes for the
// items of the conversation. Tool definitions travel with every request, so they count against what a request may have;
// a percentage is a share of what can be compacted: system messages in front come on top, thinking counts nothing.

export type Percentage = `${number}%`

export interface BudgetOptions {
  /** Most tokens of a request, or a share of the conversation. */
  readonly tokens?: number | Percentage
  /** Most bytes of a request. */
  readonly bytes?: number
  /** Context window of the model, in tokens. */
  readonly window?: number
  /** How much of the window may be used, over 0 to 1; default 1. Without a window: how much of the conversation. */
  readonly share?: number
  /** Tokens of the window that stay free for the answer; default 0. */
  readonly reserve?: number
  /** Budgets used instead for models whose name is, or begins with, a key; the longest key wins. */
  readonly perModel?: Readonly<Record<string, Budget>>
}

const budgetNames: OptionNames<BudgetOptions> = {
  tokens: true,
  bytes: true,
  window: true,
  share: true,
  reserve: true,
  perModel: true,
}

export type Budget = number | Percentage | BudgetOptions

/** What a budget is measured against. */
interface BudgetSituation {
  /** Size of what can be compacted of the conversation; asked only when a budget is a share of it. */
  readonly whole: () => Size
  /** Tokens of system messages in front, which stay; and all there is. */
  readonly lead?: () => number
  readonly total?: () => number
  /** Size of the tool definitions. */
  readonly tools: Size
  /** By which share the tokens of the whole may be counted too high; default 0. */
  readonly tolerance?: number
  readonly model?: string
}

const bad = (what: string, got: unknown): LigatureError =>
  new LigatureError("bad-option", `Expected ${what}, got ${typeof got === "string" ? `"${got}"` : String(got)}`)

const positive = (value: number, what: string): number => {
  if (!(value >= 1)) throw bad(`${what} of 1 or more`, value)
  return Math.floor(value)
}

const shareOf = (value: number): number => {
  if (!(value > 0 && value <= 1)) throw bad("a share above 0 and up to 1", value)
  return value
}

const percent = (value: string): number => {
  const match = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(value)
  const share = match ? Number(match[1]) / 100 : Number.NaN
  if (!(share > 0 && share <= 1)) throw bad('a percentage such as "10%", above 0 and up to 100', value)
  return share
}

const forModel = (budget: Budget, model: string | undefined): Budget => {
  if (typeof budget !== "object" || model === undefined) return budget
  const { perModel = {} } = budget
  const key = Object.keys(perModel)
    .filter((name) => model.startsWith(name))
    .sort((left, right) => right.length - left.length)[0]
  return key === undefined ? budget : (perModel[key] ?? budget)
}

/**
 * A share of the whole. The lines a view is made of are counted nearer to the truth than the history they come from, so
 * that a tenth of an estimate would be more than a tenth: the less is kept, the more of the tolerance is taken off.
 */
const partOfWhole = (share: number, { whole, lead, total, tolerance = 0 }: BudgetSituation): number =>
  share === 1 && total ? total() : (lead?.() ?? 0) + Math.floor((whole().tokens * share) / (1 + tolerance * (1 - share)))

/** Limits of a request; `conversation` limits the items alone. */
interface Limits {
  readonly request: number[]
  readonly conversation: number[]
  bytes: number
}

const collect = (budget: Budget, situation: BudgetSituation, limits: Limits): void => {
  if (typeof budget === "number") {
    limits.request.push(positive(budget, "a number of tokens"))
    return
  }
  if (typeof budget === "string") {
    limits.conversation.push(partOfWhole(percent(budget), situation))
    return
  }
  if (typeof budget !== "object" || budget === null) throw bad("a budget: tokens, a percentage or an object", budget)
  assertOptions(budget, budgetNames)
  const { tokens, bytes, window, share, reserve } = budget
  if (reserve !== undefined && !(reserve >= 0)) throw bad("a reserve of 0 or more tokens", reserve)
  if (reserve !== undefined && window === undefined) {
    throw new LigatureError("bad-option", "Expected a window beside the reserve: there is nothing to take it off")
  }
  if (tokens !== undefined) collect(tokens, situation, limits)
  if (bytes !== undefined) limits.bytes = Math.min(limits.bytes, positive(bytes, "a number of bytes"))
  if (window !== undefined) {
    const usable = Math.min(positive(window, "a window") * shareOf(share ?? 1), window - (reserve ?? 0))
    limits.request.push(positive(usable, "a window larger than its reserve, that is a rest"))
  } else if (share !== undefined) limits.conversation.push(partOfWhole(shareOf(share), situation))
}

/** The limit of the items. Throws `bad-option` for a budget that limits nothing or makes no sense. */
export const resolveBudget = (budget: Budget, situation: BudgetSituation): Size => {
  const limits: Limits = { request: [], conversation: [], bytes: Number.POSITIVE_INFINITY }
  collect(forModel(budget, situation.model), situation, limits)
  const request = Math.min(Number.POSITIVE_INFINITY, ...limits.request) - situation.tools.tokens
  const tokens = Math.min(request, ...limits.conversation)
  const bytes = limits.bytes - situation.tools.bytes
  if (tokens === Number.POSITIVE_INFINITY && bytes === Number.POSITIVE_INFINITY) {
    const models = typeof budget === "object" && budget.perModel ? Object.keys(budget.perModel).join(", ") : ""
    const others =
      models === "" ? "" : `; those under perModel (${models}) are not for the model ${situation.model ?? "that was not named"}`
    const said = `Expected a budget with tokens, bytes, a window or a share, got none of them${others}`
    throw new LigatureError("bad-option", said)
  }
  return { tokens: Math.max(0, tokens), bytes: Math.max(0, bytes) }
}

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
    lead: () => leadSizeOf(conversation.items, meter).tokens,
    total: () => ledgerOf(conversation.items, meter).total().tokens,
    tools,
    tolerance: meter.tolerance ?? 0,
    ...(model !== undefined && { model }),
  })
}

/** Whether a tool of the request reads back what is out of sight: only then does a view say how. */
const declaresRecall = (tools: unknown): boolean => {
  if (tools === null || typeof tools !== "object") return false
  if (Array.isArray(tools)) return tools.some(declaresRecall)
  const { name } = tools as { readonly name?: unknown }
  return name === recallToolName || Object.entries(tools).some(([key, value]) => key === recallToolName || declaresRecall(value))
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
    canRecall: declaresRecall(tools),
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

const defaultStrategy = ladder(digest(), window())

/**
 * Fits a conversation into a budget.
 *
 * @example
 * const { conversation: view, plan } = compact(conversation, { budget: 32_000 })
 * const { value } = encode(view, "anthropic")
 */
export const compact = (conversation: Conversation, options: CompactOptions): Compacted => {
  const done = compactOnce(conversation, options)
  const { strategy, outcome, statistics } = done.plan
  const { before, after } = statistics
  debugFor("compact")?.(
    `[compact] ${strategy}: ${outcome}, ${before.tokens} -> ${after.tokens} tokens in ${done.conversation.items.length} items`,
  )
  return done
}

const compactOnce = (conversation: Conversation, options: CompactOptions): Compacted => {
  assertOptions(options, {
    budget: true,
    strategy: true,
    meter: true,
    goal: true,
    protect: true,
    tools: true,
    model: true,
    profile: true,
    positionOf: true,
  })
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

// Whether a history is a compacted view. Its handles count in the history it was made from, and those of a second
// compaction would count in the view: they could not be told apart. Views are recognised by the text that opens what a
// compaction inserts; it is taken from the functions that write it, so that both cannot differ.

const anywhere = { from: 0, to: 0 }

/** `[ligature:summary]` */
const markOf = (text: string): string => text.slice(0, text.indexOf("]") + 1)

const openings: readonly string[] = [
  // Up to the first handle: the text after it depends on the budget.
  prefaceOf(anywhere.from, anywhere.to, 0).replace(/#.*$/, ""),
  ...leftOutNote(1, [anywhere]).blocks.map((block) => (block.type === "text" ? markOf(block.text) : "")),
  markOf(summaryBlock({ text: "", first: 0, last: 0 }).text),
].filter((opening) => opening !== "")

/** Any block of it: formats that want users and assistants in turn have it after the request it follows. */
const isRecord = ({ blocks }: Message): boolean =>
  blocks.some((block) => block.type === "text" && openings.some((opening) => block.text.startsWith(opening)))

export const isCompactedView = ({ items }: Conversation): boolean => items.some((item) => item.role === "user" && isRecord(item))
