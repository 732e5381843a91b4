/**
 * Ids of calls in formats whose calls hold their results. There an id need not pair anything, so that files with
 * missing or redacted ids are whole; in a conversation every call needs an id of its own.
 */
import type { CallBlock } from "../../model/index.ts"

/** What the calls of one session share. */
export interface CallIds {
  /** How many calls have an id. */
  readonly uses: ReadonlyMap<string, number>
  /** Counts calls, to name those without an id. */
  calls: number
}

/** A name for a call without id, which no other call has. */
const freeId = ({ calls, uses }: CallIds): string => {
  let id = `call_${calls}`
  while (uses.has(id)) id += "_"
  return id
}

/** The id of the next call. One that other calls have too would let an open call take the result of one of them. */
export const nextCallId = (id: string, isOpen: boolean, ids: CallIds): Pick<CallBlock, "id" | "assigned" | "providerId"> => {
  ids.calls++
  if (id === "") return { id: freeId(ids), assigned: true }
  const isShared = isOpen && (ids.uses.get(id) ?? 0) > 1
  return isShared ? { id: `${id}__open_${ids.calls}`, providerId: id } : { id }
}
