/**
 * Positions of items in the whole history. Of a conversation that is not a view that is their index; a view records where its
 * items come from (`viewOf`), so that compacting it again names the same handles and takes shares of the same whole.
 */
import type { Conversation, Item, ViewOrigin } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import type { Size } from "../meter/size.ts"
import { ledgerOf } from "./ledger.ts"
import type { Context, Plan } from "./plan.ts"

interface Origin {
  readonly positionOf: (item: Item) => number
  /** Of a view: what its summaries stand for. */
  readonly coveredBy?: (item: Item) => readonly number[]
  readonly whole: (meter: Meter) => Size
}

/** So many lookups search the list; whoever asks for more gets an index. */
const lookupsBeforeIndex = 24

/** Index of an item in the list. Strategies that cut ask a few times, strategies that edit ask for every item. */
const finderIn = (items: readonly Item[]): ((item: Item) => number) => {
  let lookups = 0
  let index: Map<Item, number> | undefined
  return (item) => {
    if (index === undefined && lookups++ < lookupsBeforeIndex) return Math.max(0, items.indexOf(item))
    if (index === undefined) {
      index = new Map()
      for (let at = items.length - 1; at >= 0; at--) index.set(items[at] as Item, at)
    }
    return index.get(item) ?? 0
  }
}

/** Where the conversation comes from: itself, when it is not a view. */
export const originOf = (conversation: Conversation): Origin => {
  const { items, viewOf } = conversation
  const indexOf = finderIn(items)
  if (viewOf === undefined) return { positionOf: indexOf, whole: (meter) => ledgerOf(items, meter).total() }
  const placesOf = (item: Item): readonly number[] => {
    const index = indexOf(item)
    // Somebody may have put other items in since.
    return (viewOf.positions.length === items.length ? viewOf.positions[index] : undefined) ?? [index]
  }
  return { positionOf: (item) => placesOf(item)[0] ?? 0, coveredBy: placesOf, whole: () => viewOf.whole }
}

/** Per item of the view, in order, all that it stands for. */
const positionsIn = ({ items }: Conversation, plan: Plan, context: Context): readonly (readonly number[])[] => {
  const { positionOf, coveredBy = (item: Item): readonly number[] => [positionOf(item)] } = context
  const positions: number[][] = []
  const ofSummaries = new Map<number, number[]>()
  items.forEach((item, index) => {
    const decision = plan.decisions[index]
    if (decision?.kind === "hide") return
    const own = decision?.kind === "cover" ? ofSummaries.get(decision.summary) : undefined
    if (own) {
      for (const position of coveredBy(item)) own.push(position)
      return
    }
    const placed = [...coveredBy(item)]
    if (decision?.kind === "cover") ofSummaries.set(decision.summary, placed)
    positions.push(placed)
  })
  return positions
}

/** Where the view of a plan comes from. Found out when it is read: few views are compacted again or written down. */
export const viewOriginOf = (conversation: Conversation, plan: Plan, context: Context): ViewOrigin => {
  let positions: readonly (readonly number[])[] | undefined
  let whole: Size | undefined
  return {
    get positions() {
      return (positions ??= positionsIn(conversation, plan, context))
    },
    get whole() {
      return (whole ??= originOf(conversation).whole(context.meter))
    },
  }
}
