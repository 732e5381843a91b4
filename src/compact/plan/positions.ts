/**
 * Where items stand in the whole history. Of a conversation that is no view that is their index; a view made here
 * remembers where its items come from, so that compacting it again names the same handles and takes shares of the
 * same whole.
 */
import { type Conversation, type Item, pushAll } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import type { Size } from "../meter/size.ts"
import { ledgerOf } from "./ledger.ts"
import type { Context, Plan } from "./plan.ts"

type PositionOf = (item: Item) => number

interface Origin {
  readonly positionOf: PositionOf
  /** Of a view: what its summaries stand for. */
  readonly coveredBy?: (item: Item) => readonly number[]
  readonly whole: (meter: Meter) => Size
}

const indices = new WeakMap<readonly Item[], ReadonlyMap<Item, number>>()

const indexOf = (items: readonly Item[]): ReadonlyMap<Item, number> => {
  let known = indices.get(items)
  if (!known) {
    const built = new Map<Item, number>()
    for (let index = items.length - 1; index >= 0; index--) built.set(items[index] as Item, index)
    indices.set(items, (known = built))
  }
  return known
}

/** So many questions are answered by looking through the list; whoever asks more gets an index. */
const questionsBeforeIndex = 24

/** Index of an item in the list. Strategies that cut ask a few times, strategies that edit ask for every item. */
const finderIn = (items: readonly Item[]): PositionOf => {
  let questions = 0
  return (item) => {
    if (questions < questionsBeforeIndex && !indices.has(items)) {
      questions++
      return Math.max(0, items.indexOf(item))
    }
    return indexOf(items).get(item) ?? 0
  }
}

const origins = new WeakMap<Conversation, Origin>()

/** Where the conversation comes from: itself, when it is no view. */
export const originOf = (conversation: Conversation): Origin =>
  origins.get(conversation) ?? {
    positionOf: finderIn(conversation.items),
    whole: (meter) => ledgerOf(conversation.items, meter).total(),
  }

/** Remembers what a view was made of. */
export const rememberOrigin = (view: Conversation, conversation: Conversation, plan: Plan, context: Context): void => {
  const { positionOf, coveredBy } = context
  const build = (): ReadonlyMap<Item, readonly number[]> => {
    const built = new Map<Item, number[]>()
    conversation.items.forEach((item, index) => {
      const decision = plan.decisions[index]
      const cover = decision?.kind === "cover" ? plan.summaries[decision.summary]?.message : undefined
      const shown = decision?.kind === "edit" ? decision.item : (cover ?? item)
      if (decision?.kind === "hide") return
      const positions = [positionOf(item), ...(coveredBy?.(item) ?? [])]
      const known = built.get(shown)
      if (known) pushAll(known, positions)
      else built.set(shown, positions)
    })
    return built
  }
  let places: ReadonlyMap<Item, readonly number[]> | undefined
  const placesOf = (item: Item): readonly number[] => (places ??= build()).get(item) ?? []
  const { whole } = originOf(conversation)
  origins.set(view, { positionOf: (item) => placesOf(item)[0] ?? 0, coveredBy: placesOf, whole })
}
