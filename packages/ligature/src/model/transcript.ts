/**
 * Transcript: what a file, request or stream really said, in order, damage included. Every codec's `decode` makes one
 * and never fails on data. Only `settle` turns it into a Conversation.
 */
import type { Native } from "./block.ts"
import type { Diagnostic } from "./diagnostic.ts"
import type { Message, Origin } from "./message.ts"

export interface Transcript {
  /** Name of the format it was read from. */
  readonly format: string
  readonly messages: readonly Message[]
  /** The envelope around the messages (model, tools, parameters), verbatim, under its format's name. */
  readonly native?: Native
  readonly origin?: Origin
  /** Some formats identify calls by position and name: there a missing id is no damage. Default "required". */
  readonly ids?: "required" | "optional"
  /** Somewhere in the source is half a surrogate pair, or a value nested by hundreds: what is written of it needs a closer look. */
  readonly unusual?: true
  /** Name of the file it came from, for diagnostics. */
  readonly source?: string
  /** What the decoder itself had to report: shapes that are not of the format, kept verbatim. */
  readonly diagnostics?: readonly Diagnostic[]
}
