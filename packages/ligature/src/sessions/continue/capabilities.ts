/** What a Continue session can express: Chat messages, thinking in items of its own, the state of each call. */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    "result-error": "native",
    "result-image": "none",
    "result-document": "none",
    "result-video": "none",
    thinking: "native",
    "thinking-signature": "native",
    "redacted-thinking": "native",
    "raw-arguments": "native",
    "free-text-call": "none",
    "call-id": "native",
    "result-tool-name": "convention",
    "compaction-marks": "native",
  },
}
