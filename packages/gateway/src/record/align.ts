/**
 * What a request says that the store does not have yet. A history usually goes on where it ended; but clients take turns
 * back, ask again, drop old messages, edit some, or begin a new window after a compaction of their own.
 *
 *   stored   u1 a1 u2 a2            goes on   u3 is appended
 *   sent     u1 a1 u2 a2 u3
 *
 *   stored   u1 a1 u2 a2            branch    the tip moves to a1, then u2' is appended; u2 and a2 stay as a branch
 *   sent     u1 a1 u2'
 *
 *   stored   u1 a1 u2 a2            dropped   u1 and a1 are hidden, u3 is appended
 *   sent     u2 a2 u3
 *
 * The last one keeps what is written linear where a client sends a window that slides.
 */
import { isSame, type Unit } from "./units.ts"

export interface Alignment {
  /** So many stored units are the beginning of what is sent, but for those that were dropped. */
  readonly kept: number
  /** Positions of stored units that are sent no more. */
  readonly dropped: readonly number[]
  /** The units that go after the last kept one. */
  readonly fresh: readonly Unit[]
}

type Key = Pick<Unit, "key" | "loose">

/** Undefined: not only the beginning or some of the middle was left out. */
const droppedFrom = (stored: readonly Key[], sent: readonly Unit[], offset: number): Alignment | undefined => {
  const dropped: number[] = []
  let at = 0
  stored.forEach((each, place) => {
    const unit = sent[at]
    if (unit && isSame(each, unit)) at++
    else dropped.push(offset + place)
  })
  // What was said last has to be there still.
  if (at === 0 || dropped.at(-1) === offset + stored.length - 1) return undefined
  return { kept: offset + stored.length, dropped, fresh: sent.slice(at) }
}

/** `from`: so many stored units are known to be the same; `sent` begins after them. */
export const align = (stored: readonly Key[], sent: readonly Unit[], from = 0): Alignment => {
  let same = 0
  while (same < sent.length && from + same < stored.length && isSame(stored[from + same] as Key, sent[same] as Unit)) same++
  const kept = from + same
  const fresh = sent.slice(same)
  const plain = { kept, dropped: [], fresh }
  if (kept === stored.length || fresh.length === 0) return plain
  return droppedFrom(stored.slice(kept), fresh, kept) ?? plain
}
