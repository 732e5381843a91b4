/**
 * Sliding-window truncation that never parts a call from its result: the first messages stay, a fraction of the others
 * goes, oldest first, and both cuts are aligned to groups. It removes; to replace what is removed by a summary, and to
 * choose by importance, see `compact/`.
 */
import { assertOptions, debugFor, LigatureError } from "../model/index.ts"
import { alignEnd, alignStart, type Toward, towards } from "./align.ts"
import { groupStarts } from "./atomic-groups.ts"

export interface TruncateOptions<Message> {
  /** How many messages at the start stay; more if they end inside a group. Default 1. */
  readonly keepFirst?: number
  /** `keep` (default): a group at the cut stays, so that less goes than asked for. `drop`: it goes too. */
  readonly toward?: Toward
  /**
   * Which messages a model gets to see; default all. Others (hidden by an earlier truncation or summary) stay in the
   * list, do not count, and are not looked at for calls or results.
   */
  readonly visible?: (message: Message) => boolean
  /** Tokens of a message, for the statistics. */
  readonly meter?: (message: Message) => number
}

export interface BeforeAfter {
  readonly before: number
  readonly after: number
}

export interface Truncation<Message> {
  /** The same message objects, without the removed ones. */
  readonly messages: readonly Message[]
  readonly removed: readonly Message[]
  /** Their places in the list that was given. */
  readonly removedIndices: readonly number[]
  /** Visible messages. */
  readonly count: BeforeAfter
  /** Tokens of visible messages, where a meter was given. */
  readonly tokens?: BeforeAfter
}

const sum = <Value>(values: readonly Value[], meter: (value: Value) => number): number =>
  values.reduce((total, value) => total + meter(value), 0)

/**
 * Removes a fraction of a conversation, keeping its first messages. Of the messages after those, the fraction is
 * rounded down to an even number, as agents with alternating roles do, and then aligned.
 *
 * @example
 * const { messages, count } = truncateByFraction(history, 0.5)
 */
export const truncateByFraction = <Message>(
  messages: readonly Message[],
  fraction: number,
  options: TruncateOptions<Message> = {},
): Truncation<Message> => {
  if (!(fraction >= 0 && fraction <= 1)) {
    throw new LigatureError("bad-option", `Expected a fraction from 0 to 1, got ${fraction}`)
  }
  assertOptions(options, { keepFirst: true, toward: towards, visible: true, meter: true })
  const { keepFirst = 1, toward = "keep", visible, meter } = options
  const indices: number[] = []
  for (const [index, message] of messages.entries()) if (!visible || visible(message)) indices.push(index)
  const seen = visible ? indices.map((index) => messages[index] as Message) : messages
  const starts = groupStarts(seen)
  const head = alignEnd(starts, keepFirst, "keep")
  const asked = Math.floor(Math.max(seen.length - keepFirst, 0) * fraction)
  const tail = asked < 2 ? head : alignStart(starts, keepFirst + asked - (asked % 2), head, toward)
  const removedIndices = indices.slice(head, tail)
  const gone = new Set(removedIndices)
  const kept = [...seen.slice(0, head), ...seen.slice(tail)]
  debugFor("session")?.(`[truncateByFraction] ${removedIndices.length} of ${seen.length} messages go, ${kept.length} stay`)
  return {
    messages: messages.filter((_, index) => !gone.has(index)),
    removed: seen.slice(head, tail),
    removedIndices,
    count: { before: seen.length, after: kept.length },
    ...(meter && { tokens: { before: sum(seen, meter), after: sum(kept, meter) } }),
  }
}
