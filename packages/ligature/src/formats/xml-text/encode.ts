/** Conversation → messages with calls and results as text: lowered, then written like Anthropic messages. */
import type { Conversation, Wire } from "../../model/index.ts"
import { anthropic } from "../anthropic/index.ts"
import type { EncodeOptions } from "../engine/codec.ts"
import { lowerToText } from "./lower.ts"

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const { onChange, callsAsText } = options
  return anthropic.encode(lowerToText(conversation, { nativeFormat: anthropic.format, onChange, callsAsText }), options)
}
