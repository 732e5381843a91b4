/** Every wire, by its name, and which one a request is of. */
import { anthropic } from "./anthropic.ts"
import { gemini } from "./gemini.ts"
import { openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"
import { type Ask, type Wire, type WireName, wireNames } from "./wire.ts"

export const wires: Readonly<Record<WireName, Wire>> = {
  anthropic,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  gemini,
}

/** What a POST asks for; undefined where no wire has such an address. */
export const askOf = (path: string, query: URLSearchParams): Ask | undefined => {
  for (const name of wireNames) {
    const ask = wires[name].match(path, query)
    if (ask) return ask
  }
  return undefined
}

/** The wire whose errors a client understands, for an address that asks for nothing we know. */
export const wireNear = (path: string, headers: Readonly<Record<string, unknown>>): Wire => {
  if (headers["anthropic-version"] !== undefined || path.startsWith("/v1/messages")) return anthropic
  if (path.startsWith("/v1beta") || headers["x-goog-api-key"] !== undefined) return gemini
  return path.includes("/responses") ? openaiResponses : openaiChat
}
