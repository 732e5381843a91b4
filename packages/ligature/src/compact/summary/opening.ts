/**
 * The opening of every record: what the user asked for and still sees, what the agent is about to do,
 * and the summary made before. None of it is repeated item by item, and each has a bounded share of the window, so that
 * a pasted specification or a long plan leaves room for what happened.
 */
import type { Item } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { handleOf } from "../text/handles.ts"
import { shortenTo } from "./fair-share.ts"
import { piecesOf, renderWithin } from "./material.ts"

/** An item with its position in the whole history. */
export interface Positioned {
  readonly item: Item
  readonly position: number
}

export interface PreviousSummary {
  readonly text: string
  /** Position of the last item it stands for. */
  readonly upTo: number
}

/** The most that each may have of the window. */
const shares = { standing: 0.1, goal: 0.05, previous: 0.25 } as const

/** The first request defines the work, the latest the current step. */
const askedPart = (standing: readonly Positioned[], windowTokens: number, meter: Meter): string => {
  const [first, latest] = [standing[0], standing.at(-1)]
  if (first === undefined || latest === undefined) return ""
  const shown = first === latest ? [first] : [first, latest]
  const pieces = shown.flatMap(({ item, position }) => piecesOf(item, position))
  const { text } = renderWithin(pieces, windowTokens * shares.standing, meter)
  return `What the user asked for, in messages that stay in view beside the summary:\n${text}\n\n`
}

const goalPart = (goal: string | undefined, windowTokens: number, { count }: Meter): string =>
  goal === undefined ? "" : `The agent is about to: ${shortenTo(goal, windowTokens * shares.goal, count)}\n\n`

const previousPart = (previous: PreviousSummary | undefined, windowTokens: number, { count }: Meter): string => {
  if (previous === undefined) return ""
  const text = shortenTo(previous.text, windowTokens * shares.previous, count)
  return `Summary made before, of everything up to ${handleOf(previous.upTo)}:\n${text}\n\n`
}

export interface Opening {
  /** In front of the whole, of each part, and of the summaries of parts. */
  readonly always: string
  /** Only before the part that continues from it. */
  readonly previous: string
}

interface OpeningInput {
  readonly standing?: readonly Positioned[]
  readonly goal?: string
  readonly previous?: PreviousSummary
  readonly windowTokens: number
  readonly meter: Meter
}

export const openingOf = ({ standing = [], goal, previous, windowTokens, meter }: OpeningInput): Opening => ({
  always: `${askedPart(standing, windowTokens, meter)}${goalPart(goal, windowTokens, meter)}`,
  previous: previousPart(previous, windowTokens, meter),
})
