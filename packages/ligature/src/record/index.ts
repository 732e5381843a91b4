/**
 * Streams of providers → one assistant message, cut-safe, and back; the message and the outcomes of its calls → one
 * iteration.
 */
export { isExecutable } from "../formats/engine/recorder/draft.ts"
export {
  createRecorder,
  createStreamWriter,
  replyOf,
  sseText,
  streamOf,
  type RecordedFormat,
  type StreamOfOptions,
  type WrittenFormat,
} from "./streams.ts"
export { EventStreamReader, type ServerSentEvent } from "./read/event-stream.ts"
export { streamText, type StreamSyntax, type StreamText } from "./read/stream-text.ts"
export type * from "../formats/engine/recorder/recorder.ts"
export type { BlockSource, StreamEvent, StreamWriter, StreamWriterOptions } from "../formats/engine/recorder/stream-writer.ts"
export { type IdOptions } from "./iteration/assign-ids.ts"
export { type CommitOptions, type Committed, Iteration } from "./iteration/iteration.ts"
export { type CallOutcome } from "./iteration/outcome.ts"
