/**
 * Streams of providers → one assistant message, cut-safe; the message and the outcomes of its calls → one iteration.
 */
export { isExecutable } from "./arguments.ts"
export { createRecorder, recordedFormats } from "./create-recorder.ts"
export { EventStreamReader, type ServerSentEvent } from "./read/event-stream.ts"
export { JsonLinesReader } from "./read/json-lines.ts"
export { streamText, type StreamSyntax, type StreamText } from "./read/stream-text.ts"
export type * from "./recorder.ts"
