/** Tool calls as XML in assistant text, results as user text: Cline, Roo and Kilo histories, and the mixed style. */
import type { Conversation, Wire } from "../../model/index.ts"
import { anthropic } from "../anthropic/index.ts"
import { type Codec, declareHomes, type EncodeOptions } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { decode } from "./decode.ts"
import { lowerToText } from "./lower.ts"
export { type ToolStyle, type ToolStyleQuestion } from "./style.ts"

const capabilities = declareHomes({
  native: ["block-order", "raw-arguments", "free-text-call", "result-tool-name", "system-in-the-middle", "speaker-name"],
  convention: ["result-error", "empty-result", "thinking", "parallel-calls", "call-grouping"],
})

/** Written like Anthropic messages, once calls and results are text. */
const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const { onChange, callsAsText } = options
  return anthropic.encode(lowerToText(conversation, { nativeFormat: anthropic.format, onChange, callsAsText }), options)
}

export const xmlText: Codec = defineCodec({ format: "xml-text", title: "XML tool calls in text", capabilities, decode, encode })
