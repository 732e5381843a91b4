/**
 * Budgets: how large a view may be. Written as people think of them, resolved to one limit of tokens and bytes for the
 * items of the conversation. Tool definitions travel with every request, so they count against what a request may have;
 * a percentage is a share of the conversation alone.
 */
import { LigatureError } from "../model/index.ts"
import type { Size } from "./meter/size.ts"
import { checkNames, type OptionNames } from "./plan/options.ts"

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
  /** Size of the whole conversation; asked only when a budget is a share of it. */
  readonly whole: () => Size
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
const partOfWhole = (share: number, { whole, tolerance = 0 }: BudgetSituation): number =>
  Math.floor((whole().tokens * share) / (1 + tolerance * (1 - share)))

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
  checkNames(budget, budgetNames)
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
    const others = models === "" ? "" : `; those under perModel (${models}) are not for the model ${situation.model ?? "that was not named"}`
    const said = `Expected a budget with tokens, bytes, a window or a share, got none of them${others}`
    throw new LigatureError("bad-option", said)
  }
  return { tokens: Math.max(0, tokens), bytes: Math.max(0, bytes) }
}
