/** Conversation → the run it came from, with its messages as they are now; the very same run where nothing changed. */
import { type Conversation, isWire, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { format } from "./decode.ts"

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  const run = isWire(native) ? native : {}
  const { messages } = openaiChat.encode(conversation, { ...options, extras: "keep" })
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : []
  const before = run["traj"]
  if (sameElements(list, before) || (list.length === 0 && !Array.isArray(before))) return run
  return { ...run, traj: list }
}
