/** The note that is stored next to each answer: how it ended and what it cost. Compaction and later runs read it again. */
import { iterationNote, lastUsage } from "../compact/internal.ts"
import type { Profile } from "../rules/index.ts"
import { isWire, type JsonValue, type Message } from "../model/index.ts"
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

/** Whether an answer to this message continues a turn of the model: it follows tool results, or a pause. */
export const isInsideTurn = (last: Message | undefined): boolean => last?.role === "tool" || last?.paused === true

/**
 * Whether the model ended its turn without any further content. Claude does that after tool results when nothing is left
 * to be said. No message is stored for it, only the note about the iteration, so a later run does not ask again.
 */
export const endedWithoutContent = (path: readonly Entry[], messages: readonly Message[]): boolean => {
  const last = path.at(-1)
  if (last?.kind !== "note" || last.name !== iterationNote || !isInsideTurn(messages.at(-1))) return false
  return isWire(last.value) && last.value["stop"] === "end"
}
