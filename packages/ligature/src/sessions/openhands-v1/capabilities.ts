/**
 * What events can say: Chat Completions with errors and refusals of results as kinds of their own, and Anthropic's
 * thinking.
 */
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"

export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    F1: "native",
    F2: "native",
    F6: "native",
    F7: "native",
    F8: "native",
    F9: "native",
    F12: "native",
    F17: "native",
    F25: "native",
  },
}
