/** Which of several open calls a result takes: by the name of the tool, by its id in another spelling, by nearness. */
import { isSameId, spellingKeys } from "./same-id.ts"
import { type CallSlot, join, type ResultSlot } from "./slots.ts"

/** Gives a result the first open call, or the first one of its tool where it names one. */
export const joinNamed = (slots: readonly CallSlot[], head: number, slot: ResultSlot): void => {
  const { name } = slot.result
  const first = slots[head] as CallSlot
  const isIts = (call: CallSlot): boolean => !call.result && call.call.name === name
  join(!name || first.call.name === name ? first : (slots.slice(head).find(isIts) ?? first), slot)
}

/** More ids than these that begin alike are counters, among which nobody can tell. */
const mostAlike = 32

/** Finds the open call that a result names in another spelling of its id, where there is but one. */
export const bySpelling = (slots: readonly CallSlot[]): ((slot: ResultSlot) => CallSlot | undefined) => {
  const alike = new Map<string, CallSlot[]>()
  for (const slot of slots) {
    for (const key of spellingKeys(slot.call.id)) {
      const list = alike.get(key)
      if (list) list.push(slot)
      else alike.set(key, [slot])
    }
  }
  return ({ result: { callId } }) => {
    const meant = new Set<CallSlot>()
    for (const key of spellingKeys(callId)) {
      const candidates = alike.get(key) ?? []
      if (candidates.length > mostAlike) return undefined
      for (const slot of candidates) if (!slot.result && isSameId(slot.call.id, callId)) meant.add(slot)
    }
    return meant.size === 1 ? [...meant][0] : undefined
  }
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
