/** Recorders and writers of streams, by the name of the format. */
import { assertOptions, jsonText, LigatureError, type Loss, type Message, type OptionNames, type Wire } from "../model/index.ts"
import { sdkReader } from "../formats/ai-sdk-model/stream.ts"
import { anthropicReader } from "../formats/anthropic/stream.ts"
import { anthropicPen } from "../formats/anthropic/stream-writer.ts"
import { geminiReader } from "../formats/gemini/stream.ts"
import { geminiPen } from "../formats/gemini/stream-writer.ts"
import { chatReader } from "../formats/openai-chat/stream.ts"
import { chatPen } from "../formats/openai-chat/stream-writer.ts"
import { responsesReader } from "../formats/openai-responses/stream.ts"
import { responsesPen } from "../formats/openai-responses/stream-writer.ts"
import type { Recorded, Recorder, RecorderOptions, StopReason, Usage } from "../formats/engine/recorder/recorder.ts"
import type { Recording } from "../formats/engine/recorder/recording.ts"
import { StreamRecorder, type StreamReader } from "../formats/engine/recorder/stream-recorder.ts"
import { PenWriter } from "../formats/engine/recorder/pen-writer.ts"
import {
  eventsOf,
  type Paper,
  type Pen,
  type StreamEvent,
  type StreamWriter,
  type StreamWriterOptions,
} from "../formats/engine/recorder/stream-writer.ts"

const recorderOf =
  <State>(reader: (recording: Recording<State>) => StreamReader<State>) =>
  (options: RecorderOptions): Recorder =>
    new StreamRecorder(reader, options)

const recorders = {
  anthropic: recorderOf(anthropicReader),
  "openai-chat": recorderOf(chatReader),
  "openai-responses": recorderOf(responsesReader),
  gemini: recorderOf(geminiReader),
  "ai-sdk-model": recorderOf(sdkReader),
} satisfies Readonly<Record<string, (options: RecorderOptions) => Recorder>>

/** A format whose streams can be recorded. */
export type RecordedFormat = keyof typeof recorders

/** Names of the formats whose streams can be recorded. */
export const recordedFormats: readonly RecordedFormat[] = Object.keys(recorders) as RecordedFormat[]

/** A recorder for one stream. A retried stream gets a new one: nothing of the failed attempt is in it. */
export const createRecorder = (format: RecordedFormat, options: RecorderOptions = {}): Recorder => {
  const create = Object.hasOwn(recorders, format) ? recorders[format] : undefined
  assertOptions(options, { names: ["whole", "pieces"], events: [true, false], maxCalls: true })
  if (create) return create(options)
  throw new LigatureError(
    "unknown-format",
    `Expected a format whose streams can be recorded (${recordedFormats.join(", ")}), got "${format}"`,
  )
}

const pens = {
  anthropic: anthropicPen,
  "openai-chat": chatPen,
  "openai-responses": responsesPen,
  gemini: geminiPen,
} satisfies Readonly<Record<string, (paper: Paper) => Pen>>

/** A format whose streams can be written. */
export type WrittenFormat = keyof typeof pens

/** Names of the formats whose streams can be written. */
export const writtenFormats: readonly WrittenFormat[] = Object.keys(pens) as WrittenFormat[]

const writerNames: OptionNames<StreamWriterOptions> = { id: true, model: true, created: true }

const writerOf = (format: WrittenFormat, options: StreamWriterOptions): PenWriter => {
  assertOptions(options, writerNames)
  const pen = Object.hasOwn(pens, format) ? pens[format] : undefined
  if (pen) return new PenWriter(pen, options)
  throw new LigatureError(
    "unknown-format",
    `Expected a format whose streams can be written (${writtenFormats.join(", ")}), got "${format}"`,
  )
}

/**
 * A writer for one stream: give it what a recorder of any format tells, and the recorder itself.
 *
 *   for (const event of writer.write(recorder.push(chunk), recorder)) response.write(sseText(event))
 *   for (const event of writer.end(recorder.end())) response.write(sseText(event))
 */
export const createStreamWriter = (format: WrittenFormat, options: StreamWriterOptions = {}): StreamWriter => writerOf(format, options)

export interface StreamOfOptions extends StreamWriterOptions {
  /** Why the model stopped. Default: `calls` where the message has calls, else `end`. */
  readonly stop?: StopReason
  readonly usage?: Usage
  /** Splits a text into the pieces in which it is streamed. Default: one piece. */
  readonly cut?: (text: string) => readonly string[]
}

const writeAll = (writer: PenWriter, recorded: Recorded, cut?: StreamOfOptions["cut"]): readonly StreamEvent[] => {
  const { blocks } = recorded.message
  const source = { blocks: (at: number) => blocks.slice(at, at + 1) }
  return [...writer.write(eventsOf(recorded.message, cut), source), ...writer.end(recorded)]
}

/** An assistant message as the provider would stream it, and what its stream has no place for. */
export const streamOf = (
  message: Message,
  format: WrittenFormat,
  options: StreamOfOptions = {},
): { readonly events: readonly StreamEvent[]; readonly losses: readonly Loss[] } => {
  assertOptions(options, { ...writerNames, stop: true, usage: true, cut: true })
  const { stop, usage, cut, ...rest } = options
  const writer = writerOf(format, rest)
  const meant = stop ?? (message.blocks.some((block) => block.type === "call") ? "calls" : "end")
  const recorded: Recorded = { message, stop: meant, origin: {}, ...(usage && { usage }), complete: true, problems: [] }
  return { events: writeAll(writer, recorded, cut), losses: writer.losses }
}

/** The body of a reply that is not streamed; of an error, where the recording is not complete. */
export const replyOf = (
  recorded: Recorded,
  format: WrittenFormat,
  options: StreamWriterOptions = {},
): { readonly body: Wire; readonly losses: readonly Loss[] } => {
  const writer = writerOf(format, options)
  writeAll(writer, recorded)
  return { body: writer.reply(recorded), losses: writer.losses }
}

/** An event as the lines of a server-sent event stream. */
export const sseText = ({ event, data }: StreamEvent): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : jsonText(data)}\n\n`
