/** Unanswered copies of a call that the same stretch holds again: a retried stream or a double append. */
import { canonicalJson } from "../../model/index.ts"
import { type CallSlot, join } from "./slots.ts"

const fingerprintOf = (slot: CallSlot): string =>
  `${slot.call.name}\u0000${slot.call.fault === undefined ? canonicalJson(slot.call.arguments) : slot.call.raw}`

/** `unmade`: calls of a user that are none. */
export const findReplayed = (recycled: readonly CallSlot[], unmade: ReadonlySet<CallSlot>): ReadonlySet<CallSlot> => {
  const replayed = new Set<CallSlot>()
  for (const slot of recycled) {
    const { sameId } = slot
    if (!sameId || unmade.has(sameId) || sameId.stretch !== slot.stretch || fingerprintOf(sameId) !== fingerprintOf(slot)) continue
    if (!sameId.result) replayed.add(sameId)
    else if (!slot.result && sameId.result.anchor === slot.message) {
      // The result is after the later copy: that one stays, so that nothing has to move.
      join(slot, sameId.result)
      sameId.result = undefined
      replayed.add(sameId)
    } else if (!slot.result) replayed.add(slot)
  }
  return replayed
}

/** A call keeps its id when every earlier call of that id is left out as a copy, or is none. */
export const isRecycled = (slot: CallSlot, replayed: ReadonlySet<CallSlot>, unmade: ReadonlySet<CallSlot>): boolean => {
  if (replayed.has(slot)) return false
  for (let other = slot.sameId; other; other = other.sameId) if (!replayed.has(other) && !unmade.has(other)) return true
  return false
}
