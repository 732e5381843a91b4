/** What a Continue session can express: Chat messages, thinking in items of its own, the state of each call. */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    F1: "native",
    F2: "none",
    F3: "none",
    F4: "none",
    F7: "native",
    F8: "native",
    F9: "native",
    F13: "native",
    F14: "none",
    F15: "native",
    F17: "convention",
    F25: "native",
  },
}
