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
import type { Profile } from "../../rules/index.ts"
import type { Conversation, Item, UserMessage } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import type { Size } from "../meter/size.ts"
import type { Elided } from "../text/handles.ts"
import type { IsProtected } from "./protection.ts"
import type { Statistics } from "./statistics.ts"

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
