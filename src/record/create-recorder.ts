/** The recorders, by the name of the format whose stream they read. */
import { LigatureError } from "../model/index.ts"
import { sdkReader } from "./ai-sdk-model/reader.ts"
import { anthropicReader } from "./anthropic/reader.ts"
import { geminiReader } from "./gemini/reader.ts"
import { chatReader } from "./openai-chat/reader.ts"
import { responsesReader } from "./openai-responses/reader.ts"
import type { Recorder, RecorderOptions } from "./recorder.ts"
import { StreamRecorder } from "./stream-recorder.ts"

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
