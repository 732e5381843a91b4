/**
 * Every call of an iteration gets an id under which its outcome can land (L5). Ids that are there stay; a missing one
 * is made of the prefix and the position of the call; one used twice, or used before, gets a number after it.
 * Nothing is drawn at random: the same message gives the same ids.
 */
import type { Block, CallBlock, Message } from "../../model/index.ts"

export interface IdOptions {
  /** Stands before ids that are made here; something that is new in every iteration, such as its number. */
  readonly prefix?: string
  /** True for an id that the conversation has used before: servers recycle `call_0` in every answer. */
  readonly isTaken?: (id: string) => boolean
  /** The format says no ids: those made here need not be said either (`Recorded.ids`). */
  readonly ids?: "optional"
}

export const assignIds = (message: Message, options: IdOptions): Message => {
  const { prefix = "call", isTaken = () => false, ids } = options
  const used = new Set<string>()
  const free = (wanted: string): string => {
    let id = wanted
    for (let number = 2; used.has(id) || isTaken(id); number++) id = `${wanted}__${number}`
    return id
  }
  let ordinal = 0
  let changed = false
  const renamed = (call: CallBlock): CallBlock => {
    const wanted = call.id === "" ? `${prefix}_${ordinal}` : call.id
    ordinal++
    const id = free(wanted)
    used.add(id)
    if (id === call.id) return call
    changed = true
    if (call.id !== "") return { ...call, id, providerId: call.providerId ?? call.id }
    return ids === "optional" ? { ...call, id, assigned: true } : { ...call, id }
  }
  const blocks = message.blocks.map((block): Block => (block.type === "call" ? renamed(block) : block))
  return changed ? { ...message, blocks } : message
}
