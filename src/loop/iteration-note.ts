/** The note that is stored beside each answer: how it ended and what it cost. */
import type { Profile } from "../laws/index.ts"
import { isWire, type JsonValue, type Wire } from "../model/index.ts"
import type { Recorded, Usage } from "../record/index.ts"
import type { Entry, NewEntry } from "../store/index.ts"

export const iterationNote = "iteration"

export const noteOf = ({ stop, said, responseId, usage, origin }: Recorded, { boundThinking }: Profile): NewEntry => {
  const { native: _, ...counts } = usage ?? { native: {} }
  const value: Record<string, JsonValue> = { stop }
  if (origin.model !== undefined) value["model"] = origin.model
  if (said !== undefined) value["said"] = said
  if (responseId !== undefined) value["responseId"] = responseId
  if (boundThinking) value["boundThinking"] = true
  if (usage) value["usage"] = { ...counts }
  return { kind: "note", name: iterationNote, value }
}

const lastNote = (path: readonly Entry[]): Wire => {
  const note = path.findLast((entry) => entry.kind === "note" && entry.name === iterationNote)
  return note?.kind === "note" && isWire(note.value) ? note.value : {}
}

/** What was counted when the conversation was last spoken to. */
export const lastCount = (path: readonly Entry[]): Usage | undefined => {
  const { usage } = lastNote(path)
  return isWire(usage) ? { ...(usage as Readonly<Record<string, number>>), native: {} } : undefined
}

/** Who spoke last, as far as anybody noted it. */
export interface LastModel {
  readonly model?: string
  /** It binds signed thinking to everything in front of it. */
  readonly boundThinking: boolean
}

export const lastModel = (path: readonly Entry[]): LastModel => {
  const { model, boundThinking } = lastNote(path)
  return { ...(typeof model === "string" && { model }), boundThinking: boundThinking === true }
}
