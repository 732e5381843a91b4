/**
 * What each provider demands, as data. Base profiles name everything; the others say how they differ. Sources of every
 * value: the rule book (`laws/rulebook`). Where the book is unsure, the stricter value stands here.
 */
import type { Profile } from "./profile.ts"

const anthropic: Profile = {
  name: "anthropic",
  title: "Anthropic Messages",
  format: "anthropic",
  origins: ["anthropic", "bedrock-converse"],
  ids: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
  first: "user",
  last: "any",
  alternate: false,
  systemInMiddle: "user",
  emptyText: "reject",
  resultMedia: "inside",
  assistantMedia: "note",
  emptyResult: "accept",
  textAfterResults: "allow",
  textBesideCalls: "allow",
  parallelCalls: "allow",
  thinking: "signed",
  boundThinking: false,
  unknownFields: "reject",
  trimFinal: true,
  wire: {},
}

const openaiChat: Profile = {
  name: "openai-chat",
  title: "OpenAI Chat Completions",
  format: "openai-chat",
  origins: ["openai-chat"],
  ids: { pattern: /\S/, maxLength: 40 },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  first: "any",
  last: "any",
  alternate: false,
  systemInMiddle: "keep",
  emptyText: "accept",
  resultMedia: "behind",
  assistantMedia: "note",
  emptyResult: "accept",
  textAfterResults: "allow",
  textBesideCalls: "allow",
  parallelCalls: "allow",
  thinking: "never",
  boundThinking: false,
  unknownFields: "ignore",
  trimFinal: false,
  wire: { reasoning: "omit" },
}

const gemini: Profile = {
  ...anthropic,
  name: "gemini",
  title: "Google Gemini",
  format: "gemini",
  origins: ["gemini"],
  ids: { pattern: /\S/, maxLength: 256 },
  names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, maxLength: 64 },
  last: "user",
  alternate: true,
  resultMedia: "behind",
  assistantMedia: "allow",
  trimFinal: false,
  wire: { thoughtSignatures: true },
}

const bedrockClaude: Profile = {
  ...anthropic,
  name: "bedrock-claude",
  title: "Bedrock Converse, Claude models",
  format: "bedrock-converse",
  origins: ["bedrock-converse", "anthropic"],
  names: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  last: "user",
  alternate: true,
  emptyResult: "filler",
}

const compatible = (name: string, title: string, differences: Partial<Profile>): Profile => ({
  ...openaiChat,
  name,
  title,
  ...differences,
})

const all: readonly Profile[] = [
  anthropic,
  {
    ...anthropic,
    name: "anthropic-preserved",
    title: "Anthropic Messages, preserved-thinking models",
    last: "user",
    boundThinking: true,
  },
  openaiChat,
  compatible("azure", "Azure OpenAI Chat", {}),
  {
    ...openaiChat,
    name: "openai-responses",
    title: "OpenAI Responses",
    format: "openai-responses",
    origins: ["openai-responses"],
    ids: { pattern: /^[^\s|]+$/, maxLength: 64 },
    resultMedia: "inside",
    thinking: "signed",
    wire: {},
  },
  gemini,
  bedrockClaude,
  {
    ...bedrockClaude,
    name: "bedrock",
    title: "Bedrock Converse, other models",
    origins: [],
    thinking: "never",
    textAfterResults: "bridge",
    textBesideCalls: "split",
    wire: { resultStatus: false },
  },
  compatible("mistral", "Mistral", {
    ids: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 },
    first: "user",
    last: "user",
    systemInMiddle: "user",
    textAfterResults: "bridge",
    emptyText: "reject",
    unknownFields: "reject",
    wire: { reasoning: "omit", callContent: "empty" },
  }),
  compatible("deepseek", "DeepSeek", {
    last: "user",
    thinking: "plain",
    wire: { reasoning: "require", plainContent: true, callContent: "empty" },
  }),
  compatible("kimi", "Moonshot Kimi", { thinking: "plain", wire: { reasoning: "require", callContent: "empty" } }),
  compatible("groq", "Groq", { unknownFields: "reject" }),
  compatible("cerebras", "Cerebras", { unknownFields: "reject" }),
  compatible("xai", "xAI", { emptyText: "reject", emptyResult: "filler", wire: { reasoning: "omit", callContent: "filler" } }),
  compatible("openrouter", "OpenRouter", { thinking: "plain", wire: { reasoning: "keep" } }),
  compatible("ollama", "Ollama, native API", {
    ids: { pattern: /\S/, maxLength: 256 },
    first: "user",
    systemInMiddle: "user",
    thinking: "never",
    wire: { reasoning: "omit", objectArguments: true, callContent: "empty", plainContent: true },
  }),
  compatible("template-strict", "Strict chat templates (vLLM, llama.cpp)", {
    ids: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 },
    first: "user",
    last: "user",
    alternate: true,
    systemInMiddle: "user",
    textAfterResults: "bridge",
    parallelCalls: "serialize",
    emptyText: "reject",
    emptyResult: "filler",
    wire: { reasoning: "omit", callContent: "empty", plainContent: true },
  }),
]

export const profiles: Readonly<Record<string, Profile>> = Object.fromEntries(
  all.map((profile) => [profile.name, profile]),
)
