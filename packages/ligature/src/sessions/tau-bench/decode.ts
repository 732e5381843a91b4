/**
 * A run of tau-bench → Transcript. Its messages are those of Chat Completions and are read as such; ids that repeat or
 * are missing and arguments that are no JSON are what real runs hold, and go into the transcript as they are. Nothing
 * is ever compacted: both views are the same.
 */
import type { Diagnostic, Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { messagesOf, runOf } from "./run.ts"

export const format = "tau-bench"

/** The list is called `traj` here. */
const replaced = (found: Diagnostic): Diagnostic => {
  const { path } = found.place
  if (path === undefined || !path.startsWith("messages[")) return found
  return { ...found, place: { ...found.place, path: `traj${path.slice("messages".length)}` } }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const run = runOf(value)
  const { diagnostics, ...read } = openaiChat.decode(messagesOf(run), options)
  return {
    ...read,
    format,
    // The empty envelope says that the messages are of that format: its encoder then knows their fields.
    native: { [openaiChat.format]: {}, [format]: run },
    ...(diagnostics && { diagnostics: diagnostics.map(replaced) }),
  }
}
