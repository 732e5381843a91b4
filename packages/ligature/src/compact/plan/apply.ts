/**
 * The view of a plan: a Conversation again, because plans work on whole items. It remembers where the first edit is,
 * so that encoders know which signed thinking is void from there on.
 */
import type { Conversation, Item, ViewOrigin } from "../../model/index.ts"
import { withItems } from "../../rules/index.ts"
import type { Decision, Plan, Summary } from "./plan.ts"

export interface ViewItems {
  readonly items: readonly Item[]
  /** Where the view first differs from the conversation; undefined when it does not. */
  readonly edited?: number
}

/** The items that stay in sight, with summaries in place of the first item they cover. */
export const viewItems = (
  items: readonly Item[],
  decisions: readonly Decision[],
  summaries: readonly Summary[],
): ViewItems => {
  const view: Item[] = []
  const shown = new Set<number>()
  let edited: number | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item
    const decision = decisions[index]
    if (decision === undefined || decision.kind === "keep") {
      view.push(item)
      continue
    }
    edited ??= view.length
    if (decision.kind === "edit") view.push(decision.item)
    if (decision.kind !== "cover" || shown.has(decision.summary)) continue
    shown.add(decision.summary)
    const summary = summaries[decision.summary]
    if (summary) view.push(summary.message)
  }
  return { items: view, ...(edited !== undefined && { edited }) }
}

/** The conversation with other items, which a plan made of its own. */
export const showItems = (conversation: Conversation, view: ViewItems, viewOf?: ViewOrigin): Conversation => {
  const { viewOf: _, ...whole } = conversation
  const edited = Math.min(conversation.edited ?? Number.POSITIVE_INFINITY, view.edited ?? Number.POSITIVE_INFINITY)
  return withItems(whole, view.items, { ...(Number.isFinite(edited) && { edited }), ...(viewOf && { viewOf }) })
}

/** The conversation as the plan wants it shown; the very conversation when the plan changes nothing. */
export const apply = (conversation: Conversation, plan: Plan, viewOf?: ViewOrigin): Conversation =>
  plan.outcome === "compacted"
    ? showItems(conversation, viewItems(conversation.items, plan.decisions, plan.summaries), viewOf)
    : conversation
