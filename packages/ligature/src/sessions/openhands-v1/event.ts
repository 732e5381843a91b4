/** The envelope of an event: `{ kind, id, timestamp, source, … }`, and where a conversation keeps its events. */
import { isWire } from "../../model/index.ts"

export const format = "openhands-v1"

/** Kinds that say nothing to the model. */
export const silentKinds: ReadonlySet<unknown> = new Set([
  "CondensationRequest",
  "ConversationErrorEvent",
  "ConversationStateUpdateEvent",
  "HookExecutionEvent",
  "LLMCompletionLogEvent",
  "PauseEvent",
  "StreamingDeltaEvent",
  "SystemPromptUpdateEvent",
  "TokenEvent",
])

export const eventsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (!isWire(value)) return []
  const list = value["records"] ?? value["events"]
  return Array.isArray(list) ? list : []
}
