/** Every codec, by the name of its format. Adding one is a folder and a line here. */
import { LigatureError } from "../model/index.ts"
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
import { sessionCodecs, sessionFormats } from "./sessions.ts"
import { sharegpt } from "../formats/sharegpt/index.ts"
import { xmlText } from "../formats/xml-text/index.ts"

const all: readonly Codec[] = [
  anthropic,
  openaiChat,
  openaiResponses,
  gemini,
  bedrockConverse,
  aiSdkModel,
  aiSdkUi,
  xmlText,
  sharegpt,
  otelMessages,
]

export const codecs: Readonly<Record<string, Codec>> = Object.fromEntries(all.map((codec) => [codec.format, codec]))

export const formats: readonly string[] = Object.keys(codecs)

const aliases: ReadonlyMap<string, SessionCodec> = new Map(
  Object.values(sessionCodecs).flatMap((codec) => codec.session.aliases.map((alias) => [alias, codec] as const)),
)

/** A wire or session codec by the name of its format, or by what people call it. */
export const findCodec = (format: string): Codec | SessionCodec | undefined => {
  if (Object.hasOwn(codecs, format)) return codecs[format]
  return Object.hasOwn(sessionCodecs, format) ? sessionCodecs[format] : aliases.get(format)
}

/** Like `findCodec`; throws with the list of names for an unknown one. */
export const resolveCodec = (format: string): Codec | SessionCodec => {
  const found = findCodec(format)
  if (found) return found
  const known = [...formats, ...sessionFormats].join(", ")
  throw new LigatureError("unknown-format", `Expected one of ${known}, got "${format}"`)
}

/** Whether a codec reads the files of an agent. */
export const isSessionCodec = (codec: Codec): codec is SessionCodec => "session" in codec
