/** OpenAI Chat Completions: requests and message lists, also of the many servers that speak it. */
import type { Codec } from "../codec.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { explain } from "./explain.ts"
import { extras } from "./extras.ts"

export const openaiChat: Codec = {
  format: "openai-chat",
  title: "OpenAI Chat Completions",
  capabilities,
  decode,
  encode,
  explain,
  extras,
}
