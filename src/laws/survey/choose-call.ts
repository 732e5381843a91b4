/** Which of several open calls a result takes: by the name of the tool, by its id in another spelling, by nearness. */
import { isSameId } from "./same-id.ts"
import { type CallSlot, join, type ResultSlot } from "./slots.ts"

/** Gives a result the first open call, or the first one of its tool where it names one. */
export const joinNamed = (slots: readonly CallSlot[], head: number, slot: ResultSlot): void => {
  const { name } = slot.result
  const first = slots[head] as CallSlot
  const isIts = (call: CallSlot): boolean => !call.result && call.call.name === name
  join(!name || first.call.name === name ? first : (slots.slice(head).find(isIts) ?? first), slot)
}

/** The open call that a result names in another spelling of its id, where there is but one. */
export const onlyMeant = (slots: readonly CallSlot[], { result: { callId } }: ResultSlot): CallSlot | undefined => {
  if (callId === "") return undefined
  const meant = slots.filter((slot) => !slot.result && slot.call.id !== "" && isSameId(slot.call.id, callId))
  return meant.length === 1 ? meant[0] : undefined
}

/** Where the calls of the nearest messages begin that together have `count` open calls; 0 when none have. */
export const firstOfNearest = (clusterCalls: readonly CallSlot[], count: number): number => {
  let open = 0
  let index = clusterCalls.length
  while (index > 0) {
    const { message } = clusterCalls[index - 1] as CallSlot
    if (open >= count && clusterCalls[index]?.message !== message) break
    index--
    if (!clusterCalls[index]?.result) open++
  }
  return index
}
