/** Every format whose streams are recorded. */
import { fullStream, uiChunks, providerParts } from "./ai-sdk.ts"
import { anthropic } from "./anthropic.ts"
import type { Renderer } from "./answer.ts"
import { gemini } from "./gemini.ts"
import { openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"

export const renderers: readonly Renderer[] = [anthropic, openaiChat, openaiResponses, gemini, fullStream, uiChunks, providerParts]
