/**
 * The sentences of the rule book that findings quote, as a module: the book has 200 demands with every error text, and
 * whoever checks a request needs one sentence per rule and provider.
 */
import { bookNames } from "../../packages/ligature/src/rules/rulebook/book-names.ts"
import { type ProviderRule, providerRule } from "../../packages/ligature/src/rules/rulebook/index.ts"

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

const sentence = ({ demand, texts: [text] }: ProviderRule): string =>
  text === undefined ? demand : `${demand} Known error: "${text}"`

/** The text that each profile quotes; profiles with the same one together. */
const excerptOf = (ids: readonly string[]): ReadonlyMap<string, readonly string[]> => {
  const byText = new Map<string, string[]>()
  for (const [profile, names] of Object.entries(bookNames)) {
    const found = ids
      .map((id) => providerRule(id))
      .find((rule) => rule?.providers.some((provider) => provider === "all" || names.includes(provider)))
    if (!found) continue
    const text = sentence(found)
    const profiles = byText.get(text) ?? []
    byText.set(text, [...profiles, profile])
  }
  return byText
}

const row = (text: string, profiles: readonly string[]): string =>
  `    { profiles: [${profiles.map((name) => JSON.stringify(name)).join(", ")}], text: ${JSON.stringify(text)} },`

export const demandTexts = (): ReadonlyMap<string, string> => {
  const rules = Object.entries(sources).flatMap(([rule, ids]) => [
    `  "${rule}": [`,
    ...[...excerptOf(ids)].map(([text, profiles]) => row(text, profiles)),
    "  ],",
  ])
  const module = [
    "// What the rule book says about the rules of a profile, by provider. Written by `npm run docs` from the rule book.",
    "export const demandTexts: Readonly<Record<string, readonly { readonly profiles: readonly string[]; readonly text: string }[]>> = {",
    ...rules,
    "}",
    "",
  ]
  return new Map([["packages/ligature/src/rules/profiles/demand-texts.ts", module.join("\n")]])
}
