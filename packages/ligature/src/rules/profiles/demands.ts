/**
 * Why a provider makes the demand that a finding is about: the sentence of the rule book and the error text people see.
 * One rule of a profile keeps several demands of the book, so the ones that `fit` and `check` can run into are named here.
 */
import { bookNames } from "../rulebook/book-names.ts"
import { type ProviderRule, providerRule } from "../rulebook/index.ts"
import type { Profile } from "./profile.ts"

interface Demand {
  /** Where the book has no sentence for the provider. */
  readonly otherwise: string
  /** Of the book, the likeliest first; the first one of the provider is taken. */
  readonly book?: readonly string[]
}

const demands: Readonly<Record<string, Demand>> = {
  "call-beside-text": {
    otherwise: "Some models take text or tool calls in one message, not both.",
    book: ["bedrock-mixed-tooluse-text", "mistral-assistant-content-xor-calls"],
  },
  "call-content": {
    otherwise: "Servers differ in what they take as the content of a message that has only tool calls.",
    book: ["xai-content-element", "openai-chat-content-null"],
  },
  "call-id-format": {
    otherwise: "Each provider has its own rule for the ids of tool calls.",
    book: [
      "anthropic-tool-id-pattern",
      "openai-chat-tool-call-id-length",
      "openai-responses-call-id-length",
      "bedrock-tool-id-pattern",
      "mistral-tool-id-9",
      "template-mistral-id",
    ],
  },
  "content-string": { otherwise: "Content is one text, not a list of parts.", book: ["deepseek-content-string"] },
  "document-position": { otherwise: "Documents and images belong in user messages.", book: ["bedrock-document-names"] },
  "empty-result": { otherwise: "A result without content is rejected.", book: ["bedrock-error-result-empty"] },
  "first-role": {
    otherwise: "A conversation begins with the user.",
    book: ["anthropic-first-message-user", "gemini-starts-with-user", "bedrock-starts-with-user", "mistral-start", "ollama-needs-user"],
  },
  "foreign-opaque": { otherwise: "A provider rejects blocks that only another API has." },
  "foreign-thinking": {
    otherwise: "Thinking is only of use to the model that wrote it, and other APIs have no field for it.",
    book: [
      "anthropic-thinking-model-switch",
      "openai-chat-reasoning-lost",
      "openai-responses-encrypted-content",
      "bedrock-reasoning-signature-unsupported",
      "mistral-no-reasoning-content",
      "groq-unsupported-property",
      "cerebras-unsupported-property",
    ],
  },
  "last-role": {
    otherwise: "The request ends with what the model is to answer: a user message or tool results.",
    book: ["anthropic-no-prefill", "gemini-ends-with-user", "mistral-last-role"],
  },
  "media-data": { otherwise: "Every request that contains it is rejected." },
  "media-limit": { otherwise: "Every request that contains it is rejected." },
  "media-type": { otherwise: "Every request that contains it is rejected." },
  "no-messages": {
    otherwise: "A request has at least one message.",
    book: ["anthropic-messages-nonempty", "bedrock-starts-with-user", "mistral-start", "ollama-needs-user"],
  },
  "parallel-calls": { otherwise: "The chat template takes one tool call per message.", book: ["template-single-call"] },
  "prefix-binding": {
    otherwise: "Signed thinking belongs to everything before it; after a change it no longer verifies.",
    book: ["anthropic-thinking-prefix-bound"],
  },
  "result-beside-text": {
    otherwise: "The model answers tool results before the user continues.",
    book: ["bedrock-mixed-toolresult-text", "mistral-role-order", "template-alternation"],
  },
  "result-name": { otherwise: "A result names the tool it answers.", book: ["gemini-response-name", "ollama-native-shape"] },
  "result-media": {
    otherwise: "Media belongs in user messages.",
    book: ["openai-chat-tool-image", "gemini-response-media", "mistral-chunk-types", "anthropic-failed-result-text"],
  },
  "role-alternation": {
    otherwise: "User and assistant take turns.",
    book: ["gemini-alternation", "bedrock-alternate", "template-alternation"],
  },
  "system-position": {
    otherwise: "System messages come first.",
    book: ["anthropic-system-role-position", "ollama-system-first"],
  },
  "thinking-forbidden": {
    otherwise: "A reasoning field in a message is rejected as an unknown field.",
    book: ["mistral-no-reasoning-content", "groq-unsupported-property", "cerebras-unsupported-property"],
  },
  "thinking-required": {
    otherwise: "Assistant messages with tool calls carry their reasoning.",
    book: ["deepseek-reasoning-required", "kimi-reasoning-required"],
  },
  "thinking-signature": {
    otherwise: "Thinking without a signature cannot be verified.",
    book: ["anthropic-thinking-signature-missing"],
  },
  "thought-signature": {
    otherwise: "Function calls carry the signature of the thought before them.",
    book: ["gemini-thought-signature-missing"],
  },
  "tool-list": { otherwise: "Tool calls are rejected in a request that declares no tools.", book: ["bedrock-toolconfig-required", "litellm-tools-required"] },
  "tool-name-format": {
    otherwise: "Each provider has its own rule for the names of tools.",
    book: [
      "anthropic-tool-use-name-length",
      "openai-chat-function-name",
      "gemini-function-name",
      "bedrock-tool-name-pattern",
      "mistral-function-name",
    ],
  },
  "trailing-whitespace": { otherwise: "White space at the end is rejected.", book: ["anthropic-trailing-whitespace"] },
  "unknown-field": {
    otherwise: "Fields that an API does not know are rejected.",
    book: ["anthropic-extra-inputs", "gemini-unknown-field", "groq-unsupported-property"],
  },
  "wire-shape": {
    otherwise: "The API documents one way to write this, and rejects or ignores others.",
    book: ["ollama-native-shape"],
  },
}

const bookRule = ({ name }: Profile, ids: readonly string[]): ProviderRule | undefined => {
  const names = Object.hasOwn(bookNames, name) ? (bookNames[name] ?? []) : []
  for (const id of ids) {
    const rule = providerRule(id)
    if (rule?.providers.some((provider) => provider === "all" || names.includes(provider))) return rule
  }
  return undefined
}

/** The demand behind a finding, with the error text of the provider where it is known. */
export const demandOf = (profile: Profile, rule: string): string => {
  const { otherwise, book = [] } = demands[rule] ?? { otherwise: `${profile.title} would reject it.` }
  const found = bookRule(profile, book)
  if (!found) return otherwise
  const [text] = found.texts
  return text === undefined ? found.demand : `${found.demand} Known error: "${text}"`
}
