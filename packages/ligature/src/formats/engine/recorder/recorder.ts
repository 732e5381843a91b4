/**
 * What a recorder is: it takes the events of one provider stream, in any number, and gives one assistant message of the
 * model. Failures end a recording as data, they are never thrown: whatever has come is kept, and what it lacks is said.
 *
 *   push(event)*  ->  events for a screen, each about one block
 *   draft()       ->  the message as far as it has come; may be asked after every push
 *   end(cause)    ->  the message, why it ended, and everything that was odd about the stream
 *
 * Nothing is final before the end marker of the stream: a call that merely looks complete may still grow.
 */
import type { Block, Diagnostic, Message, Native, Origin, ResultBlock } from "../../../model/index.ts"

/** Why the model stopped, in one vocabulary for all formats. What the wire said is in `Recorded.said`. */
export type StopReason =
  /** It said all it wanted to say. */
  | "end"
  /** It waits for the results of its calls. */
  | "calls"
  /** A token limit: the last block may be half of what it wanted to say. */
  | "length"
  /** It refused, or a filter stopped it. */
  | "refused"
  /** The server asks to be sent the message back as it is, and will go on. */
  | "paused"
  /** The stream ended without its end marker. */
  | "cut"
  /** The stream carried an error, or reading it failed. */
  | "failed"
  /** We stopped reading. */
  | "aborted"
  /** A reason we do not know. */
  | "other"

/** How the reading ended, as the reader of the stream saw it. */
export type EndCause = "complete" | "cut" | "error" | "abort"

/** Tokens as the provider counted them. Fields it did not mention are absent. */
export interface Usage {
  /** All tokens of the request, those read from a cache included. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheReadTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens?: number
  /** Part of `outputTokens`, where the provider says how many. */
  readonly thinkingTokens?: number
  /** The count as the wire said it. */
  readonly native: Native
}

/** The outcome of one recording. */
export interface Recorded {
  /** Role assistant. Its blocks may be none: then the model said nothing. */
  readonly message: Message
  /** Results that came in the same stream, where the other side runs the tools. */
  readonly results?: readonly ResultBlock[]
  /** Transcripts of some formats need no ids on calls; see `Transcript.ids`. */
  readonly ids?: "optional"
  readonly stop: StopReason
  /** The stop reason in the words of the wire. */
  readonly said?: string
  /** The stop sequence that ended the answer, where the wire says which. */
  readonly stopSequence?: string
  /** The id the provider gave its response. */
  readonly responseId?: string
  /** The model, as the response names it. */
  readonly origin: Origin
  readonly usage?: Usage
  /** The end marker came and no error did. Only then is the message what the model wanted to say. */
  readonly complete: boolean
  /** What the stream said went wrong. */
  readonly error?: { readonly message: string; readonly native: unknown }
  readonly problems: readonly Diagnostic[]
}

/**
 * For a screen that shows a message while it grows. `block` is the position of the block in the draft and never
 * changes. Blocks overlap where the stream interleaves them. A `call-start` is said again when the name or id of the
 * call becomes known later. The deltas of a call are pieces of the JSON of its arguments. A stream that sends arguments
 * field by field gives `call-field` instead: a value and its place (`$.path`); a text goes on where the text before it
 * at the same place ended.
 */
export type RecordEvent =
  | { readonly type: "text-start" | "thinking-start" | "media-start" | "opaque-start"; readonly block: number }
  | { readonly type: "call-start"; readonly block: number; readonly id: string; readonly name: string }
  | { readonly type: "text-delta" | "thinking-delta" | "call-delta"; readonly block: number; readonly delta: string }
  | { readonly type: "call-field"; readonly block: number; readonly path: string; readonly value: unknown }
  | {
      readonly type: "text-end" | "thinking-end" | "call-end" | "media-end" | "opaque-end"
      readonly block: number
    }

export interface RecorderOptions {
  /**
   * Some old servers send the name of a tool in pieces. `whole` (default) takes the first name, or a longer one that
   * begins with it; `pieces` joins what comes before the arguments.
   */
  readonly names?: "whole" | "pieces"
  /** `false`: `push` gives no events, which spares two small objects per delta. Default true. */
  readonly events?: boolean
  /** Calls beyond this number are left out, and a problem says so: degenerate answers hold thousands. Default 1000. */
  readonly maxCalls?: number
}

export interface Recorder {
  /** The format of the stream and of the native values in the message. */
  readonly format: string
  /** Takes one event of the stream (an object, or the text of an end marker), whatever it is. Never throws on data. */
  push(event: unknown): readonly RecordEvent[]
  /** The message so far. Costs what came since the last asking. Calls that are not finished carry a fault. */
  draft(): Message
  /** The blocks at a position that events name, as they will be if the stream ends well. Costs the size of the block. */
  blocks(at: number): readonly Block[]
  /** Ends the recording; asking again gives the same. `complete` without an end marker counts as `cut`. */
  end(cause?: EndCause): Recorded
}
