/** The calls of one message: calls are in the order of their messages. */
import type { CallSlot } from "./slots.ts"
import type { Survey } from "./survey.ts"

export const callsIn = ({ calls }: Survey, message: number): readonly CallSlot[] => {
  let low = 0
  let high = calls.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((calls[middle] as CallSlot).message < message) low = middle + 1
    else high = middle
  }
  let end = low
  while (calls[end]?.message === message) end++
  return calls.slice(low, end)
}
