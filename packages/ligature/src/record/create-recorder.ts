/** The recorders, by the name of the format whose stream they read. */
import { LigatureError } from "../model/index.ts"
import { sdkReader } from "../formats/ai-sdk-model/stream/reader.ts"
import { anthropicReader } from "../formats/anthropic/stream/reader.ts"
import { geminiReader } from "../formats/gemini/stream/reader.ts"
import { chatReader } from "../formats/openai-chat/stream/reader.ts"
import { responsesReader } from "../formats/openai-responses/stream/reader.ts"
import type { Recorder, RecorderOptions } from "../formats/engine/recorder/recorder.ts"
import { StreamRecorder } from "../formats/engine/recorder/stream-recorder.ts"

const recorders: Readonly<Record<string, (options: RecorderOptions) => Recorder>> = {
  anthropic: (options) => new StreamRecorder(anthropicReader, options),
  "openai-chat": (options) => new StreamRecorder(chatReader, options),
  "openai-responses": (options) => new StreamRecorder(responsesReader, options),
  gemini: (options) => new StreamRecorder(geminiReader, options),
  "ai-sdk-model": (options) => new StreamRecorder(sdkReader, options),
}

/** Names of the formats whose streams can be recorded. */
export const recordedFormats: readonly string[] = Object.keys(recorders)

/** A recorder for one stream. A retried stream gets a new one: nothing of the failed attempt is in it. */
export const createRecorder = (format: string, options: RecorderOptions = {}): Recorder => {
  const create = Object.hasOwn(recorders, format) ? recorders[format] : undefined
  if (create) return create(options)
  throw new LigatureError(
    "unknown-format",
    `Expected a format whose streams can be recorded (${recordedFormats.join(", ")}), got "${format}"`,
  )
}
