/** Where calls and results are, and which belong together: what the matcher fills in and rules read. */
import type { CallBlock, ResultBlock } from "../../model/index.ts"

export interface Spot {
  readonly message: number
  readonly block: number
}

export interface CallSlot extends Spot {
  readonly call: CallBlock
  /** Position among the calls of its message. */
  readonly ordinal: number
  readonly cluster: number
  /** Counts the user's (or system's) words so far: equal stretches have none between them. */
  readonly stretch: number
  /** An earlier call that used the same id. */
  readonly sameId: CallSlot | undefined
  result: ResultSlot | undefined
}

export interface ResultSlot extends Spot {
  readonly result: ResultBlock
  /** The assistant message whose results may be here; -1 where something else has been said. */
  readonly anchor: number
  /** The nearest earlier call with this id, answered or not, at the time the result came. */
  readonly seen: CallSlot | undefined
  call: CallSlot | undefined
}

export const join = (call: CallSlot, result: ResultSlot): void => {
  call.result = result
  result.call = call
}
