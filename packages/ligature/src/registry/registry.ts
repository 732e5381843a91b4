/**
 * Every wire codec, by the name of its format: adding one is a folder and a line here. Session formats are in
 * `known-sessions.ts` once they are loaded.
 */
import { knownSessions, sessionAliases } from "./known-sessions.ts"
import { LigatureError, suggestion } from "../model/index.ts"
import { aiSdkModel } from "../formats/ai-sdk-model/index.ts"
import { aiSdkUi } from "../formats/ai-sdk-ui/index.ts"
import { anthropic } from "../formats/anthropic/index.ts"
import { bedrockConverse } from "../formats/bedrock-converse/index.ts"
import type { Codec } from "../formats/engine/codec.ts"
import { gemini } from "../formats/gemini/index.ts"
import { openaiChat } from "../formats/openai-chat/index.ts"
import { openaiResponses } from "../formats/openai-responses/index.ts"
import { otelMessages } from "../formats/otel-messages/index.ts"
import type { SessionCodec } from "../formats/engine/session.ts"
import type { SessionFormat } from "./sessions.ts"
import { sharegpt } from "../formats/sharegpt/index.ts"
import { xmlText } from "../formats/xml-text/index.ts"

export { allSessions } from "./known-sessions.ts"

export const codecs = {
  anthropic: anthropic,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  gemini: gemini,
  "bedrock-converse": bedrockConverse,
  "ai-sdk-model": aiSdkModel,
  "ai-sdk-ui": aiSdkUi,
  "xml-text": xmlText,
  sharegpt: sharegpt,
  "otel-messages": otelMessages,
} as const satisfies Readonly<Record<string, Codec>>

export type WireFormat = keyof typeof codecs

/** Formats of requests, and formats of session files. */
export type Format = WireFormat | SessionFormat

export const formats = Object.keys(codecs) as readonly WireFormat[]

/** The session codec by the name of its format. */
export const findSession = (format: string): SessionCodec | undefined =>
  Object.hasOwn(codecs, format) ? undefined : knownSessions().get(format)

/** A wire or session codec by the name of its format, or by what people call it. */
export const findCodec = (format: string): Codec | SessionCodec | undefined =>
  Object.hasOwn(codecs, format) ? codecs[format as WireFormat] : (knownSessions().get(format) ?? sessionAliases.get(format))

/** Like `findCodec`, of a codec itself too; throws with the nearest and all names for an unknown one. */
export const resolveCodec = (given: Codec | string): Codec | SessionCodec => {
  if (typeof given === "object") return given
  // Callers without types may have left it out.
  const format = String(given)
  const found = findCodec(format)
  if (found) return found
  const names = [...formats, ...knownSessions().keys()]
  const near = suggestion(format, names)
  const missing = knownSessions().size === 0 ? '. Session formats are known after import "ligature/sessions"' : ""
  const message = `Unknown format ${JSON.stringify(format)}. ${near === undefined ? "" : `${near} `}Formats: ${names.join(", ")}${missing}`
  throw new LigatureError("unknown-format", message)
}

/** Whether a codec reads the files of an agent. */
export const isSessionCodec = (codec: Codec): codec is SessionCodec => "session" in codec
