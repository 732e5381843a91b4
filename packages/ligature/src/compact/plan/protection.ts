/**
 * What stays verbatim where the limit allows it: the system messages in front, the first and the latest request of
 * the user, pending work, and what the caller names. A summary of an earlier compaction is not a request.
 */
import { callsOf, type Conversation, type Exchange, type Item } from "../../model/index.ts"

export interface Protection {
  /** Exchanges that call one of these tools. */
  readonly tools?: readonly string[] | ((name: string) => boolean)
  /** Any other item. */
  readonly items?: (item: Item, index: number) => boolean
}

/** A message of the user, and not a summary of earlier ones. */
export const isRequest = (item: Item): boolean => item.role === "user" && item.summary !== true

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

export interface IsProtected {
  (item: Item, index: number): boolean
  /** All protected items of a list, where that is known without asking for each of them. */
  readonly known?: { readonly items: readonly Item[]; readonly indices: readonly number[] }
}

/** What the caller named; undefined where that is nothing. */
export const namedOf = (protection: Protection = {}): IsProtected | undefined => {
  const callsNamed = namesTool(protection)
  const { items } = protection
  if (!callsNamed && !items) return undefined
  return (item, index) =>
    (callsNamed !== undefined && item.role === "exchange" && callsNamed(item)) || items?.(item, index) === true
}

export const protectionOf = ({ items }: Conversation, protection: Protection = {}): IsProtected => {
  const lead = leadOf(items)
  const first = items.findIndex(isRequest)
  const latest = items.findLastIndex(isRequest)
  const pending = isPending(items.at(-1)) ? items.length - 1 : -1
  const isNamed = namedOf(protection)
  const isProtected = (item: Item, index: number): boolean =>
    index < lead || index === first || index === latest || index === pending || isNamed?.(item, index) === true
  // What the caller names has to be asked for item by item.
  if (isNamed) return isProtected
  const indices = new Set([...items.slice(0, lead).keys(), first, latest, pending].filter((index) => index >= 0))
  return Object.assign(isProtected, { known: { items, indices: [...indices] } })
}

/** All protected items of a list, in order. */
export const protectedIndices = (items: readonly Item[], isProtected: IsProtected): readonly number[] => {
  if (isProtected.known?.items === items) return isProtected.known.indices
  return items.flatMap((item, index) => (isProtected(item, index) ? [index] : []))
}
