/**
 * Conversations made from a valid one without judging it again. Most rules are about one item (a call and its outcomes are
 * one value), so they hold for every choice of whole items. What is left to the caller is at each function.
 */
import { asValid, type Conversation, type Item } from "../model/index.ts"

/**
 * The conversation with these items: whole ones of its own, changed inside their blocks, or new ones without calls. In any
 * order and number they stay valid, as long as no item is there twice (ids are unique) and one with pending calls stays
 * last. Everything around the items is kept; `facts` say what is different about them.
 */
export const withItems = (
  conversation: Conversation,
  items: readonly Item[],
  facts: Pick<Conversation, "edited" | "viewOf"> = {},
): Conversation => asValid({ ...conversation, items, ...facts })

/** The items from `from` up to `to` alone, without what is around the history: always valid, since items are whole. */
export const partOf = ({ items }: Conversation, from: number, to: number): Conversation => asValid({ items: items.slice(from, to) })
