/**
 * A plan: what a compaction does with each item of a conversation, as data. A strategy makes it, `apply` turns it
 * into the view that is sent, a store keeps it as entries. The conversation itself is never changed.
 *
 *   keep    the very item
 *   edit    the item stays, with shorter text, results or arguments; its calls and outcomes stay, in order
 *   cover   out of sight; a summary of the plan stands where the first item it covers stood
 *   hide    out of sight, and nothing stands for it
 *
 * Exchanges are kept, edited, covered or hidden whole (L9), so no plan can split a pair.
 */
import type { Item, UserMessage } from "../../model/index.ts"
import type { Handle } from "../handle.ts"
import type { Statistics } from "./statistics.ts"

/** Something that is no longer in the view, and how `recall` gets it back. */
export interface Elided {
  readonly handle: Handle
  readonly tokens: number
}

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
   * refused     no view of this strategy fits: the view is the conversation, and `reason` says what would be needed
   */
  readonly outcome: "unchanged" | "compacted" | "refused"
  readonly reason?: string
  /** One per item, in order. */
  readonly decisions: readonly Decision[]
  readonly summaries: readonly Summary[]
  readonly statistics: Statistics
}
