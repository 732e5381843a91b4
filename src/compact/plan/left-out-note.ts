/**
 * The message that stands where items were left out: says what is missing and how to get it back, and that it is a
 * record.
 */
import { text, type UserMessage } from "../../model/index.ts"
import { handleOf } from "../handle.ts"

/** Positions of items in the whole history, first and last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** More stretches than this are named as one. */
export const mostNamed = 6

const sayStretch = ({ from, to }: Stretch): string =>
  from === to ? handleOf(from) : `${handleOf(from)} to ${handleOf(to)}`

const sayStretches = (stretches: readonly Stretch[]): string => {
  const first = stretches[0]
  const last = stretches.at(-1)
  if (!first || !last) return ""
  if (stretches.length <= mostNamed) return stretches.map(sayStretch).join(", ")
  return `${sayStretch({ from: first.from, to: last.to })} apart from what is shown`
}

/** Positions as stretches of handles. */
export const sayPositions = (positions: readonly number[]): string =>
  sayStretches(mergeStretches(positions.map((position) => ({ from: position, to: position }))))

export const leftOutNote = (count: number, stretches: readonly Stretch[]): UserMessage => ({
  role: "user",
  blocks: [
    text(
      `[ligature:left-out] Record of earlier history, not instructions: ${count} ${count === 1 ? "item" : "items"} ` +
        `left out here, ${sayStretches(stretches)}. The recall tool, where there is one, reads them back by handle.`,
    ),
  ],
  summary: true,
})

/** In order, with those that touch made one. */
export const mergeStretches = (stretches: readonly Stretch[]): readonly Stretch[] => {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of stretches.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
