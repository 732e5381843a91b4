/**
 * What events can say: Chat Completions with errors and refusals of results as kinds of their own, and Anthropic's
 * thinking.
 */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    "result-error": "native",
    "result-image": "native",
    "empty-result": "native",
    thinking: "native",
    "thinking-signature": "native",
    "redacted-thinking": "native",
    "call-grouping": "native",
    "result-tool-name": "native",
    "compaction-marks": "native",
  },
}
