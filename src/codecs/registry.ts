/** Every codec, by the name of its format. Adding one is a folder and a line here. */
import { LigatureError } from "../model/index.ts"
import { aiSdkModel } from "./ai-sdk-model/index.ts"
import { aiSdkUi } from "./ai-sdk-ui/index.ts"
import { anthropic } from "./anthropic/index.ts"
import { bedrockConverse } from "./bedrock-converse/index.ts"
import type { Codec } from "./codec.ts"
import { gemini } from "./gemini/index.ts"
import { openaiChat } from "./openai-chat/index.ts"
import { openaiResponses } from "./openai-responses/index.ts"
import { sharegpt } from "./sharegpt/index.ts"
import { xmlText } from "./xml-text/index.ts"

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
]

export const codecs: Readonly<Record<string, Codec>> = Object.fromEntries(all.map((codec) => [codec.format, codec]))

export const formats: readonly string[] = Object.keys(codecs)

/** A codec by the name of its format; throws with the list of names for an unknown one. */
export const resolveCodec = (format: string): Codec => {
  const found = Object.hasOwn(codecs, format) ? codecs[format] : undefined
  if (found) return found
  throw new LigatureError("unknown-format", `Expected one of ${formats.join(", ")}, got "${format}"`)
}
