/** Providers that are known by name: `ligature serve --upstream anthropic`. */
import type { WireName } from "../wires/wire.ts"

export interface KnownUpstream {
  readonly wire: WireName
  readonly url: string
  readonly profile: string
}

export const knownUpstreams: Readonly<Record<string, KnownUpstream>> = {
  anthropic: { wire: "anthropic", url: "https://api.anthropic.com", profile: "anthropic" },
  openai: { wire: "openai-responses", url: "https://api.openai.com", profile: "openai-responses" },
  "openai-chat": { wire: "openai-chat", url: "https://api.openai.com", profile: "openai-chat" },
  gemini: { wire: "gemini", url: "https://generativelanguage.googleapis.com", profile: "gemini" },
  mistral: { wire: "openai-chat", url: "https://api.mistral.ai", profile: "mistral" },
  deepseek: { wire: "openai-chat", url: "https://api.deepseek.com/v1", profile: "deepseek" },
  kimi: { wire: "openai-chat", url: "https://api.moonshot.ai/v1", profile: "kimi" },
  groq: { wire: "openai-chat", url: "https://api.groq.com/openai/v1", profile: "groq" },
  cerebras: { wire: "openai-chat", url: "https://api.cerebras.ai/v1", profile: "cerebras" },
  xai: { wire: "openai-chat", url: "https://api.x.ai/v1", profile: "xai" },
  openrouter: { wire: "openai-chat", url: "https://openrouter.ai/api/v1", profile: "openrouter" },
  ollama: { wire: "openai-chat", url: "http://127.0.0.1:11434/v1", profile: "template-strict" },
}
