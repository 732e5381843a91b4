/** What a model sees of a history at some moment: of each row what became of it, and what stands in its place. */
import { textOfItem } from "../history/search.ts"
import type { Amount, Item } from "../library-types.ts"
import { phrase } from "../words.ts"

export const fates = {
  verbatim: () => phrase`verbatim`,
  shortened: () => phrase`shortened`,
  stub: () => phrase`stub`,
  summarised: () => phrase`summarised`,
  "left-out": () => phrase`left out`,
} as const

export type Fate = keyof typeof fates

export interface Seen {
  /** Of the timeline. */
  readonly row: number
  readonly fate: Fate
  readonly before: number
  readonly after: number
  readonly original: string
  /** What the model sees in its place. */
  readonly left?: string
}

export interface Lens {
  readonly seen: readonly Seen[]
  readonly before: Amount
  readonly after: Amount
  /** Everything that the model sees, in lower case. */
  readonly view: readonly string[]
  /** Why it is as it is, where that is not plain to see. */
  readonly note?: string
}

/** Less than a quarter is left: what there was is known by its first line at most. */
export const editedFate = (before: number, after: number): "stub" | "shortened" => (after < before / 4 ? "stub" : "shortened")

export const lowered = (items: readonly Item[]): readonly string[] => items.map((item) => textOfItem(item).toLowerCase())
