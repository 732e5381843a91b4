/**
 * A plan: what a compaction does with each item of a conversation, as data. A strategy makes it, `apply` turns it
 * into the view that is sent, a store keeps it as entries. The conversation itself is never changed.
 *
 *   keep    the very item
 *   edit    the item stays, with shorter text, results or arguments; its calls and outcomes stay, in order
 *   cover   out of sight; a summary of the plan is in the place of the first item it covers
 *   hide    out of sight, with nothing in its place
 *
 * Exchanges are kept, edited, covered or hidden whole (L9), so no plan can split a pair.
 */
import { callsOf, type Conversation, type Exchange, type Item, LigatureError, type UserMessage } from "../../model/index.ts"
import type { Profile } from "../../rules/index.ts"
import type { Meter, Size } from "../meter/meter.ts"
import type { Elided } from "../text/handles.ts"
import type { Statistics } from "./make-plan.ts"
import { isPersonal } from "../state/person.ts"

/** A whole number from 0 on; infinity for no limit. */
export const wholeNumber = (value: number, name: string): number => {
  if (!(value >= 0)) throw new LigatureError("bad-option", `Expected ${name} of 0 or more, got ${value}`)
  return Math.floor(value)
}

/** Whether a tool is among those named. */
export type ToolNames = readonly string[] | ((name: string) => boolean)

export const isAmong = (tools: ToolNames = []): ((name: string) => boolean) => {
  if (typeof tools === "function") return tools
  const names = new Set(tools)
  return (name) => names.has(name)
}

// What stays verbatim where the limit allows it: the system messages in front, the first and the latest request of
// the user, pending work, and what the caller names. A summary of an earlier compaction is not a request.

export interface Protection {
  /** Exchanges that call one of these tools. */
  readonly tools?: readonly string[] | ((name: string) => boolean)
  /** Any other item. */
  readonly items?: (item: Item, index: number) => boolean
}

/** A message of the user, and not a summary of earlier ones. */
export const isRequest = (item: Item): boolean => item.role === "user" && item.summary !== true

export interface Requests {
  readonly first: number
  readonly latest: number
  /** The newest of them in which a person speaks; it counts as the goal. */
  readonly newest: number
}

/**
 * The requests that matter most, by index; -1: there is none. Harnesses say much in the user's place, so the first is the
 * first in which a person speaks, where there is one. The latest is what the agent has to answer: after the last exchange
 * whatever is said there, else the person's newest.
 */
export const requestsIn = (items: readonly Item[]): Requests => {
  const personal = items.findIndex((item, index) => isPersonal(item, items[index - 1]))
  const last = items.findLastIndex(isRequest)
  if (personal < 0) return { first: items.findIndex(isRequest), latest: last, newest: last }
  const newest = items.findLastIndex((item, index) => isPersonal(item, items[index - 1]))
  const exchange = items.findLastIndex(({ role }) => role === "exchange")
  return { first: personal, latest: newest < exchange && last > exchange ? last : newest, newest }
}

/** Calls of it are still without an outcome. */
export const isPending = (item: Item | undefined): boolean =>
  item?.role === "exchange" && item.outcomes.some((outcome) => outcome.kind === "pending")

const namesTool = ({ tools }: Protection): ((exchange: Exchange) => boolean) | undefined => {
  if (tools === undefined) return undefined
  const named = new Set(typeof tools === "function" ? [] : tools)
  const isNamed = typeof tools === "function" ? tools : (name: string): boolean => named.has(name)
  return (exchange) => callsOf(exchange).some((call) => isNamed(call.name))
}

/** How many system messages come first. */
export const leadOf = (items: readonly Item[]): number => {
  let lead = 0
  while (items[lead]?.role === "system") lead++
  return lead
}

interface IsProtected {
  (item: Item, index: number): boolean
  /** All protected items of a list, where that is known without asking for each of them. */
  readonly known?: { readonly items: readonly Item[]; readonly indices: readonly number[] }
}

/** What the caller named; undefined where that is nothing. */
export const namedOf = (protection: Protection = {}): IsProtected | undefined => {
  const callsNamed = namesTool(protection)
  const { items } = protection
  if (!callsNamed && !items) return undefined
  return (item, index) => (callsNamed !== undefined && item.role === "exchange" && callsNamed(item)) || items?.(item, index) === true
}

export const protectionOf = ({ items }: Conversation, protection: Protection = {}): IsProtected => {
  const lead = leadOf(items)
  // What a harness says last is to be answered; what a person asked last is what the work is about.
  const { first, latest, newest } = requestsIn(items)
  const pending = isPending(items.at(-1)) ? items.length - 1 : -1
  const isNamed = namedOf(protection)
  const isProtected = (item: Item, index: number): boolean =>
    index < lead || index === first || index === latest || index === newest || index === pending || isNamed?.(item, index) === true
  // What the caller names has to be asked for item by item.
  if (isNamed) return isProtected
  const indices = new Set([...items.slice(0, lead).keys(), first, newest, latest, pending].filter((index) => index >= 0))
  return Object.assign(isProtected, { known: { items, indices: [...indices] } })
}

/** All protected items of a list, in order. */
export const protectedIndices = (items: readonly Item[], isProtected: IsProtected): readonly number[] => {
  if (isProtected.known?.items === items) return isProtected.known.indices
  return items.flatMap((item, index) => (isProtected(item, index) ? [index] : []))
}

export type { Elided } from "../text/handles.ts"

export type Decision =
  | { readonly kind: "keep" }
  | { readonly kind: "edit"; readonly item: Item; readonly elided: readonly Elided[]; readonly why: string }
  | { readonly kind: "cover"; readonly summary: number; readonly why: string }
  | { readonly kind: "hide"; readonly why: string }

/**
 * A message that stands for the items that name it: a digest, a note that something was left out, a summary by a
 * model.
 */
export interface Summary {
  readonly message: UserMessage
}

export interface Plan {
  /** Which strategy made it. */
  readonly strategy: string
  /**
   * unchanged   it fits as it is, or the strategy found nothing to do: the view is the conversation
   * compacted   the view is smaller and fits the budget
   * refused     no view of this strategy fits: the view is the conversation, and `reason` names what would be needed
   */
  readonly outcome: "unchanged" | "compacted" | "refused"
  readonly reason?: string
  /** One per item, in order. */
  readonly decisions: readonly Decision[]
  readonly summaries: readonly Summary[]
  readonly statistics: Statistics
}

/** What a strategy is given beside the conversation and the limit. */
export interface Context {
  readonly meter: Meter
  /** What the agent is about to do: text about it is kept first. */
  readonly goal?: string
  /** Items that stay verbatim: the first and the latest user request, pending work, what the caller named. */
  readonly isProtected: IsProtected
  /** Of these, what the caller named: it stays before anything else. Default: nothing. */
  readonly isNamed?: (item: Item, index: number) => boolean
  /**
   * Position of an item in the whole history, for handles: an earlier strategy of a pipeline may have left some out.
   */
  readonly positionOf: (item: Item) => number
  /**
   * Positions of all the items that a summary among the items stands for, where that is known; else `positionOf` is
   * all.
   */
  readonly coveredBy?: (item: Item) => readonly number[]
  /** The provider the view is for, where that is known. */
  readonly profile?: Profile
  /** The model has a tool that reads back what is out of sight: only then is it told how. Default: it has none. */
  readonly canRecall?: boolean
}

/**
 * A strategy chooses what a view keeps. All of them share one interface: conversation and limit in, plan out. A
 * strategy leaves alone what fits (so compacting twice changes nothing), never goes over the limit (it refuses
 * instead), never touches what is protected where the limit allows it, and is deterministic.
 */
export interface Strategy {
  readonly name: string
  readonly plan: (conversation: Conversation, limit: Size, context: Context) => Plan
}
