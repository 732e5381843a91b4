/** Which profile a model of the SDK wants, by what its provider package calls itself: `anthropic.messages`, `openai.chat`. */
import type { ProfileName } from "../../rules/index.ts"

/** The first name that the provider begins with counts, so longer ones stand in front. */
const byProvider: readonly (readonly [provider: string, profile: ProfileName])[] = [
  ["openai.responses", "openai-responses"],
  ["azure.responses", "openai-responses"],
  ["azure", "azure"],
  ["openai", "openai-chat"],
  ["anthropic", "anthropic"],
  ["google.vertex.anthropic", "anthropic"],
  ["vertex.anthropic", "anthropic"],
  ["google", "gemini"],
  ["mistral", "mistral"],
  ["deepseek", "deepseek"],
  ["moonshot", "kimi"],
  ["groq", "groq"],
  ["cerebras", "cerebras"],
  ["xai", "xai"],
  ["openrouter", "openrouter"],
  ["ollama", "ollama"],
]

const bedrock = "amazon-bedrock"

/** Undefined for a provider we do not know: then the laws alone are kept. */
export const providerProfile = (provider: string, modelId = ""): ProfileName | undefined => {
  if (provider.startsWith(bedrock)) return /anthropic|claude/.test(modelId) ? "bedrock-claude" : "bedrock"
  return byProvider.find(([name]) => provider.startsWith(name))?.[1]
}
