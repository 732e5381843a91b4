/** Which sentence of the rule book a finding about a provider quotes, with the error text people see. */
import { bookNames } from "../rulebook/book-names.ts"
import { providerRule } from "../rulebook/index.ts"

/** Rules of a profile, and the demands of the book that they keep, the likeliest first; a provider's first one is quoted. */
const sources: Readonly<Record<string, readonly string[]>> = {
  "call-beside-text": ["bedrock-mixed-tooluse-text", "mistral-assistant-content-xor-calls"],
  "call-content": ["xai-content-element", "openai-chat-content-null"],
  "call-id-format": [
    "anthropic-tool-id-pattern",
    "openai-chat-tool-call-id-length",
    "openai-responses-call-id-length",
    "bedrock-tool-id-pattern",
    "mistral-tool-id-9",
    "template-mistral-id",
  ],
  "content-string": ["deepseek-content-string"],
  "document-position": ["bedrock-document-names"],
  "empty-result": ["bedrock-error-result-empty"],
  "first-role": [
    "anthropic-first-message-user",
    "gemini-starts-with-user",
    "bedrock-starts-with-user",
    "mistral-start",
    "ollama-needs-user",
  ],
  "foreign-thinking": [
    "anthropic-thinking-model-switch",
    "openai-chat-reasoning-lost",
    "openai-responses-encrypted-content",
    "bedrock-reasoning-signature-unsupported",
    "mistral-no-reasoning-content",
    "groq-unsupported-property",
    "cerebras-unsupported-property",
  ],
  "last-role": ["anthropic-no-prefill", "gemini-ends-with-user", "mistral-last-role"],
  "no-messages": ["anthropic-messages-nonempty", "bedrock-starts-with-user", "mistral-start", "ollama-needs-user"],
  "parallel-calls": ["template-single-call"],
  "prefix-binding": ["anthropic-thinking-prefix-bound"],
  "result-beside-text": ["bedrock-mixed-toolresult-text", "mistral-role-order", "template-alternation"],
  "result-name": ["gemini-response-name", "ollama-native-shape"],
  "result-media": ["openai-chat-tool-image", "gemini-response-media", "mistral-chunk-types", "anthropic-failed-result-text"],
  "role-alternation": ["gemini-alternation", "bedrock-alternate", "template-alternation"],
  "system-position": ["anthropic-system-role-position", "ollama-system-first"],
  "thinking-forbidden": ["mistral-no-reasoning-content", "groq-unsupported-property", "cerebras-unsupported-property"],
  "thinking-required": ["deepseek-reasoning-required", "kimi-reasoning-required"],
  "thinking-signature": ["anthropic-thinking-signature-missing"],
  "thought-signature": ["gemini-thought-signature-missing"],
  "tool-list": ["bedrock-toolconfig-required", "litellm-tools-required"],
  "tool-name-format": [
    "anthropic-tool-use-name-length",
    "openai-chat-function-name",
    "gemini-function-name",
    "bedrock-tool-name-pattern",
    "mistral-function-name",
  ],
  "trailing-whitespace": ["anthropic-trailing-whitespace"],
  "unknown-field": ["anthropic-extra-inputs", "gemini-unknown-field", "groq-unsupported-property"],
  "wire-shape": ["ollama-native-shape"],
}

/** What the provider of a profile requires by this rule, in the words of the book; undefined where the book has nothing about it. */
export const quote = (profile: string, rule: string): string | undefined => {
  const names = bookNames[profile] ?? []
  const found = (sources[rule] ?? [])
    .map((id) => providerRule(id))
    .find((each) => each?.providers.some((provider) => provider === "all" || names.includes(provider)))
  if (!found) return undefined
  const [text] = found.texts
  return text === undefined ? found.demand : `${found.demand} Known error: "${text}"`
}
