/**
 * Every call of a conversation has an id of its own (L5), also where its format needs none: operations on exchanges
 * speak of calls by id. An id depends only on the calls before it, so that appending to a history never renames what
 * was there. Ids nobody asked for are marked `assigned`: their format does not have to say them, and they give way to an id
 * that is said, also further down: an id that we once assigned and had to write would be renamed with every repair.
 */
import { type CallBlock, phrase } from "../../model/index.ts"
import type { Draft } from "../draft.ts"
import type { Description } from "../rule.ts"
import type { CallSlot } from "../survey/index.ts"

/** Reads as what it is: message and position among its calls. */
const idAt = (slot: CallSlot): string => `call_${slot.message}_${slot.ordinal}`

const renamed = (call: CallBlock, id: string): CallBlock =>
  call.id === "" ? { ...call, id } : { ...call, id, providerId: call.providerId ?? call.id }

const recordRename = (draft: Draft, slot: CallSlot, id: string): void => {
  const known = draft.renames.get(slot)
  const repair = { kind: "safe", what: phrase`renamed the call and its result to ${id}` } as const
  const description: Description = { spot: slot, what: "", ...known, ids: [slot.call.id, id], repair }
  draft.record("duplicate-call-id", description)
}

export const assignIds = (draft: Draft): void => {
  const { calls, transcript } = draft.survey
  if (draft.renames.size === 0 && calls.every((slot) => slot.call.id !== "")) return
  const used = new Set<string>()
  const isUnsaid = transcript.ids === "optional"
  const saidIds = isUnsaid ? new Set(calls.map(({ call }) => call.id)) : used
  const numbers = new Map<string, number>()
  const free = (wanted: string, taken: ReadonlySet<string>): string => {
    let id = wanted
    for (let number = numbers.get(wanted) ?? 2; used.has(id) || taken.has(id); number++) {
      id = `${wanted}__${number}`
      numbers.set(wanted, number + 1)
    }
    return id
  }
  for (const slot of calls) {
    const call = draft.current(slot)
    if (call?.type !== "call" || draft.dropped.has(slot.message)) continue
    const said = call.id === "" ? (draft.resultOf(slot)?.callId ?? "") : call.id
    const id = said === "" ? free(idAt(slot), saidIds) : free(said, used)
    used.add(id)
    if (id === call.id) continue
    draft.amendCall(slot, (block) => renamed(block, id))
    if (call.id !== "") recordRename(draft, slot, id)
    else if (said === "" && isUnsaid) draft.amendCall(slot, (block) => ({ ...block, assigned: true }))
  }
}
