/**
 * A strategy chooses what a view keeps. All of them share one interface: conversation and limit in, plan out. A
 * strategy leaves alone what fits (so compacting twice changes nothing), never goes over the limit (it refuses
 * instead), never touches what is protected where the limit allows it, and is deterministic.
 */
import type { Profile } from "../laws/index.ts"
import type { Conversation, Item } from "../model/index.ts"
import type { Meter } from "./meter/meter.ts"
import type { Plan } from "./plan/plan.ts"
import type { Size } from "./size.ts"

/** What a strategy is told beside the conversation and the limit. */
export interface Context {
  readonly meter: Meter
  /** What the agent is about to do: what is said about it is kept first. */
  readonly goal?: string
  /** Items that stay verbatim: the first and the latest user request, pending work, what the caller named. */
  readonly isProtected: (item: Item, index: number) => boolean
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

export interface Strategy {
  readonly name: string
  readonly plan: (conversation: Conversation, limit: Size, context: Context) => Plan
}
