/** The note that is stored beside each answer: how it ended and what it cost. Compaction reads it again. */
import { iterationNote, lastUsage } from "../compact/internal.ts"
import type { Profile } from "../rules/index.ts"
import type { JsonValue } from "../model/index.ts"
import type { Recorded, Usage } from "../record/index.ts"
import type { Entry, NewEntry } from "../store/index.ts"

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

/** What was counted for the last answer of the conversation. */
export const lastCount = (path: readonly Entry[]): Usage | undefined => {
  const usage = lastUsage(path)
  return usage && { ...usage, native: {} }
}
