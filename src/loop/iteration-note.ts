/** The note that is stored beside each answer: how it ended and what it cost. */
import type { JsonValue } from "../model/index.ts"
import type { Recorded, Usage } from "../record/index.ts"
import type { Entry, NewEntry } from "../store/index.ts"

export const iterationNote = "iteration"

export const noteOf = ({ stop, said, responseId, usage, origin }: Recorded): NewEntry => {
  const { native: _, ...counts } = usage ?? { native: {} }
  const value: Record<string, JsonValue> = { stop }
  if (origin.model !== undefined) value["model"] = origin.model
  if (said !== undefined) value["said"] = said
  if (responseId !== undefined) value["responseId"] = responseId
  if (usage) value["usage"] = { ...counts }
  return { kind: "note", name: iterationNote, value }
}

/** What was counted when the conversation was last spoken to. */
export const lastCount = (path: readonly Entry[]): Usage | undefined => {
  const note = path.findLast((entry) => entry.kind === "note" && entry.name === iterationNote)
  if (note?.kind !== "note") return undefined
  const value = note.value as { readonly usage?: Readonly<Record<string, number>> } | null
  return value?.usage && { ...value.usage, native: {} }
}
